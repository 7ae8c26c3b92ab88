//! What every solver is: a problem, a budget and a guess in; a solution and an honest report out.

mod budget;
mod criterion;
mod declaration;
mod iteration;
mod outcome;
mod report;
mod scheme;
mod soft_contacts;
mod stop;

pub use budget::Budget;
pub use criterion::Criterion;
pub use declaration::{Declaration, Relaxation};
pub use iteration::Iteration;
pub use outcome::{Failure, Outcome, Stall};
pub use report::{HistoryEntry, Report, StageReport, Stages};
pub use scheme::{Scheme, SchemeRunner};
pub use soft_contacts::{SoftContacts, SoftRows};
pub use stop::{StopFlag, Stopwatch};

use serde::{Deserialize, Serialize};

use crate::problem::Problem;

/// A solver of contact problems. It keeps its workspace between calls: a second solve of the same
/// size allocates nothing. What it answers does not depend on what it solved before.
pub trait Solver: Send {
    /// The name by which users choose the solver.
    fn name(&self) -> &'static str;

    /// What the solver supports, relaxes and promises.
    fn declaration(&self) -> Declaration {
        Declaration::EXACT
    }

    /// The model of contacts that the solver wants written into its problems, in place of rigid ones; `None` for
    /// the problem as its materials have it. Whoever writes problems without looking at this gets the solver's
    /// own guess of what it does not know.
    fn soft_contacts(&self) -> Option<SoftContacts> {
        None
    }

    /// Solves the problem within the budget.
    ///
    /// On entry `solution` holds the guess (see [`Solution::has_guess`]), on exit the best
    /// iterate, whatever the outcome: finite, of the problem's size, with v̂ = A⁻¹(b + Jᵀλ).
    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report;
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

    /// Zeros of a problem's size: what is handed back where nothing could be computed.
    pub fn set_to_zero(&mut self, problem: &Problem) {
        self.clear();
        self.velocity.resize(problem.dof_count(), 0.0);
        self.impulse.resize(problem.row_count(), 0.0);
    }
}
