//! The same answer whatever the linear algebra.

mod common;

use common::{difference, of_every_generator, solve_cold};
use stiction_generators::transform::densify;
use stiction_generators::{QuadrupedsParams, quadrupeds};
use stiction_solver_canal::{Canal, CanalSettings, LinearSolver};

fn with(linear_solver: LinearSolver) -> Canal {
    Canal::new(CanalSettings {
        linear_solver,
        ..CanalSettings::default()
    })
}

#[test]
fn dense_and_sparse_factorisations_agree() {
    for (name, problem) in of_every_generator() {
        let (dense_report, dense) = solve_cold(&mut with(LinearSolver::Dense), &problem, 1e-11);
        let (sparse_report, sparse) = solve_cold(&mut with(LinearSolver::Sparse), &problem, 1e-11);
        // Rounding keeps the dishes from 1e-11.
        for report in [dense_report, sparse_report] {
            let residual = report.residuals.scaled;
            assert!(residual < 1e-9, "{name}: {}, {residual:e}", report.outcome);
        }
        let apart = difference(&dense.velocity, &sparse.velocity);
        assert!(apart < 1e-9, "{name}: {apart:e} m/s apart");
    }
}

#[test]
fn a_tree_equals_its_dense_matrices() {
    for seed in 0..4 {
        let params = QuadrupedsParams {
            robots: 2,
            seed,
            ..QuadrupedsParams::default()
        };
        let problem = quadrupeds(&params).expect("valid robots");
        let dense = densify(&problem).expect("a valid problem");
        let (report, solution) = solve_cold(&mut common::canal(), &problem, 1e-11);
        let (dense_report, dense_solution) = solve_cold(&mut common::canal(), &dense, 1e-11);
        assert!(report.outcome.is_converged() && dense_report.outcome.is_converged());
        let apart = difference(&solution.velocity, &dense_solution.velocity);
        assert!(apart < 1e-9, "seed {seed}: {apart:e} m/s apart");
    }
}

/// A pattern that is kept must not be kept for another problem.
#[test]
fn one_solver_solves_problem_after_problem() {
    let mut solver = with(LinearSolver::Sparse);
    for (name, problem) in of_every_generator() {
        let (_, alone) = solve_cold(&mut with(LinearSolver::Sparse), &problem, 1e-9);
        let (report, reused) = solve_cold(&mut solver, &problem, 1e-9);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert_eq!(reused, alone, "{name}");
    }
}
