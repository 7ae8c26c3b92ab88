//! States of a scene to start from, as plain data.

use nalgebra::{Isometry3, Vector3};

/// A named state to start from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeyframeDescription {
    /// Unique among keyframes.
    pub name: String,
    /// Joints that have a state of their own in it.
    pub joints: Vec<KeyframeJoint>,
    /// Free and driven bodies that have one.
    pub bodies: Vec<KeyframeBody>,
    /// Actuator and its constant control.
    pub controls: Vec<(String, f64)>,
}

/// State of a joint in a keyframe.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyframeJoint {
    /// The robot.
    pub robot: String,
    /// Its joint.
    pub joint: String,
    /// Its coordinates, as in
    /// [`RobotJointDescription::initial`](super::RobotJointDescription::initial).
    pub position: Vec<f64>,
    /// Its velocities; empty for rest.
    pub velocity: Vec<f64>,
}

/// State of a body in a keyframe.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyframeBody {
    /// The body.
    pub body: String,
    /// Pose of its frame in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of its centre of mass, world axes, m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: Vector3<f64>,
}
