//! Budgets and guesses: honest outcomes, and never a value that is not finite.

mod common;

use std::time::Duration;

use stiction_constraints::{Budget, Criterion, Law, Outcome, Problem, RowBlock, Solution, Solver};
use stiction_solver_subadmm::{SOLVERS, SubAdmm};

#[test]
fn its_own_answer_as_guess_needs_no_iteration() {
    let problem = common::bolt_nut(0.3, 40, 1.0, 2);
    let mut solver = SubAdmm::default();
    let mut solution = Solution::cold();
    let budget = Budget::with_tolerance(1e-4);
    assert!(
        solver
            .solve(&problem, &budget, &mut solution)
            .outcome
            .is_converged()
    );
    let again = solver.solve(&problem, &budget, &mut solution);
    assert!(again.outcome.is_converged());
    assert_eq!(again.iterations, 0);
}

#[test]
fn a_guess_from_nearby_saves_iterations() {
    let problem = common::dishes(50, 1.0, 3);
    let mut solver = SubAdmm::default();
    let budget = Budget {
        criterion: Criterion::Paper,
        ..Budget::with_tolerance(1e-4)
    };
    let mut solution = Solution::cold();
    solver.solve(&problem, &budget, &mut solution);
    let mut nearby = problem.clone();
    for index in 0..nearby.subsystems().len() {
        let b: Vec<f64> = nearby.b()[6 * index..6 * index + 6]
            .iter()
            .map(|b| 1.01 * b)
            .collect();
        nearby.set_b(index, &b).expect("the same size");
    }
    let warm = solver.solve(&nearby, &budget, &mut solution);
    let cold = solver.solve(&nearby, &budget, &mut Solution::cold());
    assert!(warm.outcome.is_converged() && cold.outcome.is_converged());
    assert!(
        2 * warm.iterations <= cold.iterations,
        "{} warm, {} cold",
        warm.iterations,
        cold.iterations
    );
}

#[test]
fn one_iteration_is_not_enough_and_says_so() {
    let problem = common::dishes(50, 1.0, 0);
    for (name, _) in SOLVERS {
        let mut solver = SubAdmm::named(name).expect("a listed name");
        let budget = Budget {
            max_iterations: Some(1),
            ..Budget::default()
        };
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &budget, &mut solution);
        assert_eq!(report.outcome, Outcome::OutOfIterations);
        assert_eq!(report.iterations, 1);
        assert!(report.residuals.scaled.is_finite());
        assert_eq!(solution.impulse.len(), problem.row_count());
    }
}

#[test]
fn no_time_is_not_enough_and_says_so() {
    let problem = common::dishes(50, 1.0, 0);
    let budget = Budget {
        time_limit: Some(Duration::ZERO),
        ..Budget::default()
    };
    let report = SubAdmm::default().solve(&problem, &budget, &mut Solution::cold());
    assert_eq!(report.outcome, Outcome::OutOfTime);
    assert_eq!(report.iterations, 1);
}

#[test]
fn the_history_has_every_iteration_and_ends_at_the_report() {
    let problem = common::bolt_nut(0.3, 40, 1.0, 2);
    let budget = Budget {
        record_history: true,
        ..Budget::with_tolerance(1e-4)
    };
    let report = SubAdmm::default().solve(&problem, &budget, &mut Solution::cold());
    assert_eq!(report.history.len(), report.iterations);
    let last = report.history.last().expect("some iterations");
    assert_eq!(last.iteration, report.iterations);
    assert!((last.residual - report.residuals.scaled).abs() <= 1e-9 * last.residual);
}

/// Two walls that demand v ≥ 1 and v ≤ 0: there is no solution, λ grows for ever.
#[test]
fn an_infeasible_problem_stays_finite() {
    let mut problem = Problem::new();
    let mass = nalgebra::DMatrix::from_diagonal_element(1, 1, 1.0);
    let body = problem.push_dense(mass, &[0.0]).expect("a valid subsystem");
    for (error, direction) in [(-1.0, [1.0]), (0.0, [-1.0])] {
        let rows = RowBlock::Dofs {
            dofs: &[0],
            values: &direction,
        };
        problem
            .push_constraint(Law::Unilateral, &[error], &[(body, rows)])
            .expect("a valid constraint");
    }
    for (name, _) in SOLVERS {
        let mut solution = Solution::cold();
        let report = SubAdmm::named(name).expect("a listed name").solve(
            &problem,
            &Budget::default(),
            &mut solution,
        );
        assert_eq!(report.outcome, Outcome::OutOfIterations, "{name}");
        assert!(solution.impulse.iter().all(|value| value.is_finite()));
        assert!(
            report.residuals.scaled >= 0.4,
            "{name}: nobody can do better"
        );
    }
}

#[test]
fn a_guess_that_is_not_finite_or_of_another_size_is_ignored() {
    let problem = common::bolt_nut(0.3, 40, 1.0, 1);
    let budget = Budget::with_tolerance(1e-4);
    let mut solver = SubAdmm::default();
    let mut cold = Solution::cold();
    solver.solve(&problem, &budget, &mut cold);
    for guess in [vec![f64::NAN; problem.row_count()], vec![1.0; 5]] {
        let mut solution = Solution {
            velocity: Vec::new(),
            impulse: guess,
        };
        solver.solve(&problem, &budget, &mut solution);
        assert_eq!(solution.impulse, cold.impulse);
    }
}
