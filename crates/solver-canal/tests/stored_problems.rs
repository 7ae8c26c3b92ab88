//! Problems with known solutions: our own, and generated ones where they are beside the project.

mod common;

use std::fmt::Write;
use std::path::Path;

use common::{canal, difference, is_sound, solve_cold};
use stiction_constraints::Outcome;
use stiction_problem_files::{self as problem_files, ProblemFile};
use stiction_test_support::{data, outside};

fn reaches_the_stored_velocities(folder: &Path) {
    let mut table = String::new();
    let mut is_good = true;
    for path in data::files(folder, "json") {
        let ProblemFile::Full(full) = problem_files::read(&path).expect("a readable file") else {
            panic!("{} is not a full problem", path.display());
        };
        let name = &full.name;
        let (report, solution) = solve_cold(&mut canal(), &full.problem, 1e-10);
        assert!(is_sound(&full.problem, &solution), "{name}");
        let Some(stored) = &full.solution else {
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
        };
        let mut off = 0.0;
        let mut allowed = f64::INFINITY;
        if stored.velocity_is_unique == Some(true) {
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

#[test]
fn own_problems() {
    reaches_the_stored_velocities(&data::folder("vectors"));
}

#[test]
fn generated_problems() {
    if let Some(folder) = outside::shared("vectors") {
        reaches_the_stored_velocities(&folder);
    }
}
