//! Jacobians of bodies and frames, [RBDA, section 4.3].

use nalgebra::Matrix6xX;

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::frames::ReferenceFrame;
use crate::kinematics::update_poses;
use crate::model::topology::NO_DOF;
use crate::model::{FrameId, Model};
use crate::spatial::{Motion, Transform};
use crate::world_axes::{reference_point, update_columns};

/// Poses of all bodies and the subspace columns of all joints, from which
/// [`frame_jacobian`] makes the Jacobian of any frame.
pub fn joint_jacobians(model: &Model, data: &mut Data, q: &[f64]) -> Result<()> {
    data.check(model)?;
    check_length("q", q.len(), model.nq())?;
    update_poses(model, data, q);
    update_columns(model, data);
    Ok(())
}

/// What [`joint_jacobians`] does where the poses are those of the last kinematics.
pub fn jacobians_from_kinematics(model: &Model, data: &mut Data) -> Result<()> {
    data.check(model)?;
    update_columns(model, data);
    Ok(())
}

/// The 6 × nv Jacobian of a frame: its product with v is the frame's velocity in the coordinates
/// of `reference`, linear part first. Needs [`joint_jacobians`].
pub fn frame_jacobian(
    model: &Model,
    data: &Data,
    frame: FrameId,
    reference: ReferenceFrame,
    jacobian: &mut Matrix6xX<f64>,
) -> Result<()> {
    data.check(model)?;
    check_length("jacobian (columns)", jacobian.ncols(), model.nv())?;
    let view = FrameView::new(model, data, frame)?;
    jacobian.fill(0.0);
    for_each_ancestor(model, view.body, |dof| {
        let column = view.express(&data.jacobian[dof], reference);
        jacobian.column_mut(dof).copy_from_slice(&column.to_array());
    });
    Ok(())
}

/// Calls `visit` with every degree of freedom that moves `body`, from the body to the root.
pub(crate) fn for_each_ancestor(model: &Model, body: usize, mut visit: impl FnMut(usize)) {
    let mut dof = model.topology.last_dof[body];
    while dof != NO_DOF {
        visit(dof);
        dof = model.topology.dof_parent[dof];
    }
}

/// A frame seen from the reference point of its tree, in world axes.
pub(crate) struct FrameView {
    pub(crate) body: usize,
    /// Pose of the frame relative to the reference point.
    pub(crate) pose: Transform,
    /// World position of the reference point (m).
    origin: nalgebra::Vector3<f64>,
}

impl FrameView {
    pub(crate) fn new(model: &Model, data: &Data, frame: FrameId) -> Result<Self> {
        let frame = model.frame(frame)?;
        let body = frame.body.0;
        let origin = reference_point(model, data, body);
        let pose = crate::world_axes::relative_pose(model, &data.pose, body);
        Ok(Self {
            body,
            pose: pose.compose(&frame.placement),
            origin,
        })
    }

    /// Carries a motion from the tree's reference point to the coordinates of `reference`.
    pub(crate) fn express(&self, motion: &Motion, reference: ReferenceFrame) -> Motion {
        match reference {
            ReferenceFrame::World => motion.shifted(&-self.origin),
            ReferenceFrame::Local => self.pose.apply_inverse_motion(motion),
            ReferenceFrame::LocalWorldAligned => motion.shifted(&self.pose.translation),
        }
    }
}
