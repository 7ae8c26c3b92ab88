#![doc = include_str!("../README.md")]

mod builtin;
mod file;
mod panel;
mod scene;
mod sensor;

pub use builtin::{all, build};
pub use file::{LoadError, from_scene_file, load};
pub use scene::{Options, Scene, SceneInfo};
