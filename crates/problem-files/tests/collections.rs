//! Reads every file of a collection and compares the residuals of r = 0 with those that another program
//! computed: a collection of our own, and those beside the project where they are present.

use std::path::Path;

use stiction_problem_files::{self as problem_files, ProblemFile};
use stiction_test_support::{data, outside};

fn assert_close(what: &str, actual: f64, expected: f64) {
    assert!(
        (actual - expected).abs() <= 1e-9 * expected.abs().max(1e-12),
        "{what}: {actual} instead of {expected}"
    );
}

/// What every problem of a folder leaves at r = 0 beside what its `reference.json` says.
fn residuals_of_zero_equal_the_reference(folder: &Path) {
    let reference = std::fs::read(folder.join("reference.json")).unwrap();
    let reference: serde_json::Value = serde_json::from_slice(&reference).unwrap();
    let mut read = 0;
    for path in data::files(folder, "json") {
        if path.ends_with("reference.json") {
            continue;
        }
        let problem = problem_files::read(&path).unwrap();
        let name = problem.name();
        let residuals = match &problem {
            ProblemFile::Local(local) => {
                let reduced = local.reduce().unwrap();
                reduced.residuals(&vec![0.0; local.free_velocity().len()])
            }
            ProblemFile::Global(global) => global.residuals(&vec![0.0; global.bias().len()]),
            ProblemFile::Full(_) => panic!("{} is not a contact problem", path.display()),
        };
        let residuals = residuals.unwrap();
        let expected = |key: &str| reference[name][key].as_f64().unwrap();
        assert_close(name, residuals.natural, expected("r0_nat"));
        assert_close(name, residuals.balanced, expected("r0_balanced"));
        read += 1;
    }
    assert_eq!(read, reference.as_object().unwrap().len());
}

#[test]
fn residuals_of_own_problems() {
    residuals_of_zero_equal_the_reference(&data::folder("problems"));
}

#[test]
fn residuals_of_published_problems() {
    if let Some(folder) = outside::shared("problems/public") {
        residuals_of_zero_equal_the_reference(&folder);
    }
}

/// Every problem of a folder, written in our own format and read again. `name` is of the copy.
fn our_own_format_keeps_everything(folder: &Path, name: &str) {
    let copy = format!("stiction-{name}-{}.json", std::process::id());
    let copy = std::env::temp_dir().join(copy);
    for path in data::files(folder, "json") {
        let ProblemFile::Full(mut full) = problem_files::read(&path).unwrap() else {
            panic!("{} is not a full problem", path.display());
        };
        // Our own format stores no solution.
        full.solution = None;
        let full = ProblemFile::Full(full);
        problem_files::write(&copy, &full).unwrap();
        assert_eq!(problem_files::read(&copy).unwrap(), full);
    }
    std::fs::remove_file(&copy).unwrap();
}

#[test]
fn own_vectors_survive_our_own_format() {
    our_own_format_keeps_everything(&data::folder("vectors"), "own-vectors");
}

#[test]
fn other_vectors_survive_our_own_format() {
    if let Some(folder) = outside::shared("vectors") {
        our_own_format_keeps_everything(&folder, "other-vectors");
    }
}
