//! A cable of rigid links.

use nalgebra::{Matrix3, Vector3, Vector6};
use stiction_constraints::{Law, Problem, ProblemError, RowBlock};

use crate::TIME_STEP;
use crate::geometry::{by_rows, point_rows, push_box, push_contact, rotation_rows};
use crate::sampling::{normal_vector, seeded, uniform};

/// A cable on the floor: links of 20 mm and 4 g, springs between them.
#[derive(Debug, Clone, PartialEq)]
pub struct CableParams {
    /// Number of links.
    pub links: usize,
    /// Stiffness against stretching and shearing, N/m.
    pub stretch_stiffness: f64,
    /// Stiffness against bending and twisting, N·m/rad.
    pub bend_stiffness: f64,
    /// Damping time of the springs in s: damping over stiffness.
    pub damping_time: f64,
    /// Friction coefficient of the floor.
    pub friction: f64,
    /// Seed of velocities, deflections and contact points.
    pub seed: u64,
}

impl Default for CableParams {
    fn default() -> Self {
        Self {
            links: 64,
            stretch_stiffness: 2e4,
            bend_stiffness: 0.5,
            damping_time: 1e-4,
            friction: 0.8,
            seed: 0,
        }
    }
}

/// Free bodies in a row, neighbours held by two soft constraints of three rows (stretching in
/// metres, bending in radians), one floor contact under each link.
///
/// # Errors
/// A stiffness or friction coefficient that makes no sense.
pub fn cable(params: &CableParams) -> Result<Problem, ProblemError> {
    let (length, radius, mass) = (0.02, 0.004, 0.004);
    let mut rng = seeded(params.seed);
    let mut problem = Problem::new();
    let center = |link: usize| Vector3::new(length * link as f64, 0.0, radius);
    for _ in 0..params.links {
        let spread = Vector6::new(0.1, 0.1, 0.03, 0.2, 0.2, 0.2);
        let velocity = normal_vector::<6>(&mut rng).component_mul(&spread);
        // Pressed on the floor by three times its weight.
        let press = Vector6::new(0.0, 0.0, -30.0 * mass, 0.0, 0.0, 0.0);
        let half = Vector3::new(0.5 * length, radius, radius);
        push_box(&mut problem, mass, &half, &velocity, &press)?;
    }
    for link in 1..params.links {
        let joint = 0.5 * (center(link) + center(link - 1));
        let stretch = |of: usize| by_rows(&point_rows(&Matrix3::identity(), &(joint - center(of))));
        let springs = [
            (params.stretch_stiffness, stretch(link), stretch(link - 1)),
            (
                params.bend_stiffness,
                by_rows(&rotation_rows()),
                by_rows(&rotation_rows()),
            ),
        ];
        for (stiffness, own, theirs) in springs {
            let theirs = theirs.map(|value| -value);
            let deflection: Vector3<f64> = 1e-4 * normal_vector(&mut rng);
            let law = Law::Soft {
                stiffness: stiffness * TIME_STEP,
                damping: stiffness * TIME_STEP * (TIME_STEP + params.damping_time),
            };
            let block = |values| RowBlock::Body { body: 0, values };
            problem.push_constraint(
                law,
                deflection.as_slice(),
                &[(link, block(&own)), (link - 1, block(&theirs))],
            )?;
        }
    }
    let law = Law::Contact {
        friction: params.friction,
    };
    for link in 0..params.links {
        let aside = uniform(&mut rng, -0.25 * length, 0.25 * length);
        let point = center(link) + Vector3::new(aside, 0.0, -radius);
        let side = (link, 0, center(link));
        push_contact(&mut problem, law, side, None, &point, &Vector3::z(), 0.0)?;
    }
    Ok(problem)
}
