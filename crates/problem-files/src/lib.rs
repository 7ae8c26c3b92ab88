//! [book]: ../../book/not-converging.html
//!
#![doc = include_str!("../README.md")]
//!
//! ## Where things are
//!
//! [`read()`], [`parse_bytes()`] and [`write()`] with [`ProblemFile`]; [`LocalProblem`] with
//! [`ReducedLocal`], and [`GlobalProblem`], as [`CscMatrix`]; [`solve_local`] and [`solve_global`]
//! with [`ContactAnswer`]; [`fclib`] for solutions in FCLIB files.

mod checks;
mod component_order;
mod content;
mod csc_matrix;
mod error;
mod formats;
mod reduction;
mod refinement;
mod solve;

pub use content::{FullProblem, Origin, ProblemFile, StoredSolution};
pub use csc_matrix::CscMatrix;
pub use error::ProblemFileError;
pub use formats::{LARGEST_FILE, fclib, parse_bytes, read, to_bytes, write};
pub use reduction::{GlobalProblem, LocalProblem, ReducedLocal};
pub use solve::{ContactAnswer, solve_global, solve_local};
