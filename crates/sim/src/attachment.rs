//! What soft bodies and rods share where they are fixed to bodies.

use nalgebra::{Isometry3, Vector3};
use stiction_modeling::{Motion, Places};

use crate::body::BodyHandle;
use crate::error::{Result, SimError};
use crate::free_bodies::turn;
use crate::mechanism::Registry;

/// The axes of the world: rows that hold a point or a rotation in all three.
pub(crate) const AXES: [Vector3<f64>; 3] = [
    Vector3::new(1.0, 0.0, 0.0),
    Vector3::new(0.0, 1.0, 0.0),
    Vector3::new(0.0, 0.0, 1.0),
];

/// How the body moves that something is fixed to. What is on one that is no unknown is none either.
///
/// # Errors
/// A body that does not exist.
pub(crate) fn motion_of(body: BodyHandle, registry: &Registry<'_>) -> Result<Motion> {
    let motion = registry.places.frames.motion.get(body.0);
    motion.copied().ok_or_else(|| SimError::Unknown {
        what: "body",
        name: body.0.to_string(),
    })
}

/// Where a frame that is no unknown is at the end of the step, world.
pub(crate) fn end_of_step(frame: u32, time_step: f64, places: &Places) -> Isometry3<f64> {
    let frame = frame as usize;
    let (pose, twist) = (&places.frames.pose[frame], &places.frames.twist[frame]);
    let origin = pose.translation.vector + twist.linear * time_step;
    let rotation = turn(&pose.rotation, &twist.angular, time_step);
    Isometry3::from_parts(origin.into(), rotation)
}
