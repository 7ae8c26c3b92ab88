//! [book]: ../../book/scene-files.html
//!
#![doc = include_str!("../README.md")]

mod bounded;
mod error;
mod limits;
mod lines;
pub mod mesh;
mod mesh_use;
pub mod mjcf;
mod open;
mod options;
pub mod scene_file;
pub mod tet_mesh;
pub mod urdf;
mod written;
mod xml;

pub use error::{IoError, Result};
pub use limits::{LIMITS, Limit};
pub use open::read;
pub use options::{Base, MeshUse, ModelOptions};
pub use written::{LeftOut, Written};
