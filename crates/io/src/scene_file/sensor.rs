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
    /// Sum of the contact forces on something, world axes, N.
    ContactForce {
        /// Body, `robot/link`, soft body or rod that it is on.
        on: String,
        /// The same of what it comes from; `None` for all contacts.
        from: Option<String>,
    },
    /// Von Mises stress of a soft body, Pa.
    SoftStress {
        /// The soft body.
        soft: String,
        /// At this node; `None` for the largest of all.
        node: Option<usize>,
    },
    /// Shear forces and tension between two links of a rod, N.
    RodForce {
        /// The rod.
        rod: String,
        /// Number of the joint: that between links `joint` and `joint` + 1.
        joint: usize,
    },
    /// Bending and twisting moments between two links of a rod, N·m.
    RodMoment {
        /// The rod.
        rod: String,
        /// Number of the joint.
        joint: usize,
    },
    /// Something about a frame.
    Frame {
        /// Body, `robot/link`, or link of a rod as `rod[number]`.
        body: String,
        /// The frame, in the body's frame.
        pose: Isometry3<f64>,
        /// What about it.
        quantity: FrameQuantity,
    },
}
