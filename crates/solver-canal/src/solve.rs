//! The solver, and what the stages of its strategy share.

use stiction_constraints::{
    Budget, Criterion, Declaration, Failure, Outcome, Problem, Relaxation, Report,
    ResidualEvaluator, Residuals, Solution, Solver, Stopwatch,
};

use crate::continuation::Continuation;
use crate::finish::FinishNewton;
use crate::hessian::Hessian;
use crate::natural_map::Context;
use crate::path::PathNewton;
use crate::progress::{Best, Pause, Spent};
use crate::settings::{CanalSettings, PenaltyScope};
use crate::state::State;

/// The cascaded Newton-based augmented-Lagrangian solver.
#[derive(Debug)]
pub struct Canal {
    name: &'static str,
    pub(crate) settings: CanalSettings,
    pub(crate) evaluator: ResidualEvaluator,
    pub(crate) hessian: Hessian,
    pub(crate) state: State,
    pub(crate) newton: FinishNewton,
    pub(crate) path: PathNewton,
    continuation: Continuation,
    pub(crate) best: Best,
    pub(crate) strict_pause: Pause,
    /// v̂ before the last outer iteration.
    pub(crate) last_velocity: Vec<f64>,
}

/// Where the iteration starts.
pub(crate) struct Start {
    /// The criterion's, and what it is without a guess.
    pub(crate) residual: f64,
    pub(crate) cold_residual: f64,
    /// Whether it starts from a guess that is better than nothing.
    pub(crate) is_guess: bool,
}

/// What stays the same during one solve.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) budget: &'a Budget,
    pub(crate) stopwatch: &'a Stopwatch,
}

impl Run<'_> {
    pub(crate) fn guess_tolerance(&self) -> f64 {
        self.budget.guess_tolerance.unwrap_or(self.budget.tolerance)
    }
}

impl Default for Canal {
    fn default() -> Self {
        Self::new(CanalSettings::default())
    }
}

impl Canal {
    /// A solver with settings of one's own, under the name `canal`.
    pub fn new(settings: CanalSettings) -> Self {
        Self {
            name: "canal",
            settings,
            evaluator: ResidualEvaluator::default(),
            hessian: Hessian::default(),
            state: State::default(),
            newton: FinishNewton::default(),
            path: PathNewton::default(),
            continuation: Continuation::default(),
            best: Best::default(),
            strict_pause: Pause::default(),
            last_velocity: Vec::new(),
        }
    }

    /// One of [`SOLVERS`](crate::SOLVERS) by its name.
    pub fn named(name: &str) -> Option<Self> {
        let (name, settings) = match name {
            "canal" => ("canal", CanalSettings::default()),
            "canal-paper" => ("canal-paper", CanalSettings::paper()),
            "convex" => ("convex", CanalSettings::convex()),
            _ => return None,
        };
        Some(Self {
            name,
            ..Self::new(settings)
        })
    }

    /// The settings.
    pub fn settings(&self) -> &CanalSettings {
        &self.settings
    }
}

impl Solver for Canal {
    fn name(&self) -> &'static str {
        self.name
    }

    fn declaration(&self) -> Declaration {
        let is_convex = !self.settings.outer_loop.update_shift;
        Declaration {
            relaxes: if is_convex {
                &[Relaxation::Signorini, Relaxation::Coulomb]
            } else {
                &[]
            },
            guarantee: if is_convex {
                "the convex problem of one outer iteration"
            } else {
                "frictionless problems, to which Algorithm 1 is the method of multipliers"
            },
            // One iteration is no sequence to be stopped.
            tests: if is_convex {
                &[]
            } else {
                &[
                    Criterion::EpsAbs,
                    Criterion::VelocityChange,
                    Criterion::Consensus,
                ]
            },
            own_test: (self.name == "canal-paper").then_some(Criterion::Consensus),
            finds_least_violation: !is_convex,
            // Multipliers begin at nothing and change by images of J while all sticks.
            avoids_internal_forces: true,
            is_robust: !is_convex,
            ..Declaration::EXACT
        }
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let run = Run {
            problem,
            budget,
            stopwatch: &stopwatch,
        };
        let prepared = if self.declaration().has(budget.criterion) {
            self.evaluator.update(problem)
        } else {
            Err(Failure::UnsupportedCriterion(budget.criterion))
        };
        if let Err(failure) = prepared {
            solution.set_to_zero(problem);
            return Report {
                time: stopwatch.elapsed(),
                ..Report::of(Outcome::Failed(failure))
            };
        }
        let mut spent = Spent::default();
        let outcome = self.run_stages(&run, solution, &mut spent);
        solution.impulse.clear();
        solution.impulse.extend_from_slice(&self.best.lambda);
        solution.velocity.resize(problem.dof_count(), 0.0);
        self.evaluator
            .velocity_of(problem, &solution.impulse, &mut solution.velocity);
        let time = stopwatch.elapsed();
        let residuals = if budget.all_residuals {
            self.evaluator
                .residuals(problem, &solution.velocity, &solution.impulse)
                // Where a closer look found more than a quick one, that counts.
                .at_least(budget.residual_criterion(), self.best.residual)
        } else {
            Residuals::only(budget.residual_criterion(), self.best.residual)
        };
        Report {
            outcome,
            iterations: spent.iterations,
            inner_iterations: spent.newton_steps,
            inner_failures: spent.inner_failures,
            factorizations: spent.factorizations,
            start_residual: spent.start_residual,
            residuals,
            time,
            stages: spent.stages,
            history: spent.history,
        }
    }
}

impl Canal {
    /// Sizes buffers and goes on from the guess if there is one that deserves the name.
    pub(crate) fn start(&mut self, run: &Run<'_>, guess: &Solution) -> Start {
        self.state.start(run.problem, &self.evaluator);
        let cold_residual = self.residual(run);
        self.best.start(&self.state.lambda, cold_residual);
        let cold = Start {
            residual: cold_residual,
            cold_residual,
            is_guess: false,
        };
        if !guess.has_guess(run.problem) {
            return cold;
        }
        self.state
            .adopt(run.problem, &mut self.evaluator, &guess.impulse);
        let residual = self.residual(run);
        if residual <= self.settings.outer_loop.far_off * cold_residual {
            self.best.start(&self.state.lambda, residual);
            return Start {
                residual,
                is_guess: residual <= cold.cold_residual,
                ..cold
            };
        }
        // Garbage, up to the end of the range of numbers: no guess at all is better.
        self.state.start(run.problem, &self.evaluator);
        cold
    }

    pub(crate) fn prepare_hessian(&mut self, run: &Run<'_>) {
        let choice = self.settings.linear_solver;
        self.hessian.begin(run.problem, &mut self.evaluator, choice);
    }

    /// The criterion's residual of the current multipliers.
    pub(crate) fn residual(&mut self, run: &Run<'_>) -> f64 {
        let criterion = run.budget.residual_criterion();
        self.evaluator
            .measure(run.problem, &self.state.lambda, criterion)
    }

    /// Whether the best impulses are within the tolerance, and stay so when they are looked at closely.
    /// Where the budget asks for a test of a paper, that decides instead.
    pub(crate) fn is_done(&mut self, run: &Run<'_>) -> bool {
        !run.budget.criterion.is_test() && self.is_solved(run)
    }

    fn is_solved(&mut self, run: &Run<'_>) -> bool {
        let tolerance = run.budget.tolerance;
        if self.best.residual > tolerance {
            return false;
        }
        let criterion = run.budget.residual_criterion();
        let lambda = &self.best.lambda;
        let confirmed = self
            .evaluator
            .confirm(run.problem, lambda, criterion, tolerance);
        self.best.residual = self.best.residual.max(confirmed);
        confirmed <= tolerance
    }

    /// How a solve ends whose stopping test is met.
    pub(crate) fn stopped(&mut self, run: &Run<'_>) -> Outcome {
        if self.is_solved(run) {
            Outcome::Converged
        } else {
            Outcome::Stopped(run.budget.criterion)
        }
    }

    /// Whether the residual may be all that rounding leaves: nothing more is to be gained.
    pub(crate) fn is_rounding(&mut self, run: &Run<'_>) -> bool {
        self.state.lambda.fill(0.0);
        self.best.residual <= self.evaluator.floor(run.problem, &self.state.lambda)
    }

    pub(crate) fn is_out(&self, run: &Run<'_>, spent: &Spent) -> bool {
        spent.iterations_left(run.budget) == 0 || run.stopwatch.is_spent()
    }

    /// How often other ways than the first may be tried.
    pub(crate) fn rescue_attempts(&mut self, run: &Run<'_>) -> usize {
        let may_be_rescued =
            run.budget.rescue && !run.budget.criterion.is_test() && !self.is_rounding(run);
        match &self.settings.continuation {
            Some(continuation) if may_be_rescued => continuation.attempts,
            _ => 0,
        }
    }

    /// The outer loop from a cold start with another first penalty.
    pub(crate) fn restart(
        &mut self,
        run: &Run<'_>,
        spent: &mut Spent,
        attempt: usize,
    ) -> Option<Outcome> {
        let settings = self.settings.continuation.as_ref()?;
        let (spread, most) = (settings.penalty_spread, settings.restart_iterations);
        // Down, up, further down, …, in turns with penalties of their own and with one for all.
        let turn = attempt / 2;
        let power = i32::try_from(turn / 2).unwrap_or(0) + 1;
        let factor = spread.powi(if turn.is_multiple_of(2) {
            -power
        } else {
            power
        });
        let scope = if attempt.is_multiple_of(2) {
            PenaltyScope::Own
        } else {
            PenaltyScope::Common
        };
        self.state.start(run.problem, &self.evaluator);
        let outcome = self.outer_loop(run, spent, ("restart", factor, scope, most))?;
        // Where a restart diverges the next way may not; a proof of contradiction holds for all.
        (outcome != Outcome::Failed(Failure::NotFinite)).then_some(outcome)
    }

    /// Follows a smoothed path from where it begins, through its folds.
    pub(crate) fn follow_from_start(&mut self, run: &Run<'_>, spent: &mut Spent, path: usize) {
        let Some(settings) = self.settings.continuation.clone() else {
            return;
        };
        let finish = self.settings.finish.clone();
        let before = self.best.residual;
        let most = spent.iterations_left(run.budget);
        let so_far = std::mem::take(&mut self.best.lambda);
        let (mut context, _, newton, _, continuation) = self.split(run);
        let (reached, strides) = continuation.run(
            &mut context,
            (&settings, finish.as_ref()),
            newton,
            (path, &so_far, most),
        );
        self.best.lambda = so_far;
        self.best.offer(&self.continuation.best, reached.residual);
        spent.iterations += strides;
        spent.newton_steps += reached.steps;
        spent.factorizations += reached.steps;
        spent
            .stages
            .note("continuation", reached.steps, before, self.best.residual);
    }

    /// What Newton methods on the natural map work with.
    pub(crate) fn split<'a>(
        &'a mut self,
        run: &Run<'a>,
    ) -> (
        Context<'a>,
        &'a State,
        &'a mut FinishNewton,
        &'a mut PathNewton,
        &'a mut Continuation,
    ) {
        let context = Context {
            problem: run.problem,
            evaluator: &mut self.evaluator,
            columns: &self.state.columns,
            hessian: &mut self.hessian,
            stopwatch: run.stopwatch,
            criterion: run.budget.residual_criterion(),
            tolerance: run.budget.tolerance,
            max_newton: self.settings.max_newton,
        };
        (
            context,
            &self.state,
            &mut self.newton,
            &mut self.path,
            &mut self.continuation,
        )
    }
}
