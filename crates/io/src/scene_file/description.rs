//! A scene as plain data: what a scene file says, in SI units, with names instead of handles.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::{Groups, Material};
use stiction_dynamics::{
    CouplingDescription, DofProperties, Inertia, Integrator, JointKind, Symmetric3,
};
use stiction_modeling::{ConnectionKind, Signal};

use super::actuator::ActuatorDescription;
use super::contact_pair::ContactPairDescription;
use super::keyframe::KeyframeDescription;
use super::rod::RodDescription;
use super::sensor::SensorDescription;
use super::shape::ShapeKind;
use super::soft::SoftDescription;
use super::tendon::TendonDescription;

/// A scene: bodies, robots, what holds and drives them, and for how long.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneDescription {
    /// Name of the scene.
    pub name: String,
    /// How long to simulate, s.
    pub seconds: f64,
    /// How it is stepped.
    pub settings: SettingsDescription,
    /// Surface materials by name.
    pub materials: BTreeMap<String, Material>,
    /// Rigid bodies.
    pub bodies: Vec<BodyDescription>,
    /// Joints between any two bodies.
    pub joints: Vec<ConnectionDescription>,
    /// Articulated robots.
    pub robots: Vec<RobotDescription>,
    /// Soft bodies.
    pub soft: Vec<SoftDescription>,
    /// Rods.
    pub rods: Vec<RodDescription>,
    /// What drives the scene.
    pub controllers: Vec<ControllerDescription>,
    /// Pairs of bodies that never touch.
    pub exclude: Vec<[String; 2]>,
    /// Pairs of shapes that touch whatever else is said.
    pub contact_pairs: Vec<ContactPairDescription>,
    /// Lengths with springs, limits and friction.
    pub tendons: Vec<TendonDescription>,
    /// Drives.
    pub actuators: Vec<ActuatorDescription>,
    /// What is measured.
    pub sensors: Vec<SensorDescription>,
    /// Named states to start from.
    pub keyframes: Vec<KeyframeDescription>,
}

impl SceneDescription {
    /// An empty scene.
    pub fn new(name: impl Into<String>, seconds: f64) -> Self {
        Self {
            name: name.into(),
            seconds,
            settings: SettingsDescription::default(),
            materials: BTreeMap::new(),
            bodies: Vec::new(),
            joints: Vec::new(),
            robots: Vec::new(),
            soft: Vec::new(),
            rods: Vec::new(),
            controllers: Vec::new(),
            exclude: Vec::new(),
            contact_pairs: Vec::new(),
            tendons: Vec::new(),
            actuators: Vec::new(),
            sensors: Vec::new(),
            keyframes: Vec::new(),
        }
    }
}

/// How a scene is stepped; `None` leaves it to the simulator.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SettingsDescription {
    /// Time step, s.
    pub time_step: Option<f64>,
    /// θ of the time integration, in [0, 1): 0 is implicit Euler, 0.5 the midpoint rule.
    pub theta: Option<f64>,
    /// Acceleration of free fall, world axes, m/s².
    pub gravity: Option<Vector3<f64>>,
    /// Solver by name.
    pub solver: Option<String>,
    /// Residual at which the solver stops, m/s.
    pub tolerance: Option<f64>,
    /// Most iterations of the solver per island and step.
    pub max_iterations: Option<usize>,
    /// Processor time of the solver per island and step, s.
    pub solver_time: Option<f64>,
    /// Share of a penetration or joint error that is removed in a step, 0 to 1.
    pub baumgarte: Option<f64>,
    /// Largest speed at which a penetration is pushed out, m/s.
    pub push_out_speed: Option<f64>,
    /// Gap up to which contacts are handed to the solver, m.
    pub contact_margin: Option<f64>,
    /// Change of a distance (m) after which the contacts of a pair with many are chosen anew.
    pub contact_reuse: Option<f64>,
    /// Further passes of linearise-and-solve in one step.
    pub relinearizations: Option<usize>,
    /// How robots move where nothing touches them.
    pub integrator: Option<Integrator>,
    /// Largest error of a step of such a motion, as a share of its speed.
    pub integration_tolerance: Option<f64>,
    /// Most substeps of a step.
    pub max_substeps: Option<usize>,
    /// Whether energy that no force gave a robot is taken from it.
    pub energy_account: Option<bool>,
    /// Largest error of joints, loops, couplings and hard tendons, as a share of the size of their links.
    pub joint_tolerance: Option<f64>,
    /// Whether bodies that don't touch are solved apart.
    pub islands: Option<bool>,
    /// Whether impulses of the last step are the guess of the next.
    pub warm_start: Option<bool>,
    /// Most contact points that are kept of a pair of bodies.
    pub max_contacts: Option<usize>,
}

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct BodyDescription {
    /// Unique name.
    pub name: String,
    /// What moves it.
    pub kind: BodyKind,
    /// Pose of its frame in the world.
    pub pose: Isometry3<f64>,
    /// Velocity of the centre of mass (of the frame's origin for a driven body), world axes, m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Red, green, blue and opacity, 0 to 1.
    pub color: Option<[f32; 4]>,
    /// Share of its weight that something unseen carries: 0 for none, 1 for a body that floats.
    pub gravity_compensation: f64,
    /// Its shapes.
    pub shapes: Vec<ShapeDescription>,
}

/// What moves a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BodyKind {
    /// Nothing.
    Fixed,
    /// A controller, whatever it meets.
    Driven,
    /// Forces.
    Free(MassDescription),
}

/// Where a body's mass comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MassDescription {
    /// This many kg, spread evenly over the volume of its shapes.
    Mass(f64),
    /// Its shapes, filled at this many kg/m³.
    Density(f64),
    /// Given.
    Inertia(InertiaDescription),
}

/// Mass, centre of mass and rotational inertia of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InertiaDescription {
    /// kg.
    pub mass: f64,
    /// Centre of mass in the body's frame, m.
    pub center: Vector3<f64>,
    /// Rotational inertia about the centre of mass, body axes, kg·m².
    pub about_center: Symmetric3,
}

impl InertiaDescription {
    /// The same in the type of the dynamics.
    pub fn to_inertia(&self) -> Inertia {
        Inertia::from_com(self.mass, self.center, self.about_center)
    }
}

impl From<Inertia> for InertiaDescription {
    fn from(inertia: Inertia) -> Self {
        Self {
            mass: inertia.mass,
            center: inertia.com(),
            about_center: inertia.about_com(),
        }
    }
}

/// A shape of a body or link.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapeDescription {
    /// Unique among the shapes of the body.
    pub name: String,
    /// Form and size.
    pub kind: ShapeKind,
    /// Pose in the body's frame.
    pub pose: Isometry3<f64>,
    /// Material by name; `None` for the default material.
    pub material: Option<String>,
    /// Collision groups.
    pub groups: Groups,
    /// Whether it is only drawn and touches nothing.
    pub visual_only: bool,
    /// Red, green, blue and opacity, 0 to 1; `None` for the body's.
    pub color: Option<[f32; 4]>,
}

/// A joint between two bodies, beside the kinematic trees of robots.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectionDescription {
    /// Unique name.
    pub name: String,
    /// What it allows.
    pub kind: ConnectionKind,
    /// The two bodies by name; a link is `robot/link`.
    pub bodies: [String; 2],
    /// Where it sits.
    pub anchors: Anchors,
    /// Whether the two bodies may touch; `None` leaves it to the kind.
    pub collide: Option<bool>,
}

/// Where a joint sits on its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchors {
    /// A frame on each body, in the body's frame.
    OnBodies([Isometry3<f64>; 2]),
    /// A frame in the world, fixed to both bodies as they are at the start.
    InWorld(Isometry3<f64>),
}

/// An articulated robot.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotDescription {
    /// Unique name.
    pub name: String,
    /// Where the frame `world` of the robot stands in the world.
    pub base: Isometry3<f64>,
    /// Whether links that overlap where the robot starts never touch each other. Files that cannot
    /// name such pairs mean it so.
    pub skip_overlaps: bool,
    /// Its links.
    pub links: Vec<LinkDescription>,
    /// Its joints.
    pub joints: Vec<RobotJointDescription>,
    /// Further named frames.
    pub frames: Vec<RobotFrameDescription>,
    /// Linear equations between joint coordinates.
    pub couplings: Vec<CouplingDescription>,
}

/// A link of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkDescription {
    /// Unique within the robot.
    pub name: String,
    /// Its mass; `None` for a link without.
    pub mass: Option<MassDescription>,
    /// Share of its weight that something unseen carries, 0 for none.
    pub gravity_compensation: f64,
    /// Its shapes, in the link's frame.
    pub shapes: Vec<ShapeDescription>,
}

/// A named frame fixed to a link.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotFrameDescription {
    /// Unique among the links and frames of the robot.
    pub name: String,
    /// The link, or `world`.
    pub link: String,
    /// Its pose in the link's frame.
    pub pose: Isometry3<f64>,
}

/// A joint of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotJointDescription {
    /// Unique within the robot.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link it is mounted on, or `world`.
    pub parent: String,
    /// The link it moves.
    pub child: String,
    /// Pose of the joint's frame in the parent's frame.
    pub pose: Isometry3<f64>,
    /// Properties of each of its degrees of freedom.
    pub properties: DofProperties,
    /// Configuration at the start; empty for the neutral one.
    pub initial: Vec<f64>,
    /// Velocity at the start; empty for rest.
    pub initial_velocity: Vec<f64>,
}

/// What drives a scene.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ControllerDescription {
    /// Tracks a joint position.
    Pd {
        /// The robot.
        robot: String,
        /// Its joint, with one degree of freedom.
        joint: String,
        /// N·m/rad or N/m.
        stiffness: f64,
        /// N·m·s/rad or N·s/m.
        damping: f64,
        /// Added torque, N·m or N.
        feed_forward: f64,
        /// Wanted position, rad or m.
        target: Signal<f64>,
    },
    /// Applies a torque or force to a joint.
    Torque {
        /// The robot.
        robot: String,
        /// Its joint, with one degree of freedom.
        joint: String,
        /// N·m or N.
        torque: Signal<f64>,
    },
    /// Pushes a body, world axes.
    Force {
        /// A free body, or `robot/link`.
        body: String,
        /// N.
        force: Signal<Vector3<f64>>,
        /// N·m.
        torque: Signal<Vector3<f64>>,
        /// Where the force acts in the body's frame, m; `None` for the centre of mass (the origin
        /// of a link).
        point: Option<Point3<f64>>,
    },
    /// Sets the velocity of a driven body, world axes.
    Drive {
        /// The body.
        body: String,
        /// m/s.
        velocity: Signal<Vector3<f64>>,
        /// rad/s.
        angular_velocity: Signal<Vector3<f64>>,
    },
}
