//! Forward kinematics, [RBDA, section 4.1 and 4.4].

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::joint::{JointKernel, with_kernel};
use crate::model::Model;
use crate::spatial::Motion;

/// Poses of all bodies at configuration `q`.
pub fn forward_kinematics(model: &Model, data: &mut Data, q: &[f64]) -> Result<()> {
    data.check(model)?;
    check_length("q", q.len(), model.nq())?;
    update_poses(model, data, q);
    Ok(())
}

/// Poses and velocities of all bodies.
pub fn forward_kinematics_velocity(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
) -> Result<()> {
    forward_kinematics(model, data, q)?;
    check_length("v", v.len(), model.nv())?;
    for (k, link) in model.links.iter().enumerate() {
        let carried = data.local[k + 1].apply_inverse_motion(&data.velocity[link.parent]);
        data.velocity[k + 1] = carried + link.joint.velocity(&v[link.v()]);
    }
    Ok(())
}

/// Poses, velocities and (spatial) accelerations of all bodies; gravity plays no part.
pub fn forward_kinematics_acceleration(
    model: &Model,
    data: &mut Data,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) -> Result<()> {
    forward_kinematics_velocity(model, data, q, v)?;
    check_length("a", a.len(), model.nv())?;
    data.acceleration[0] = Motion::zero();
    for (k, link) in model.links.iter().enumerate() {
        let carried = data.local[k + 1].apply_inverse_motion(&data.acceleration[link.parent]);
        let (vj, aj) = (&v[link.v()], &a[link.v()]);
        let own =
            with_kernel!(&link.joint, j => j.velocity(aj) + j.bias(&data.velocity[k + 1], vj));
        data.acceleration[k + 1] = carried + own;
    }
    Ok(())
}

/// Local and world poses; sizes already checked.
pub(crate) fn update_poses(model: &Model, data: &mut Data, q: &[f64]) {
    let Data { local, pose, .. } = data;
    for (k, link) in model.links.iter().enumerate() {
        let moved = link.joint.transform(&link.placement, &q[link.q()]);
        pose[k + 1] = if link.parent == 0 {
            moved
        } else {
            pose[link.parent].compose(&moved)
        };
        local[k + 1] = moved;
    }
}
