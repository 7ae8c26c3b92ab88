//! Cubes on top of each other.

use nalgebra::{Vector3, Vector6};
use stiction_constraints::{Law, Problem, ProblemError};

use crate::geometry::{push_box, push_contact};
use crate::sampling::{normal_vector, seeded};

/// A tower of cubes on the ground, four corner contacts a storey.
#[derive(Debug, Clone, PartialEq)]
pub struct TowerParams {
    /// Number of cubes.
    pub cubes: usize,
    /// Mass of all cubes but the top one, in kg.
    pub mass: f64,
    /// Mass of the top cube over that of the others: large values are hard for every solver that
    /// passes impulses from contact to contact.
    pub top_ratio: f64,
    /// Friction coefficient.
    pub friction: f64,
    /// Standard deviation of the velocities before the step, in m/s and rad/s: sticking, rocking
    /// and opening contacts at once.
    pub kick: f64,
    /// Seed of the velocities.
    pub seed: u64,
}

impl Default for TowerParams {
    fn default() -> Self {
        Self {
            cubes: 5,
            mass: 1.0,
            top_ratio: 1.0,
            friction: 0.5,
            kick: 0.02,
            seed: 0,
        }
    }
}

/// Cubes of 0.2 m on top of each other, the last one heavier, each with a small random velocity.
///
/// # Errors
/// A mass or friction coefficient that makes no sense.
pub fn tower(params: &TowerParams) -> Result<Problem, ProblemError> {
    let half = 0.1;
    let mut rng = seeded(params.seed);
    let mut problem = Problem::new();
    let center = |storey: usize| Vector3::new(0.0, 0.0, half * (2 * storey + 1) as f64);
    for storey in 0..params.cubes {
        let is_top = storey + 1 == params.cubes;
        let mass = params.mass * if is_top { params.top_ratio } else { 1.0 };
        let velocity: Vector6<f64> = params.kick * normal_vector(&mut rng);
        push_box(
            &mut problem,
            mass,
            &Vector3::repeat(half),
            &velocity,
            &Vector6::zeros(),
        )?;
    }
    let law = Law::Contact {
        friction: params.friction,
    };
    for storey in 0..params.cubes {
        let upper = (storey, 0, center(storey));
        let lower = storey.checked_sub(1).map(|below| (below, 0, center(below)));
        for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let corner = Vector3::new(x * half, y * half, 2.0 * half * storey as f64);
            push_contact(&mut problem, law, upper, lower, &corner, &Vector3::z(), 0.0)?;
        }
    }
    Ok(problem)
}
