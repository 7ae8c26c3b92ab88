//! Actuators of a scene, as plain data.

use nalgebra::{Isometry3, Vector3};
use stiction_modeling::{Activation, Signal};

/// A drive: force = gain · activation + bias₀ + bias₁ · length + bias₂ · speed, clamped, where
/// length = gear · coordinate; it acts on the coordinate with gear · force.
#[derive(Debug, Clone, PartialEq)]
pub struct ActuatorDescription {
    /// Unique among actuators.
    pub name: String,
    /// What it drives.
    pub target: ActuatorTarget,
    /// Transmission ratio.
    pub gear: f64,
    /// Force per activation.
    pub gain: f64,
    /// Force at rest, per length and per speed.
    pub bias: [f64; 3],
    /// Range of the control.
    pub control_limits: Option<[f64; 2]>,
    /// Range of the force.
    pub force_limits: Option<[f64; 2]>,
    /// How activation follows control.
    pub activation: Activation,
    /// Control over time.
    pub control: Signal<f64>,
}

/// What an actuator drives.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ActuatorTarget {
    /// A joint with one degree of freedom.
    Joint {
        /// The robot.
        robot: String,
        /// Its joint.
        joint: String,
    },
    /// A tendon.
    Tendon(String),
    /// A force and torque on a body at a frame, such as a thruster; its length is always zero.
    Frame {
        /// A free body, or `robot/link`.
        body: String,
        /// The frame, in the body's frame.
        pose: Isometry3<f64>,
        /// Force per unit, axes of the frame.
        force: Vector3<f64>,
        /// Torque per unit, axes of the frame, m.
        torque: Vector3<f64>,
    },
}
