//! [book]: ../../book/solvers/models.html
//!
#![doc = include_str!("../README.md")]

mod polish;
mod program;
mod solve;

pub use solve::CcpInterior;

use stiction_constraints::Solver;

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[(
    "ccp-interior",
    "Clarabel's interior-point method on the convex cone model: a few dozen steps whatever the masses; no warm start",
)];

/// The solver with a name of [`SOLVERS`].
pub fn named(name: &str) -> Option<Box<dyn Solver>> {
    (name == "ccp-interior").then(|| Box::new(CcpInterior::default()) as Box<dyn Solver>)
}
