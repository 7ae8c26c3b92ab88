//! Many bodies in sparse contact.

use nalgebra::{Vector3, Vector6};
use stiction_constraints::{Law, Problem, ProblemError};

use crate::geometry::{push_contact, refuse};
use crate::sampling::{log_uniform, normal_vector, seeded, uniform};
use crate::{GRAVITY, TIME_STEP};

/// Balls poured into a cube-shaped heap.
#[derive(Debug, Clone, PartialEq)]
pub struct SpherePileParams {
    /// Number of balls; 10 000 are a matter of milliseconds.
    pub bodies: usize,
    /// Radius in m.
    pub radius: f64,
    /// Mass of the lightest ball in kg; the heaviest has ten times as much.
    pub mass: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Standard deviation of the velocities before the step, in m/s and rad/s.
    pub kick: f64,
    /// Seed of places, masses and velocities.
    pub seed: u64,
}

impl Default for SpherePileParams {
    fn default() -> Self {
        Self {
            bodies: 1000,
            radius: 0.05,
            mass: 0.1,
            friction: 0.5,
            kick: 0.1,
            seed: 0,
        }
    }
}

/// Balls on a jittered grid: each touches about four others or the ground. Both
/// bodies and contacts grow in proportion to the number of balls.
///
/// # Errors
/// A radius, mass or friction coefficient that makes no sense.
pub fn sphere_pile(params: &SpherePileParams) -> Result<Problem, ProblemError> {
    let (radius, count) = (params.radius, params.bodies);
    if !(radius.is_finite() && radius > 0.0) {
        return Err(refuse("radius", radius, "must be finite and positive"));
    }
    let mut rng = seeded(params.seed);
    let side = (1..=count).find(|n| n * n * n >= count).unwrap_or(1);
    let centers: Vec<Vector3<f64>> = (0..count)
        .map(|ball| {
            let (x, y, z) = (ball % side, ball / side % side, ball / (side * side));
            let place = Vector3::new(x as f64, y as f64, z as f64) * (2.0 * radius);
            let jitter = Vector3::from_fn(|_, _| uniform(&mut rng, -0.02, 0.02) * radius);
            place + jitter + Vector3::repeat(radius)
        })
        .collect();
    let mut problem = Problem::new();
    for _ in 0..count {
        let mass = log_uniform(&mut rng, params.mass, 10.0 * params.mass);
        let moment = 0.4 * mass * radius * radius;
        let inertia = nalgebra::Matrix6::from_diagonal(&Vector6::new(
            mass, mass, mass, moment, moment, moment,
        ));
        let velocity: Vector6<f64> = params.kick * normal_vector(&mut rng);
        let mut b = inertia * velocity;
        b.z -= mass * GRAVITY * TIME_STEP;
        problem.push_free_body(inertia, b.as_slice())?;
    }
    let law = Law::Contact {
        friction: params.friction,
    };
    // Half a millimetre apart (at the default radius) is near enough to touch in the step.
    let margin = 0.01 * radius;
    let mut push = |first: usize, second: Option<usize>| {
        let center = centers[first];
        let (normal, gap, point) = match second {
            None => {
                let gap = center.z - radius;
                (Vector3::z(), gap, center - Vector3::z() * radius)
            }
            Some(other) => {
                let apart = center - centers[other];
                let gap = apart.norm() - 2.0 * radius;
                (apart, gap, 0.5 * (center + centers[other]))
            }
        };
        if gap > margin {
            return Ok(());
        }
        // A fifth of a penetration is undone in a step.
        let gap_velocity = gap / TIME_STEP * if gap < 0.0 { 0.2 } else { 1.0 };
        let other = second.map(|other| (other, 0, centers[other]));
        let own = (first, 0, center);
        push_contact(&mut problem, law, own, other, &point, &normal, gap_velocity).map(|_| ())
    };
    for ball in 0..count {
        let (x, y, z) = (ball % side, ball / side % side, ball / (side * side));
        push(ball, (z > 0).then(|| ball - side * side))?;
        if x > 0 {
            push(ball, Some(ball - 1))?;
        }
        if y > 0 {
            push(ball, Some(ball - side))?;
        }
    }
    Ok(problem)
}
