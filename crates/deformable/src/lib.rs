#![doc = include_str!("../README.md")]

pub mod mesh;
pub mod rod;

pub use mesh::{MeshError, TetMesh};
pub use nalgebra;
