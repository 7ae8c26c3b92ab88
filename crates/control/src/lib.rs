//! [book]: ../../book/tutorials/robot.html
//!
#![doc = include_str!("../README.md")]

mod follow;
mod impedance;
mod inverse_kinematics;
mod joint_path;
mod manipulation;
mod minimum_jerk;
mod pose_path;
mod reach;
mod servo;
pub mod walking;

pub use follow::Follow;
pub use impedance::{GravityCompensation, JointImpedance};
pub use inverse_kinematics::InverseKinematics;
pub use joint_path::JointPath;
pub use manipulation::{
    GraspAndPlace, Hand, HandJoint, Manipulation, Phase, Progress, State, Until,
};
pub use minimum_jerk::{minimum_jerk, minimum_jerk_acceleration, minimum_jerk_rate};
pub use pose_path::{between, through};
pub use reach::{Arm, Reach, place_joints};
pub use servo::Servo;
