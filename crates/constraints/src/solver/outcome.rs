//! How a solve ended.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::criterion::Criterion;

/// Why no further progress is possible.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Stall {
    /// The iteration moves no more, or circles, and the reason is not known.
    #[error("no further progress")]
    NoProgress,
    /// Impulses are so large against the masses that 64-bit numbers do not tell velocities to the
    /// tolerance.
    #[error("rounding hides velocities of the size of the tolerance")]
    Rounding,
    /// Constraints that no velocity satisfies together. The velocity is the one of least violation
    /// that the solver found.
    #[error("these constraints contradict each other: {}", list(.constraints))]
    Contradiction {
        /// Indices of the constraints, ascending.
        constraints: Vec<usize>,
    },
    /// The solution of the solver's own model was refused: it is not used.
    #[error("the result was not used")]
    NotUsed,
}

/// Why a solver could not go on.
#[derive(Debug, Clone, PartialEq, Error, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// A subsystem's matrix could not be factorised.
    #[error("the matrix of subsystem {subsystem} is not positive definite")]
    NotPositiveDefinite {
        /// Index of the subsystem.
        subsystem: usize,
    },
    /// The iteration left the finite numbers.
    #[error("the iteration diverged to values that are not finite")]
    NotFinite,
    /// A law that this solver has no operator for.
    #[error("constraint {constraint} ({law}): this solver has no operator for its law")]
    UnsupportedLaw {
        /// Index of the constraint.
        constraint: usize,
        /// The law's kind.
        law: String,
    },
    /// A problem that is too large for a method whose cost grows with the cube of its size.
    #[error("{unknowns} unknowns are too many for this solver, which takes {most}")]
    TooLarge {
        /// Unknowns of the problem as the solver sees it.
        unknowns: usize,
        /// Most that it takes.
        most: usize,
    },
    /// A stopping test about a quantity that this solver does not have.
    #[error("this solver has no stopping test \"{}\"", .0.word())]
    UnsupportedCriterion(Criterion),
    /// The iteration stopped making progress before the tolerance was reached.
    #[error("stalled: {0}")]
    Stalled(Stall),
}

/// How a solve ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The residual reached the tolerance.
    Converged,
    /// A stopping test of a paper was met, while the residual is above the tolerance.
    Stopped(Criterion),
    /// The iterations ran out.
    OutOfIterations,
    /// The time ran out.
    OutOfTime,
    /// Somebody raised the budget's flag.
    Interrupted,
    /// The solver could not go on.
    Failed(Failure),
}

impl Outcome {
    /// Whether the tolerance was reached.
    pub fn is_converged(&self) -> bool {
        *self == Outcome::Converged
    }

    /// The end of a solve without further progress.
    pub fn stalled(reason: Stall) -> Self {
        Outcome::Failed(Failure::Stalled(reason))
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Converged => f.write_str("converged"),
            Outcome::Stopped(criterion) => write!(f, "stopped by {}", criterion.word()),
            Outcome::OutOfIterations => f.write_str("out of iterations"),
            Outcome::OutOfTime => f.write_str("out of time"),
            Outcome::Interrupted => f.write_str("interrupted"),
            Outcome::Failed(failure) => write!(f, "failed: {failure}"),
        }
    }
}

fn list(constraints: &[usize]) -> String {
    let words: Vec<String> = constraints.iter().map(usize::to_string).collect();
    words.join(", ")
}
