//! [book]: ../../book/tutorials/soft.html
//!
#![doc = include_str!("../README.md")]

pub mod cut;
pub mod fem;
pub mod mesh;
pub mod rod;

pub use mesh::{MeshError, TetMesh};
pub use nalgebra;
