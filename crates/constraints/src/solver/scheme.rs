//! The frame around iterations that keep more than impulses, or whose residual costs as much as a step.

use super::{
    Budget, Criterion, Declaration, Failure, HistoryEntry, Outcome, Report, Solution, Stall,
    Stopwatch,
};
use crate::problem::Problem;
use crate::residual::{ResidualEvaluator, Residuals};

/// An iteration with a state of its own, from impulses to better ones.
pub trait Scheme {
    /// What the solver supports, relaxes and promises. Its tests are those of [`SchemeRunner::TESTS`] or fewer.
    fn declaration(&self) -> Declaration;

    /// Iterations between two measurements of the residual: 1 where a step costs much more than an A⁻¹ x.
    fn interval(&self) -> usize;

    /// Begins a solve from these impulses. The evaluator is up to date.
    ///
    /// # Errors
    /// What makes the problem impossible to solve.
    fn begin(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Result<(), Failure>;

    /// One iteration: writes the next impulses over those it wrote last. `false` when nothing moves any more. One
    /// that consists of several looks at the stopwatch in each, and is cut short when it is spent.
    ///
    /// # Errors
    /// What makes it impossible to go on.
    fn advance(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &mut [f64],
        stopwatch: &Stopwatch,
    ) -> Result<bool, Failure>;

    /// Told before [`begin`](Self::begin) under [`Criterion::VelocityChange`]: the velocity that the caller guesses, a number
    /// for each degree of freedom; empty where there is none.
    fn guess_velocity(&mut self, velocity: &[f64]) {
        let _ = velocity;
    }

    /// v̂ of the iterate, where the iteration has one of its own that is not what belongs to its impulses. Under
    /// [`Criterion::VelocityChange`] it is handed back then, with the last impulses, as the papers' algorithms do.
    fn velocity(&self) -> Option<&[f64]> {
        None
    }

    /// Matrices factorised in this solve, those of A not counted.
    fn factorizations(&self) -> usize {
        0
    }

    /// How far impulses are from solving the scheme's own model, in m/s, where that is not the true problem:
    /// this decides then. `None` for the true problem.
    fn model_residual(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        let _ = (problem, evaluator, impulse);
        None
    }

    /// ε_abs of the scheme's own model, where that is not the true problem.
    fn model_eps_abs(
        &mut self,
        problem: &Problem,
        evaluator: &mut ResidualEvaluator,
        impulse: &[f64],
    ) -> Option<f64> {
        let _ = (problem, evaluator, impulse);
        None
    }

    /// Inner iterations in this solve, where an iteration consists of several.
    fn inner_iterations(&self) -> Option<usize> {
        None
    }

    /// Inner solves that ended short of their tolerance.
    fn inner_failures(&self) -> usize {
        0
    }
}

/// Runs a [`Scheme`] within a budget: begins with the better of the guess and no impulses, measures on a
/// schedule, keeps the best impulses, stops when they are good enough, when the budget is spent or when nothing is
/// gained any more, and reports. Keeps work space alone.
#[derive(Debug, Default)]
pub struct SchemeRunner {
    evaluator: ResidualEvaluator,
    impulse: Vec<f64>,
    /// Impulses before the last iteration, where a test is about their change.
    before: Vec<f64>,
    velocity: Vec<f64>,
}

/// Measurements without a gain of a thousandth after which a run counts as stalled.
const STALL_MEASUREMENTS: usize = 200;
const LEAST_GAIN: f64 = 1e-3;

/// The best residual, and whether it still falls.
struct Progress {
    best: f64,
    window_best: f64,
    window_start: usize,
}

impl Progress {
    fn has_stalled(&mut self, iteration: usize, interval: usize) -> bool {
        // Long runs may rest for longer.
        let window = (STALL_MEASUREMENTS * interval).max(iteration / 4);
        if iteration < self.window_start + window {
            return false;
        }
        let has_stalled = self.best > (1.0 - LEAST_GAIN) * self.window_best;
        (self.window_start, self.window_best) = (iteration, self.best);
        has_stalled
    }
}

impl SchemeRunner {
    /// The stopping tests of papers that any scheme has here: ε_abs, and ‖A⁻¹Jᵀ Δλ‖₂ of an iteration.
    pub const TESTS: &'static [Criterion] = &[Criterion::EpsAbs, Criterion::VelocityChange];

    /// Solves a problem by a scheme; at most `max_iterations` times unless the budget names another limit.
    pub fn solve(
        &mut self,
        scheme: &mut impl Scheme,
        problem: &Problem,
        budget: &Budget,
        solution: &mut Solution,
        max_iterations: usize,
    ) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let is_finite = solution.velocity.iter().all(|value| value.is_finite());
        let is_guess = is_finite && solution.velocity.len() == problem.dof_count();
        match budget.criterion {
            Criterion::VelocityChange if is_guess => scheme.guess_velocity(&solution.velocity),
            _ => scheme.guess_velocity(&[]),
        }
        let started = self.start(scheme, problem, budget, solution);
        if let Err(failure) = started {
            solution.set_to_zero(problem);
            return Report {
                time: stopwatch.elapsed(),
                ..Report::of(Outcome::Failed(failure))
            };
        }
        let mut report = Report::of(Outcome::OutOfIterations);
        let most = budget.max_iterations.unwrap_or(max_iterations);
        report.outcome = match scheme.begin(problem, &mut self.evaluator, &self.impulse) {
            Ok(()) => self.iterate(
                scheme,
                problem,
                budget,
                &stopwatch,
                most,
                solution,
                &mut report,
            ),
            Err(failure) => Outcome::Failed(failure),
        };
        let (velocity, impulse) = (&mut solution.velocity, &solution.impulse);
        match scheme.velocity() {
            Some(iterate)
                if budget.criterion == Criterion::VelocityChange
                    && !matches!(report.outcome, Outcome::Failed(_)) =>
            {
                velocity.copy_from_slice(iterate);
            }
            _ => self.evaluator.velocity_of(problem, impulse, velocity),
        }
        report.time = stopwatch.elapsed();
        report.inner_iterations = scheme.inner_iterations().unwrap_or(report.iterations);
        report.inner_failures = scheme.inner_failures();
        report.factorizations = scheme.factorizations();
        report.residuals = if budget.all_residuals {
            self.evaluator.residuals(problem, velocity, impulse)
        } else {
            let criterion = budget.residual_criterion();
            Residuals::only(
                criterion,
                self.evaluator.measure(problem, impulse, criterion),
            )
        };
        // Where impulses are huge no residual is known better than to their rounding.
        let rounding = self.evaluator.rounding(problem, impulse);
        report.residuals.scaled = report.residuals.scaled.max(rounding);
        report
    }

    /// Refuses what the scheme does not take, prepares the evaluator, and begins with the guess where it is
    /// better than none.
    fn start(
        &mut self,
        scheme: &impl Scheme,
        problem: &Problem,
        budget: &Budget,
        solution: &mut Solution,
    ) -> Result<(), Failure> {
        let declaration = scheme.declaration();
        if !declaration.has(budget.criterion) {
            return Err(Failure::UnsupportedCriterion(budget.criterion));
        }
        self.evaluator.update(problem)?;
        self.impulse.clear();
        self.impulse.resize(problem.row_count(), 0.0);
        let evaluator = &mut self.evaluator;
        let mut measure = |impulse| evaluator.measure(problem, impulse, Criterion::Scaled);
        if solution.has_guess(problem) && measure(&solution.impulse) < measure(&self.impulse) {
            self.impulse.copy_from_slice(&solution.impulse);
        }
        solution.set_to_zero(problem);
        solution.impulse.copy_from_slice(&self.impulse);
        self.velocity.resize(problem.dof_count(), 0.0);
        Ok(())
    }

    /// Iterates until something ends it; the best impulses are left in the solution.
    #[expect(
        clippy::too_many_arguments,
        reason = "what is asked for and what comes of it, once"
    )]
    fn iterate(
        &mut self,
        scheme: &mut impl Scheme,
        problem: &Problem,
        budget: &Budget,
        stopwatch: &Stopwatch,
        most: usize,
        solution: &mut Solution,
        report: &mut Report,
    ) -> Outcome {
        let is_tested = budget.criterion.is_test();
        // The printed algorithm: its own velocity ends it, and no residual is measured on the way.
        let is_printed =
            budget.criterion == Criterion::VelocityChange && scheme.velocity().is_some();
        let interval = scheme.interval();
        // What is proven to converge on its own model may take its time: its residual need not fall all the way.
        let declaration = scheme.declaration();
        let is_proven = !declaration.is_exact() && !declaration.guarantee.is_empty();
        let mut progress = Progress {
            best: f64::INFINITY,
            window_best: f64::INFINITY,
            window_start: 0,
        };
        let (mut next, mut is_moving) = (0, true);
        loop {
            let iteration = report.iterations;
            let is_spent = stopwatch.is_spent();
            let is_last = iteration == most || !is_moving || is_spent;
            let is_still = is_printed && self.change_of(scheme, iteration) <= budget.tolerance;
            let is_due = match is_printed {
                true => iteration == 0 || is_still,
                false => iteration >= next || is_tested,
            };
            if is_due || is_last || budget.record_history {
                next = iteration + interval.max(iteration / 5);
                let true_residual =
                    self.evaluator
                        .measure(problem, &self.impulse, budget.residual_criterion());
                if iteration == 0 {
                    report.start_residual = true_residual;
                } else if budget.record_history {
                    report.history.push(HistoryEntry {
                        iteration,
                        seconds: stopwatch.elapsed().as_secs_f64(),
                        residual: true_residual,
                    });
                }
                let own = scheme.model_residual(problem, &mut self.evaluator, &self.impulse);
                let mut residual = own.unwrap_or(true_residual);
                let own_test = match budget.criterion {
                    Criterion::EpsAbs => {
                        scheme.model_eps_abs(problem, &mut self.evaluator, &self.impulse)
                    }
                    _ => None,
                };
                let is_test_met = match own_test {
                    _ if is_printed => is_still,
                    Some(value) => value <= budget.tolerance,
                    None => is_tested && self.is_test_met(problem, budget, iteration),
                };
                if residual <= budget.tolerance || is_test_met {
                    residual = self.confirm(problem, budget, own);
                }
                // What met a test is handed back, also where an earlier iterate was better.
                if residual < progress.best || is_test_met || is_printed {
                    progress.best = residual;
                    solution.impulse.copy_from_slice(&self.impulse);
                }
                if residual <= budget.tolerance && (is_test_met || !is_tested) {
                    return Outcome::Converged;
                }
                if is_test_met {
                    return Outcome::Stopped(budget.criterion);
                }
                let end = if !residual.is_finite() && iteration > 0 {
                    Some(Outcome::Failed(Failure::NotFinite))
                } else if is_spent {
                    Some(stopwatch.outcome())
                } else if iteration == most {
                    Some(Outcome::OutOfIterations)
                } else if !is_moving || !is_proven && progress.has_stalled(iteration, interval) {
                    Some(Outcome::stalled(Stall::NoProgress))
                } else {
                    None
                };
                if let Some(end) = end {
                    // Short of its test a solve goes on, but what it ends with is called what it is.
                    return match progress.best <= budget.tolerance {
                        true => Outcome::Converged,
                        false => end,
                    };
                }
            }
            if budget.criterion == Criterion::VelocityChange && !is_printed {
                self.before.clone_from(&self.impulse);
            }
            match scheme.advance(problem, &mut self.evaluator, &mut self.impulse, stopwatch) {
                Ok(moves) => is_moving = moves,
                Err(failure) => return Outcome::Failed(failure),
            }
            report.iterations += 1;
        }
    }

    /// ‖v̂ˡ⁺¹ − v̂ˡ‖₂ of a scheme with a velocity of its own; infinite before the first iteration.
    fn change_of(&mut self, scheme: &impl Scheme, iteration: usize) -> f64 {
        let Some(velocity) = scheme.velocity() else {
            return f64::INFINITY;
        };
        let both = velocity.iter().zip(&self.velocity);
        let square: f64 = both.map(|(now, before)| (now - before).powi(2)).sum();
        self.velocity.copy_from_slice(velocity);
        match iteration {
            0 => f64::INFINITY,
            _ => square.sqrt(),
        }
    }

    /// The residual that decides, of impulses that are about to be called a solution; `own` is that of the
    /// scheme's own model.
    fn confirm(&mut self, problem: &Problem, budget: &Budget, own: Option<f64>) -> f64 {
        if let Some(residual) = own {
            return residual.max(self.evaluator.rounding(problem, &self.impulse));
        }
        let (criterion, tolerance) = (budget.residual_criterion(), budget.tolerance);
        self.evaluator
            .confirm(problem, &self.impulse, criterion, tolerance)
    }

    /// Whether the stopping test of a paper is met that the budget asks for; one about changes needs an
    /// iteration.
    fn is_test_met(&mut self, problem: &Problem, budget: &Budget, iteration: usize) -> bool {
        let value = match budget.criterion {
            Criterion::VelocityChange if iteration == 0 => return false,
            Criterion::VelocityChange => {
                for (before, now) in self.before.iter_mut().zip(&self.impulse) {
                    *before = now - *before;
                }
                self.velocity.fill(0.0);
                self.evaluator
                    .rows()
                    .mul_transpose_add(&self.before, &mut self.velocity);
                self.evaluator.dynamics().solve_in_place(&mut self.velocity);
                self.velocity.iter().map(|v| v * v).sum::<f64>().sqrt()
            }
            criterion => self.evaluator.measure(problem, &self.impulse, criterion),
        };
        value <= budget.tolerance
    }
}
