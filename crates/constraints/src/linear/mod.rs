//! Sums of products and the dense Cholesky factorisation that all solvers share, in a fixed order of
//! summation: results do not depend on the machine.

mod cholesky;
mod line_search;
mod sums;

pub use cholesky::{cholesky_in_place, cholesky_solve, cholesky_solve_from};
pub use line_search::{Slope, find_step};
pub use sums::{dot, dot_in_order, partial_sums};
