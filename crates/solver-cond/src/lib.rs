//! [book]: ../../book/solvers/cond.html
//!
#![doc = include_str!("../README.md")]

mod chebyshev;
mod contact;
mod judge;
mod names;
mod nodes;
mod parallel;
mod product;
mod settings;
mod solve;
#[cfg(test)]
mod theorems;
mod velocity_iteration;
mod weights;

pub use names::SOLVERS;
pub use settings::{
    Chebyshev, CondSettings, Gain, Metric, Operator, Radius, SettingsError, StepMatrix,
};
pub use solve::Cond;
