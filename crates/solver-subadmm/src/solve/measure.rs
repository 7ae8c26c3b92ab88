//! Residuals of iterates, of guesses and of what is handed back.

use stiction_constraints::{Budget, Outcome, Problem, Solution, Stall};

use super::SubAdmm;
use crate::lanes::{Lanes, vectorized};
use crate::response::Response;

/// A guess whose residual exceeds that of no impulses by this factor is not used.
const FAR_OFF: f64 = 1e3;
/// A guess whose residual is smaller than this part of that of no impulses is close to the answer.
const CLOSE: f64 = 0.1;

/// What is known of the impulses to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guess {
    None,
    /// Contacts that share a load in many ways carry along what fits no longer.
    Rough,
    Close,
}

impl SubAdmm {
    /// `stacked` ← the active constraints' impulses, zero in folded rows.
    fn stack_impulses(&mut self, problem: &Problem) {
        let iterate = &mut self.iterate;
        if !self.folds.is_empty() {
            iterate.stacked.clear();
        }
        iterate.stacked.resize(problem.row_count(), 0.0);
        for (active, impulse) in self.layout.active.iter().zip(&iterate.impulse) {
            let rows = &mut iterate.stacked[active.first_row..active.first_row + active.rows];
            impulse.store(rows);
        }
    }

    /// v̂ that belongs to the active constraints' impulses, into `measured_velocity`; `stacked`
    /// holds these impulses, zero in folded rows.
    pub(super) fn velocity_of_active_impulses(&mut self, problem: &Problem) {
        self.stack_impulses(problem);
        let iterate = &mut self.iterate;
        iterate.measured_velocity.resize(problem.dof_count(), 0.0);
        self.base.velocity_of(
            problem,
            &self.layout,
            &self.folds,
            &mut self.yardstick,
            &iterate.stacked,
            &mut iterate.measured_velocity,
        );
    }

    /// The criterion's residual of the current impulses, which are left in `stacked`.
    pub(super) fn measure(&mut self, problem: &Problem, budget: &Budget) -> f64 {
        self.iterate.row_velocity.resize(problem.row_count(), 0.0);
        if self.folds.is_empty() {
            self.stack_impulses(problem);
            let iterate = &mut self.iterate;
            iterate.measured_velocity.resize(problem.dof_count(), 0.0);
            iterate.seen.resize(self.layout.slots.len(), Lanes::ZERO);
            vectorized(Response {
                problem,
                layout: &self.layout,
                yardstick: &mut self.yardstick,
                impulse: &iterate.impulse,
                velocity: &mut iterate.measured_velocity,
                row_velocity: &mut iterate.row_velocity,
                seen: &mut iterate.seen,
                bodies: &mut iterate.bodies,
            });
        } else {
            self.velocity_of_active_impulses(problem);
            let iterate = &mut self.iterate;
            self.yardstick
                .rows()
                .mul(&iterate.measured_velocity, &mut iterate.row_velocity);
            self.folds
                .write_impulses(problem, &iterate.row_velocity, &mut iterate.stacked);
        }
        let iterate = &mut self.iterate;
        let mut residual = self.yardstick.measure_at(
            problem,
            &iterate.stacked,
            &iterate.row_velocity,
            budget.criterion,
        );
        if residual <= budget.tolerance {
            // Slots round otherwise than rows, and v̂ of folded constraints came from another
            // matrix: the last word has the yardstick itself.
            residual = self
                .yardstick
                .measure(problem, &iterate.stacked, budget.criterion);
        }
        // Impulses of an infeasible problem grow until velocities vanish in their rounding, and
        // with them the residual: it cannot be known better than this.
        let masses = self.yardstick.effective_masses();
        let largest = problem
            .constraints()
            .iter()
            .zip(masses)
            .map(|(constraint, mass)| constraint.load(&iterate.stacked).amax() / mass)
            .fold(0.0, f64::max);
        residual.max(f64::EPSILON * largest)
    }

    /// Puts the impulses to start from into `stacked`; what they are worth, and their residual.
    pub(super) fn measure_guess(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        solution: &Solution,
    ) -> (Guess, f64) {
        let stacked = &mut self.iterate.stacked;
        stacked.clear();
        stacked.resize(problem.row_count(), 0.0);
        let free = self.yardstick.free_row_velocity();
        let cold = self
            .yardstick
            .measure_at(problem, stacked, free, budget.criterion);
        if !solution.has_guess(problem) {
            return (Guess::None, cold);
        }
        let impulse = &solution.impulse;
        let residual = self.yardstick.measure(problem, impulse, budget.criterion);
        if residual > FAR_OFF * cold {
            return (Guess::None, cold);
        }
        stacked.copy_from_slice(impulse);
        let is_close = residual <= CLOSE * cold;
        (if is_close { Guess::Close } else { Guess::Rough }, residual)
    }
}

/// The outcome that the returned solution's own residual allows.
pub(super) fn honest(outcome: Outcome, residual: f64, tolerance: f64) -> Outcome {
    if outcome.is_converged() && (residual.is_nan() || residual > tolerance) {
        return Outcome::stalled(Stall::Rounding);
    }
    outcome
}
