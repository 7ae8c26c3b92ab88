//! A second solve of equal size allocates nothing.

mod common;

use common::of_every_generator;
use stiction_constraints::{Budget, Problem, Solution, Solver};
use stiction_generators::{RandomSmallParams, random_small};
use stiction_solver_canal::{Canal, CanalSettings, LinearSolver, SOLVERS};
use stiction_test_support::allocations;

/// Allocations of a second solve, cold and warm.
fn second_solve(solver: &mut Canal, problem: &Problem) -> [usize; 2] {
    let budget = Budget {
        max_iterations: Some(20),
        ..Budget::with_tolerance(1e-9)
    };
    let mut solution = Solution::cold();
    solver.solve(problem, &budget, &mut solution);
    solution.clear();
    let start = allocations();
    solver.solve(problem, &budget, &mut solution);
    let cold = allocations();
    solver.solve(problem, &budget, &mut solution);
    [cold - start, allocations() - cold]
}

fn with(linear_solver: LinearSolver) -> Canal {
    Canal::new(CanalSettings {
        linear_solver,
        ..CanalSettings::default()
    })
}

#[test]
fn the_dense_path_allocates_nothing() {
    for (name, problem) in of_every_generator() {
        let counts = second_solve(&mut with(LinearSolver::Dense), &problem);
        assert_eq!(counts, [0, 0], "{name}");
    }
}

#[test]
fn no_named_solver_allocates_on_small_problems() {
    for (name, problem) in of_every_generator() {
        if problem.dof_count() > 64 {
            continue;
        }
        for (solver, _) in SOLVERS {
            let mut canal = Canal::named(solver).expect("a listed name");
            assert_eq!(
                second_solve(&mut canal, &problem),
                [0, 0],
                "{solver} on {name}"
            );
        }
    }
}

#[test]
fn the_sparse_path_allocates_nothing() {
    for (name, problem) in of_every_generator() {
        let counts = second_solve(&mut with(LinearSolver::Sparse), &problem);
        assert_eq!(counts, [0, 0], "{name}");
    }
}

#[test]
fn the_last_resort_allocates_nothing() {
    // Of the random problems, one that the outer loop does not solve.
    let params = RandomSmallParams {
        seed: 768,
        ..RandomSmallParams::default()
    };
    let problem = random_small(&params).expect("valid bodies");
    let mut canal = with(LinearSolver::Automatic);
    let budget = Budget::with_tolerance(1e-7);
    for repeat in 0..2 {
        let mut solution = Solution::cold();
        solution.impulse.reserve(problem.row_count());
        solution.velocity.reserve(problem.dof_count());
        let start = allocations();
        let report = canal.solve(&problem, &budget, &mut solution);
        assert!(report.outcome.is_converged());
        assert!(repeat == 0 || allocations() == start);
    }
}
