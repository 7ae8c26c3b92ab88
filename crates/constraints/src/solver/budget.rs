//! How much a solver may spend, and on reaching what.

use std::time::Duration;

use super::criterion::Criterion;
use super::stop::StopFlag;

/// How much a solver may spend, and on reaching what.
#[derive(Debug, Clone, PartialEq)]
pub struct Budget {
    /// Stop when the criterion's value is at or below this.
    pub tolerance: f64,
    /// What `tolerance` is about.
    pub criterion: Criterion,
    /// Largest number of iterations of whatever kind a solver reports as its iterations (sweeps for
    /// per-contact solvers), rescue included; `None` leaves it to the solver's settings.
    pub max_iterations: Option<usize>,
    /// Limit of processor time of the thread that solves; of wall-clock time where a solve is spread
    /// over threads.
    pub time_limit: Option<Duration>,
    /// A flag by which somebody else ends the solve; every solver looks at it in each inner iteration.
    pub stop: Option<StopFlag>,
    /// Whether a solver whose algorithm leads nowhere may try the other methods that it has, however
    /// long they take within the limits. A control loop that must not be late says no.
    pub rescue: bool,
    /// A guess with at most this residual may be handed back as it is; `None` stands for the
    /// tolerance. Of one between this and the tolerance Newton solvers make what a step can.
    pub guess_tolerance: Option<f64>,
    /// Whether to record the residual of every iteration (costs a residual an iteration).
    pub record_history: bool,
    /// Whether the report needs all residuals. If not, a solver may leave it at the criterion's:
    /// see [`Residuals::only`](crate::Residuals::only).
    pub all_residuals: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            criterion: Criterion::default(),
            max_iterations: None,
            time_limit: None,
            stop: None,
            rescue: true,
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

    /// The residual of the iterate that a solver measures under this budget: the criterion where it
    /// is one of ours, [`Criterion::Scaled`] beside a test of a paper.
    pub fn residual_criterion(&self) -> Criterion {
        if self.criterion.is_test() {
            Criterion::Scaled
        } else {
            self.criterion
        }
    }
}
