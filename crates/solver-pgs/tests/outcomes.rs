//! How a solve ends, and that it says so.

mod common;

use std::time::Duration;

use common::{block, ring, solve};
use nalgebra::DMatrix;
use stiction_constraints::{
    Budget, Criterion, Failure, Law, Outcome, Problem, RowBlock, Solution, Solver, Stall,
};
use stiction_solver_pgs::{JacobiStep, Judge, Method, Pgs, PgsSettings, SOLVERS, SettingsError};

const CONTACT: Law = Law::Contact { friction: 0.5 };

#[test]
fn every_listed_name_makes_a_solver_of_that_name() {
    for (name, description) in SOLVERS {
        assert_eq!(Pgs::named(name).unwrap().name(), *name);
        assert!(!description.is_empty());
    }
    assert!(Pgs::named("gauss").is_none());
}

#[test]
fn an_exact_guess_takes_no_sweep() {
    let problem = block(CONTACT, [0.0; 3], [0.6, 0.8, -0.1, 0.0, 0.0, 0.0]);
    for (name, _) in SOLVERS {
        let (mut solution, first) = solve(name, &problem, 1e-9);
        assert!(
            first.outcome.is_converged() && first.iterations > 0,
            "{name}"
        );
        let kept = solution.clone();
        let mut solver = Pgs::named(name).unwrap();
        let again = solver.solve(&problem, &Budget::with_tolerance(1e-9), &mut solution);
        assert!(again.outcome.is_converged(), "{name}");
        assert_eq!(again.iterations, 0, "{name}");
        assert_eq!(solution, kept, "{name}");
    }
}

#[test]
fn starved_solves_say_so_and_return_what_they_have() {
    let problem = ring(40, 0.4, 3);
    for (name, _) in SOLVERS {
        let mut solver = Pgs::named(name).unwrap();
        let mut solution = Solution::cold();
        let budget = Budget {
            max_iterations: Some(1),
            tolerance: 1e-14,
            ..Budget::default()
        };
        let report = solver.solve(&problem, &budget, &mut solution);
        assert_eq!(report.outcome, Outcome::OutOfIterations, "{name}");
        assert_eq!(report.iterations, 1);
        let budget = Budget {
            time_limit: Some(Duration::ZERO),
            tolerance: 1e-14,
            ..Budget::default()
        };
        solution.clear();
        let report = solver.solve(&problem, &budget, &mut solution);
        assert_eq!(report.outcome, Outcome::OutOfTime, "{name}");
        assert!(solution.velocity.iter().all(|value| value.is_finite()));
        assert!(report.residuals.dynamics < 1e-12, "{name}: v̂ belongs to λ");
    }
}

#[test]
fn history_has_every_sweep_and_ends_at_the_reported_residual() {
    let problem = block(CONTACT, [0.0; 3], [0.6, 0.8, -0.1, 0.0, 0.0, 0.0]);
    let mut solver = Pgs::named("pgs").unwrap();
    let budget = Budget {
        record_history: true,
        criterion: Criterion::Natural,
        ..Budget::default()
    };
    let report = solver.solve(&problem, &budget, &mut Solution::cold());
    assert_eq!(report.history.len(), report.iterations);
    for (index, entry) in report.history.iter().enumerate() {
        assert_eq!(entry.iteration, index + 1);
    }
    let last = report.history.last().unwrap().residual;
    assert!(last <= 1e-8);
    assert!((last - report.residuals.of(Criterion::Natural)).abs() < 1e-12);
}

#[test]
fn other_models_fail_honestly_when_the_true_problem_is_asked_for() {
    // Sliding: the cone model's fixed point is no solution.
    let problem = block(CONTACT, [0.0; 3], [0.6, 0.8, -0.1, 0.0, 0.0, 0.0]);
    for method in [Method::Ccp, Method::Lcp] {
        let mut solver = Pgs::new(PgsSettings {
            judge: Judge::ResidualEvaluator,
            max_sweeps: 5000,
            ..PgsSettings::for_method(method)
        })
        .unwrap();
        let report = solver.solve(&problem, &Budget::default(), &mut Solution::cold());
        assert_eq!(
            report.outcome,
            Outcome::stalled(Stall::NoProgress),
            "{method:?}"
        );
        assert!(report.residuals.scaled > 1e-3, "{method:?}");
        // Judged by its own model it is done, with the same true residual in the report.
        let mut solver = Pgs::named(method.name()).unwrap();
        let report = solver.solve(&problem, &Budget::default(), &mut Solution::cold());
        assert!(report.outcome.is_converged(), "{method:?}");
        assert!(solver.own_residual() <= 1e-8);
        assert!(report.residuals.scaled > 1e-3, "{method:?}");
    }
}

#[test]
fn plain_jacobi_diverges_and_the_best_finite_iterate_comes_back() {
    let problem = ring(60, 0.4, 5);
    let run = |jacobi_step| {
        let mut solver = Pgs::new(PgsSettings {
            jacobi_step,
            ..PgsSettings::for_method(Method::Jacobi)
        })
        .unwrap();
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &Budget::default(), &mut solution);
        assert!(solution.impulse.iter().all(|value| value.is_finite()));
        assert!(solution.velocity.iter().all(|value| value.is_finite()));
        report
    };
    let plain = run(JacobiStep::Diagonal);
    assert!(
        matches!(
            plain.outcome,
            Outcome::Failed(Failure::NotFinite | Failure::Stalled(_))
        ),
        "{}",
        plain.outcome
    );
    let safe = run(JacobiStep::RowSum);
    assert!(safe.residuals.scaled < 0.1 * plain.residuals.scaled);
}

#[test]
fn contradicting_constraints_stall_without_nan() {
    // v ≥ 1 and v ≤ 0 at once.
    let mut problem = Problem::new();
    problem.push_dense(DMatrix::identity(1, 1), &[0.0]).unwrap();
    for (value, error) in [(1.0, -1.0), (-1.0, 0.0)] {
        let row = RowBlock::Dofs {
            dofs: &[0],
            values: &[value],
        };
        problem
            .push_constraint(Law::Unilateral, &[error], &[(0, row)])
            .unwrap();
    }
    for (name, _) in SOLVERS {
        let (solution, report) = solve(name, &problem, 1e-8);
        assert_eq!(
            report.outcome,
            Outcome::stalled(Stall::NoProgress),
            "{name}"
        );
        assert!(solution.impulse.iter().all(|value| value.is_finite()));
    }
}

#[test]
fn a_row_that_moves_nothing_is_no_reason_to_break() {
    let mut problem = Problem::new();
    problem
        .push_dense(DMatrix::identity(2, 2), &[-1.0, 0.3])
        .unwrap();
    // A contact on two degrees of freedom: its second tangential row is empty.
    let row = RowBlock::Dofs {
        dofs: &[0, 1],
        values: &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
    };
    problem
        .push_constraint(CONTACT, &[0.0; 3], &[(0, row)])
        .unwrap();
    problem.push_constraint(Law::Equality, &[0.0], &[]).unwrap();
    for (name, _) in SOLVERS {
        let (solution, report) = solve(name, &problem, 1e-9);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert!(
            solution.velocity.iter().all(|value| value.abs() < 1e-8),
            "{name}"
        );
    }
}

#[test]
fn no_constraints_no_work() {
    let mut problem = Problem::new();
    problem
        .push_dense(DMatrix::identity(2, 2) * 2.0, &[1.0, 3.0])
        .unwrap();
    for (name, _) in SOLVERS {
        let (solution, report) = solve(name, &problem, 1e-12);
        assert!(report.outcome.is_converged());
        assert_eq!(solution.velocity, [0.5, 1.5]);
    }
}

#[test]
fn an_indefinite_matrix_is_named() {
    let mut problem = Problem::new();
    problem
        .push_dense(
            DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 1.0]),
            &[0.0; 2],
        )
        .unwrap();
    let (solution, report) = solve("pgs", &problem, 1e-8);
    let expected = Failure::NotPositiveDefinite { subsystem: 0 };
    assert_eq!(report.outcome, Outcome::Failed(expected));
    assert_eq!(solution.velocity, [0.0; 2]);
    assert_eq!(report.residuals.scaled, f64::INFINITY);
}

#[test]
fn an_absurd_guess_is_survived() {
    let problem = block(CONTACT, [0.0; 3], [0.6, 0.8, -0.1, 0.0, 0.0, 0.0]);
    for (name, _) in SOLVERS {
        for size in [1e6, 1e300, f64::NAN] {
            let mut solution = Solution {
                impulse: vec![size; 12],
                ..Solution::cold()
            };
            let mut solver = Pgs::named(name).unwrap();
            let report = solver.solve(&problem, &Budget::with_tolerance(1e-6), &mut solution);
            assert!(
                solution.impulse.iter().all(|value| value.is_finite()),
                "{name}"
            );
            assert!(
                solution.velocity.iter().all(|value| value.is_finite()),
                "{name}"
            );
            assert!(
                size == 1e300 || report.outcome.is_converged(),
                "{name} {size}"
            );
        }
    }
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let refused = |settings: PgsSettings| match Pgs::new(settings) {
        Err(SettingsError::OutOfRange { field, .. }) => field,
        other => panic!("accepted: {other:?}"),
    };
    let base = PgsSettings::default;
    for relaxation in [0.0, 2.0, f64::NAN] {
        let settings = PgsSettings {
            relaxation,
            ..base()
        };
        assert_eq!(refused(settings), "relaxation");
    }
    let settings = PgsSettings {
        stall_sweeps: 0,
        ..base()
    };
    assert_eq!(refused(settings), "stall_sweeps");
    let settings = PgsSettings {
        raisim_floor: 0.0,
        ..base()
    };
    assert_eq!(refused(settings), "raisim_floor");
    let settings = PgsSettings {
        raisim_decay: 1.5,
        ..base()
    };
    assert_eq!(refused(settings), "raisim_decay");
}
