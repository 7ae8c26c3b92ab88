//! Tendons, actuators, sensors, keyframes and contact pairs of a scene, as plain data.

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_modeling::{Activation, FrameQuantity, Signal};

/// A length that depends on where things are, with a spring, limits and friction of its own.
///
/// The unit of length is m for a path through points; for a sum of joints it is that of
/// coefficient · coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct TendonDescription {
    /// Unique among tendons.
    pub name: String,
    /// What its length is made of.
    pub path: TendonPath,
    /// Shortest and longest length, hard; `None` for none.
    pub limits: Option<[f64; 2]>,
    /// Spring, N/m.
    pub stiffness: f64,
    /// Damper, N·s/m.
    pub damping: f64,
    /// Lengths between which the spring is slack; equal ones are a rest length, m.
    pub rest: [f64; 2],
    /// Dry friction, N.
    pub friction_loss: f64,
}

/// What the length of a tendon is made of.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TendonPath {
    /// Σ coefficient · coordinate over joints with one degree of freedom each.
    Joints {
        /// The robot.
        robot: String,
        /// Joint and coefficient.
        terms: Vec<(String, f64)>,
    },
    /// Straight lines through points, Σ length / divisor over the branches.
    Points(Vec<TendonBranch>),
}

/// A run of straight lines of a tendon.
#[derive(Debug, Clone, PartialEq)]
pub struct TendonBranch {
    /// What its length is divided by: how many such branches share a pulley.
    pub divisor: f64,
    /// Body (or `robot/link`) and point in its frame, m; two or more.
    pub points: Vec<(String, Point3<f64>)>,
}

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

/// Two shapes that may touch whatever their groups say and whichever bodies are excluded.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactPairDescription {
    /// The shapes, as `body/shape` or `robot/link/shape`.
    pub shapes: [String; 2],
    /// Friction between the two, along the first and second tangent; `None` for what their materials
    /// say.
    pub friction: Option<f64>,
}
