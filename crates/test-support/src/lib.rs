//! What the tests of our crates share: an allocator that counts, small data of our own making, and data
//! that lies outside the repository.
//!
//! Whoever links this crate runs on its allocator: no production crate may depend on it.

mod allocator;
pub mod data;
pub mod outside;

pub use allocator::allocations;
