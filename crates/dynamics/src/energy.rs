//! Kinetic and potential energy.

use std::ops::Range;

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::kinematics::{forward_kinematics, forward_kinematics_velocity};
use crate::model::Model;

/// Kinetic energy ½ vᵀ M v (J), that of armatures and rotors included.
pub fn kinetic_energy(model: &Model, data: &mut Data, q: &[f64], v: &[f64]) -> Result<f64> {
    forward_kinematics_velocity(model, data, q, v)?;
    Ok(kinetic(model, data, v))
}

/// Kinetic and potential energy (J) as of the last
/// [`forward_kinematics_velocity`](crate::forward_kinematics_velocity), whose `v` this is.
pub fn energy_from_kinematics(model: &Model, data: &Data, v: &[f64]) -> Result<[f64; 2]> {
    data.check(model)?;
    check_length("v", v.len(), model.nv())?;
    Ok([kinetic(model, data, v), potential(model, data)])
}

/// The same of one tree, given as a range that [`Model::trees`] gives.
///
/// # Errors
/// Wrong lengths, bodies that the model does not have.
pub fn tree_energy_from_kinematics(
    model: &Model,
    data: &Data,
    tree: Range<usize>,
    v: &[f64],
) -> Result<[f64; 2]> {
    data.check(model)?;
    check_length("v", v.len(), model.nv())?;
    check_length(
        "tree (last body)",
        tree.end,
        model.topology.tree_end(tree.start),
    )?;
    let links = tree.start - 1..tree.end - 1;
    Ok([
        kinetic_of(model, data, links.clone(), v),
        potential_of(model, data, links),
    ])
}

fn kinetic(model: &Model, data: &Data, v: &[f64]) -> f64 {
    kinetic_of(model, data, 0..model.links.len(), v)
}

fn kinetic_of(model: &Model, data: &Data, range: Range<usize>, v: &[f64]) -> f64 {
    let links = &model.links[range.clone()];
    let bodies: f64 = links
        .iter()
        .zip(&data.velocity[range.start + 1..])
        .map(|(link, velocity)| link.inertia.kinetic_energy(velocity))
        .sum();
    let dofs = match (links.first(), links.last()) {
        (Some(first), Some(last)) => first.v_start..last.v().end,
        _ => 0..0,
    };
    let rotors: f64 = model.armature[dofs.clone()]
        .iter()
        .zip(&v[dofs])
        .map(|(a, v)| 0.5 * a * v * v)
        .sum();
    bodies + rotors
}

/// Potential energy −m g·c (J) of the moving bodies under the model's gravity, zero when their
/// centre of mass is at the world's origin. What is fixed to the world is not counted.
pub fn potential_energy(model: &Model, data: &mut Data, q: &[f64]) -> Result<f64> {
    forward_kinematics(model, data, q)?;
    Ok(potential(model, data))
}

fn potential(model: &Model, data: &Data) -> f64 {
    potential_of(model, data, 0..model.links.len())
}

fn potential_of(model: &Model, data: &Data, range: Range<usize>) -> f64 {
    let mut energy = 0.0;
    for (k, link) in range.clone().zip(&model.links[range]) {
        let pose = &data.pose[k + 1];
        let moment =
            pose.rotation * link.inertia.first_moment + pose.translation * link.inertia.mass;
        energy -= model.gravity.dot(&moment);
    }
    energy
}
