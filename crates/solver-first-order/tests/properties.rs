//! What must hold for any problem.

use nalgebra::DMatrix;
use proptest::prelude::*;
use stiction_constraints::{
    Budget, Criterion, Law, Problem, ResidualEvaluator, RowBlock, Solution, Solver,
};
use stiction_generators::{Breadth, RandomWideParams, random_wide};
use stiction_solver_first_order::{Apgd, ApgdSettings, Products, SOLVERS, named};

fn plain(seed: u64) -> Problem {
    let params = RandomWideParams {
        breadth: Breadth::Plain,
        seed,
        ..RandomWideParams::default()
    };
    random_wide(&params).unwrap().problem
}

fn evaluator(problem: &Problem) -> ResidualEvaluator {
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).unwrap();
    evaluator
}

/// A mass of 2 kg slides at 3 m/s along x and is pressed on the floor by 4 N·s.
fn slider() -> Problem {
    let mut problem = Problem::new();
    let mass = problem.push_dense(DMatrix::identity(3, 3) * 2.0, &[6.0, 0.0, -4.0]);
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    };
    let law = Law::Contact { friction: 0.5 };
    problem
        .push_constraint(law, &[0.0; 3], &[(mass.unwrap(), rows)])
        .unwrap();
    problem
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the outcome: finite, v̂ = A⁻¹(b + Jᵀλ), no worse than where it began, and `Converged` means
    /// what the evaluator says of the model that is solved.
    #[test]
    fn outcomes_are_honest(seed in 0u64..1_000_000) {
        let problem = plain(seed);
        let mut evaluator = evaluator(&problem);
        for (name, _) in SOLVERS {
            let mut solver = named(name).unwrap();
            let mut solution = Solution::cold();
            let budget = Budget { max_iterations: Some(200), ..Budget::with_tolerance(1e-6) };
            let report = solver.solve(&problem, &budget, &mut solution);
            prop_assert!(report.iterations <= 200);
            prop_assert!(solution.velocity.iter().all(|value| value.is_finite()));
            prop_assert!(report.residuals.dynamics < 1e-8);
            let residual = match solver.declaration().is_exact() {
                true => evaluator.measure(&problem, &solution.impulse, Criterion::Scaled),
                false => evaluator.cone_model(&problem, &solution.impulse),
            };
            if report.outcome.is_converged() {
                prop_assert!(residual <= 1.001e-6, "{}: {}", name, residual);
            }
        }
    }

    /// The cone model is convex: its gradient method gets there on every problem with a solution.
    #[test]
    fn the_cone_model_is_always_solved(seed in 0u64..1_000_000) {
        let problem = plain(seed);
        for products in [Products::OnTheFly, Products::Assembled] {
            let mut solver = Apgd::new(ApgdSettings {
                products,
                max_iterations: 20_000,
                ..ApgdSettings::default()
            });
            let mut solution = Solution::cold();
            let report = solver.solve(&problem, &Budget::with_tolerance(1e-5), &mut solution);
            let residual = evaluator(&problem).cone_model(&problem, &solution.impulse);
            prop_assert!(residual < 1e-3, "{} {}", report.outcome, residual);
        }
    }
}

#[test]
fn a_slider_is_slowed_down_by_friction() {
    let problem = slider();
    for (name, _) in SOLVERS {
        let mut solver = named(name).unwrap();
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &Budget::with_tolerance(1e-10), &mut solution);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        let v = &solution.velocity;
        if solver.declaration().is_exact() {
            // μ 4 N·s are taken from 6.
            assert!(
                (v[0] - 2.0).abs() < 1e-8 && v[2].abs() < 1e-8,
                "{name}: {v:?}"
            );
        } else {
            // The cone model lets a sliding body lift off by μ times its speed.
            assert!(
                v[2] > 0.1 && (v[2] - 0.5 * v[0]).abs() < 1e-8,
                "{name}: {v:?}"
            );
        }
    }
}

#[test]
fn most_plain_problems_are_solved() {
    let mut solved = [0; 3];
    for seed in 0..40 {
        let problem = plain(seed);
        for (count, (name, _)) in solved.iter_mut().zip(SOLVERS) {
            let mut solution = Solution::cold();
            let budget = Budget::with_tolerance(1e-4);
            let report = named(name).unwrap().solve(&problem, &budget, &mut solution);
            *count += usize::from(report.outcome.is_converged());
        }
    }
    // Found: see the message.
    assert!(
        solved[0] >= 36 && solved[1] >= 30 && solved[2] >= 16,
        "{solved:?}"
    );
}
