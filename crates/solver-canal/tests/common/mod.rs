//! What several tests need.
#![allow(
    dead_code,
    reason = "every test binary uses another part of this module"
)]

use stiction_constraints::{Budget, Criterion, Problem, Report, Solution, Solver};
use stiction_generators as generators;
use stiction_solver_canal::Canal;

/// Solves from a cold start to a tolerance on the scaled residual, in m/s.
pub(crate) fn solve_cold(
    solver: &mut Canal,
    problem: &Problem,
    tolerance: f64,
) -> (Report, Solution) {
    let mut solution = Solution::cold();
    let report = solver.solve(problem, &Budget::with_tolerance(tolerance), &mut solution);
    (report, solution)
}

/// `canal` with its defaults.
pub(crate) fn canal() -> Canal {
    Canal::named("canal").expect("a listed name")
}

/// Largest difference of two vectors of the same length.
pub(crate) fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f64::max)
}

/// Whether every number of a solution is finite and there are as many as the problem asks for.
pub(crate) fn is_sound(problem: &Problem, solution: &Solution) -> bool {
    solution.velocity.len() == problem.dof_count()
        && solution.impulse.len() == problem.row_count()
        && solution.velocity.iter().all(|value| value.is_finite())
        && solution.impulse.iter().all(|value| value.is_finite())
}

/// A budget on another residual than the scaled one.
pub(crate) fn by(criterion: Criterion, tolerance: f64) -> Budget {
    Budget {
        criterion,
        ..Budget::with_tolerance(tolerance)
    }
}

/// One small problem of every generator, with its name.
pub(crate) fn of_every_generator() -> Vec<(&'static str, Problem)> {
    let lattice = generators::LatticeParams {
        nodes: [6, 3, 3],
        pieces: 2,
        ..Default::default()
    };
    let quadrupeds = generators::QuadrupedsParams {
        robots: 2,
        ..Default::default()
    };
    let pile = generators::SpherePileParams {
        bodies: 20,
        ..Default::default()
    };
    let block = generators::block(&Default::default()).expect("a block");
    vec![
        ("block", block.problem),
        (
            "tower",
            generators::tower(&Default::default()).expect("a tower"),
        ),
        (
            "bolt_nut",
            generators::bolt_nut(&Default::default()).expect("a nut"),
        ),
        (
            "dish_stack",
            generators::dish_stack(&Default::default()).expect("dishes"),
        ),
        (
            "quadrupeds",
            generators::quadrupeds(&quadrupeds).expect("robots"),
        ),
        (
            "cable",
            generators::cable(&Default::default()).expect("a cable"),
        ),
        ("lattice", generators::lattice(&lattice).expect("a bar")),
        (
            "sphere_pile",
            generators::sphere_pile(&pile).expect("a pile"),
        ),
        (
            "mixed_laws",
            generators::mixed_laws(&Default::default()).expect("laws"),
        ),
        (
            "random_small",
            generators::random_small(&Default::default()).expect("anything"),
        ),
    ]
}
