//! What must hold for any problem.

mod common;

use common::{Order, block, random_problem, ring, solve};
use proptest::prelude::*;
use stiction_constraints::{Budget, Law, ResidualEvaluator, Solution, Solver};
use stiction_solver_pgs::{JacobiStep, Method, Pgs, PgsSettings, SOLVERS};

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the outcome: finite, v̂ = A⁻¹(b + Jᵀλ), no worse than where it began, and
    /// `Converged` means what the evaluator (or the own model) says.
    #[test]
    fn outcomes_are_honest(seed in 0u64..1_000_000) {
        let problem = random_problem(seed, 1.0, Order::Given);
        for (name, _) in SOLVERS {
            let mut solver = Pgs::named(name).unwrap();
            let mut solution = Solution::cold();
            let report = solver.solve(&problem, &Budget::with_tolerance(1e-8), &mut solution);
            prop_assert!(solution.velocity.iter().all(|value| value.is_finite()));
            prop_assert!(report.residuals.dynamics < 1e-10);
            let mut evaluator = ResidualEvaluator::default();
            evaluator.update(&problem).unwrap();
            let again = evaluator.residuals(&problem, &solution.velocity, &solution.impulse);
            prop_assert!((again.scaled - report.residuals.scaled).abs() <= 1e-12);
            let is_done = solver.own_residual() <= 1e-8;
            prop_assert_eq!(is_done, report.outcome.is_converged(), "{}", name);
            if *name == "pgs" {
                prop_assert!((solver.own_residual() - report.residuals.scaled).abs() < 1e-14);
                let zero = vec![0.0; problem.row_count()];
                let free = evaluator.free_velocity().to_vec();
                let cold = evaluator.residuals(&problem, &free, &zero);
                prop_assert!(report.residuals.scaled <= cold.scaled);
            }
        }
    }

    /// The same problem in heavier or lighter units takes the same sweeps to the same velocity.
    #[test]
    fn mass_scale_changes_nothing(seed in 0u64..1_000_000) {
        // A power of two, so that rounding is the same to the bit.
        for scale in [1.0 / 1024.0, 1024.0] {
            let (plain, scaled) = (
                random_problem(seed, 1.0, Order::Given),
                random_problem(seed, scale, Order::Given),
            );
            for (name, _) in SOLVERS {
                let (a, report_a) = solve(name, &plain, 1e-8);
                let (b, report_b) = solve(name, &scaled, 1e-8);
                prop_assert_eq!(report_a.iterations, report_b.iterations, "{}", name);
                prop_assert!(largest_difference(&a.velocity, &b.velocity) < 1e-7, "{}", name);
            }
        }
    }

    /// The order of constraints changes the way, not the destination. (Sticking or sliding, the
    /// velocity of these problems is unique when both runs converge to 1e-10.)
    #[test]
    fn order_of_constraints_does_not_change_the_answer(seed in 0u64..1_000_000) {
        let given = random_problem(seed, 1.0, Order::Given);
        let reversed = random_problem(seed, 1.0, Order::Reversed);
        for name in ["pgs-ccp", "jacobi"] {
            let (a, report_a) = solve(name, &given, 1e-10);
            let (b, report_b) = solve(name, &reversed, 1e-10);
            if report_a.outcome.is_converged() && report_b.outcome.is_converged() {
                let difference = largest_difference(&a.velocity, &b.velocity);
                prop_assert!(difference < 1e-6, "{}: {}", name, difference);
            }
        }
    }

    /// The cone model is convex: its Gauss–Seidel always gets closer, over-relaxed or not.
    #[test]
    fn the_cone_model_is_solved_with_any_relaxation(
        seed in 0u64..1_000_000,
        relaxation in 0.3f64..1.7,
    ) {
        let problem = random_problem(seed, 1.0, Order::Given);
        let (reference, _) = solve("pgs-ccp", &problem, 1e-10);
        let mut solver = Pgs::new(PgsSettings {
            relaxation,
            max_sweeps: 20_000,
            ..PgsSettings::for_method(Method::Ccp)
        })
        .unwrap();
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &Budget::with_tolerance(1e-9), &mut solution);
        prop_assert!(solver.own_residual() < 1e-4, "{} {}", report.outcome, solver.own_residual());
        if report.outcome.is_converged() {
            let difference = largest_difference(&solution.velocity, &reference.velocity);
            prop_assert!(difference < 1e-4, "{}", difference);
        }
    }
}

/// Here the residual rises for a thousand sweeps before it falls for good: no stall.
#[test]
fn a_residual_that_rises_for_a_time_is_no_stall() {
    let problem = random_problem(845_117, 1.0, Order::Given);
    let mut solver = Pgs::new(PgsSettings {
        relaxation: 0.3,
        max_sweeps: 20_000,
        ..PgsSettings::for_method(Method::Ccp)
    })
    .unwrap();
    let mut solution = Solution::cold();
    let report = solver.solve(&problem, &Budget::with_tolerance(1e-9), &mut solution);
    assert!(report.outcome.is_converged(), "{}", report.outcome);
}

#[test]
fn jacobi_does_not_depend_on_the_order() {
    // To rounding: sums over neighbours are taken in another order.
    let given = random_problem(11, 1.0, Order::Given);
    let reversed = random_problem(11, 1.0, Order::Reversed);
    let (a, report_a) = solve("jacobi", &given, 1e-9);
    let (b, report_b) = solve("jacobi", &reversed, 1e-9);
    assert_eq!(report_a.iterations, report_b.iterations);
    assert!(largest_difference(&a.velocity, &b.velocity) < 1e-12);
}

#[test]
fn over_relaxation_pays_on_a_stack() {
    // Three blocks on top of each other: information has to travel.
    let problem = common::stack(5);
    let sweeps = |relaxation| {
        let mut solver = Pgs::new(PgsSettings {
            relaxation,
            max_sweeps: 20_000,
            ..PgsSettings::default()
        })
        .unwrap();
        let report = solver.solve(
            &problem,
            &Budget::with_tolerance(1e-6),
            &mut Solution::cold(),
        );
        assert!(
            report.outcome.is_converged(),
            "{relaxation}: {}",
            report.outcome
        );
        report.iterations
    };
    let (plain, over) = (sweeps(1.0), sweeps(1.5));
    assert!(over < plain, "{over} against {plain}");
}

#[test]
fn warm_start_saves_sweeps() {
    let base = common::stack(3);
    let mut solver = Pgs::new(PgsSettings {
        max_sweeps: 20_000,
        ..PgsSettings::default()
    })
    .unwrap();
    let mut solution = Solution::cold();
    let first = solver.solve(&base, &Budget::with_tolerance(1e-7), &mut solution);
    assert!(first.outcome.is_converged(), "{}", first.outcome);
    let mut near = base.clone();
    let b: Vec<f64> = base.b()[..6].iter().map(|value| value * 1.001).collect();
    near.set_b(0, &b).unwrap();
    let budget = Budget::with_tolerance(1e-5);
    let cold = solver.solve(&near, &budget, &mut Solution::cold());
    let warm = solver.solve(&near, &budget, &mut solution);
    assert!(cold.outcome.is_converged() && warm.outcome.is_converged());
    assert!(
        2 * warm.iterations < cold.iterations,
        "{} against {}",
        warm.iterations,
        cold.iterations
    );
}

#[test]
fn duplicated_contacts_change_the_impulses_and_not_the_motion() {
    let law = Law::Contact { friction: 0.5 };
    let b = [0.6, 0.8, -0.1, 0.0, 0.0, 0.0];
    let single = block(law, [0.0; 3], b);
    let mut double = single.clone();
    for index in 0..4 {
        let blocks: Vec<_> = single.terms(index).collect();
        double.push_constraint(law, &[0.0; 3], &blocks).unwrap();
    }
    for name in ["pgs", "jacobi"] {
        let (a, _) = solve(name, &single, 1e-9);
        let (b, report) = solve(name, &double, 1e-9);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        assert!(
            largest_difference(&a.velocity, &b.velocity) < 1e-6,
            "{name}"
        );
    }
}

#[test]
fn the_safe_jacobi_step_holds_where_the_plain_one_breaks() {
    for seed in 0..5 {
        let problem = ring(80, 0.3, seed);
        let [safe, plain] = [JacobiStep::RowSum, JacobiStep::Diagonal].map(|jacobi_step| {
            let mut solver = Pgs::new(PgsSettings {
                jacobi_step,
                ..PgsSettings::for_method(Method::Jacobi)
            })
            .unwrap();
            solver.solve(&problem, &Budget::default(), &mut Solution::cold())
        });
        let (safe, plain) = (safe.residuals.scaled, plain.residuals.scaled);
        assert!(safe < 0.3 * plain, "{seed}: {safe} against {plain}");
    }
}
