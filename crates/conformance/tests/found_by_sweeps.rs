//! Seeds of `stiction bench conformance` that something was found about once.

use stiction_conformance::{SweepSettings, examine};
use stiction_constraints::Solver;
use stiction_solver_canal::Canal;

fn nothing_is_found(seeds: &[u64]) {
    let make = || Box::new(Canal::named("canal").expect("a listed name")) as Box<dyn Solver>;
    for &seed in seeds {
        let examination = examine(&SweepSettings::default(), seed, &make);
        assert!(
            examination.findings.is_empty(),
            "{seed}: {:?}",
            examination.findings
        );
    }
}

/// Called converged where A and J of trees, rows that cancel, and rows that move nothing had lost the
/// digits that mattered.
#[test]
fn velocities_that_rounding_hid() {
    nothing_is_found(&[500_037, 500_980, 508_366, 508_951, 510_263, 1_059_789]);
}

/// Called converged where sliding contacts and springs weigh impulses whose last digit is larger than
/// the tolerance.
#[test]
fn impulses_whose_last_digit_matters() {
    nothing_is_found(&[1_007_223, 1_014_755, 1_026_945, 1_080_252]);
}

/// A contradiction that impulses of 1e210 N·s were taken for.
#[test]
fn impulses_that_run_away_prove_nothing() {
    nothing_is_found(&[1_020_027]);
}

/// Plain, certified to have a solution, and off the central path, which leads to infinity.
#[test]
fn other_paths_get_there() {
    nothing_is_found(&[1_009_503, 1_075_288, 1_086_609]);
}

/// Plain, certified to have a solution, and not found with penalties of their own.
#[test]
fn one_penalty_for_all_gets_there() {
    nothing_is_found(&[508_162]);
}
