//! Placement, velocity and acceleration of named frames, from the last kinematics.

use crate::data::Data;
use crate::error::Result;
use crate::model::{FrameId, Model};
use crate::spatial::small::{cross, mul};
use crate::spatial::{Motion, Transform};

/// In which coordinates a velocity, an acceleration or a Jacobian of a frame is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFrame {
    /// World axes at the world's origin: the linear part is the velocity of the body-fixed point
    /// that passes through the origin of the world.
    World,
    /// The frame's own axes at its own origin.
    Local,
    /// World axes at the frame's origin: the linear part is the velocity of that origin.
    LocalWorldAligned,
}

/// Pose of a frame in the world. Needs [`forward_kinematics`](crate::forward_kinematics).
pub fn frame_placement(model: &Model, data: &Data, frame: FrameId) -> Result<Transform> {
    data.check(model)?;
    let frame = model.frame(frame)?;
    Ok(data.pose[frame.body.0].compose(&frame.placement))
}

/// Velocity of a frame (m/s, rad/s).
/// Needs [`forward_kinematics_velocity`](crate::forward_kinematics_velocity).
pub fn frame_velocity(
    model: &Model,
    data: &Data,
    frame: FrameId,
    reference: ReferenceFrame,
) -> Result<Motion> {
    let (pose, local) = local_motion(model, data, frame, &data.velocity)?;
    Ok(express(&pose, &local, reference))
}

/// Spatial acceleration of a frame (m/s², rad/s²), the derivative of its spatial velocity; see
/// [`frame_classical_acceleration`] for that of its origin as a point.
/// Needs [`forward_kinematics_acceleration`](crate::forward_kinematics_acceleration).
pub fn frame_acceleration(
    model: &Model,
    data: &Data,
    frame: FrameId,
    reference: ReferenceFrame,
) -> Result<Motion> {
    let (pose, local) = local_motion(model, data, frame, &data.acceleration)?;
    Ok(express(&pose, &local, reference))
}

/// Acceleration of the frame's origin as a point that moves with the body (linear part, m/s²) and
/// angular acceleration (rad/s²). With [`ReferenceFrame::World`] the point is the one passing
/// through the world's origin.
/// Needs [`forward_kinematics_acceleration`](crate::forward_kinematics_acceleration).
pub fn frame_classical_acceleration(
    model: &Model,
    data: &Data,
    frame: FrameId,
    reference: ReferenceFrame,
) -> Result<Motion> {
    let v = frame_velocity(model, data, frame, reference)?;
    let a = frame_acceleration(model, data, frame, reference)?;
    Ok(Motion::new(
        a.linear + cross(&v.angular, &v.linear),
        a.angular,
    ))
}

/// World pose of a frame and the motion of its body in the frame's own coordinates.
fn local_motion(
    model: &Model,
    data: &Data,
    frame: FrameId,
    motions: &[Motion],
) -> Result<(Transform, Motion)> {
    let pose = frame_placement(model, data, frame)?;
    let frame = model.frame(frame)?;
    Ok((
        pose,
        frame.placement.apply_inverse_motion(&motions[frame.body.0]),
    ))
}

fn express(pose: &Transform, local: &Motion, reference: ReferenceFrame) -> Motion {
    match reference {
        ReferenceFrame::Local => *local,
        ReferenceFrame::World => pose.apply_motion(local),
        ReferenceFrame::LocalWorldAligned => Motion::new(
            mul(&pose.rotation, &local.linear),
            mul(&pose.rotation, &local.angular),
        ),
    }
}
