//! Time derivatives of Jacobians.

use nalgebra::Matrix6xX;

use crate::data::Data;
use crate::error::{Result, check_length};
use crate::frames::ReferenceFrame;
use crate::jacobian::{FrameView, for_each_ancestor, joint_jacobians};
use crate::model::{FrameId, Model};
use crate::spatial::Motion;
use crate::world_axes::update_velocities;

/// Subspace columns of all joints and their time derivatives at (q, v), from which
/// [`frame_jacobian_rate`] makes that of any frame. Also does what [`joint_jacobians`] does.
pub fn joint_jacobians_rate(model: &Model, data: &mut Data, q: &[f64], v: &[f64]) -> Result<()> {
    joint_jacobians(model, data, q)?;
    check_length("v", v.len(), model.nv())?;
    update_velocities(model, data, v);
    update_column_rates(model, data);
    Ok(())
}

/// Fills `data.jacobian_rate`: a column fixed to its body changes by v_body × column.
pub(crate) fn update_column_rates(model: &Model, data: &mut Data) {
    for (k, link) in model.links.iter().enumerate() {
        for dof in link.v() {
            data.jacobian_rate[dof] = data.world_velocity[k + 1].cross(&data.jacobian[dof]);
        }
    }
}

/// The time derivative of [`frame_jacobian`](crate::frame_jacobian) with the same `reference`: its
/// product with v is the part of the acceleration that does not come from v̇.
/// Needs [`joint_jacobians_rate`].
pub fn frame_jacobian_rate(
    model: &Model,
    data: &Data,
    frame: FrameId,
    reference: ReferenceFrame,
    rate: &mut Matrix6xX<f64>,
) -> Result<()> {
    data.check(model)?;
    check_length("rate (columns)", rate.ncols(), model.nv())?;
    let view = FrameView::new(model, data, frame)?;
    let velocity = data.world_velocity[view.body];
    // velocity of the coordinates in which the columns are given
    let coordinates = match reference {
        ReferenceFrame::World => Motion::zero(),
        ReferenceFrame::Local => velocity,
        ReferenceFrame::LocalWorldAligned => Motion::new(
            velocity.shifted(&view.pose.translation).linear,
            Default::default(),
        ),
    };
    rate.fill(0.0);
    for_each_ancestor(model, view.body, |dof| {
        let column = data.jacobian_rate[dof] - coordinates.cross(&data.jacobian[dof]);
        let column = view.express(&column, reference);
        rate.column_mut(dof).copy_from_slice(&column.to_array());
    });
    Ok(())
}
