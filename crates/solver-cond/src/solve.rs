//! The solver: the iteration, and when it has done enough.

use stiction_constraints::{
    Budget, Criterion, Declaration, Failure, HistoryEntry, Outcome, Problem, Report,
    ResidualEvaluator, Residuals, Solution, Solver, Stopwatch,
};

use crate::judge::Judge;
use crate::names;
use crate::settings::{CondSettings, Operator, SettingsError};
use crate::velocity_iteration::VelocityIteration;

/// Share of the tolerance that a change of velocity must be below before a residual is measured.
const FIRST_LOOK: f64 = 0.3;
/// Bounds on the factor by which that is lowered after a look that found the residual too large.
const NEXT_LOOK: [f64; 2] = [1e-2, 0.5];

/// COND; which variant is in its [settings](CondSettings).
#[derive(Debug)]
pub struct Cond {
    name: &'static str,
    settings: CondSettings,
    iteration: VelocityIteration,
    evaluator: ResidualEvaluator,
    judge: Judge,
    best: Vec<f64>,
}

impl Cond {
    /// A solver with the given settings, under the name of the variant it is nearest to.
    ///
    /// # Errors
    /// A setting that is out of range.
    pub fn new(settings: CondSettings) -> Result<Self, SettingsError> {
        settings.validate()?;
        let name = match (settings.shift, settings.operator) {
            (true, _) => "cond-shifted",
            (false, Operator::Proximal) => "cond-proximal",
            (false, Operator::Strict) => "cond",
        };
        Ok(Self::with(name, settings))
    }

    /// The solver with a name of [`SOLVERS`](crate::SOLVERS), with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        let (name, settings) = names::named(name)?;
        Some(Self::with(name, settings))
    }

    fn with(name: &'static str, settings: CondSettings) -> Self {
        Self {
            name,
            settings,
            iteration: VelocityIteration::default(),
            evaluator: ResidualEvaluator::default(),
            judge: Judge::default(),
            best: Vec::new(),
        }
    }

    /// The settings.
    pub fn settings(&self) -> &CondSettings {
        &self.settings
    }

    /// Multiplications of the last solve's iterations.
    pub fn operations(&self) -> u64 {
        self.iteration.operations()
    }

    /// J v̂ of the last solve's iterate on the nodes that its constraints act on, virtual ones included, by rows of
    /// the problem, m/s: what the contacts' laws were obeyed with. `out` has a number for each row.
    pub fn node_velocity(&self, out: &mut [f64]) {
        self.iteration.node_velocity(out);
    }

    /// Virtual nodes of the last solve.
    pub fn virtual_nodes(&self) -> usize {
        self.iteration.nodes.virtuals.len()
    }

    /// Whether what is called converged is a solution of the true problem.
    fn is_exact(&self) -> bool {
        self.settings.declaration().is_exact()
    }

    /// The residual that decides, of impulses: the budget's criterion where the true problem is solved, that of the
    /// solver's own model else.
    fn residual(&mut self, problem: &Problem, lambda: &[f64], criterion: Criterion) -> f64 {
        if self.is_exact() {
            self.evaluator.measure(problem, lambda, criterion)
        } else {
            self.judge.own_residual(
                problem,
                &mut self.evaluator,
                &self.iteration.nodes,
                &self.settings,
                lambda,
            )
        }
    }

    /// The same of impulses that are about to be called a solution.
    fn confirmed(&mut self, problem: &Problem, lambda: &[f64], budget: &Budget) -> f64 {
        let criterion = budget.residual_criterion();
        let residual = self.residual(problem, lambda, criterion);
        let careful = if self.is_exact() {
            self.evaluator
                .confirm(problem, lambda, criterion, budget.tolerance)
        } else {
            self.evaluator.rounding(problem, lambda)
        };
        residual.max(careful)
    }

    /// The algorithm as printed: products alone, until ‖Δv̂‖ is small. The iterate is handed back as it is: its
    /// impulses obey their laws, and the equations of motion to the test.
    fn run_as_printed(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        solution: &mut Solution,
    ) -> Report {
        let stopwatch = Stopwatch::start(budget);
        if let Err(failure) = self.iteration.begin(problem, &self.settings, solution) {
            solution.set_to_zero(problem);
            return Report::of(Outcome::Failed(failure));
        }
        solution.set_to_zero(problem);
        let most = budget
            .max_iterations
            .unwrap_or(self.settings.max_iterations);
        let mut iterations = 0;
        let mut history = Vec::new();
        let mut outcome = loop {
            if stopwatch.is_spent() {
                break stopwatch.outcome();
            }
            if iterations == most {
                break Outcome::OutOfIterations;
            }
            let change = self.iteration.step(&self.settings);
            iterations += 1;
            if budget.record_history {
                history.push(HistoryEntry {
                    iteration: iterations,
                    seconds: stopwatch.elapsed().as_secs_f64(),
                    residual: change,
                });
            }
            if !change.is_finite() {
                break Outcome::Failed(Failure::NotFinite);
            }
            if change <= budget.tolerance {
                break Outcome::Stopped(Criterion::VelocityChange);
            }
        };
        if matches!(outcome, Outcome::Failed(_)) {
            return Report::of(outcome);
        }
        self.iteration.velocity(problem, &mut solution.velocity);
        self.iteration.impulses(&mut solution.impulse);
        let time = stopwatch.elapsed();
        let mut residuals = Residuals::unknown();
        if budget.all_residuals && self.evaluator.update(problem).is_ok() {
            residuals = self
                .evaluator
                .residuals(problem, &solution.velocity, &solution.impulse);
            let lambda = std::mem::take(&mut solution.impulse);
            let is_met = outcome == Outcome::Stopped(Criterion::VelocityChange);
            if is_met && self.confirmed(problem, &lambda, budget) <= budget.tolerance {
                outcome = Outcome::Converged;
            }
            solution.impulse = lambda;
        }
        Report {
            iterations,
            inner_iterations: iterations,
            residuals,
            time,
            history,
            ..Report::of(outcome)
        }
    }

    /// Iterates until the residual of the impulses is at the tolerance. It is measured, which takes factors of A,
    /// only when the iteration has come to rest.
    fn run_to_residual(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        solution: &mut Solution,
    ) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let begun = self
            .evaluator
            .update(problem)
            .and_then(|()| self.iteration.begin(problem, &self.settings, solution));
        if let Err(failure) = begun {
            solution.set_to_zero(problem);
            return Report {
                time: stopwatch.elapsed(),
                ..Report::of(Outcome::Failed(failure))
            };
        }
        let criterion = budget.criterion;
        let mut lambda = std::mem::take(&mut self.best);
        let mut start_residual = f64::INFINITY;
        let mut least = f64::INFINITY;
        let mut outcome = None;
        if solution.has_guess(problem) {
            start_residual = self.residual(problem, &solution.impulse, criterion);
            let is_good = start_residual <= budget.guess_tolerance.unwrap_or(budget.tolerance);
            if is_good && self.confirmed(problem, &solution.impulse, budget) <= budget.tolerance {
                (least, outcome) = (start_residual, Some(Outcome::Converged));
            }
        }
        let is_kept = outcome.is_some();
        if !is_kept {
            solution.set_to_zero(problem);
            least = self.residual(problem, &solution.impulse, criterion);
            start_residual = start_residual.min(least);
            let is_free = problem.constraints().is_empty() || least <= budget.tolerance;
            if is_free && self.confirmed(problem, &solution.impulse, budget) <= budget.tolerance {
                outcome = Some(Outcome::Converged);
            }
        }
        lambda.clear();
        lambda.resize(problem.row_count(), 0.0);
        let most = budget
            .max_iterations
            .unwrap_or(self.settings.max_iterations);
        let (mut iterations, mut next_look) = (0, FIRST_LOOK * budget.tolerance);
        let mut history = Vec::new();
        let outcome = outcome.unwrap_or_else(|| {
            loop {
                if stopwatch.is_spent() {
                    break stopwatch.outcome();
                }
                if iterations == most {
                    break Outcome::OutOfIterations;
                }
                let change = self.iteration.step(&self.settings);
                iterations += 1;
                let is_last = iterations == most || !change.is_finite();
                if !(change <= next_look || is_last || budget.record_history) {
                    continue;
                }
                self.iteration.impulses(&mut lambda);
                let mut residual = self.residual(problem, &lambda, criterion);
                if budget.record_history {
                    history.push(HistoryEntry {
                        iteration: iterations,
                        seconds: stopwatch.elapsed().as_secs_f64(),
                        residual,
                    });
                }
                if residual < least {
                    least = residual;
                    solution.impulse.copy_from_slice(&lambda);
                }
                if !change.is_finite() {
                    break Outcome::Failed(Failure::NotFinite);
                }
                if residual <= budget.tolerance {
                    residual = self.confirmed(problem, &lambda, budget);
                    if residual <= budget.tolerance {
                        solution.impulse.copy_from_slice(&lambda);
                        break Outcome::Converged;
                    }
                }
                if change <= next_look {
                    let ratio = FIRST_LOOK * budget.tolerance / residual;
                    next_look = change * ratio.clamp(NEXT_LOOK[0], NEXT_LOOK[1]);
                }
            }
        });
        // A test of a paper may be met far from a solution: that is no convergence.
        let outcome = self.called_what_it_is(problem, budget, &solution.impulse, outcome);
        self.best = lambda;
        let time = stopwatch.elapsed();
        solution.velocity.clear();
        solution.velocity.resize(problem.dof_count(), 0.0);
        self.evaluator
            .velocity_of(problem, &solution.impulse, &mut solution.velocity);
        let residuals = self
            .evaluator
            .residuals(problem, &solution.velocity, &solution.impulse);
        Report {
            iterations,
            inner_iterations: iterations,
            start_residual,
            residuals,
            time,
            history,
            ..Report::of(outcome)
        }
    }

    fn called_what_it_is(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        lambda: &[f64],
        outcome: Outcome,
    ) -> Outcome {
        if outcome != Outcome::Converged || !budget.criterion.is_test() {
            return outcome;
        }
        match self.residual(problem, lambda, Criterion::Scaled) <= budget.tolerance {
            true => Outcome::Converged,
            false => Outcome::Stopped(budget.criterion),
        }
    }
}

impl Solver for Cond {
    fn name(&self) -> &'static str {
        self.name
    }

    fn declaration(&self) -> Declaration {
        self.settings.declaration()
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        if !self.declaration().has(budget.criterion) {
            solution.set_to_zero(problem);
            return Report::of(Outcome::Failed(Failure::UnsupportedCriterion(
                budget.criterion,
            )));
        }
        match budget.criterion {
            Criterion::VelocityChange => self.run_as_printed(problem, budget, solution),
            _ => self.run_to_residual(problem, budget, solution),
        }
    }
}
