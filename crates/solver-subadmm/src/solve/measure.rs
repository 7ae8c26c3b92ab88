//! Residuals of iterates and of guesses.

use stiction_constraints::{Criterion, Problem, Solution};

use super::{Run, SubAdmm};
use crate::lanes::{Lanes, vectorized};
use crate::response::Response;
use crate::settings::Contacts;

/// A guess whose residual exceeds that of no impulses by this factor is not used.
const FAR_OFF: f64 = 1e3;
/// A guess whose residual is smaller than this part of that of no impulses is close to the answer.
/// Were none, dishes would take 1.6 times as long after a change of b by 1e-3.
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
            &mut self.evaluator,
            &iterate.stacked,
            &mut iterate.measured_velocity,
        );
    }

    /// The budget's residual of the current impulses, which are left in `stacked`. One within the
    /// tolerance is the evaluator's own, looked at closely: slots round otherwise than rows, and v̂ of
    /// folded constraints comes from another matrix.
    pub(super) fn measure(&mut self, run: &Run<'_>) -> f64 {
        let (criterion, tolerance) = (run.budget.residual_criterion(), run.budget.tolerance);
        let residual = self.residual_of(run.problem, criterion);
        if residual > tolerance {
            return residual;
        }
        self.confirm(run.problem, None, criterion, tolerance, residual)
    }

    /// The residual of impulses (`stacked` where none are given) that are about to be called a solution.
    fn confirm(
        &mut self,
        problem: &Problem,
        impulse: Option<&[f64]>,
        criterion: Criterion,
        tolerance: f64,
        residual: f64,
    ) -> f64 {
        let impulse = impulse.unwrap_or(&self.iterate.stacked);
        match self.settings.contacts {
            Contacts::Strict => self
                .evaluator
                .confirm(problem, impulse, criterion, tolerance),
            // Of the cone model rounding is all that might hide a violation.
            Contacts::Proximal => residual.max(self.evaluator.rounding(problem, impulse)),
        }
    }

    /// The residual that decides when J v̂ is known: of the true problem, or of the cone model.
    fn judged(
        &self,
        problem: &Problem,
        impulse: &[f64],
        row_velocity: &[f64],
        criterion: Criterion,
    ) -> f64 {
        let is_test = criterion == Criterion::EpsAbs;
        match self.settings.contacts {
            Contacts::Proximal if !is_test => {
                let evaluator = &self.evaluator;
                evaluator.cone_model_at(problem, impulse, row_velocity)
            }
            _ => (self.evaluator).measure_at(problem, impulse, row_velocity, criterion),
        }
    }

    /// A residual of the current impulses, which are left in `stacked`.
    pub(super) fn residual_of(&mut self, problem: &Problem, criterion: Criterion) -> f64 {
        self.iterate.row_velocity.resize(problem.row_count(), 0.0);
        if self.folds.is_empty() {
            self.stack_impulses(problem);
            let iterate = &mut self.iterate;
            iterate.measured_velocity.resize(problem.dof_count(), 0.0);
            iterate.seen.resize(self.layout.slots.len(), Lanes::ZERO);
            vectorized(Response {
                problem,
                layout: &self.layout,
                evaluator: &mut self.evaluator,
                impulse: &iterate.impulse,
                velocity: &mut iterate.measured_velocity,
                row_velocity: &mut iterate.row_velocity,
                seen: &mut iterate.seen,
                bodies: &mut iterate.bodies,
            });
        } else {
            self.velocity_of_active_impulses(problem);
            let iterate = &mut self.iterate;
            self.evaluator
                .rows()
                .mul(&iterate.measured_velocity, &mut iterate.row_velocity);
            self.folds
                .write_impulses(problem, &iterate.row_velocity, &mut iterate.stacked);
        }
        let iterate = &self.iterate;
        let (stacked, row_velocity) = (&iterate.stacked, &iterate.row_velocity);
        self.judged(problem, stacked, row_velocity, criterion)
    }

    /// The last v̂ and λ; soft constraints that are part of A pull with what v̂ gives.
    pub(super) fn hand_back_iterate(&mut self, problem: &Problem, solution: &mut Solution) {
        self.stack_impulses(problem);
        let iterate = &mut self.iterate;
        if !self.folds.is_empty() {
            iterate.row_velocity.resize(problem.row_count(), 0.0);
            let rows = self.evaluator.rows();
            rows.mul(&iterate.velocity, &mut iterate.row_velocity);
            self.folds
                .write_impulses(problem, &iterate.row_velocity, &mut iterate.stacked);
        }
        solution.velocity.copy_from_slice(&iterate.velocity);
        solution.impulse.copy_from_slice(&iterate.stacked);
    }

    /// Puts the impulses to start from into `stacked`; what they are worth, and their residual.
    pub(super) fn measure_guess(&mut self, run: &Run<'_>, solution: &Solution) -> (Guess, f64) {
        let (problem, tolerance) = (run.problem, run.budget.tolerance);
        let criterion = run.budget.residual_criterion();
        let stacked = &mut self.iterate.stacked;
        stacked.clear();
        stacked.resize(problem.row_count(), 0.0);
        let free = self.evaluator.free_row_velocity();
        let mut cold = self.judged(problem, &self.iterate.stacked, free, criterion);
        if cold <= tolerance {
            cold = self.confirm(problem, None, criterion, tolerance, cold);
        }
        if !solution.has_guess(problem) {
            return (Guess::None, cold);
        }
        let impulse = &solution.impulse;
        let mut residual = match self.settings.contacts {
            Contacts::Strict => self.evaluator.measure(problem, impulse, criterion),
            Contacts::Proximal => self.evaluator.cone_model(problem, impulse),
        };
        if residual <= tolerance {
            residual = self.confirm(problem, Some(impulse), criterion, tolerance, residual);
        }
        // Garbage, up to the end of the range of numbers: no guess at all is better.
        if !residual.is_finite() || residual > FAR_OFF * cold {
            return (Guess::None, cold);
        }
        self.iterate.stacked.copy_from_slice(impulse);
        let is_close = residual <= CLOSE * cold;
        (if is_close { Guess::Close } else { Guess::Rough }, residual)
    }
}
