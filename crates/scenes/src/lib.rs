//! [book]: ../../book/reference/scenes.html
//!
#![doc = include_str!("../README.md")]

mod builtin;
mod file;
mod robots;
mod scene;
pub mod tasks;

pub use builtin::{
    SelfLocking, SoftChoice, WalkingGround, all, build, cable_vehicles, cable_winding, capstan,
    neural_bolt, pouring, quadruped_walk, self_locking, soft_ball, soft_gripper, soft_mat,
    solo12_standing, stirring,
};
pub use file::{LoadError, from_scene_file, load};
pub use robots::{RobotFile, robots};
pub use scene::{Options, Scene, SceneInfo};
pub use stiction_io::scene_file::{Ignored, SettingsDescription};
pub use stiction_io::{Base, MeshUse, ModelOptions};
