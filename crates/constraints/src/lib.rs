//! [book]: ../../book/step.html
//!
#![doc = include_str!("../README.md")]
//!
//! ## Where things are
//!
//! [`Problem`] with its `push_…` methods and [`RowBlock`]; [`Subsystem`] and [`Tree`]; [`Law`] and
//! the friction [`cone`]; [`ResidualEvaluator`] and [`Residuals`]; [`DynamicsMatrix`] and [`JointRows`] for
//! products with A, A⁻¹, J and Jᵀ; the [`Solver`] trait with [`Budget`], [`Solution`] and [`Report`], and
//! [`Iteration`], the frame around a solver's own iteration; [`CustomLaw`] for laws of one's own.

pub use nalgebra;

mod builder;
pub mod cone;
mod delassus;
mod error;
pub mod factor;
mod joint_rows;
pub mod law;
pub mod linear;
mod problem;
mod problem_in_file;
mod residual;
mod rows;
#[cfg(test)]
mod six_rows_tests;
mod solver;
mod subsystem;
mod writer;

pub use delassus::{Delassus, Run};
pub use error::ProblemError;
pub use factor::DynamicsMatrix;
pub use joint_rows::{JointRows, Segment};
pub use law::{ConeOperator, CustomLaw, CustomParameters, Law, Response, SmoothedResponse};
pub use problem::{Constraint, MAX_ROWS, Problem};
pub use residual::{ResidualEvaluator, Residuals};
pub use rows::RowBlock;
pub use solver::{
    Budget, Criterion, Declaration, Failure, HistoryEntry, Iteration, Outcome, Relaxation, Report,
    Scheme, SchemeRunner, SoftContacts, SoftRows, Solution, Solver, StageReport, Stages, Stall,
    StopFlag, Stopwatch,
};
pub use subsystem::{SparsePattern, SparseSymmetric, Subsystem, Tree, TreeBody};
pub use writer::{ConstraintWriter, DofBlock};
