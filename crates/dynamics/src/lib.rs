//! [book]: ../../book/tutorials/robot.html
//!
#![doc = include_str!("../README.md")]

pub use nalgebra;

mod aba;
mod aba_derivatives;
mod center_of_mass;
mod centroidal;
mod configuration;
mod coriolis;
mod crba;
mod data;
mod energy;
mod error;
mod factorization;
mod frames;
mod integration;
mod jacobian;
mod jacobian_rate;
mod joint;
mod kinematics;
mod mass_matrix;
mod model;
mod resistance;
mod rnea;
mod rnea_derivatives;
pub mod spatial;
mod state;
mod tree_view;
mod velocity_inertia;
mod world_axes;

pub use aba::{aba, articulated_inertias, mass_inverse_product, tree_response_from_kinematics};
pub use aba_derivatives::{AbaDerivatives, aba_derivatives};
pub use center_of_mass::{center_of_mass, center_of_mass_jacobian, center_of_mass_velocity};
pub use centroidal::{centroidal_momentum, centroidal_momentum_matrix, centroidal_momentum_rate};
pub use configuration::{difference, integrate, interpolate, normalize, random_configuration};
pub use coriolis::coriolis_matrix;
pub use crba::crba;
pub use data::Data;
pub use energy::{
    energy_from_kinematics, kinetic_energy, potential_energy, tree_energy_from_kinematics,
};
pub use error::{DynamicsError, Result};
pub use factorization::{LdlFactorization, LlFactorization};
pub use frames::{
    ReferenceFrame, frame_acceleration, frame_classical_acceleration, frame_placement,
    frame_velocity,
};
pub use integration::{
    EquationOfMotion, Integrator, JointSpaceForces, MotionMemory, MotionSettings, Moved, NoForces,
    OneBody, RungeKutta, StiffForces, TreeDynamics, TreeFrame, TreeMotion, light_joint_inertias,
};
pub use jacobian::{frame_jacobian, jacobians_from_kinematics, joint_jacobians};
pub use jacobian_rate::{frame_jacobian_rate, joint_jacobians_rate};
pub use joint::JointKind;
pub use kinematics::{
    forward_kinematics, forward_kinematics_acceleration, forward_kinematics_velocity,
};
pub use mass_matrix::MassMatrix;
pub use model::{
    BodyDescription, BodyId, Coupling, CouplingDescription, CouplingTerm, DofProperties, Frame,
    FrameDescription, FrameId, JointDescription, JointInfo, JointView, Model, ModelDescription,
    ModelWarning, WORLD,
};
pub use resistance::check_resistance;
pub use rnea::{bias_from_kinematics, gravity_torque, nonlinear_effects, rnea};
pub use rnea_derivatives::{RneaDerivatives, rnea_derivatives};
pub use spatial::{ArticulatedInertia, Force, Inertia, Motion, Symmetric3, Transform};
pub use state::State;
pub use tree_view::TreeView;
