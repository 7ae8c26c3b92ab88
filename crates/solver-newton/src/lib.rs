//! [book]: ../../book/solvers/others.html
//!
#![doc = include_str!("../README.md")]

mod augmented;
mod descent;
mod edges;
mod fischer_burmeister;
mod linear_piece;
mod merit;
mod natural;
mod nonsmooth;
mod strict_map;

pub use augmented::{AugmentedNewton, AugmentedSettings, StartPenalty};
pub use descent::Globalization;
pub use merit::{MeritNewton, MeritSettings};
pub use nonsmooth::{Function, NewtonSettings, NonsmoothNewton};

use stiction_constraints::Solver;

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[
    (
        "newton-fb",
        "nonsmooth Newton on Fischer-Burmeister functions: few and costly iterations, good from a good guess",
    ),
    (
        "newton-natural",
        "nonsmooth Newton on the natural map: few and costly iterations, exact active sets, good from a good guess",
    ),
    (
        "newton-dogleg",
        "trust-region dogleg on the merit function of the strict natural map: a baseline, small systems",
    ),
    (
        "newton-damped",
        "damped semismooth Newton on the same merit function: a baseline, small systems",
    ),
    (
        "al-dogleg",
        "augmented Lagrangian with strict inner solves by trust-region dogleg: what canal makes convex, small systems",
    ),
    (
        "al-damped",
        "augmented Lagrangian with strict inner solves by damped Newton: ablation of canal, small systems",
    ),
    (
        "al-edge-aware",
        "the same with steps that end just beyond where a contact changes: ablation of canal, small systems",
    ),
];

/// The solver with a name of [`SOLVERS`], with its defaults.
pub fn named(name: &str) -> Option<Box<dyn Solver>> {
    let augmented = |inner| AugmentedNewton::new(AugmentedSettings::of(inner));
    let merit = |globalization| MeritNewton::new(MeritSettings::of(globalization));
    let nonsmooth = |function| NonsmoothNewton::new(NewtonSettings::of(function));
    Some(match name {
        "newton-fb" => Box::new(nonsmooth(Function::FischerBurmeister)),
        "newton-natural" => Box::new(nonsmooth(Function::Natural)),
        "newton-dogleg" => Box::new(merit(Globalization::Dogleg)),
        "newton-damped" => Box::new(merit(Globalization::Backtracking)),
        "al-dogleg" => Box::new(augmented(Globalization::Dogleg)),
        "al-damped" => Box::new(augmented(Globalization::Backtracking)),
        "al-edge-aware" => Box::new(augmented(Globalization::EdgeAware)),
        _ => return None,
    })
}
