//! [book]: ../../book/solvers/others.html
//!
#![doc = include_str!("../README.md")]

mod apgd;
mod ccs;
mod fadmm;

pub use apgd::{Apgd, ApgdSettings, Products};
pub use ccs::{Ccs, CcsSettings};
pub use fadmm::{Fadmm, FadmmSettings};

use stiction_constraints::Solver;

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[
    (
        "apgd",
        "accelerated projected gradient descent on the convex cone model: no matrix but A, always converges, slides with a lift-off error",
    ),
    (
        "fadmm",
        "ADMM in the form of OSQP on the whole system: one factor of all degrees of freedom, moderate accuracy",
    ),
    (
        "ccs",
        "contact constraint splitting: one factor of A, contacts against a diagonal mass; for thin nodal objects",
    ),
];

/// The solver with a name of [`SOLVERS`], with its defaults.
pub fn named(name: &str) -> Option<Box<dyn Solver>> {
    match name {
        "apgd" => Some(Box::new(Apgd::default())),
        "fadmm" => Some(Box::new(Fadmm::default())),
        "ccs" => Some(Box::new(Ccs::default())),
        _ => None,
    }
}
