#![doc = include_str!("../README.md")]

mod error;
pub mod mesh;
pub mod scene_file;
mod xml;

pub use error::{IoError, Result};
