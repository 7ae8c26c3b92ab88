//! A nut on a bolt.

use std::f64::consts::TAU;

use nalgebra::{Vector3, Vector6};
use stiction_constraints::{Law, Problem, ProblemError};

use crate::TIME_STEP;
use crate::geometry::{push_box, push_contact};
use crate::sampling::{normal, normal_vector, seeded, uniform};

/// A nut on a thread of radius 24 mm, pitch 5 mm and flank angle 60°.
#[derive(Debug, Clone, PartialEq)]
pub struct BoltNutParams {
    /// Number of contacts, on the upper and the lower flank in turn.
    pub contacts: usize,
    /// Friction coefficient.
    pub friction: f64,
    /// Mass of the nut in kg.
    pub mass: f64,
    /// Standard deviation of the external force in N; the torque's is 0.02 m times as much.
    pub wrench: f64,
    /// Largest penetration velocity in m/s. Above zero both flanks push the nut at once, so that
    /// no velocity satisfies all contacts: the problem is infeasible.
    pub penetration: f64,
    /// Seed of the contact points, the gaps and the wrench.
    pub seed: u64,
}

impl Default for BoltNutParams {
    fn default() -> Self {
        Self {
            contacts: 120,
            friction: 0.3,
            mass: 0.3,
            wrench: 20.0,
            penetration: 0.0,
            seed: 0,
        }
    }
}

/// One free body held by far more contacts than it has degrees of freedom.
///
/// # Errors
/// A mass or friction coefficient that makes no sense.
pub fn bolt_nut(params: &BoltNutParams) -> Result<Problem, ProblemError> {
    let (radius, height, pitch, flank) = (0.024, 0.04, 0.005, 0.577);
    let mut rng = seeded(params.seed);
    let mut problem = Problem::new();
    let mut wrench: Vector6<f64> = params.wrench * normal_vector(&mut rng);
    wrench.fixed_rows_mut::<3>(3).scale_mut(0.02);
    let mut velocity: Vector6<f64> = 0.05 * normal_vector(&mut rng);
    velocity.fixed_rows_mut::<3>(3).scale_mut(5.0);
    let half = Vector3::new(0.035, 0.035, 0.02);
    let nut = push_box(&mut problem, params.mass, &half, &velocity, &wrench)?;
    let law = Law::Contact {
        friction: params.friction,
    };
    for contact in 0..params.contacts {
        let angle = uniform(&mut rng, 0.0, TAU);
        let outward = Vector3::new(angle.cos(), angle.sin(), 0.0);
        let along = Vector3::new(-angle.sin(), angle.cos(), 0.0);
        let upward = if contact % 2 == 1 { 1.0 } else { -1.0 };
        // The thread rises by its lead while it goes round: the flank's normal leans back.
        let lead = pitch / (TAU * radius);
        let normal_vector = (Vector3::z() - along * lead) * upward
            + outward * (flank * (1.0 + 0.02 * normal(&mut rng)));
        let mut point = outward * (radius * (1.0 + 0.03 * normal(&mut rng)));
        point.z = uniform(&mut rng, -0.5 * height, 0.5 * height);
        let gap_velocity = if params.penetration > 0.0 {
            -params.penetration * uniform(&mut rng, 0.0, 1.0)
        } else {
            uniform(&mut rng, 0.0, 1e-5) / TIME_STEP
        };
        let side = (nut, 0, Vector3::zeros());
        push_contact(
            &mut problem,
            law,
            side,
            None,
            &point,
            &normal_vector,
            gap_velocity,
        )?;
    }
    Ok(problem)
}
