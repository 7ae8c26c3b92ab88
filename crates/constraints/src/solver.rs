//! What every solver is: a problem, a budget and a guess in; a solution and an honest report out.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::problem::Problem;
use crate::residual::Residuals;

/// A solver of contact problems. It keeps its workspace between calls: a second solve of the same
/// size allocates nothing.
pub trait Solver: Send {
    /// The name by which users choose the solver.
    fn name(&self) -> &'static str;

    /// Solves the problem within the budget.
    ///
    /// On entry `solution` holds the guess (see [`Solution::has_guess`]), on exit the best
    /// iterate, whatever the outcome: finite, of the problem's size, with v̂ = A⁻¹(b + Jᵀλ).
    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report;
}

/// By which residual a solver decides that it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// [`Residuals::scaled`], in m/s: the default.
    #[default]
    Scaled,
    /// [`Residuals::paper`], the contact residual of [AL, §VII].
    Paper,
    /// The larger of [`Residuals::natural`] and [`Residuals::balanced`], by which collections of
    /// contact problems are scored.
    Natural,
}

/// How much a solver may spend, and on reaching what.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// Stop when the criterion's residual is at or below this.
    pub tolerance: f64,
    /// Which residual `tolerance` is about.
    pub criterion: Criterion,
    /// Largest number of outer iterations (sweeps for per-contact solvers); `None` leaves it to
    /// the solver.
    pub max_iterations: Option<usize>,
    /// Wall-clock limit.
    pub time_limit: Option<Duration>,
    /// A guess with at most this residual may be handed back as it is; `None` stands for the
    /// tolerance. Of one between this and the tolerance Newton solvers make what a step can.
    pub guess_tolerance: Option<f64>,
    /// Whether to record the residual of every iteration (costs a residual an iteration).
    pub record_history: bool,
    /// Whether the report needs all residuals. If not, a solver may leave it at the criterion's:
    /// see [`Residuals::only`].
    pub all_residuals: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            criterion: Criterion::default(),
            max_iterations: None,
            time_limit: None,
            guess_tolerance: None,
            record_history: false,
            all_residuals: true,
        }
    }
}

impl Budget {
    /// A budget with a tolerance on the scaled residual (m/s) and defaults for the rest.
    pub fn with_tolerance(tolerance: f64) -> Self {
        Self {
            tolerance,
            ..Self::default()
        }
    }
}

/// Velocity and impulses: the guess on entry, the answer on exit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Solution {
    /// v̂, all subsystems stacked, m/s (rad/s).
    pub velocity: Vec<f64>,
    /// λ, all rows stacked, N·s (N·m·s).
    pub impulse: Vec<f64>,
}

impl Solution {
    /// No guess: the solver starts cold.
    pub fn cold() -> Self {
        Self::default()
    }

    /// Whether the impulses can serve as a guess for a problem: right size and finite.
    pub fn has_guess(&self, problem: &Problem) -> bool {
        problem.row_count() > 0
            && self.impulse.len() == problem.row_count()
            && self.impulse.iter().all(|value| value.is_finite())
    }

    /// Forgets the guess and keeps the storage.
    pub fn clear(&mut self) {
        self.velocity.clear();
        self.impulse.clear();
    }
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
    /// The iteration stopped making progress before the tolerance was reached.
    #[error("stalled: no further progress is possible")]
    Stalled,
}

/// How a solve ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The residual reached the tolerance.
    Converged,
    /// The iterations ran out.
    OutOfIterations,
    /// The time ran out.
    OutOfTime,
    /// The solver could not go on.
    Failed(Failure),
}

impl Outcome {
    /// Whether the tolerance was reached.
    pub fn is_converged(&self) -> bool {
        *self == Outcome::Converged
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Outcome::Converged => f.write_str("converged"),
            Outcome::OutOfIterations => f.write_str("out of iterations"),
            Outcome::OutOfTime => f.write_str("out of time"),
            Outcome::Failed(failure) => write!(f, "failed: {failure}"),
        }
    }
}

/// One line of a convergence history.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Iterations done, from 1.
    pub iteration: usize,
    /// Time since the start of the solve, in seconds.
    pub seconds: f64,
    /// The criterion's residual after this iteration.
    pub residual: f64,
}

/// How a solve went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Outer iterations (sweeps for per-contact solvers).
    pub iterations: usize,
    /// Newton steps for Newton-type solvers, otherwise equal to `iterations`.
    pub inner_iterations: usize,
    /// Matrices factorised, those of A not counted.
    pub factorizations: usize,
    /// The criterion's residual of what the solve began with: the guess, or no impulses.
    pub start_residual: f64,
    /// Residuals of the returned solution, by the yardstick that is the same for all solvers.
    pub residuals: Residuals,
    /// Wall-clock time of the solve, without that of measuring `residuals`.
    pub time: Duration,
    /// Residual of every iteration, empty unless the budget asked for it.
    pub history: Vec<HistoryEntry>,
}

impl Report {
    /// Adds the work of an earlier solve of the same step, whose guess this one began from.
    pub fn add_earlier(&mut self, earlier: &Self) {
        self.iterations += earlier.iterations;
        self.inner_iterations += earlier.inner_iterations;
        self.factorizations += earlier.factorizations;
        self.start_residual = earlier.start_residual;
        self.time += earlier.time;
    }
}

/// Watches the wall clock of one solve.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    start: Instant,
    limit: Option<Duration>,
}

impl Stopwatch {
    /// Starts now, with the budget's limit.
    pub fn start(budget: &Budget) -> Self {
        Self {
            start: Instant::now(),
            limit: budget.time_limit,
        }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the limit has passed. Does not read the clock when there is no limit.
    pub fn is_spent(&self) -> bool {
        self.limit
            .is_some_and(|limit| self.start.elapsed() >= limit)
    }
}
