//! Sensors of a scene, as plain data.

use nalgebra::Isometry3;
use stiction_modeling::FrameQuantity;

/// Something that is measured after every step.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorDescription {
    /// Unique among sensors.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// Largest absolute value it shows; `None` for no bound.
    pub cutoff: Option<f64>,
}

/// What a sensor measures, in SI units.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SensorKind {
    /// Position of a joint with one degree of freedom.
    JointPosition {
        /// The robot.
        robot: String,
        /// Its joint.
        joint: String,
    },
    /// Velocity of a joint with one degree of freedom.
    JointVelocity {
        /// The robot.
        robot: String,
        /// Its joint.
        joint: String,
    },
    /// Length of a tendon.
    TendonLength(String),
    /// Rate of change of a tendon's length.
    TendonVelocity(String),
    /// Force of an actuator, before its gear.
    ActuatorForce(String),
    /// Something about a frame.
    Frame {
        /// Body, or `robot/link`.
        body: String,
        /// The frame, in the body's frame.
        pose: Isometry3<f64>,
        /// What about it.
        quantity: FrameQuantity,
    },
}
