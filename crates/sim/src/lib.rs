#![doc = include_str!("../README.md")]

mod batch;
mod body;
mod connection;
mod contact_rows;
mod control;
mod error;
mod free_bodies;
mod gyroscopic;
mod hold;
mod island;
mod joint_force;
mod limits;
mod mass;
mod measure;
mod overlap;
mod placement;
mod push_out;
mod record;
mod relinearize;
mod report;
mod robot;
mod rows;
mod sensor;
mod settings;
mod snapshot;
pub mod solvers;
mod state;
mod step;
mod tendon;
mod trees;
mod visual;
mod warm_start;
mod world;

pub use batch::step_all;
pub use body::{BodyHandle, Mobility, RigidBody};
pub use connection::{Connection, ConnectionHandle, ConnectionKind};
pub use control::{Commands, Controller, Tracking, Wrench};
pub use error::{Result, SimError, StepFailure};
pub use island::SolvedProblem;
pub use joint_force::JointForces;
pub use mass::{uniform_inertia, volume};
pub use overlap::Overlap;
pub use report::{ContactForce, ContactMode, StageTimes, StepReport};
pub use robot::RobotHandle;
pub use sensor::JointState;
pub use settings::Settings;
pub use snapshot::Snapshot;
pub use state::Twist;
pub use tendon::{Tendon, TendonBranch, TendonHandle, TendonPath, TendonState};
pub use visual::ColliderHandle;
pub use world::World;

// What a user of this crate needs of the others.
pub use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
pub use stiction_collision::{
    Collider, CombineRule, Execution, Friction, Groups, Material, Shape, sdf,
};
pub use stiction_dynamics::{
    DofProperties, Inertia, JointKind, Model, ModelDescription, Symmetric3, Transform,
};
