//! Centroidal momentum: Orin, Goswami and Lee, "Centroidal dynamics of a humanoid robot", 2013.
//!
//! All results are in world axes with moments about the centre of mass, linear part first.

use nalgebra::Matrix6xX;

use crate::center_of_mass::from_poses;
use crate::data::Data;
use crate::error::{Result, check_length};
use crate::jacobian::joint_jacobians;
use crate::kinematics::{forward_kinematics_acceleration, forward_kinematics_velocity};
use crate::model::Model;
use crate::spatial::{Force, Transform};
use crate::world_axes::{accumulate_inertias, reference_point, update_inertias};

/// Linear (kg·m/s) and angular (kg·m²/s) momentum of all moving bodies about their centre of mass.
pub fn centroidal_momentum(model: &Model, data: &mut Data, q: &[f64], v: &[f64]) -> Result<Force> {
    forward_kinematics_velocity(model, data, q, v)?;
    Ok(sum_about_center(model, data, |data, i| {
        model.links[i - 1].inertia.mul(&data.velocity[i])
    }))
}

/// Rate of change of [`centroidal_momentum`] (N, N·m) at joint accelerations `a`: the external
/// force that the motion needs, gravity included in it.
pub fn centroidal_momentum_rate(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) -> Result<Force> {
    forward_kinematics_acceleration(model, data, q, v, a)?;
    Ok(sum_about_center(model, data, |data, i| {
        let (inertia, velocity) = (&model.links[i - 1].inertia, &data.velocity[i]);
        inertia.mul(&data.acceleration[i]) + velocity.cross_force(&inertia.mul(velocity))
    }))
}

/// The 6 × nv matrix A with A v = [`centroidal_momentum`]. Also does what [`joint_jacobians`] does.
pub fn centroidal_momentum_matrix(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    matrix: &mut Matrix6xX<f64>,
) -> Result<()> {
    joint_jacobians(model, data, q)?;
    check_length("matrix (columns)", matrix.ncols(), model.nv())?;
    update_inertias(model, data);
    accumulate_inertias(model, data);
    let center = from_poses(model, data);
    for dof in 0..model.nv() {
        let body = model.topology.dof_body[dof];
        let momentum = data.composite[body].mul(&data.jacobian[dof]);
        let arm = center - reference_point(model, data, body);
        matrix
            .column_mut(dof)
            .copy_from_slice(&momentum.shifted(&arm).to_array());
    }
    Ok(())
}

/// Sums one force per body (given in the body's frame) in world axes at the centre of mass.
fn sum_about_center(model: &Model, data: &Data, force_of: impl Fn(&Data, usize) -> Force) -> Force {
    let center = from_poses(model, data);
    let mut sum = Force::zero();
    for i in 1..model.n_bodies() {
        let pose = &data.pose[i];
        let arm = Transform::new(pose.rotation, pose.translation - center);
        sum += arm.apply_force(&force_of(data, i));
    }
    sum
}
