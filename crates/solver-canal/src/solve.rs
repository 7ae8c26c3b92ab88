//! Algorithm 1 of [AL]: the outer loop.

use stiction_constraints::{
    Budget, Criterion, Failure, HistoryEntry, Outcome, Problem, Report, Residuals, Solution,
    Solver, Stages, Stopwatch, Yardstick,
};

use crate::continuation::{Continuation, ContinuationTask};
use crate::hessian::Hessian;
use crate::newton::{InnerProblem, InnerReport};
use crate::pace::{Effort, Pace};
use crate::path::{PathNewton, PathTask};
use crate::progress::{Best, Mean, Pause, Spent};
use crate::settings::CanalSettings;
use crate::shift::ShiftUpdate;
use crate::smoothed_system::Context;
use crate::state::State;

/// Newton steps straight at the complementarity problem.
const FINISH_STEPS: usize = 8;
/// Newton steps along the smoothed path.
const PATH_STEPS: usize = 40;
/// A guess whose residual exceeds that of a cold start by this factor is not used.
const FAR_OFF: f64 = 1e3;
/// A guess whose residual is that of a cold start times this may be one Newton step away: any that is
/// better than nothing, but where rows are so many for each degree of freedom that impulses are far from
/// unique.
const CLOSE: f64 = 1.0;
const CLOSE_IF_REDUNDANT: f64 = 1e-4;
const REDUNDANT: usize = 3;
/// A residual that is that of a cold start times this may be all that rounding leaves: neither patience
/// nor another start is worth it.
const ROUNDING: f64 = 1e-10;
/// A strict solve of so few steps, from a cold start or from a guess, lets the penalty grow by so
/// much.
const EASY_STEPS: usize = 2;
const EASY_STEPS_FROM_GUESS: usize = 4;
const EASY_GROWTH: f64 = 30.0;
/// First κ of the continuations where the first attempt led nowhere: a stiffer one gets past where a
/// softer one is stuck, and takes longer.
const COMPLIANCES: [f64; 2] = [1e-2, 1e-3];
/// The cold start after that: its first penalty relative to the usual one, and its outer iterations.
const RESTART: (f64, usize) = (0.01, 40);

/// The cascaded Newton-based augmented-Lagrangian solver.
#[derive(Debug)]
pub struct Canal {
    name: &'static str,
    settings: CanalSettings,
    yardstick: Yardstick,
    hessian: Hessian,
    state: State,
    shift: ShiftUpdate,
    path: PathNewton,
    continuation: Continuation,
    best: Best,
    /// The best of earlier attempts.
    earlier: Best,
    strict_pause: Pause,
    finish_pause: Pause,
    effort: Effort,
    /// At the patient pace, since the last gain or round.
    mean: Mean,
}

/// How the inner problem of one outer iteration was solved.
struct Inner {
    report: InnerReport,
    is_strict: bool,
}

/// Where the iteration starts.
struct Start {
    /// The criterion's, and what it is without a guess.
    residual: f64,
    cold_residual: f64,
    /// Whether the guess may be close to the answer.
    is_close: bool,
    /// Steps of a strict solve that count as few.
    easy_steps: usize,
}

/// What stays the same during one solve.
#[derive(Clone, Copy)]
struct Run<'a> {
    problem: &'a Problem,
    budget: &'a Budget,
    stopwatch: &'a Stopwatch,
}

impl Canal {
    /// A solver with settings of one's own, under the name `canal`.
    pub fn new(settings: CanalSettings) -> Self {
        Self {
            name: "canal",
            settings,
            yardstick: Yardstick::default(),
            hessian: Hessian::default(),
            state: State::default(),
            shift: ShiftUpdate::default(),
            path: PathNewton::default(),
            continuation: Continuation::default(),
            best: Best::default(),
            earlier: Best::default(),
            strict_pause: Pause::default(),
            finish_pause: Pause::default(),
            effort: Effort::default(),
            mean: Mean::default(),
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

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let mut spent = Spent::default();
        let outcome = match self.yardstick.update(problem) {
            Err(failure) => return refuse(failure, problem, &stopwatch, solution),
            Ok(()) => self.attempt(
                &Run {
                    problem,
                    budget,
                    stopwatch: &stopwatch,
                },
                solution,
                &mut spent,
            ),
        };
        solution.impulse.clear();
        solution.impulse.extend_from_slice(&self.best.lambda);
        solution.velocity.resize(problem.dof_count(), 0.0);
        self.yardstick
            .velocity_of(problem, &solution.impulse, &mut solution.velocity);
        let time = stopwatch.elapsed();
        Report {
            outcome,
            iterations: spent.iterations,
            inner_iterations: spent.newton_steps,
            factorizations: spent.factorizations,
            start_residual: spent.start_residual.unwrap_or(f64::INFINITY),
            residuals: if budget.all_residuals {
                self.yardstick
                    .residuals(problem, &solution.velocity, &solution.impulse)
            } else {
                Residuals::only(budget.criterion, self.best.residual)
            },
            time,
            stages: Stages::default(),
            history: spent.history,
        }
    }
}

/// Nothing can be computed without A⁻¹: zeros and the reason.
fn refuse(
    failure: Failure,
    problem: &Problem,
    stopwatch: &Stopwatch,
    solution: &mut Solution,
) -> Report {
    solution.clear();
    solution.velocity.resize(problem.dof_count(), 0.0);
    solution.impulse.resize(problem.row_count(), 0.0);
    Report {
        outcome: Outcome::Failed(failure),
        iterations: 0,
        inner_iterations: 0,
        factorizations: 0,
        start_residual: f64::INFINITY,
        residuals: Residuals::unknown(),
        time: stopwatch.elapsed(),
        stages: Stages::default(),
        history: Vec::new(),
    }
}

impl Canal {
    /// Iterates from the guess; where that leads nowhere, from elsewhere.
    fn attempt(&mut self, run: &Run<'_>, guess: &Solution, spent: &mut Spent) -> Outcome {
        let most = run.budget.max_iterations.unwrap_or(self.settings.max_outer);
        let mut outcome = self.iterate(run, guess, (1.0, most), spent);
        if !self.settings.polish || !run.budget.rescue {
            return outcome;
        }
        for compliance in COMPLIANCES {
            if !self.may_try_again(&outcome) {
                return outcome;
            }
            outcome = self.follow_from_cold(run, compliance, spent);
        }
        if self.may_try_again(&outcome) {
            self.earlier.start(&self.best.lambda, self.best.residual);
            outcome = self.iterate(run, &Solution::cold(), RESTART, spent);
            self.best.offer(&self.earlier.lambda, self.earlier.residual);
        }
        outcome
    }

    fn may_try_again(&self, outcome: &Outcome) -> bool {
        *outcome == Outcome::OutOfIterations && !self.effort.is_rounding(self.best.residual)
    }

    /// The outer loop; line numbers are those of [AL, Alg. 1]. `penalty` is the first one
    /// relative to the usual, `most` the most iterations.
    fn iterate(
        &mut self,
        run: &Run<'_>,
        guess: &Solution,
        (penalty, most): (f64, usize),
        spent: &mut Spent,
    ) -> Outcome {
        let Run {
            problem,
            budget,
            stopwatch,
        } = *run;
        // Line 2. The scale of β is the problem's own.
        let mass = self.yardstick.largest_term_mass();
        self.state.start(problem, &self.yardstick);
        self.state
            .set_penalty(penalty * self.settings.penalty_start.value(mass));
        let beta_max = self.settings.penalty_max.value(mass).max(self.state.beta);
        self.shift.start(problem.constraints().len());
        self.strict_pause = Pause::default();
        self.finish_pause = Pause::default();
        self.mean.clear();
        let start = self.adopt_guess(run, guess);
        self.effort = Effort::new(
            most,
            self.settings.max_strict > 0 && budget.rescue,
            ROUNDING * start.cold_residual,
        );
        self.best.start(&self.state.lambda, start.residual);
        spent.start_residual.get_or_insert(start.residual);
        let is_within = self.best.is_within(budget);
        let is_good = start.residual <= budget.guess_tolerance.unwrap_or(budget.tolerance);
        if is_within && (is_good || !self.settings.polish) {
            return Outcome::Converged;
        }
        let (dynamics, rows) = self.yardstick.matrices();
        self.hessian.update(
            problem.dof_count(),
            dynamics,
            rows,
            self.settings.linear_solver,
        );
        // A guess that close is often one Newton step away; a step to what is worse than nothing says
        // that it was not.
        if (start.is_close || is_within) && self.settings.polish {
            self.finish(run, spent, start.residual, start.cold_residual);
        }
        if self.best.is_within(budget) {
            return Outcome::Converged;
        }

        let mut previous_gap = f64::INFINITY;
        while self.effort.goes_on() {
            if stopwatch.is_spent() {
                return stopwatch.outcome();
            }
            let before = self.best.residual;
            let inner = self.inner_solve(run, spent); // lines 4–14
            let gap = self.update_multiplier(); // line 15
            spent.iterations += 1;
            let residual = self.residual(run);
            if !residual.is_finite() {
                return Outcome::Failed(Failure::NotFinite);
            }
            self.best.offer(&self.state.lambda, residual);

            if self.settings.polish && !self.best.is_within(budget) {
                // Nothing opened, closed, started or stopped sliding: the finish converges
                // quadratically.
                if !self.state.note_modes() && self.finish_pause.is_over() {
                    let has_paid = self.finish(run, spent, residual, f64::INFINITY);
                    if self.effort.pace() == Pace::Patient {
                        self.finish_pause.note(has_paid);
                    }
                }
                self.effort.note(before, self.best.residual);
                if self.effort.pace() == Pace::Patient {
                    self.leave_circle(problem);
                }
                if self.effort.is_stuck(inner.is_strict) {
                    let has_paid = self.follow_path(run, spent);
                    self.effort.note_path(has_paid, self.best.residual);
                    self.shift.is_damped |= !has_paid && self.settings.damp_shift;
                }
            }
            if budget.record_history {
                spent.history.push(HistoryEntry {
                    iteration: spent.iterations,
                    seconds: stopwatch.elapsed().as_secs_f64(),
                    residual: self.best.residual,
                });
            }
            // Lines 16–17. The printed test ‖J v̂ − z‖ equals ‖Δλ‖/β and shrinks when β grows even
            // if nothing converged: the residual of λ itself decides.
            if self.best.is_within(budget) {
                return Outcome::Converged;
            }
            // Lines 18–20; where β is no trouble it may grow faster.
            let growth = match self.effort.pace() {
                Pace::Patient => Pace::patient_growth(inner.report.steps),
                Pace::Bold if inner.is_strict && inner.report.steps <= start.easy_steps => {
                    EASY_GROWTH
                }
                Pace::Bold if gap > self.settings.penalty_test * previous_gap => {
                    self.settings.penalty_growth
                }
                Pace::Bold => 1.0,
            };
            self.state
                .set_penalty((growth * self.state.beta).min(beta_max));
            previous_gap = gap;
        }
        if stopwatch.is_spent() {
            stopwatch.outcome()
        } else {
            Outcome::OutOfIterations
        }
    }

    /// Multipliers may circle around an answer that attracts nothing: goes on from their mean.
    fn leave_circle(&mut self, problem: &Problem) {
        if self.effort.has_gained() {
            self.mean.clear();
        }
        self.mean.add(&self.state.lambda, self.state.beta);
        if self.effort.is_circling() {
            let mean = self.mean.take();
            self.state.adopt(problem, &mut self.yardstick, mean);
            self.mean.clear();
        }
    }

    /// Goes on from the guess if there is one that deserves the name.
    fn adopt_guess(&mut self, run: &Run<'_>, guess: &Solution) -> Start {
        let cold_residual = self.residual(run);
        let cold = Start {
            residual: cold_residual,
            cold_residual,
            is_close: false,
            easy_steps: EASY_STEPS,
        };
        if !guess.has_guess(run.problem) {
            return cold;
        }
        self.state
            .adopt(run.problem, &mut self.yardstick, &guess.impulse);
        let residual = self.residual(run);
        let is_redundant = run.problem.row_count() > REDUNDANT * run.problem.dof_count();
        let close = if is_redundant {
            CLOSE_IF_REDUNDANT
        } else {
            CLOSE
        };
        if residual <= FAR_OFF * cold_residual {
            return Start {
                residual,
                cold_residual,
                is_close: residual <= close * cold_residual,
                easy_steps: EASY_STEPS_FROM_GUESS,
            };
        }
        // Garbage, up to the end of the range of numbers: no guess at all is better.
        self.state.start(run.problem, &self.yardstick);
        cold
    }

    /// The criterion's residual of the current multipliers.
    fn residual(&mut self, run: &Run<'_>) -> f64 {
        self.yardstick
            .measure(run.problem, &self.state.lambda, run.budget.criterion)
    }

    /// Solves the surrogate problem: the strict form where Newton manages it, the convex form with
    /// the shift of the last iterate otherwise.
    fn inner_solve(&mut self, run: &Run<'_>, spent: &mut Spent) -> Inner {
        let Self {
            settings,
            yardstick,
            hessian,
            state,
            shift,
            strict_pause,
            effort,
            ..
        } = self;
        let pace = effort.pace();
        state.jt_lambda.fill(0.0);
        yardstick
            .rows()
            .mul_transpose_add(&state.lambda, &mut state.jt_lambda);
        let inner = InnerProblem {
            problem: run.problem,
            settings,
            yardstick,
            stopwatch: run.stopwatch,
        };
        if settings.max_strict > 0 && strict_pause.is_over() {
            let beta = state.beta;
            for &retreat in pace.retreats() {
                state.set_penalty(beta * retreat);
                let report = inner.solve_strict(hessian, state, pace.strict_steps(settings));
                spent.add(&report);
                if report.is_solved {
                    strict_pause.note(true);
                    return Inner {
                        report,
                        is_strict: true,
                    };
                }
            }
            state.set_penalty(beta);
            strict_pause.note(false);
        }
        // Lines 4–5: ẽ = e + p(z).
        if settings.update_shift {
            shift.update(run.problem, state);
        }
        // Lines 6–14.
        let report = inner.minimize(hessian, state);
        spent.add(&report);
        Inner {
            report,
            is_strict: false,
        }
    }

    /// z = J v̂ + (λ(v̂) − λ)/β by (14), then λ ← λ(v̂), which is −u by (13); returns ‖J v̂ − z‖.
    fn update_multiplier(&mut self) -> f64 {
        let state = &mut self.state;
        let mut sum = 0.0;
        for i in 0..state.lambda.len() {
            let change = (state.response[i] - state.lambda[i]) / state.beta;
            sum += change * change;
            state.z[i] = state.x[i] + change;
            state.lambda[i] = state.response[i];
        }
        sum.sqrt()
    }

    /// Newton straight at the complementarity problem from the current multipliers with their
    /// residual; not beyond what would be `hopeless`.
    fn finish(&mut self, run: &Run<'_>, spent: &mut Spent, residual: f64, hopeless: f64) -> bool {
        self.newton_on_path(run, spent, (residual, hopeless), 0.0, FINISH_STEPS)
    }

    /// Newton along the smoothed path, as wide at first as the current error; whether it paid.
    fn follow_path(&mut self, run: &Run<'_>, spent: &mut Spent) -> bool {
        let width = self
            .yardstick
            .measure(run.problem, &self.state.lambda, Criterion::Scaled);
        let residual = self.residual(run);
        self.newton_on_path(run, spent, (residual, f64::INFINITY), width, PATH_STEPS)
    }

    /// Follows the smoothed path from where it begins, through its folds.
    fn follow_from_cold(&mut self, run: &Run<'_>, compliance: f64, spent: &mut Spent) -> Outcome {
        let Self {
            yardstick,
            hessian,
            state,
            path,
            continuation,
            best,
            ..
        } = self;
        let mut context = Context {
            problem: run.problem,
            yardstick,
            columns: &state.columns,
            hessian,
            stopwatch: run.stopwatch,
        };
        let task = ContinuationTask {
            criterion: run.budget.criterion,
            tolerance: run.budget.tolerance,
            compliance,
        };
        let report = continuation.run(&mut context, path, &task);
        spent.newton_steps += report.steps;
        spent.factorizations += report.steps;
        best.offer(&continuation.best, report.residual);
        if best.is_within(run.budget) {
            Outcome::Converged
        } else if run.stopwatch.is_spent() {
            run.stopwatch.outcome()
        } else {
            Outcome::OutOfIterations
        }
    }

    fn newton_on_path(
        &mut self,
        run: &Run<'_>,
        spent: &mut Spent,
        (start_residual, hopeless): (f64, f64),
        smoothing: f64,
        max_steps: usize,
    ) -> bool {
        let Self {
            yardstick,
            hessian,
            state,
            path,
            best,
            ..
        } = self;
        let task = PathTask {
            start: &state.lambda,
            criterion: run.budget.criterion,
            tolerance: run.budget.tolerance,
            start_residual,
            hopeless,
            smoothing,
            max_steps,
        };
        let mut context = Context {
            problem: run.problem,
            yardstick,
            columns: &state.columns,
            hessian,
            stopwatch: run.stopwatch,
        };
        let report = path.run(&mut context, task);
        spent.newton_steps += report.steps;
        spent.factorizations += report.steps;
        best.offer(&path.best, report.residual);
        let has_paid = report.residual < 0.3 * start_residual;
        if has_paid {
            state.adopt(run.problem, yardstick, &path.best);
        }
        has_paid
    }
}
