//! Problems with known solutions: our own, and generated ones where they are beside the project.

use std::path::Path;

use stiction_constraints::{Budget, Criterion, Solution, Solver};
use stiction_problem_files::{self as problem_files, ProblemFile};
use stiction_solver_subadmm::SubAdmm;
use stiction_test_support::{data, outside};

/// Solves every problem of a folder: to 1e-4 m/s where there is a solution, but for those in `slow`, and
/// to the known velocity where it says that it converged to 1e-9.
fn reaches_moderate_accuracy_and_the_known_velocity(folder: &Path, slow: &[&str]) {
    for path in data::files(folder, "json") {
        let ProblemFile::Full(full) = problem_files::read(&path).unwrap() else {
            panic!("{} is not a full problem", path.display());
        };
        let name = &full.name;
        let mut solution = Solution::cold();
        let budget = Budget {
            criterion: Criterion::Scaled,
            max_iterations: Some(5000),
            ..Budget::with_tolerance(1e-9)
        };
        let report = SubAdmm::default().solve(&full.problem, &budget, &mut solution);
        let scaled = report.residuals.scaled;
        let mut numbers = solution.impulse.iter().chain(&solution.velocity);
        assert!(numbers.all(|value| value.is_finite()), "{name}");
        assert_eq!(report.outcome.is_converged(), scaled <= 1e-9, "{name}");
        let Some(known) = &full.solution else {
            assert!(!report.outcome.is_converged(), "{name} has no solution");
            continue;
        };
        assert!(
            scaled <= 1e-4 || slow.contains(&name.as_str()),
            "{name}: {scaled:e} m/s"
        );
        if report.outcome.is_converged() && known.velocity_is_unique == Some(true) {
            // The stored tolerance says how well v̂ is known; ours is known to about a thousandfold of
            // the residual on stiff stacks.
            let tolerance = known.velocity_tolerance.unwrap_or(0.0).max(1e-5);
            for (a, b) in solution.velocity.iter().zip(&known.solution.velocity) {
                assert!((a - b).abs() <= tolerance, "{name}: {a} instead of {b}");
            }
        }
    }
}

#[test]
fn own_problems() {
    reaches_moderate_accuracy_and_the_known_velocity(&data::folder("vectors"), &[]);
}

#[test]
fn generated_problems() {
    if let Some(folder) = outside::shared("vectors") {
        // Dishes of 50:1.
        reaches_moderate_accuracy_and_the_known_velocity(&folder, &["dish"]);
    }
}
