//! [book]: ../../book/solvers/models.html
//!
#![doc = include_str!("../README.md")]

mod model;
mod newton;
mod solve;

pub use solve::{SoftConvex, SoftSettings};

use stiction_constraints::Solver;

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[(
    "mujoco-like",
    "MuJoCo's soft convex contacts with its defaults: a baseline, sinks in and lifts off while sliding",
)];

/// The solver with a name of [`SOLVERS`], with its defaults.
pub fn named(name: &str) -> Option<Box<dyn Solver>> {
    (name == SOLVERS[0].0).then(|| Box::new(SoftConvex::default()) as Box<dyn Solver>)
}
