//! Every way a solve can end, and that it says so.

mod common;

use std::time::Duration;

use common::{canal, is_sound, solve_cold};
use nalgebra::DMatrix;
use stiction_constraints::{Budget, Failure, Law, Outcome, Problem, RowBlock, Solution, Solver};
use stiction_generators::{
    BlockParams, BoltNutParams, DishStackParams, block, bolt_nut, dish_stack,
};
use stiction_solver_canal::{Canal, SOLVERS};

#[test]
fn an_exact_guess_takes_no_iteration() {
    let block = block(&BlockParams::default()).expect("a valid block");
    let mut solution = Solution {
        velocity: Vec::new(),
        impulse: block.impulse.clone(),
    };
    let report = canal().solve(&block.problem, &Budget::default(), &mut solution);
    assert!(report.outcome.is_converged());
    assert_eq!((report.iterations, report.inner_iterations), (0, 0));
    assert_eq!(solution.impulse, block.impulse);
    assert!(common::difference(&solution.velocity, &block.velocity) < 1e-9);
}

#[test]
fn its_own_answer_is_an_exact_guess() {
    let problem = dish_stack(&DishStackParams::default()).expect("valid dishes");
    let mut solver = canal();
    let (_, mut solution) = solve_cold(&mut solver, &problem, 1e-8);
    let report = solver.solve(&problem, &Budget::default(), &mut solution);
    assert!(report.outcome.is_converged());
    assert_eq!((report.iterations, report.inner_iterations), (0, 0));
}

#[test]
fn a_guess_within_the_tolerance_is_improved_if_it_is_asked_to_be_better() {
    let problem = dish_stack(&DishStackParams::default()).expect("valid dishes");
    let mut solver = canal();
    let (_, mut solution) = solve_cold(&mut solver, &problem, 1e-10);
    for impulse in &mut solution.impulse {
        *impulse *= 1.0 + 1e-6;
    }
    let budget = Budget {
        guess_tolerance: Some(0.0),
        ..Budget::with_tolerance(1e-3)
    };
    let report = solver.solve(&problem, &budget, &mut solution);
    assert!(report.outcome.is_converged());
    assert_eq!((report.iterations, report.inner_iterations), (0, 1));
    let (start, end) = (report.start_residual, report.residuals.scaled);
    assert!(start > 1e-8 && start < budget.tolerance, "{start}");
    assert!(end < 0.1 * start, "{end} instead of {start}");
}

#[test]
fn one_iteration_is_too_few_for_a_stack_of_dishes() {
    let problem = dish_stack(&DishStackParams::default()).expect("valid dishes");
    let budget = Budget {
        max_iterations: Some(1),
        record_history: true,
        ..Budget::with_tolerance(1e-12)
    };
    // As printed: the polish of `canal` may finish the job within one iteration.
    let mut solution = Solution::cold();
    let report =
        Canal::named("canal-paper")
            .expect("a listed name")
            .solve(&problem, &budget, &mut solution);
    assert_eq!(report.outcome, Outcome::OutOfIterations);
    assert_eq!((report.iterations, report.history.len()), (1, 1));
    assert!(report.residuals.scaled > budget.tolerance);
    assert!(is_sound(&problem, &solution));
}

#[test]
fn no_iterations_at_all_return_the_free_motion() {
    let problem = bolt_nut(&BoltNutParams::default()).expect("a valid nut");
    let budget = Budget {
        max_iterations: Some(0),
        ..Budget::default()
    };
    let mut solution = Solution::cold();
    let report = canal().solve(&problem, &budget, &mut solution);
    assert_eq!(report.outcome, Outcome::OutOfIterations);
    assert_eq!(report.iterations, 0);
    assert!(is_sound(&problem, &solution));
    assert!(solution.impulse.iter().all(|&value| value == 0.0));
}

#[test]
fn no_time_at_all() {
    let problem = bolt_nut(&BoltNutParams::default()).expect("a valid nut");
    let budget = Budget {
        time_limit: Some(Duration::ZERO),
        ..Budget::default()
    };
    for (name, _) in SOLVERS {
        let mut solution = Solution::cold();
        let mut solver = Canal::named(name).expect("a listed name");
        let report = solver.solve(&problem, &budget, &mut solution);
        assert_eq!(report.outcome, Outcome::OutOfTime, "{name}");
        assert!(is_sound(&problem, &solution), "{name}");
    }
}

#[test]
fn an_indefinite_matrix_is_named() {
    let mut problem = Problem::new();
    problem
        .push_dense(DMatrix::identity(2, 2), &[0.0; 2])
        .expect("a valid subsystem");
    // Symmetric with a positive diagonal, so that the builder cannot tell.
    let indefinite = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]);
    problem
        .push_dense(indefinite, &[0.1; 2])
        .expect("not looked at until it is factorised");
    let (report, solution) = solve_cold(&mut canal(), &problem, 1e-8);
    assert_eq!(
        report.outcome,
        Outcome::Failed(Failure::NotPositiveDefinite { subsystem: 1 })
    );
    assert!(is_sound(&problem, &solution));
}

#[test]
fn what_is_not_a_number_cannot_enter() {
    let mut problem = Problem::new();
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(
            problem
                .push_dense(DMatrix::identity(2, 2), &[0.0, bad])
                .is_err()
        );
    }
    let body = problem
        .push_dense(DMatrix::identity(1, 1), &[-1.0])
        .expect("a valid subsystem");
    let rows = RowBlock::Dofs {
        dofs: &[0],
        values: &[1.0],
    };
    problem
        .push_constraint(Law::Unilateral, &[0.0], &[(body, rows)])
        .expect("a valid constraint");
    // A guess may hold anything: it is not used then.
    for bad in [f64::NAN, f64::INFINITY, f64::MAX, -f64::MAX] {
        let mut solution = Solution {
            velocity: vec![bad],
            impulse: vec![bad],
        };
        let report = canal().solve(&problem, &Budget::default(), &mut solution);
        assert!(report.outcome.is_converged(), "{bad}: {}", report.outcome);
        assert!(solution.velocity[0].abs() < 1e-7, "{bad}");
    }
}

/// Between a floor and a ceiling that approach each other.
#[test]
fn contradicting_contacts_end_finite_and_unconverged() {
    for friction in [0.0, 0.5] {
        let mut problem = Problem::new();
        let body = problem
            .push_dense(DMatrix::identity(3, 3), &[0.1, 0.0, -0.1])
            .expect("a valid subsystem");
        for sign in [1.0, -1.0] {
            let rows = RowBlock::Dofs {
                dofs: &[0, 1, 2],
                values: &[1., 0., 0., 0., sign, 0., 0., 0., sign],
            };
            problem
                .push_constraint(
                    Law::Contact { friction },
                    &[0.0, 0.0, -1.0],
                    &[(body, rows)],
                )
                .expect("a valid contact");
        }
        for (name, _) in SOLVERS {
            let mut solver = Canal::named(name).expect("a listed name");
            let (report, solution) = solve_cold(&mut solver, &problem, 1e-8);
            assert!(!report.outcome.is_converged(), "{name}, μ = {friction}");
            assert!(is_sound(&problem, &solution), "{name}, μ = {friction}");
            assert!(report.residuals.scaled > 0.1, "{name}, μ = {friction}");
        }
    }
}

#[test]
fn names_are_the_listed_ones() {
    for (name, purpose) in SOLVERS {
        assert_eq!(Canal::named(name).expect("a listed name").name(), *name);
        assert!(!purpose.is_empty());
    }
    assert!(Canal::named("newton").is_none());
}
