//! [book]: ../../book/architecture.html
//!
#![doc = include_str!("../README.md")]

mod allocator;
pub mod data;
pub mod outside;

pub use allocator::allocations;
