//! What is proven: the proximal form converges, [SUB, §III-D], and a fixed point is what (22) sees, Prop. 1.

use stiction_constraints::{
    Budget, Criterion, Outcome, Problem, ResidualEvaluator, Solution, Solver,
};
use stiction_generators::{Breadth, RandomWideParams, random_wide};
use stiction_solver_subadmm::SubAdmm;

/// A problem that is certified to have a solution.
fn feasible(seed: u64) -> Problem {
    let params = RandomWideParams {
        breadth: Breadth::Plain,
        seed,
        ..RandomWideParams::default()
    };
    random_wide(&params).unwrap().problem
}

fn cone_model(problem: &Problem, impulse: &[f64]) -> f64 {
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).unwrap();
    evaluator.cone_model(problem, impulse)
}

/// Solves with the proximal form; what is left of the cone model, m/s.
fn left_over(seed: u64, iterations: usize) -> (Outcome, f64) {
    let problem = feasible(seed);
    let mut solver = SubAdmm::named("subadmm-proximal").unwrap();
    let budget = Budget {
        max_iterations: Some(iterations),
        ..Budget::with_tolerance(1e-5)
    };
    let mut solution = Solution::cold();
    let report = solver.solve(&problem, &budget, &mut solution);
    (report.outcome, cone_model(&problem, &solution.impulse))
}

#[test]
fn the_proximal_form_converges_on_feasible_problems() {
    for seed in 0..60 {
        let (outcome, left) = left_over(seed, 20_000);
        assert!(
            outcome.is_converged(),
            "seed {seed}: {outcome}, {left:.1e} m/s"
        );
        assert!(left <= 1.001e-5, "seed {seed}: {left:.1e} m/s");
    }
}

#[test]
#[ignore = "a minute: two thousand problems instead of sixty"]
fn the_proximal_form_converges_on_every_feasible_problem() {
    for seed in 1000..3000 {
        let (outcome, left) = left_over(seed, 200_000);
        assert!(
            outcome.is_converged(),
            "seed {seed}: {outcome}, {left:.1e} m/s"
        );
    }
}

/// Prop. 1: θ of (22) is zero exactly at fixed points, which are the solutions. A solve that (22) ends at a
/// tiny value has a tiny residual in exact variants on convex laws; and from a solution θ stays tiny.
#[test]
fn the_change_of_y_vanishes_at_solutions_and_only_there() {
    let mut met = 0;
    for seed in 0..30 {
        let problem = feasible(seed);
        if problem.row_count() == 0 {
            continue;
        }
        let mut solver = SubAdmm::named("subadmm-per-subsystem").unwrap();
        let budget = |tolerance, iterations| Budget {
            criterion: Criterion::SplitChange,
            max_iterations: Some(iterations),
            ..Budget::with_tolerance(tolerance)
        };
        // θ is a sum of squares of y = β z + u, N·s: sizes go with the impulses.
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &budget(1e-26, 50_000), &mut solution);
        let is_met = matches!(report.outcome, Outcome::Stopped(_) | Outcome::Converged);
        if !is_met {
            continue;
        }
        met += 1;
        assert!(
            report.residuals.scaled < 1e-4,
            "seed {seed}: {:?}",
            report.residuals
        );
        // A fixed point stays one.
        let again = solver.solve(&problem, &budget(1e-16, 5), &mut solution);
        assert!(again.iterations <= 5, "seed {seed}");
        let stays = matches!(again.outcome, Outcome::Stopped(_) | Outcome::Converged);
        assert!(stays, "seed {seed}: {}", again.outcome);
    }
    assert!(
        met >= 10,
        "only {met} problems have a fixed point within reach"
    );
}
