//! Quantities in world axes at one point near each tree.
//!
//! With all bodies of a tree in the same coordinates, composite inertias, forces and velocities
//! are plain sums and an entry of the mass matrix is one dot product. The point is the origin of
//! the tree's first body with mass instead of the world's origin, so that a robot far away loses
//! no digits.

use nalgebra::Vector3;

use crate::data::Data;
use crate::model::Model;
use crate::spatial::Transform;

/// World position of the point at which the tree of `body` is expressed. Needs poses.
#[inline]
pub(crate) fn reference_point(model: &Model, data: &Data, body: usize) -> Vector3<f64> {
    data.pose[model.topology.reference_body[body]].translation
}

/// Pose of a body in world axes at its tree's reference point.
#[inline]
pub(crate) fn relative_pose(model: &Model, pose: &[Transform], body: usize) -> Transform {
    let origin = &pose[model.topology.reference_body[body]].translation;
    Transform::new(pose[body].rotation, pose[body].translation - origin)
}

/// Fills `data.jacobian`: the subspace columns of every joint.
pub(crate) fn update_columns(model: &Model, data: &mut Data) {
    for (k, link) in model.links.iter().enumerate() {
        let pose = relative_pose(model, &data.pose, k + 1);
        link.joint.columns_at(&pose, &mut data.jacobian[link.v()]);
    }
}

/// Fills `data.composite` with the inertia of each body alone.
pub(crate) fn update_inertias(model: &Model, data: &mut Data) {
    for (k, link) in model.links.iter().enumerate() {
        let pose = relative_pose(model, &data.pose, k + 1);
        data.composite[k + 1] = pose.apply_inertia(&link.inertia);
    }
}

/// Sums `data.composite` from the leaves up, so that each entry is the inertia of a subtree.
/// Bodies mounted on the world are left apart: their reference points differ.
pub(crate) fn accumulate_inertias(model: &Model, data: &mut Data) {
    for (k, link) in model.links.iter().enumerate().rev() {
        if link.parent != 0 {
            let subtree = data.composite[k + 1];
            data.composite[link.parent] += subtree;
        }
    }
}

/// Fills `data.world_velocity`. Needs `data.jacobian`.
pub(crate) fn update_velocities(model: &Model, data: &mut Data, v: &[f64]) {
    for (k, link) in model.links.iter().enumerate() {
        let mut velocity = data.world_velocity[link.parent];
        for dof in link.v() {
            velocity += data.jacobian[dof] * v[dof];
        }
        data.world_velocity[k + 1] = velocity;
    }
}
