//! Budgets and guesses: honest outcomes, and never a value that is not finite.

mod common;

use std::time::Duration;

use stiction_constraints::{
    Budget, Criterion, Failure, Law, Outcome, Problem, RowBlock, Solution, Solver, Stall,
};
use stiction_solver_subadmm::{SOLVERS, SubAdmm, SubAdmmSettings};

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
    assert_eq!(report.iterations, 0);
}

#[test]
fn the_history_has_every_iteration_and_ends_at_the_report() {
    let problem = common::bolt_nut(0.3, 40, 1.0, 2);
    let budget = Budget {
        record_history: true,
        ..Budget::with_tolerance(1e-4)
    };
    let report = SubAdmm::default().solve(&problem, &budget, &mut Solution::cold());
    assert!(report.outcome.is_converged(), "{}", report.outcome);
    assert_eq!(report.history.len(), report.iterations);
    let last = report.history.last().expect("some iterations");
    assert_eq!(last.iteration, report.iterations);
    assert!((last.residual - report.residuals.scaled).abs() <= 1e-9 * last.residual);
}

/// A mass on one axis that is pushed by `b`, with rows ±v + e ≥ 0.
fn walls(b: f64, rows: &[(f64, f64)]) -> Problem {
    let mut problem = Problem::new();
    let mass = nalgebra::DMatrix::from_diagonal_element(1, 1, 1.0);
    let body = problem.push_dense(mass, &[b]).expect("a valid subsystem");
    for (direction, error) in rows {
        let rows = RowBlock::Dofs {
            dofs: &[0],
            values: &[*direction],
        };
        problem
            .push_constraint(Law::Unilateral, &[*error], &[(body, rows)])
            .expect("a valid constraint");
    }
    problem
}

/// v ≥ 1 and v ≤ 0: there is no solution, λ grows for ever. A third wall, v ≤ 3, has no part in it.
#[test]
fn contradicting_walls_are_named_and_met_half_way() {
    let both = [(1.0, -1.0), (-1.0, 0.0)];
    let three = [(1.0, -1.0), (-1.0, 3.0), (-1.0, 0.0)];
    for (rows, named) in [(both.as_slice(), [0, 1]), (&three, [0, 2])] {
        for b in [0.2, 0.0, -7.0] {
            for (name, _) in SOLVERS {
                let mut solution = Solution::cold();
                let problem = walls(b, rows);
                let report = SubAdmm::named(name).expect("a listed name").solve(
                    &problem,
                    &Budget::default(),
                    &mut solution,
                );
                let constraints = named.to_vec();
                let expected = Outcome::stalled(Stall::Contradiction { constraints });
                assert_eq!(report.outcome, expected, "{name}");
                let velocity = solution.velocity[0];
                assert!((velocity - 0.5).abs() < 1e-6, "{name}: {velocity}");
                assert!(report.iterations < 200, "{name}: {}", report.iterations);
            }
        }
    }
}

/// v ≥ 1 against a spring so stiff that it takes 1e7 N·s to get there: no contradiction.
#[test]
fn a_stiff_spring_contradicts_nothing() {
    let mut problem = walls(0.0, &[(1.0, -1.0)]);
    let law = Law::Soft {
        stiffness: 0.0,
        damping: 1e7,
    };
    let rows = RowBlock::Dofs {
        dofs: &[0],
        values: &[1.0],
    };
    problem
        .push_constraint(law, &[0.0], &[(0, rows)])
        .expect("a valid spring");
    for fold_soft in [true, false] {
        let settings = SubAdmmSettings {
            fold_soft,
            ..SubAdmmSettings::default()
        };
        let mut solution = Solution::cold();
        let mut solver = SubAdmm::new("subadmm", settings);
        let report = solver.solve(&problem, &Budget::with_tolerance(1e-6), &mut solution);
        let is_contradiction = matches!(
            report.outcome,
            Outcome::Failed(Failure::Stalled(Stall::Contradiction { .. }))
        );
        assert!(!is_contradiction, "folded {fold_soft}: {}", report.outcome);
    }
}

/// Impulses of 1e12 N·s on 1 kg: 64-bit numbers tell no velocity below 1e-4 m/s there, and none of them
/// leaves 0.3 m/s.
#[test]
fn what_rounding_hides_is_not_called_a_solution() {
    let problem = walls(1e12, &[(-1.0, 0.3)]);
    let mut solution = Solution::cold();
    let report = SubAdmm::default().solve(&problem, &Budget::default(), &mut solution);
    assert_eq!(report.outcome, Outcome::stalled(Stall::Rounding));
    assert!(report.iterations < 200, "{}", report.iterations);
}

#[test]
fn a_residual_that_falls_no_further_ends_long_before_the_iterations() {
    let problem = common::dishes(50, 1.0, 0);
    let budget = Budget {
        max_iterations: Some(100_000),
        ..Budget::with_tolerance(1e-30)
    };
    let report = SubAdmm::default().solve(&problem, &budget, &mut Solution::cold());
    let Outcome::Failed(Failure::Stalled(stall)) = &report.outcome else {
        panic!("{}", report.outcome);
    };
    assert!(matches!(stall, Stall::Rounding | Stall::NoProgress));
    assert!(report.iterations < 20_000, "{}", report.iterations);
}

#[test]
fn no_iteration_is_what_none_gives() {
    let problem = common::dishes(50, 1.0, 0);
    for (name, _) in SOLVERS {
        let budget = Budget {
            max_iterations: Some(0),
            ..Budget::default()
        };
        let mut solution = Solution::cold();
        let mut solver = SubAdmm::named(name).expect("a listed name");
        let report = solver.solve(&problem, &budget, &mut solution);
        assert_eq!(report.outcome, Outcome::OutOfIterations);
        assert_eq!(report.iterations, 0);
        assert!(solution.impulse.iter().all(|&impulse| impulse == 0.0));
    }
}

#[test]
fn stages_say_who_brought_the_residual_down() {
    let problem = common::dishes(50, 1.0, 3);
    let mut solver = SubAdmm::default();
    let budget = Budget {
        criterion: Criterion::Paper,
        ..Budget::with_tolerance(1e-4)
    };
    let mut solution = Solution::cold();
    let report = solver.solve(&problem, &budget, &mut solution);
    let names: Vec<_> = report.stages.iter().map(|stage| stage.name).collect();
    assert_eq!(names[..2], ["guess", "iteration"]);
    let steps: usize = report.stages.iter().map(|stage| stage.steps).sum();
    assert_eq!(steps, report.iterations);
    let again = solver.solve(&problem, &budget, &mut solution);
    assert_eq!(
        again.stages.last_word().map(|stage| stage.name),
        Some("guess")
    );
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
