//! [book]: ../../book/choosing.html
//!
#![doc = include_str!("../README.md")]

mod al;
pub mod chart;
mod cond;
mod contact_models;
mod cube;
mod error;
pub mod fit;
mod html;
mod joint_constraints;
pub mod motion;
mod report;
mod run;
mod statement;
pub mod steppers;
mod subsystem_admm;
pub mod timing;

pub use error::{ExperimentError, Result};
pub use report::{Figure, Film, Report, Section, Table};
pub use run::{Experiment, Options, Part, Run};
pub use statement::{How, Statement, Verdict};

/// Every experiment.
const ALL: &[Experiment] = &[
    al::EXPERIMENT,
    cond::EXPERIMENT,
    contact_models::EXPERIMENT,
    joint_constraints::EXPERIMENT,
    subsystem_admm::EXPERIMENT,
];

/// Every experiment.
pub fn all() -> &'static [Experiment] {
    ALL
}
