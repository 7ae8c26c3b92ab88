//! A solver of one's own, and whether it keeps what it promises:
//! `cargo run -p stiction-examples --bin own_solver`.
//!
//! Projected Gauss–Seidel in its simplest form: one constraint after the other gets the impulse that its
//! law asks for at the present velocity. It is slow; that is no matter of conformance.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use stiction_conformance::Settings;
use stiction_constraints::{
    Budget, ConeOperator, Criterion, Failure, Outcome, Problem, Report, ResidualEvaluator,
    Solution, Solver, Stopwatch,
};

/// Sweeps where a budget names no limit.
const MAX_SWEEPS: usize = 10_000;

/// Everything that lives between solves is workspace: nothing of it changes an answer.
#[derive(Default)]
struct OwnSolver {
    evaluator: ResidualEvaluator,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    row_velocity: Vec<f64>,
}

impl OwnSolver {
    /// One constraint after the other obeys its law.
    fn sweep(&mut self, problem: &Problem) {
        for (index, constraint) in problem.constraints().iter().enumerate() {
            self.evaluator
                .velocity_of(problem, &self.impulse, &mut self.velocity);
            self.evaluator
                .rows()
                .mul(&self.velocity, &mut self.row_velocity);
            // Below the stiffness of the constraint's own block, so that the step does not overshoot.
            let penalty = self.evaluator.effective_masses()[index] / constraint.rows as f64;
            let own = constraint.load(&self.impulse);
            let x_bar = constraint.load(&self.row_velocity) - own / penalty;
            let (law, rows) = (&constraint.law, constraint.rows);
            let error = constraint.load(problem.errors());
            let next = law.impulse(rows, &x_bar, &error, penalty, ConeOperator::Strict);
            constraint.store(&next, &mut self.impulse);
        }
    }

    /// Sweeps until the budget is spent or the residual small; `best` holds the best impulses.
    fn iterate(
        &mut self,
        problem: &Problem,
        budget: &Budget,
        best: &mut [f64],
    ) -> (Outcome, usize) {
        let stopwatch = Stopwatch::start(budget);
        let most = budget.max_iterations.unwrap_or(MAX_SWEEPS);
        let (mut least, mut sweeps) = (f64::INFINITY, 0);
        loop {
            let evaluator = &mut self.evaluator;
            let residual = evaluator.measure(problem, &self.impulse, budget.criterion);
            if !residual.is_finite() {
                return (Outcome::Failed(Failure::NotFinite), sweeps);
            }
            if residual < least {
                least = residual;
                best.copy_from_slice(&self.impulse);
            }
            if least <= budget.tolerance {
                // A test of a paper may be met far from a solution.
                let scaled = evaluator.measure(problem, best, Criterion::Scaled);
                let is_solved = !budget.criterion.is_test() || scaled <= budget.tolerance;
                let stopped = Outcome::Stopped(budget.criterion);
                return (
                    if is_solved {
                        Outcome::Converged
                    } else {
                        stopped
                    },
                    sweeps,
                );
            }
            if stopwatch.is_spent() {
                return (stopwatch.outcome(), sweeps);
            }
            if sweeps == most {
                return (Outcome::OutOfIterations, sweeps);
            }
            self.sweep(problem);
            sweeps += 1;
        }
    }
}

impl Solver for OwnSolver {
    fn name(&self) -> &'static str {
        "own"
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let refusal = if self.declaration().has(budget.criterion) {
            self.evaluator.update(problem).err()
        } else {
            Some(Failure::UnsupportedCriterion(budget.criterion))
        };
        if let Some(failure) = refusal {
            solution.set_to_zero(problem);
            return Report::of(Outcome::Failed(failure));
        }
        self.row_velocity.resize(problem.row_count(), 0.0);
        self.velocity.resize(problem.dof_count(), 0.0);
        self.impulse.clear();
        self.impulse.resize(problem.row_count(), 0.0);
        // A guess that is worse than none is not used.
        let mut measure = |impulse| self.evaluator.measure(problem, impulse, Criterion::Scaled);
        if solution.has_guess(problem) && measure(&solution.impulse) < measure(&self.impulse) {
            self.impulse.copy_from_slice(&solution.impulse);
        }
        solution.set_to_zero(problem);
        let (outcome, sweeps) = self.iterate(problem, budget, &mut solution.impulse);
        let (velocity, impulse) = (&mut solution.velocity, &solution.impulse);
        self.evaluator.velocity_of(problem, impulse, velocity);
        Report {
            iterations: sweeps,
            inner_iterations: sweeps,
            residuals: self.evaluator.residuals(problem, velocity, impulse),
            ..Report::of(outcome)
        }
    }
}

fn main() {
    print!(
        "{}",
        stiction_conformance::run(&Settings::default(), OwnSolver::default)
    );
}

#[cfg(test)]
mod tests {
    use super::OwnSolver;

    #[global_allocator]
    static ALLOCATOR: stiction_conformance::CountingAllocator =
        stiction_conformance::CountingAllocator;

    #[test]
    fn a_solver_of_ones_own_conforms() {
        stiction_conformance::check(OwnSolver::default);
    }
}
