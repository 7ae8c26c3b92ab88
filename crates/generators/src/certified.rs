//! Problems that are known to have a solution.
//!
//! With friction, a velocity that satisfies all constraints does not yet make sure of a solution
//! (Painlevé's paradox). Two things do: a solution that the problem was built around, and a velocity
//! strictly inside all dual cones, from which existence follows by a fixed-point argument
//! (V. Acary, F. Cadoux, C. Lemaréchal, J. Malick, "A formulation of the linear discrete Coulomb
//! friction problem via convex optimization", 2011, theorem 4.2).

use nalgebra::Vector3;
use rand::{Rng, RngExt};
use stiction_constraints::{
    Constraint, DynamicsMatrix, JointRows, Law, Problem, ProblemError, Solution,
};

use crate::geometry::refuse;
use crate::kinds::refuse_custom;
use crate::sampling::{log_uniform, normal, uniform};

/// Why a problem is known to have a solution.
#[derive(Debug, Clone, PartialEq)]
pub enum Certificate {
    /// This is a solution, up to the rounding of b.
    Drawn(Solution),
    /// This velocity is strictly inside the dual cone of every contact and strictly within every
    /// unilateral constraint and joint limit, and satisfies every equality.
    Interior {
        /// All subsystems stacked, m/s (rad/s).
        velocity: Vec<f64>,
    },
}

impl Certificate {
    /// The velocity that the problem was built around, m/s (rad/s).
    pub fn velocity(&self) -> &[f64] {
        match self {
            Certificate::Drawn(solution) => &solution.velocity,
            Certificate::Interior { velocity } => velocity,
        }
    }
}

/// Draws a velocity, and for every constraint a state of its law (open, sticking, sliding, at a
/// bound, …) with an impulse that belongs to it; sets e and b so that they are a solution.
///
/// `grazing` is the share of constraints at the kink of their law, such as a contact that touches
/// without an impulse.
///
/// # Errors
/// A matrix that is not positive definite, numbers beyond the range of `f64`, a custom law.
pub fn certify_drawn(
    rng: &mut impl Rng,
    problem: &mut Problem,
    grazing: f64,
) -> Result<Certificate, ProblemError> {
    refuse_custom(problem, "no state of it can be drawn")?;
    let (rows, velocity, reached) = draw_velocity(rng, problem);
    let mut dynamics = DynamicsMatrix::default();
    dynamics
        .update(problem)
        .map_err(|failure| refuse("A", "a block", &failure.to_string()))?;
    let inertia = mean_diagonals(problem, &dynamics);
    let mut impulse = vec![0.0; problem.row_count()];
    for index in 0..problem.constraints().len() {
        let constraint = problem.constraints()[index].clone();
        // Of the lightest that it touches, so that impulses suit the velocities.
        let mass = problem
            .terms(index)
            .map(|(subsystem, _)| inertia[subsystem])
            .fold(f64::INFINITY, f64::min);
        let scale = if mass.is_finite() { mass } else { 1.0 } * log_uniform(rng, 0.1, 10.0);
        let z = constraint.load(&reached);
        let (lambda, error) = draw_state(rng, &constraint, &z, scale, grazing);
        constraint.store(&lambda, &mut impulse);
        problem.set_error(index, &error.as_slice()[..constraint.rows])?;
    }
    let mut pushed = vec![0.0; problem.dof_count()];
    rows.mul_transpose_add(&impulse, &mut pushed);
    let mut b = vec![0.0; problem.dof_count()];
    dynamics.mul(&velocity, &mut b);
    for (b, pushed) in b.iter_mut().zip(&pushed) {
        *b -= pushed;
    }
    for subsystem in 0..problem.subsystems().len() {
        let dofs = problem.dof_starts()[subsystem]..problem.dof_starts()[subsystem + 1];
        problem.set_b(subsystem, &b[dofs])?;
    }
    Ok(Certificate::Drawn(Solution { velocity, impulse }))
}

/// Draws a velocity and sets e so that it lies strictly inside every dual cone; b stays.
///
/// # Errors
/// Numbers beyond the range of `f64`, a custom law.
pub fn certify_interior(
    rng: &mut impl Rng,
    problem: &mut Problem,
) -> Result<Certificate, ProblemError> {
    refuse_custom(problem, "its dual cone is not known")?;
    let (_, velocity, reached) = draw_velocity(rng, problem);
    for index in 0..problem.constraints().len() {
        let constraint = problem.constraints()[index].clone();
        let z = constraint.load(&reached);
        let error = constraint.load(problem.errors());
        let error = draw_interior(rng, &constraint, error, &z);
        problem.set_error(index, &error.as_slice()[..constraint.rows])?;
    }
    Ok(Certificate::Interior { velocity })
}

/// J, a random velocity v̂ and J v̂.
fn draw_velocity(rng: &mut impl Rng, problem: &Problem) -> (JointRows, Vec<f64>, Vec<f64>) {
    let mut rows = JointRows::default();
    rows.update(problem);
    let velocity: Vec<f64> = (0..problem.dof_count())
        .map(|_| 0.3 * normal(rng))
        .collect();
    let mut reached = vec![0.0; problem.row_count()];
    rows.mul(&velocity, &mut reached);
    (rows, velocity, reached)
}

/// Mean diagonal of each subsystem's matrix, kg.
fn mean_diagonals(problem: &Problem, dynamics: &DynamicsMatrix) -> Vec<f64> {
    let starts = problem.dof_starts();
    let mut sums = vec![0.0; problem.subsystems().len()];
    dynamics.for_each_lower_entry(|row, column, value| {
        if row == column {
            let subsystem = starts.partition_point(|&start| start <= row) - 1;
            sums[subsystem] += value / (starts[subsystem + 1] - starts[subsystem]) as f64;
        }
    });
    sums
}

/// An impulse of about `scale` and the error term with which it obeys the law at z.
fn draw_state(
    rng: &mut impl Rng,
    constraint: &Constraint,
    z: &Vector3<f64>,
    scale: f64,
    grazing: f64,
) -> (Vector3<f64>, Vector3<f64>) {
    let (mut lambda, mut error) = (Vector3::zeros(), Vector3::zeros());
    if let Some(friction) = constraint.law.friction() {
        let (impulse, velocity) = draw_contact(rng, friction, scale, grazing);
        // What the law calls the velocity includes the give of a compliant contact.
        let softness = constraint
            .law
            .law_velocity(&Vector3::zeros(), &Vector3::zeros(), &impulse);
        return (impulse, velocity - z - softness);
    }
    for row in 0..constraint.rows {
        let speed = log_uniform(rng, 0.01, 1.0);
        let is_at_kink = rng.random_bool(grazing);
        let (impulse, velocity) = match constraint.law {
            _ if is_at_kink && constraint.law == Law::Unilateral => (0.0, 0.0),
            Law::Unilateral if rng.random_bool(0.5) => (scale, 0.0),
            Law::Unilateral => (0.0, speed),
            Law::Soft { stiffness, damping } => {
                let deflection = 0.3 * normal(rng);
                error[row] = deflection;
                lambda[row] = -stiffness * deflection - damping * z[row];
                continue;
            }
            Law::JointFriction { bound } => {
                let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
                if is_at_kink {
                    (sign * bound, 0.0)
                } else if rng.random_bool(0.5) {
                    (uniform(rng, -0.95, 0.95) * bound, 0.0)
                } else {
                    (-sign * bound, sign * speed)
                }
            }
            Law::JointLimit { lower, upper } => {
                let inside = uniform(rng, 0.05, 0.95);
                match rng.random_range(0..3) {
                    0 if lower.is_finite() => (if is_at_kink { 0.0 } else { scale }, lower),
                    1 if upper.is_finite() => (if is_at_kink { 0.0 } else { -scale }, upper),
                    _ => (0.0, between(lower, upper, inside)),
                }
            }
            Law::Equality => (scale * normal(rng), 0.0),
            // Dealt with or refused above; named, so that a further law is not forgotten here.
            Law::Contact { .. }
            | Law::AnisotropicContact { .. }
            | Law::CompliantContact { .. }
            | Law::Custom { .. } => (0.0, 0.0),
        };
        lambda[row] = impulse;
        error[row] = velocity - z[row];
    }
    (lambda, error)
}

/// Impulse and law velocity of a contact that is open, sticks or slides.
fn draw_contact(
    rng: &mut impl Rng,
    friction: [f64; 2],
    scale: f64,
    grazing: f64,
) -> (Vector3<f64>, Vector3<f64>) {
    let speed = log_uniform(rng, 0.01, 1.0);
    let angle = uniform(rng, 0.0, std::f64::consts::TAU);
    let slip = [speed * angle.cos(), speed * angle.sin()];
    if rng.random_bool(grazing) {
        // Touches without an impulse.
        return (Vector3::zeros(), Vector3::new(slip[0], slip[1], 0.0));
    }
    match rng.random_range(0..3) {
        0 => {
            let opening = log_uniform(rng, 0.01, 1.0);
            (Vector3::zeros(), Vector3::new(slip[0], slip[1], opening))
        }
        1 => {
            let share = scale * uniform(rng, 0.0, 0.95);
            let tangent = [angle.cos(), angle.sin()];
            let lambda = Vector3::new(
                share * friction[0] * tangent[0],
                share * friction[1] * tangent[1],
                scale,
            );
            (lambda, Vector3::zeros())
        }
        _ => {
            // The point of the ellipse that dissipates most against this slip.
            let support = (friction[0] * slip[0]).hypot(friction[1] * slip[1]);
            let along = |axis: usize| {
                if support > 0.0 {
                    -scale * friction[axis] * friction[axis] * slip[axis] / support
                } else {
                    0.0
                }
            };
            (
                Vector3::new(along(0), along(1), scale),
                Vector3::new(slip[0], slip[1], 0.0),
            )
        }
    }
}

/// The error term changed so that z is strictly inside the law's dual cone or interval.
fn draw_interior(
    rng: &mut impl Rng,
    constraint: &Constraint,
    mut error: Vector3<f64>,
    z: &Vector3<f64>,
) -> Vector3<f64> {
    if let Some(friction) = constraint.law.friction() {
        let slip = [0.2 * normal(rng), 0.2 * normal(rng)];
        let slack = log_uniform(rng, 0.01, 1.0);
        let lift = (friction[0] * slip[0]).hypot(friction[1] * slip[1]) + slack;
        return Vector3::new(slip[0], slip[1], lift) - z;
    }
    for row in 0..constraint.rows {
        let slack = log_uniform(rng, 0.01, 1.0);
        let velocity = match constraint.law {
            Law::Unilateral => slack,
            Law::Equality => 0.0,
            Law::JointLimit { lower, upper } => between(lower, upper, uniform(rng, 0.05, 0.95)),
            // Soft rows and dry friction can be overcome at any velocity.
            _ => continue,
        };
        error[row] = velocity - z[row];
    }
    error
}

/// A velocity between two limits, either of which may be missing.
fn between(lower: f64, upper: f64, share: f64) -> f64 {
    match (lower.is_finite(), upper.is_finite()) {
        (true, true) => lower + share * (upper - lower),
        (true, false) => lower + share,
        (false, true) => upper - share,
        (false, false) => share - 0.5,
    }
}
