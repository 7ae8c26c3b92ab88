//! [book]: ../../book/solvers/others.html
//!
#![doc = include_str!("../README.md")]

mod fischer_burmeister;
mod linear_piece;
mod natural;
mod nonsmooth;

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
];

/// The solver with a name of [`SOLVERS`], with its defaults.
pub fn named(name: &str) -> Option<Box<dyn Solver>> {
    let function = match name {
        "newton-fb" => Function::FischerBurmeister,
        "newton-natural" => Function::Natural,
        _ => return None,
    };
    Some(Box::new(NonsmoothNewton::new(NewtonSettings::of(function))))
}
