//! What must hold for any problem.

use nalgebra::DMatrix;
use proptest::prelude::*;
use stiction_constraints::{
    Budget, Criterion, Law, Problem, ResidualEvaluator, RowBlock, Solution,
};
use stiction_generators::{Breadth, RandomWideParams, random_wide};
use stiction_solver_newton::{SOLVERS, named};

fn plain(seed: u64) -> Problem {
    let params = RandomWideParams {
        breadth: Breadth::Plain,
        seed,
        ..RandomWideParams::default()
    };
    random_wide(&params).unwrap().problem
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the outcome: finite, v̂ = A⁻¹(b + Jᵀλ), and `Converged` means what the evaluator says.
    #[test]
    fn outcomes_are_honest(seed in 0u64..1_000_000) {
        let problem = plain(seed);
        for (name, _) in SOLVERS {
            let mut solution = Solution::cold();
            let budget = Budget { max_iterations: Some(30), ..Budget::with_tolerance(1e-8) };
            let report = named(name).unwrap().solve(&problem, &budget, &mut solution);
            prop_assert!(report.iterations <= 30);
            if !name.starts_with("al-") {
                prop_assert!(report.factorizations <= 30);
            }
            prop_assert!(solution.velocity.iter().all(|value| value.is_finite()));
            prop_assert!(report.residuals.dynamics < 1e-8);
            let mut evaluator = ResidualEvaluator::default();
            evaluator.update(&problem).unwrap();
            let residual = evaluator.measure(&problem, &solution.impulse, Criterion::Scaled);
            if report.outcome.is_converged() {
                prop_assert!(residual <= 1.001e-8, "{}: {}", name, residual);
            }
        }
    }

    /// A block on the floor, pushed by any impulse: sticks, slides or leaves as Coulomb says.
    #[test]
    fn one_contact_is_solved(
        push in (-3.0f64..3.0, -3.0f64..3.0, -3.0f64..1.0),
        friction in 0.0f64..1.5,
        mass in 0.01f64..100.0,
    ) {
        let mut problem = Problem::new();
        let b = [mass * push.0, mass * push.1, mass * push.2];
        let body = problem.push_dense(DMatrix::identity(3, 3) * mass, &b).unwrap();
        let rows = RowBlock::Dofs {
            dofs: &[0, 1, 2],
            values: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        };
        let law = Law::Contact { friction };
        problem.push_constraint(law, &[0.0; 3], &[(body, rows)]).unwrap();
        let speed = push.0.hypot(push.1);
        let taken = (friction * (-push.2).max(0.0)).min(speed);
        let left = if speed > 0.0 { 1.0 - taken / speed } else { 0.0 };
        for (name, _) in SOLVERS {
            let mut solution = Solution::cold();
            let budget = Budget::with_tolerance(1e-9);
            let report = named(name).unwrap().solve(&problem, &budget, &mut solution);
            prop_assert!(report.outcome.is_converged(), "{}: {}", name, report.outcome);
            let v = &solution.velocity;
            prop_assert!((v[0] - left * push.0).abs() < 1e-7, "{}: {:?}", name, v);
            prop_assert!((v[2] - push.2.max(0.0)).abs() < 1e-7, "{}: {:?}", name, v);
        }
    }
}

#[test]
fn most_plain_problems_are_solved() {
    let mut solved = [0; SOLVERS.len()];
    for seed in 0..40 {
        let problem = plain(seed);
        for (count, (name, _)) in solved.iter_mut().zip(SOLVERS) {
            let mut solution = Solution::cold();
            let budget = Budget::with_tolerance(1e-6);
            let report = named(name).unwrap().solve(&problem, &budget, &mut solution);
            *count += usize::from(report.outcome.is_converged());
        }
    }
    let least = [20, 24, 20, 20, 20, 20, 20];
    let enough = solved
        .iter()
        .zip(least)
        .all(|(solved, least)| *solved >= least);
    assert!(enough, "{solved:?}");
}
