//! [book]: ../../book/architecture.html
//!
#![doc = include_str!("../README.md")]

mod allocator;
pub mod data;
pub mod outside;
mod random;

pub use allocator::allocations;
pub use random::Random;
