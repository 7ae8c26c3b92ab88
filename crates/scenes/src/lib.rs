#![doc = include_str!("../README.md")]

mod builtin;
mod scene;

pub use builtin::{all, build};
pub use scene::{Options, Scene, SceneInfo};
