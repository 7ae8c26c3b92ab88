#![doc = include_str!("../README.md")]

mod error;
pub mod mesh;
pub mod scene_file;

pub use error::{IoError, Result};
