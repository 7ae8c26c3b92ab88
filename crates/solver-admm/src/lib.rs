//! [book]: ../../book/solvers/models.html
//!
#![doc = include_str!("../README.md")]

mod anderson;
mod ccp;
mod common;
mod damped;
mod settings;
mod splitting;
mod staggered;

pub use ccp::CcpAdmm;
pub use settings::{AdmmSettings, CcpAdmmSettings, SettingsError, StaggeredSettings, Weights};
pub use staggered::Staggered;

use stiction_constraints::Solver;

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[
    (
        "ccp-admm",
        "ADMM on the convex cone model: no internal forces, heavy on light, slides with a lift-off error",
    ),
    (
        "ccp-regularised",
        "the convex cone model with compliance R = 0.05 diag G added: what soft simulators solve, contacts give way",
    ),
    (
        "staggered",
        "staggered projections on the exact problem: normal and friction impulses in turns, few outer iterations or none that help",
    ),
    (
        "lcp-staggered",
        "staggered projections on the friction pyramid: friction depends on direction",
    ),
];

/// The solver with a name of [`SOLVERS`], with its defaults.
pub fn named(name: &str) -> Option<Box<dyn Solver>> {
    let ccp = CcpAdmm::named(name).map(|solver| Box::new(solver) as Box<dyn Solver>);
    ccp.or_else(|| Staggered::named(name).map(|solver| Box::new(solver) as Box<dyn Solver>))
}
