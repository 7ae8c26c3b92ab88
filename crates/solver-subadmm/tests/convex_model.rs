//! What is proven: the proximal form converges, [SUB, §III-D], and a fixed point is what (22) sees, Prop. 1.

use stiction_constraints::{
    Budget, Criterion, Outcome, Problem, ResidualEvaluator, Solution, Solver,
};
use stiction_generators::{Breadth, Certificate, RandomWideParams, random_wide};
use stiction_solver_subadmm::SubAdmm;

/// A problem with a velocity strictly inside all dual cones: that is what makes the cone model feasible.
/// One that is only known to have a solution of Coulomb's law may have none of it.
fn feasible(seed: u64) -> Option<Problem> {
    let params = RandomWideParams {
        breadth: Breadth::Plain,
        seed,
        ..RandomWideParams::default()
    };
    let drawn = random_wide(&params).unwrap();
    let is_inside = matches!(drawn.certificate, Some(Certificate::Interior { .. }));
    (is_inside && drawn.problem.row_count() > 0).then_some(drawn.problem)
}

/// Problems that are drawn; about half of them are feasible and have constraints.
const SEEDS: u64 = 1000;

/// Solves such problems with the proximal form until nothing is left of the cone model.
fn check_proximal(seeds: std::ops::Range<u64>, iterations: usize) {
    let mut count = 0;
    let mut failed = Vec::new();
    for seed in seeds {
        let Some(problem) = feasible(seed) else {
            continue;
        };
        count += 1;
        let mut solver = SubAdmm::named("subadmm-proximal").unwrap();
        let budget = Budget {
            max_iterations: Some(iterations),
            ..Budget::with_tolerance(1e-5)
        };
        let mut solution = Solution::cold();
        let outcome = solver.solve(&problem, &budget, &mut solution).outcome;
        let mut evaluator = ResidualEvaluator::default();
        evaluator.update(&problem).unwrap();
        let left = evaluator.cone_model(&problem, &solution.impulse);
        if !(outcome.is_converged() && left <= 1.001e-5) {
            failed.push(format!("seed {seed}: {outcome}, {left:.1e} m/s"));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {count}: {failed:#?}",
        failed.len()
    );
    assert!(count > 20, "only {count} problems");
}

#[test]
fn the_proximal_form_converges_on_every_feasible_problem() {
    check_proximal(0..SEEDS, 200_000);
}

/// Prop. 1: θ of (22) is zero exactly at fixed points, which are the solutions. Where (22) ends a solve at a
/// tiny value nothing is left of the laws, and from there θ stays tiny.
#[test]
fn the_change_of_y_vanishes_at_solutions_and_only_there() {
    let is_met = |outcome: &Outcome| matches!(outcome, Outcome::Stopped(_) | Outcome::Converged);
    let mut met = 0;
    for seed in 0..60 {
        let Some(problem) = feasible(seed) else {
            continue;
        };
        let mut solver = SubAdmm::named("subadmm-per-subsystem").unwrap();
        let budget = |tolerance, iterations| Budget {
            criterion: Criterion::SplitChange,
            max_iterations: Some(iterations),
            ..Budget::with_tolerance(tolerance)
        };
        let mut solution = Solution::cold();
        let report = solver.solve(&problem, &budget(1e-26, 50_000), &mut solution);
        if !is_met(&report.outcome) {
            continue;
        }
        met += 1;
        let left = report.residuals.scaled;
        assert!(left < 1e-4, "seed {seed}: {left:.1e} m/s");
        // A fixed point stays one.
        let again = solver.solve(&problem, &budget(1e-16, 5), &mut solution);
        assert!(is_met(&again.outcome), "seed {seed}: {}", again.outcome);
    }
    assert!(
        met >= 10,
        "only {met} problems have a fixed point within reach"
    );
}
