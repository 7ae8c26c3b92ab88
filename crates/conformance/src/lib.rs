//! [book]: ../../book/tutorials/own-solver.html
//!
#![doc = include_str!("../README.md")]

mod allocator;
mod attempt;
mod checks;
mod judge;
mod report;
mod same;
mod save;
mod settings;
mod subject;
mod sweep;

pub use allocator::CountingAllocator;
pub use checks::Properties;
pub use judge::{Judge, Verdict};
pub use report::{CheckReport, FailedCase, FamilyReport, Report};
pub use save::save_problem;
pub use settings::Settings;
pub use sweep::{Examination, Finding, SweepSettings, draw_for_sweep, examine};

use stiction_constraints::Solver;

/// Runs the suite with default settings on solvers that `make` makes.
///
/// # Panics
/// A check that fails; the message is the report.
pub fn check<S: Solver + 'static>(make: impl Fn() -> S + Sync) {
    let report = run(&Settings::default(), make);
    assert!(report.is_passed(), "\n{report}");
}

/// Runs the suite on solvers that `make` makes, and reports.
pub fn run<S: Solver + 'static>(settings: &Settings, make: impl Fn() -> S + Sync) -> Report {
    let make = || Box::new(make()) as Box<dyn Solver>;
    let subject = subject::Subject::new(settings, &make);
    let (checks, families) = checks::run(&subject);
    Report {
        solver: subject.name.to_owned(),
        seed: settings.seed,
        folder: settings.folder.clone(),
        checks,
        families,
    }
}
