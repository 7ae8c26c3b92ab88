//! One cube on a plane, every mode crossed on purpose, with the answer known on paper.

mod common;

use common::{Motion, block};
use stiction_constraints::{Budget, Problem, Solution, Solver};
use stiction_solver_subadmm::{SOLVERS, SubAdmm};

fn worst_velocity_error(solver: &mut SubAdmm, problem: &Problem, expected: &[f64]) -> f64 {
    let mut solution = Solution::cold();
    let budget = Budget {
        max_iterations: Some(5000),
        ..Budget::with_tolerance(1e-9)
    };
    let report = solver.solve(problem, &budget, &mut solution);
    assert!(
        report.outcome.is_converged(),
        "{}: {} at {:e}",
        solver.name(),
        report.outcome,
        report.residuals.scaled
    );
    solution
        .velocity
        .iter()
        .zip(expected)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

#[test]
fn a_cube_sticks_slips_opens_and_bounces() {
    for (name, _) in SOLVERS {
        let solver = SubAdmm::named(name).expect("a listed name");
        if !solver.declaration().is_exact() {
            continue;
        }
        for motion in [Motion::Stick, Motion::Slip, Motion::Open, Motion::Bounce] {
            for mass in [1e-3, 1.0, 1e3] {
                let (problem, expected) = block(motion, mass);
                let mut solver = SubAdmm::named(name).expect("a listed name");
                let error = worst_velocity_error(&mut solver, &problem, &expected);
                assert!(error < 1e-7, "{name} {motion:?} {mass} kg: {error:e} m/s");
            }
        }
    }
}

#[test]
fn without_constraints_the_answer_is_the_free_motion_at_once() {
    let mut problem = Problem::new();
    let half = nalgebra::Vector3::new(0.1, 0.1, 0.1);
    common::push_box(
        &mut problem,
        2.0,
        &half,
        &[0.5, 0.0, 0.0, 0.0, 0.1, 0.0],
        &[0.0; 6],
    );
    for (name, _) in SOLVERS {
        let mut solution = Solution::cold();
        let report = SubAdmm::named(name).expect("a listed name").solve(
            &problem,
            &Budget::default(),
            &mut solution,
        );
        assert!(report.outcome.is_converged());
        assert_eq!(report.iterations, 0);
        assert!((solution.velocity[0] - 0.5).abs() < 1e-15);
    }
}

#[test]
fn an_empty_problem_is_solved() {
    let mut solution = Solution::cold();
    let report = SubAdmm::default().solve(&Problem::new(), &Budget::default(), &mut solution);
    assert!(report.outcome.is_converged());
    assert!(solution.velocity.is_empty() && solution.impulse.is_empty());
}
