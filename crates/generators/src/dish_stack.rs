//! Dishes in a sink.

use std::f64::consts::TAU;

use nalgebra::{Vector3, Vector6};
use rand::RngExt;
use stiction_constraints::{Law, Problem, ProblemError};

use crate::TIME_STEP;
use crate::geometry::{push_box, push_contact};
use crate::sampling::{normal_vector, seeded, uniform};

/// Two bowls, a plate and a heavy pot on top of each other, pulled about.
#[derive(Debug, Clone, PartialEq)]
pub struct DishStackParams {
    /// Contacts between each dish and what is below it.
    pub contacts_per_dish: usize,
    /// Friction coefficient.
    pub friction: f64,
    /// Mass of the two bowls, the plate and the pot, from below, in kg.
    pub masses: [f64; 4],
    /// Scale of the random external wrenches, about this many times the weight of a dish.
    pub wrench: f64,
    /// Seed of contact points, normals, velocities and wrenches.
    pub seed: u64,
}

impl Default for DishStackParams {
    fn default() -> Self {
        Self {
            contacts_per_dish: 50,
            friction: 0.4,
            masses: [0.1, 0.1, 0.1, 5.0],
            wrench: 3.0,
            seed: 0,
        }
    }
}

/// Four free bodies touching along slanted rings, the heavy one on top.
///
/// # Errors
/// A mass or friction coefficient that makes no sense.
pub fn dish_stack(params: &DishStackParams) -> Result<Problem, ProblemError> {
    let spacing = 0.03;
    let mut rng = seeded(params.seed);
    let mut problem = Problem::new();
    let center = |dish: usize| Vector3::new(0.0, 0.0, spacing * (dish + 1) as f64);
    for &mass in &params.masses {
        let strength = params.wrench * mass * if mass < 1.0 { 10.0 } else { 3.0 };
        let mut wrench: Vector6<f64> = strength * normal_vector(&mut rng);
        wrench.fixed_rows_mut::<3>(3).scale_mut(0.05);
        let velocity: Vector6<f64> = 0.02 * normal_vector(&mut rng);
        let half = Vector3::new(0.1, 0.1, 0.02);
        push_box(&mut problem, mass, &half, &velocity, &wrench)?;
    }
    let law = Law::Contact {
        friction: params.friction,
    };
    for dish in 0..params.masses.len() {
        for _ in 0..params.contacts_per_dish {
            let angle = uniform(&mut rng, 0.0, TAU);
            let ring = [0.03, 0.06, 0.08][rng.random_range(0..3)];
            let outward = Vector3::new(angle.cos(), angle.sin(), 0.0);
            let mut point = outward * ring;
            point.z = spacing * dish as f64 + 0.5 * spacing;
            // The lowest bowl stands flat; above it the rings slope inwards like a bowl's wall.
            let normal = if dish == 0 {
                Vector3::z()
            } else {
                Vector3::z() - outward * (1.2 * ring / 0.08) + 0.05 * normal_vector::<3>(&mut rng)
            };
            let gap_velocity = uniform(&mut rng, 0.0, 1e-5) / TIME_STEP;
            let upper = (dish, 0, center(dish));
            let lower = dish.checked_sub(1).map(|below| (below, 0, center(below)));
            push_contact(
                &mut problem,
                law,
                upper,
                lower,
                &point,
                &normal,
                gap_velocity,
            )?;
        }
    }
    Ok(problem)
}
