//! Centre of mass of all moving bodies, its velocity and its Jacobian.

use nalgebra::{Matrix3xX, Vector3};

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::jacobian::joint_jacobians;
use crate::kinematics::{forward_kinematics, forward_kinematics_velocity};
use crate::model::Model;
use crate::spatial::small::mul;
use crate::world_axes::{accumulate_inertias, update_inertias};

/// Centre of mass of the moving bodies in the world (m); what is fixed to the world is not
/// counted. The origin when nothing moves.
pub fn center_of_mass(model: &Model, data: &mut Data, q: &[f64]) -> Result<Vector3<f64>> {
    forward_kinematics(model, data, q)?;
    Ok(from_poses(model, data))
}

/// Velocity of the centre of mass in world axes (m/s).
pub fn center_of_mass_velocity(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
) -> Result<Vector3<f64>> {
    forward_kinematics_velocity(model, data, q, v)?;
    let mut momentum = Vector3::zeros();
    for (k, link) in model.links.iter().enumerate() {
        let body = link.inertia.mul(&data.velocity[k + 1]).linear;
        momentum += mul(&data.pose[k + 1].rotation, &body);
    }
    Ok(per_mass(model, momentum))
}

/// The 3 × nv Jacobian of the centre of mass: its product with v is
/// [`center_of_mass_velocity`]. Also does what [`joint_jacobians`] does.
pub fn center_of_mass_jacobian(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    jacobian: &mut Matrix3xX<f64>,
) -> Result<()> {
    joint_jacobians(model, data, q)?;
    check_length("jacobian (columns)", jacobian.ncols(), model.nv())?;
    update_inertias(model, data);
    accumulate_inertias(model, data);
    for dof in 0..model.nv() {
        let subtree = &data.composite[model.topology.dof_body[dof]];
        let momentum = subtree.mul(&data.jacobian[dof]).linear;
        jacobian.set_column(dof, &per_mass(model, momentum));
    }
    Ok(())
}

/// Mass-weighted mean of the bodies' centres. Needs poses.
pub(crate) fn from_poses(model: &Model, data: &Data) -> Vector3<f64> {
    let mut moment = Vector3::zeros();
    for (k, link) in model.links.iter().enumerate() {
        let pose = &data.pose[k + 1];
        let body = &link.inertia;
        moment += mul(&pose.rotation, &body.first_moment) + pose.translation * body.mass;
    }
    per_mass(model, moment)
}

fn per_mass(model: &Model, sum: Vector3<f64>) -> Vector3<f64> {
    let mass = model.total_mass();
    if mass == 0.0 {
        Vector3::zeros()
    } else {
        sum / mass
    }
}
