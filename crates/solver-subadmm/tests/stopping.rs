//! Stopping tests of papers, and what ends a solve from outside.

mod common;

use stiction_constraints::{
    Budget, Criterion, Outcome, ResidualEvaluator, Solution, Solver, StopFlag,
};
use stiction_solver_subadmm::{SOLVERS, SubAdmm};

const TESTS: [Criterion; 5] = [
    Criterion::EpsAbs,
    Criterion::VelocityChange,
    Criterion::Consensus,
    Criterion::PrimalDual,
    Criterion::SplitChange,
];

fn solve(name: &str, budget: &Budget) -> (stiction_constraints::Report, Solution) {
    let mut solution = Solution::cold();
    let mut solver = SubAdmm::named(name).expect("a listed name");
    let report = solver.solve(&common::dishes(20, 1.0, 1), budget, &mut solution);
    (report, solution)
}

#[test]
fn all_tests_are_declared_and_each_ends_a_solve() {
    for (name, _) in SOLVERS {
        let declaration = SubAdmm::named(name).expect("a listed name").declaration();
        for criterion in TESTS {
            assert!(declaration.has(criterion));
            if declaration.own_test.is_some_and(|own| own != criterion) {
                continue;
            }
            let budget = Budget {
                criterion,
                ..Budget::with_tolerance(1e-2)
            };
            let (report, _) = solve(name, &budget);
            assert!(report.iterations > 0);
            if !declaration.is_exact() {
                // `Converged` is about another model there.
                let ends = [Outcome::Converged, Outcome::Stopped(criterion)];
                assert!(ends.contains(&report.outcome), "{name}: {}", report.outcome);
                continue;
            }
            let is_solved = report.residuals.scaled <= budget.tolerance;
            let expected = match is_solved {
                true => Outcome::Converged,
                false => Outcome::Stopped(criterion),
            };
            assert_eq!(report.outcome, expected, "{name} {}", criterion.word());
        }
    }
}

#[test]
fn a_finer_test_takes_longer_and_only_it_ends_the_solve() {
    for criterion in TESTS {
        // (22) is a square, of impulses that are small here.
        let tolerances = match criterion {
            Criterion::SplitChange => [1e-6, 1e-10],
            _ => [1e-2, 1e-4],
        };
        let iterations = tolerances.map(|tolerance| {
            let budget = Budget {
                criterion,
                ..Budget::with_tolerance(tolerance)
            };
            solve("subadmm-paper", &budget).0.iterations
        });
        assert!(
            iterations[0] < iterations[1],
            "{}: {iterations:?}",
            criterion.word()
        );
        let never = Budget {
            criterion,
            max_iterations: Some(400),
            ..Budget::with_tolerance(0.0)
        };
        let (report, _) = solve("subadmm", &never);
        // Nothing is so equal that no bit of it changes, except by luck.
        assert!(
            report.iterations == 400 || report.outcome == Outcome::Stopped(criterion),
            "{}: {}",
            criterion.word(),
            report.outcome
        );
    }
}

#[test]
fn own_tests_are_those_of_the_papers() {
    let own = |name: &str| {
        SubAdmm::named(name)
            .expect("a listed name")
            .declaration()
            .own_test
    };
    assert_eq!(own("subadmm"), None);
    assert_eq!(own("subadmm-paper"), Some(Criterion::PrimalDual));
    assert_eq!(own("subadmm-per-subsystem"), Some(Criterion::SplitChange));
}

/// A test that is met early says nothing of the residual.
#[test]
fn the_history_under_a_test_has_every_iteration_once() {
    for criterion in TESTS {
        let budget = Budget {
            criterion,
            record_history: true,
            ..Budget::with_tolerance(1e-3)
        };
        let (report, _) = solve("subadmm", &budget);
        let iterations: Vec<_> = report.history.iter().map(|entry| entry.iteration).collect();
        assert_eq!(iterations, (1..=report.iterations).collect::<Vec<_>>());
    }
}

#[test]
fn a_raised_flag_ends_at_once_with_the_best_so_far() {
    for looks in [0, 1, 2, 7, 30] {
        let flag = StopFlag::after_looks(looks);
        let budget = Budget {
            stop: Some(flag.clone()),
            ..Budget::with_tolerance(1e-30)
        };
        let (report, solution) = solve("subadmm", &budget);
        assert_eq!(report.outcome, Outcome::Interrupted);
        assert_eq!(flag.looks(), looks + 1);
        assert_eq!(report.iterations as u64, looks.saturating_sub(1));
        assert!(solution.velocity.iter().all(|value| value.is_finite()));
        assert!(report.residuals.scaled <= report.start_residual);
    }
}

/// A test of a paper is about the iterate: the last one is handed back, however good the guess was by its impulses.
#[test]
fn under_a_test_the_last_iterate_is_handed_back_and_never_the_guess() {
    let problem = common::dishes(20, 1.0, 1);
    for name in ["subadmm", "subadmm-paper", "subadmm-per-subsystem"] {
        let solve = |criterion, iterations, guess: &Solution| {
            let budget = Budget {
                criterion,
                max_iterations: Some(iterations),
                ..Budget::with_tolerance(0.0)
            };
            let mut solution = guess.clone();
            let mut solver = SubAdmm::named(name).expect("a listed name");
            let report = solver.solve(&problem, &budget, &mut solution);
            assert_eq!(report.iterations, iterations);
            solution
        };
        let largest = |a: &[f64], b: &[f64]| {
            let both = a.iter().zip(b);
            both.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let cold = Solution::cold();
        let [early, late, end] =
            [5, 20, 3000].map(|count| solve(Criterion::SplitChange, count, &cold));
        assert_ne!(early, late, "{name}");
        // From a good guess an early iterate is none the better: it is another one all the same.
        let again = solve(Criterion::SplitChange, 1, &end);
        assert_ne!(again, end, "{name}");
        assert!(
            largest(&again.velocity, &end.velocity) < 0.1 * largest(&early.velocity, &end.velocity),
            "{name}"
        );
        // v̂ of an iterate is not that of its impulses, until there is nothing left to change.
        let mut evaluator = ResidualEvaluator::default();
        evaluator
            .update(&problem)
            .expect("a problem that can be solved");
        let mut apart = |solution: &Solution| {
            let mut own = vec![0.0; problem.dof_count()];
            evaluator.velocity_of(&problem, &solution.impulse, &mut own);
            largest(&own, &solution.velocity)
        };
        let (at_first, at_last) = (apart(&early), apart(&end));
        assert!(
            at_last < 0.1 * at_first,
            "{name}: {at_first:.1e}, {at_last:.1e}"
        );
    }
}
