//! The frame that an iterative solver needs around its iteration.

use super::{
    Budget, Criterion, Declaration, Failure, HistoryEntry, Outcome, Report, Solution, Stopwatch,
};
use crate::problem::Problem;
use crate::residual::ResidualEvaluator;

/// What every solver does around its own iteration, for solvers that turn impulses into better ones:
/// begins with the better of the guess and no impulses, measures the budget's criterion after every
/// iteration, keeps the best impulses, stops when they are good enough or the budget is spent, and
/// reports. Keeps work space alone: answers do not depend on earlier solves.
#[derive(Debug, Default)]
pub struct Iteration {
    evaluator: ResidualEvaluator,
    impulse: Vec<f64>,
}

impl Iteration {
    /// Solves a problem by repeating `improve`, which makes the next impulses of the present ones with
    /// the help of an evaluator of the problem; at most `max_iterations` times unless the budget names
    /// another limit. The criteria are those of [`Declaration::EXACT`]; others are refused.
    pub fn run(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        solution: &mut Solution,
        max_iterations: usize,
        mut improve: impl FnMut(&mut ResidualEvaluator, &mut [f64]),
    ) -> Report {
        let stopwatch = Stopwatch::start(budget);
        let refusal = if Declaration::EXACT.has(budget.criterion) {
            self.evaluator.update(problem).err()
        } else {
            Some(Failure::UnsupportedCriterion(budget.criterion))
        };
        if let Some(failure) = refusal {
            solution.set_to_zero(problem);
            return Report::of(Outcome::Failed(failure));
        }
        self.begin(problem, solution);
        let most = budget.max_iterations.unwrap_or(max_iterations);
        let (mut iterations, mut least, mut start_residual) = (0, f64::INFINITY, None);
        let mut history = Vec::new();
        let outcome = loop {
            let residual = self
                .evaluator
                .measure(problem, &self.impulse, budget.criterion);
            start_residual.get_or_insert(residual);
            if budget.record_history && iterations > 0 {
                history.push(HistoryEntry {
                    iteration: iterations,
                    seconds: stopwatch.elapsed().as_secs_f64(),
                    residual,
                });
            }
            if residual < least {
                least = residual;
                solution.impulse.copy_from_slice(&self.impulse);
            }
            if !residual.is_finite() {
                break Outcome::Failed(Failure::NotFinite);
            }
            if residual <= budget.tolerance
                && let Some(outcome) = self.good_enough(problem, budget)
            {
                break outcome;
            }
            if stopwatch.is_spent() {
                break stopwatch.outcome();
            }
            if iterations == most {
                break Outcome::OutOfIterations;
            }
            improve(&mut self.evaluator, &mut self.impulse);
            iterations += 1;
        };
        let time = stopwatch.elapsed();
        let (velocity, impulse) = (&mut solution.velocity, &solution.impulse);
        self.evaluator.velocity_of(problem, impulse, velocity);
        Report {
            iterations,
            inner_iterations: iterations,
            start_residual: start_residual.unwrap_or(f64::INFINITY),
            residuals: self.evaluator.residuals(problem, velocity, impulse),
            time,
            history,
            ..Report::of(outcome)
        }
    }

    /// Begins with the guess where it is better than none.
    fn begin(&mut self, problem: &Problem, solution: &mut Solution) {
        self.impulse.clear();
        self.impulse.resize(problem.row_count(), 0.0);
        let evaluator = &mut self.evaluator;
        let mut measure = |impulse| evaluator.measure(problem, impulse, Criterion::Scaled);
        if solution.has_guess(problem) && measure(&solution.impulse) < measure(&self.impulse) {
            self.impulse.copy_from_slice(&solution.impulse);
        }
        solution.set_to_zero(problem);
    }

    /// How a solve ends whose present impulses meet the criterion; `None` where rounding has only hidden
    /// that they don't. A test of a paper may be met far from a solution: that is no convergence.
    fn good_enough(&mut self, problem: &Problem, budget: &Budget) -> Option<Outcome> {
        let (impulse, tolerance) = (&self.impulse, budget.tolerance);
        let mut confirm = |criterion| {
            let evaluator = &mut self.evaluator;
            evaluator.confirm(problem, impulse, criterion, tolerance) <= tolerance
        };
        if budget.criterion.is_test() && !confirm(Criterion::Scaled) {
            return Some(Outcome::Stopped(budget.criterion));
        }
        confirm(budget.criterion).then_some(Outcome::Converged)
    }
}
