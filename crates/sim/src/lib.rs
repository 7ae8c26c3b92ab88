//! [book]: ../../book/tutorials/first-scene.html
//!
#![doc = include_str!("../README.md")]

#[cfg(feature = "deformable")]
mod attachment;
mod batch;
mod body;
mod connection;
mod drive;
mod error;
mod free_bodies;
mod joined;
mod ledger;
mod mass;
mod measure;
mod mechanism;
#[cfg(feature = "recording")]
mod record;
mod robot;
#[cfg(feature = "deformable")]
mod rod;
mod scenery;
mod sense;
mod settings;
mod snapshot;
#[cfg(feature = "deformable")]
mod soft;
pub mod solvers;
mod state;
mod step;
mod tendon;
mod world;

pub use batch::step_all;
pub use body::{BodyHandle, Mobility, RigidBody};
pub use connection::{Connection, ConnectionHandle};
pub use drive::{Actuator, ActuatorHandle, ActuatorTarget, Commands, Controller, Inputs, Wrench};
pub use error::{Result, SimError, StepFailure};
pub use ledger::{EnergyGain, EnergyLedger, EnergyWatch};
pub use mass::{uniform_inertia, volume};
pub use measure::{JointForces, JointState, PositionConstraint, PositionError, Touching};
pub use mechanism::{
    Element, Energy, Layout, Mechanism, MechanismHandle, Momentum, Now, Placing, Registry,
    RowContext, RowSource, StepWork, Work,
};
pub use robot::RobotHandle;
#[cfg(feature = "deformable")]
pub use rod::{RodBody, RodContact, RodHandle};
pub use sense::{Reading, Sensor, SensorHandle, SensorKind};
pub use settings::{ContactMotion, Settings};
pub use snapshot::Snapshot;
#[cfg(feature = "deformable")]
pub use soft::{SoftBody, SoftContact, SoftHandle};
pub use state::State;
pub use step::{ContactForce, ContactMode, JointErrors, StageTimes, StepReport};
pub use tendon::{Tendon, TendonBranch, TendonHandle, TendonPath, TendonState};
pub use world::{
    BodyOverlap, ColliderHandle, DrawnShape, JointBeyondLimits, MOST_COUPLINGS, MassRatio, Overlap,
    World,
};

// What a user of this crate needs of the others: the crates whole, and by name what most need.
pub use nalgebra;
pub use stiction_collision as collision;
pub use stiction_constraints as constraints;
pub use stiction_dynamics as dynamics;

pub use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
pub use stiction_collision::{
    Collider, ColliderSet, CombineRule, ContactPoint, Detector, Execution, Friction, Geometry,
    Groups, Material, PairDetector, PlacesView, Shape, Support, sdf,
};
pub use stiction_constraints::{Law, SparseSymmetric, Subsystem};
#[cfg(feature = "deformable")]
pub use stiction_deformable as deformable;
pub use stiction_dynamics::{
    DofProperties, Inertia, Integrator, JointKind, Model, ModelDescription, Symmetric3, Transform,
};
pub use stiction_islands::{
    AssemblyError, Inactive, OverlapPolicy, RowKey, RowList, RowNote, SolvedProblem,
};
pub use stiction_modeling::{
    Activation, ConnectionKind, FrameQuantity, Motion, Places, RowWriter, Scheme, Signal, Site,
    Tracking, Twist, contact, stabilization,
};
