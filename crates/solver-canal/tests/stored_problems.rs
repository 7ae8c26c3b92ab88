//! Problems with solutions that were computed elsewhere.

mod common;

use std::fmt::Write;

use common::{canal, difference, is_sound, shared_files, solve_cold};
use stiction_constraints::Outcome;
use stiction_problem_files::{self as problem_files, ProblemFile};

#[test]
fn reaches_the_stored_velocities() {
    let mut table = String::new();
    let mut is_good = true;
    for path in shared_files("vectors") {
        let ProblemFile::Full(full) = problem_files::read(&path).expect("a readable file") else {
            panic!("{} is not a full problem", path.display());
        };
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let (report, solution) = solve_cold(&mut canal(), &full.problem, 1e-10);
        assert!(is_sound(&full.problem, &solution), "{name}");
        if name == "boltnut_infeasible" {
            // No velocity satisfies it: said, not hidden.
            assert!(
                matches!(
                    report.outcome,
                    Outcome::OutOfIterations | Outcome::Failed(_)
                ),
                "{name}: {}",
                report.outcome
            );
            continue;
        }
        let mut off = 0.0;
        let mut allowed = f64::INFINITY;
        if let Some(stored) = &full.solution
            && stored.velocity_is_unique == Some(true)
        {
            off = difference(&solution.velocity, &stored.solution.velocity);
            allowed = stored.velocity_tolerance.unwrap_or(1e-8);
        }
        is_good &= report.residuals.scaled < 1e-9 && off <= allowed;
        writeln!(
            table,
            "{name:28} {}, scaled {:.1e}, off by {off:.1e} of {allowed:.1e} m/s",
            report.outcome, report.residuals.scaled
        )
        .expect("a string grows");
    }
    assert!(is_good, "{table}");
}
