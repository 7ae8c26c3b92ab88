//! Kinetic and potential energy.

use crate::data::Data;
use crate::error::Result;
use crate::kinematics::{forward_kinematics, forward_kinematics_velocity};
use crate::model::Model;

/// Kinetic energy ½ vᵀ M v (J), that of armatures and rotors included.
pub fn kinetic_energy(model: &Model, data: &mut Data, q: &[f64], v: &[f64]) -> Result<f64> {
    forward_kinematics_velocity(model, data, q, v)?;
    let bodies: f64 = model
        .links
        .iter()
        .zip(&data.velocity[1..])
        .map(|(link, velocity)| link.inertia.kinetic_energy(velocity))
        .sum();
    let rotors: f64 = model
        .armature
        .iter()
        .zip(v)
        .map(|(a, v)| 0.5 * a * v * v)
        .sum();
    Ok(bodies + rotors)
}

/// Potential energy −m g·c (J) of the moving bodies under the model's gravity, zero when their
/// centre of mass is at the world's origin. What is fixed to the world is not counted.
pub fn potential_energy(model: &Model, data: &mut Data, q: &[f64]) -> Result<f64> {
    forward_kinematics(model, data, q)?;
    let mut energy = 0.0;
    for (k, link) in model.links.iter().enumerate() {
        let pose = &data.pose[k + 1];
        let moment =
            pose.rotation * link.inertia.first_moment + pose.translation * link.inertia.mass;
        energy -= model.gravity.dot(&moment);
    }
    Ok(energy)
}
