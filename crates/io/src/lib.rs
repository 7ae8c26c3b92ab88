#![doc = include_str!("../README.md")]

mod error;
pub mod mesh;
mod mesh_use;
pub mod mjcf;
mod options;
pub mod scene_file;
mod xml;

pub use error::{IoError, Result};
pub use options::{Base, MeshUse, ModelOptions};
