//! What ends a solve from outside or by a test of a paper, and that nothing of it stays behind.

mod common;

use common::ring;
use stiction_constraints::{
    Budget, Criterion, Failure, Outcome, Problem, Relaxation, Report, Solution, Solver, StopFlag,
};
use stiction_solver_pgs::{Pgs, SOLVERS};

fn solve(name: &str, problem: &Problem, budget: &Budget) -> (Solution, Report) {
    let mut solution = Solution::cold();
    let report = Pgs::named(name)
        .unwrap()
        .solve(problem, budget, &mut solution);
    (solution, report)
}

fn assert_belongs_together(solution: &Solution, report: &Report) {
    assert!(solution.velocity.iter().all(|value| value.is_finite()));
    assert!(report.residuals.dynamics < 1e-12, "v̂ belongs to λ");
}

#[test]
fn a_raised_flag_ends_at_once_and_a_later_one_within_a_sweep() {
    let problem = ring(40, 0.4, 3);
    for (name, _) in SOLVERS {
        for looks in [0, 1, 5] {
            let flag = StopFlag::after_looks(looks);
            let budget = Budget {
                stop: Some(flag.clone()),
                tolerance: 1e-15,
                ..Budget::default()
            };
            let (solution, report) = solve(name, &problem, &budget);
            assert_eq!(report.outcome, Outcome::Interrupted, "{name}");
            assert_eq!(report.iterations as u64, looks, "{name}");
            // One look before the first sweep and one after each.
            assert_eq!(flag.looks(), looks + 1, "{name}");
            assert_belongs_together(&solution, &report);
        }
    }
}

#[test]
fn no_sweeps_leave_the_free_motion() {
    let problem = ring(10, 0.4, 3);
    for (name, _) in SOLVERS {
        let budget = Budget {
            max_iterations: Some(0),
            tolerance: 1e-15,
            ..Budget::default()
        };
        let (solution, report) = solve(name, &problem, &budget);
        assert_eq!(report.outcome, Outcome::OutOfIterations, "{name}");
        assert_eq!(report.iterations, 0);
        assert!(solution.impulse.iter().all(|&value| value == 0.0));
        assert_belongs_together(&solution, &report);
    }
}

#[test]
fn tests_of_papers_that_are_not_declared_are_refused() {
    let problem = ring(10, 0.4, 3);
    for (name, _) in SOLVERS {
        let declaration = Pgs::named(name).unwrap().declaration();
        for (criterion, word) in Criterion::ALL {
            let budget = Budget {
                criterion,
                tolerance: 1e-3,
                ..Budget::default()
            };
            let (solution, report) = solve(name, &problem, &budget);
            let refusal = Outcome::Failed(Failure::UnsupportedCriterion(criterion));
            let is_refused = report.outcome == refusal;
            assert_eq!(is_refused, !declaration.has(criterion), "{name} {word}");
            assert_belongs_together(&solution, &report);
        }
    }
}

#[test]
fn eps_abs_ends_with_what_it_is_about() {
    let problem = ring(8, 0.4, 3);
    let budget = Budget {
        criterion: Criterion::EpsAbs,
        tolerance: 1e-3,
        max_iterations: Some(100_000),
        ..Budget::default()
    };
    for name in ["pgs", "jacobi"] {
        let (_, report) = solve(name, &problem, &budget);
        assert!(report.residuals.eps_abs() <= 1e-3, "{name}: {report:?}");
        let is_within = report.residuals.scaled <= 1e-3;
        let expected = match is_within {
            true => Outcome::Converged,
            false => Outcome::Stopped(Criterion::EpsAbs),
        };
        assert_eq!(report.outcome, expected, "{name}");
    }
}

#[test]
fn a_small_step_is_no_small_residual_and_is_not_called_so() {
    // Slow where many contacts share a body: sweeps change little long before the end.
    let problem = ring(60, 0.4, 3);
    let with = |tolerance| Budget {
        criterion: Criterion::VelocityChange,
        tolerance,
        max_iterations: Some(100_000),
        ..Budget::default()
    };
    let (_, rough) = solve("jacobi", &problem, &with(1e-3));
    assert_eq!(rough.outcome, Outcome::Stopped(Criterion::VelocityChange));
    assert!(rough.residuals.scaled > 1e-3);
    let (_, fine) = solve("jacobi", &problem, &with(1e-5));
    assert!(fine.iterations > rough.iterations);

    // The change is that of the last sweep: one sweep less and one more bracket it.
    let after = |sweeps| {
        let budget = Budget {
            max_iterations: Some(sweeps),
            tolerance: 0.0,
            record_history: true,
            ..Budget::default()
        };
        solve("jacobi", &problem, &budget).0.velocity
    };
    let change = |sweeps: usize| {
        let (earlier, later) = (after(sweeps - 1), after(sweeps));
        let squares = earlier.iter().zip(&later).map(|(a, b)| (a - b) * (a - b));
        squares.sum::<f64>().sqrt()
    };
    assert!(change(rough.iterations) <= 1e-3);
    assert!(change(rough.iterations - 1) > 1e-3);
}

#[test]
fn a_used_solver_answers_as_a_fresh_one() {
    let problems = [ring(40, 0.4, 3), ring(7, 0.9, 4), ring(25, 0.1, 5)];
    let budgets = [
        Budget::with_tolerance(1e-6),
        Budget {
            criterion: Criterion::VelocityChange,
            tolerance: 1e-4,
            ..Budget::default()
        },
        Budget {
            stop: Some(StopFlag::after_looks(0)),
            ..Budget::default()
        },
    ];
    for (name, _) in SOLVERS {
        let mut used = Pgs::named(name).unwrap();
        for budget in &budgets {
            for problem in problems.iter().chain(problems.iter().rev()) {
                let mut solution = Solution::cold();
                let report = used.solve(problem, budget, &mut solution);
                let (fresh, fresh_report) = solve(name, problem, budget);
                let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&solution.impulse), bits(&fresh.impulse), "{name}");
                assert_eq!(bits(&solution.velocity), bits(&fresh.velocity), "{name}");
                assert_eq!(report.outcome, fresh_report.outcome, "{name}");
                assert_eq!(report.iterations, fresh_report.iterations, "{name}");
            }
        }
    }
}

#[test]
fn declarations_say_what_each_method_gives_up() {
    let relaxes = |name: &str| Pgs::named(name).unwrap().declaration().relaxes.to_vec();
    assert!(relaxes("pgs").is_empty() && relaxes("jacobi").is_empty());
    assert_eq!(relaxes("pgs-ccp"), [Relaxation::Signorini]);
    assert_eq!(
        relaxes("pgs-lcp"),
        [Relaxation::Coulomb, Relaxation::MaximumDissipation]
    );
    assert_eq!(relaxes("raisim"), [Relaxation::MaximumDissipation]);
}
