//! [book]: ../../book/step.html
//!
#![doc = include_str!("../README.md")]

mod assembly;
mod group;
mod island;
mod obedience;
mod policy;
mod probe;
mod push_delay;
mod push_out;
mod rows;
mod warm_start;

pub use assembly::{Assembly, AssemblyError, Bounce, Closing, RowNote, RowResult, Strike};
pub use group::{
    IslandFailure, Islands, MakeSolver, SolveSummary, SolvedProblem, StartVelocity, StepContext,
};
pub use policy::OverlapPolicy;
pub use rows::{Head, Inactive, RowKey, RowList};
pub use warm_start::WarmStart;
