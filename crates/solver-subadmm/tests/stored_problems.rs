//! Problems with solutions that were computed elsewhere.

mod common;

use common::vectors::stored;
use stiction_constraints::{Budget, Criterion, Solution, Solver};
use stiction_solver_subadmm::SubAdmm;

/// ADMM slows down below 1e-4, and heavy bodies on light ones are its weak spot: of the problems
/// with a solution at most three may miss 1e-4 m/s.
#[test]
fn reaches_moderate_accuracy_and_the_known_velocity() {
    let mut missed = Vec::new();
    for stored in stored() {
        let mut solver = SubAdmm::default();
        let mut solution = Solution::cold();
        let budget = Budget {
            criterion: Criterion::Scaled,
            max_iterations: Some(5000),
            ..Budget::with_tolerance(1e-9)
        };
        let report = solver.solve(&stored.problem, &budget, &mut solution);
        let name = &stored.name;
        assert!(
            solution.impulse.iter().all(|value| value.is_finite()),
            "{name}"
        );
        if !stored.is_solvable {
            assert!(!report.outcome.is_converged(), "{name} has no solution");
            continue;
        }
        if report.residuals.scaled > 1e-4 {
            missed.push((name.clone(), report.residuals.scaled));
        }
        if let (true, Some((velocity, tolerance))) =
            (report.outcome.is_converged(), &stored.velocity)
        {
            for (a, b) in solution.velocity.iter().zip(velocity) {
                // The stored tolerance says how well v̂ is known; ours is known to about a
                // thousandfold of the residual on stiff stacks.
                assert!(
                    (a - b).abs() <= tolerance.max(1e-5),
                    "{name}: {a} instead of {b}"
                );
            }
        }
    }
    assert!(missed.len() <= 3, "{missed:?}");
}
