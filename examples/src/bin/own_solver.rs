//! A solver of one's own, and whether it keeps what it promises:
//! `cargo run -p stiction-examples --bin own_solver`.
//!
//! Projected Gauss–Seidel in its simplest form: one constraint after the other gets the impulse that its
//! law asks for at the present velocity. It is slow; that is no matter of conformance. `Iteration` does
//! what is the same for every such solver: guess, best impulses, limits, honest report.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use stiction_constraints::{
    Budget, ConeOperator, Iteration, Problem, Report, ResidualEvaluator, Solution, Solver,
};

/// Sweeps where a budget names no limit.
const MAX_SWEEPS: usize = 10_000;

/// Everything that lives between solves is workspace: nothing of it changes an answer.
#[derive(Default)]
struct OwnSolver {
    iteration: Iteration,
    velocity: Vec<f64>,
    row_velocity: Vec<f64>,
}

impl Solver for OwnSolver {
    fn name(&self) -> &'static str {
        "own"
    }

    fn solve(&mut self, problem: &Problem, budget: &Budget, solution: &mut Solution) -> Report {
        let (v_hat, z) = (&mut self.velocity, &mut self.row_velocity);
        v_hat.resize(problem.dof_count(), 0.0);
        z.resize(problem.row_count(), 0.0);
        let sweep = |evaluator: &mut ResidualEvaluator, impulse: &mut [f64]| {
            for (index, constraint) in problem.constraints().iter().enumerate() {
                // v̂ = A⁻¹(b + Jᵀλ) and z = J v̂ of the present impulses.
                evaluator.velocity_of(problem, impulse, v_hat);
                evaluator.rows().mul(v_hat, z);
                // Below the stiffness of the constraint's own block, so that the step does not overshoot.
                let penalty = evaluator.effective_masses()[index] / constraint.rows as f64;
                let x_bar = constraint.load(z) - constraint.load(impulse) / penalty;
                let (law, rows) = (&constraint.law, constraint.rows);
                let error = constraint.load(problem.errors());
                let next = law.impulse(rows, &x_bar, &error, penalty, ConeOperator::Strict);
                constraint.store(&next, impulse);
            }
        };
        self.iteration
            .run(problem, budget, solution, MAX_SWEEPS, sweep)
    }
}

fn main() {
    let settings = stiction_conformance::Settings::default();
    print!(
        "{}",
        stiction_conformance::run(&settings, OwnSolver::default)
    );
}

#[cfg(test)]
mod tests {
    #[global_allocator]
    static ALLOCATOR: stiction_conformance::CountingAllocator =
        stiction_conformance::CountingAllocator;

    #[test]
    fn a_solver_of_ones_own_conforms() {
        stiction_conformance::check(super::OwnSolver::default);
    }
}
