//! The strategy: which stages a solve goes through, and how it ends.

use stiction_constraints::{Outcome, Solution, Stall};

use crate::progress::Spent;
use crate::solve::{Canal, Run};

/// What may be left out of the strategy, by [`CanalSettings::without`](crate::CanalSettings::without), in its order; around all of it
/// is the outer loop.
pub const STAGES: &[&str] = &["guess", "strict", "finish", "path", "continuation"];

impl Canal {
    /// From the guess to an outcome, stage by stage; each offers what it finds to `best`.
    pub(crate) fn run_stages(
        &mut self,
        run: &Run<'_>,
        guess: &Solution,
        spent: &mut Spent,
    ) -> Outcome {
        let start = self.start(run, guess);
        spent.start_residual = start.residual;
        spent.stages.note("guess", 0, f64::INFINITY, start.residual);
        if self.is_done(run) && start.residual <= run.guess_tolerance() {
            return Outcome::Converged;
        }
        if run.stopwatch.is_spent() {
            return run.stopwatch.outcome();
        }
        self.prepare_hessian(run);
        // A guess that is better than nothing is often one Newton step away; a step to what is worse
        // than nothing says that it was not.
        if start.is_guess
            && self
                .settings
                .finish
                .as_ref()
                .is_some_and(|finish| finish.from_guess)
        {
            self.finish(run, spent, "guess", (start.residual, start.cold_residual));
        }
        if self.is_done(run) {
            return Outcome::Converged;
        }
        // A test of a paper is about the sequence of its own iterations.
        if !run.budget.criterion.is_test() {
            self.follow_path_first(run, spent);
            if self.is_done(run) {
                return Outcome::Converged;
            }
        }
        let settings = &self.settings.outer_loop;
        let first = (
            "outer loop",
            1.0,
            settings.penalty_scope,
            settings.max_iterations,
        );
        if let Some(outcome) = self.outer_loop(run, spent, first) {
            return outcome;
        }
        for attempt in 0..self.rescue_attempts(run) {
            self.follow_from_start(run, spent, attempt);
            if self.is_done(run) || self.is_out(run, spent) {
                break;
            }
            if let Some(outcome) = self.restart(run, spent, attempt) {
                return outcome;
            }
        }
        self.end(run, spent)
    }

    /// How a solve ends that went through all stages.
    fn end(&mut self, run: &Run<'_>, spent: &Spent) -> Outcome {
        if self.is_done(run) {
            Outcome::Converged
        } else if run.stopwatch.is_spent() {
            run.stopwatch.outcome()
        } else if spent.iterations_left(run.budget) == 0 || !run.budget.rescue {
            Outcome::OutOfIterations
        } else if self.is_rounding(run) {
            Outcome::stalled(Stall::Rounding)
        } else {
            Outcome::stalled(Stall::NoProgress)
        }
    }
}
