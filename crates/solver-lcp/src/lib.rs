//! [book]: ../../book/solvers/models.html
//!
#![doc = include_str!("../README.md")]

mod bilateral;
mod formulation;
mod lemke;
mod linear;
mod settings;
mod solve;

pub use settings::{LcpSettings, SettingsError};
pub use solve::LcpDirect;

use stiction_constraints::Solver;

/// Every solver of this crate: its name and what it is for.
pub const SOLVERS: &[(&str, &str)] = &[(
    "lcp-direct",
    "Lemke's pivoting on the friction pyramid: to rounding or not at all, for tens of contacts; friction depends on direction",
)];

/// The solver with a name of [`SOLVERS`], with its defaults.
pub fn named(name: &str) -> Option<Box<dyn Solver>> {
    (name == "lcp-direct").then(|| Box::new(LcpDirect::default()) as Box<dyn Solver>)
}
