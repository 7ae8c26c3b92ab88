//! Problems with solutions that were computed elsewhere.

mod common;

use common::vectors::stored;
use stiction_constraints::{Budget, Criterion, Solution, Solver};
use stiction_solver_subadmm::SubAdmm;

/// Towers are the weak spot of ADMM: they get the budget of iterations that they need.
#[test]
fn reaches_the_known_residual_and_velocity() {
    for stored in stored() {
        let mut solver = SubAdmm::default();
        let mut solution = Solution::cold();
        let budget = Budget {
            criterion: Criterion::Scaled,
            max_iterations: Some(20_000),
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
        assert!(
            report.outcome.is_converged(),
            "{name}: {} after {}, {:e}",
            report.outcome,
            report.iterations,
            report.residuals.scaled
        );
        if let Some((velocity, tolerance)) = &stored.velocity {
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
}
