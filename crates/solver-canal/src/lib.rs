//! [book]: ../../book/solvers/canal.html
//!
#![doc = include_str!("../README.md")]

mod continuation;
mod finish;
mod hessian;
mod natural_map;
mod newton;
mod outer_loop;
mod path;
mod products;
mod progress;
mod rules;
mod settings;
mod smoothed_system;
mod solve;
mod state;
mod strategy;

pub use settings::{
    CanalSettings, Continuation, Finish, InnerStop, LinearSolver, OuterLoop, Path, Penalty,
    PenaltyScope, Strict,
};
pub use solve::Canal;
pub use strategy::STAGES;

/// Names and one line on what each is for.
pub const SOLVERS: &[(&str, &str)] = &[
    (
        "canal",
        "exact contact to 1e-8 and beyond: the default where accuracy counts",
    ),
    (
        "canal-paper",
        "Algorithm 1 of the augmented-Lagrangian paper as printed, fixed start penalty",
    ),
    (
        "convex",
        "one soft convex solve, as simulators with compliant contact do: a baseline",
    ),
];
