//! The solver.

use stiction_constraints::{
    Budget, Declaration, Failure, HistoryEntry, Outcome, Problem, Relaxation, Report,
    ResidualEvaluator, Residuals, SoftContacts, Solution, Solver, Stall, Stopwatch,
};

use crate::model::Model;
use crate::newton::Newton;

/// Settings of [`SoftConvex`].
#[derive(Debug, Clone, PartialEq)]
pub struct SoftSettings {
    /// How contacts give way.
    pub contacts: SoftContacts,
    /// The convex problem counts as solved at ‖A v̂ − b − Jᵀλ‖ ≤ this × max(‖b‖, ‖Jᵀλ‖).
    pub tolerance: f64,
    /// Newton steps when the budget does not say.
    pub max_iterations: usize,
}

impl Default for SoftSettings {
    fn default() -> Self {
        Self {
            contacts: SoftContacts::MUJOCO,
            tolerance: 1e-11,
            max_iterations: 100,
        }
    }
}

/// Soft convex contacts, solved to the end.
#[derive(Debug, Default)]
pub struct SoftConvex {
    settings: SoftSettings,
    evaluator: ResidualEvaluator,
    model: Model,
    newton: Newton,
}

impl SoftConvex {
    /// A solver with the given settings.
    pub fn new(settings: SoftSettings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    /// From v̂ of the guess or of no impulses, whichever is nearer to the end.
    fn start(&mut self, problem: &Problem, guess: &Solution) -> f64 {
        self.newton
            .velocity
            .copy_from_slice(self.evaluator.free_velocity());
        let cold = self.newton.evaluate(problem, &self.evaluator, &self.model);
        if !guess.has_guess(problem) {
            return cold;
        }
        let (impulse, velocity) = (&guess.impulse, &mut self.newton.velocity);
        self.evaluator.velocity_of(problem, impulse, velocity);
        let warm = self.newton.evaluate(problem, &self.evaluator, &self.model);
        if warm < cold {
            return warm;
        }
        self.newton
            .velocity
            .copy_from_slice(self.evaluator.free_velocity());
        self.newton.evaluate(problem, &self.evaluator, &self.model)
    }
}

impl Solver for SoftConvex {
    fn name(&self) -> &'static str {
        "mujoco-like"
    }

    fn declaration(&self) -> Declaration {
        Declaration {
            relaxes: &[
                Relaxation::Signorini,
                Relaxation::Coulomb,
                Relaxation::MaximumDissipation,
            ],
            guarantee: "its own convex problem, always",
            tests: &[],
            shifts: true,
            avoids_internal_forces: true,
            is_robust: true,
            ..Declaration::EXACT
        }
    }

    fn soft_contacts(&self) -> Option<SoftContacts> {
        Some(self.settings.contacts)
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let prepared = match self.declaration().has(budget.criterion) {
            true => self.evaluator.update(problem),
            false => Err(Failure::UnsupportedCriterion(budget.criterion)),
        };
        if let Err(failure) = prepared {
            solution.set_to_zero(problem);
            return Report {
                time: stopwatch.elapsed(),
                ..Report::of(Outcome::Failed(failure))
            };
        }
        let contacts = &self.settings.contacts;
        self.model.prepare(problem, &self.evaluator, contacts);
        self.newton.prepare(problem, &self.evaluator);
        let mut error = self.start(problem, solution);
        let criterion = budget.residual_criterion();
        let measure = |evaluator: &mut ResidualEvaluator, impulse: &[f64]| {
            evaluator.measure(problem, impulse, criterion)
        };
        let start_residual = measure(&mut self.evaluator, &self.newton.response);
        let most = budget
            .max_iterations
            .unwrap_or(self.settings.max_iterations);
        let (mut iterations, mut history) = (0, Vec::new());
        let outcome = loop {
            if !error.is_finite() {
                break Outcome::Failed(Failure::NotFinite);
            }
            if error <= self.settings.tolerance {
                break Outcome::Converged;
            }
            if stopwatch.is_spent() {
                break stopwatch.outcome();
            }
            if iterations == most {
                break Outcome::OutOfIterations;
            }
            if !self.newton.step(problem, &self.evaluator, &self.model) {
                // The last digits are used up.
                break match error <= self.settings.tolerance.sqrt() {
                    true => Outcome::Converged,
                    false => Outcome::stalled(Stall::NoProgress),
                };
            }
            iterations += 1;
            error = self.newton.evaluate(problem, &self.evaluator, &self.model);
            if budget.record_history {
                history.push(HistoryEntry {
                    iteration: iterations,
                    seconds: stopwatch.elapsed().as_secs_f64(),
                    residual: measure(&mut self.evaluator, &self.newton.response),
                });
            }
        };
        solution.set_to_zero(problem);
        if !matches!(outcome, Outcome::Failed(Failure::NotFinite)) {
            solution.impulse.copy_from_slice(&self.newton.response);
        }
        let (velocity, impulse) = (&mut solution.velocity, &solution.impulse);
        self.evaluator.velocity_of(problem, impulse, velocity);
        let time = stopwatch.elapsed();
        let residuals = match budget.all_residuals {
            true => self.evaluator.residuals(problem, velocity, impulse),
            false => Residuals::only(criterion, measure(&mut self.evaluator, impulse)),
        };
        Report {
            iterations,
            inner_iterations: iterations,
            factorizations: iterations,
            start_residual,
            residuals,
            time,
            history,
            ..Report::of(outcome)
        }
    }
}
