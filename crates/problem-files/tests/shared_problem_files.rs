//! Reads every file of the shared collections, where they are present beside the project, and
//! compares the residuals of r = 0 with those that another program computed.

#![expect(
    clippy::print_stdout,
    reason = "a skipped test says so, a run one what it measured"
)]

use std::path::{Path, PathBuf};

use stiction_problem_files::{self as problem_files, ProblemFile};

/// The JSON files of a shared folder, or nothing (with a word about it) where it is absent.
fn shared(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
        println!("skipped: no shared/{folder} beside the project");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    files
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1e-12)
}

#[test]
fn residuals_of_zero_reactions_equal_the_reference() {
    let files = shared("problems/public");
    let Some(reference) = files.iter().find(|path| path.ends_with("reference.json")) else {
        return;
    };
    let reference: serde_json::Value =
        serde_json::from_slice(&std::fs::read(reference).unwrap()).unwrap();
    let mut read = 0;
    for path in files
        .iter()
        .filter(|path| !path.ends_with("reference.json"))
    {
        let problem = problem_files::read(path).unwrap();
        let expected = &reference[problem.name()];
        let residuals = match &problem {
            ProblemFile::Local(local) => {
                let reduced = local.reduce().unwrap();
                println!(
                    "{}: {} rows, rank {} (reference {}), {} entries in W, {} in L, error {:.1e}",
                    problem.name(),
                    reduced.problem().row_count(),
                    reduced.rank(),
                    expected["rank_W"],
                    local.delassus().values().len(),
                    reduced.factor_entries(),
                    reduced.factor_error()
                );
                reduced.residuals(&vec![0.0; local.free_velocity().len()])
            }
            ProblemFile::Global(global) => global.residuals(&vec![0.0; global.bias().len()]),
            ProblemFile::Full(_) => panic!("{} is not a contact problem", path.display()),
        }
        .unwrap();
        let (natural, balanced) = (
            expected["r0_nat"].as_f64().unwrap(),
            expected["r0_balanced"].as_f64().unwrap(),
        );
        assert!(
            is_close(residuals.natural, natural) && is_close(residuals.balanced, balanced),
            "{}: natural {} ({natural}), balanced {} ({balanced})",
            problem.name(),
            residuals.natural,
            residuals.balanced
        );
        read += 1;
    }
    assert_eq!(read, reference.as_object().unwrap().len());
}

#[test]
fn every_vector_file_is_read_and_survives_our_own_format() {
    let folder = std::env::temp_dir().join(format!("stiction-vectors-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for path in shared("vectors") {
        let ProblemFile::Full(mut full) = problem_files::read(&path).unwrap() else {
            panic!("{} is not a full problem", path.display());
        };
        // Our own format stores no solution.
        full.solution = None;
        let copy = folder.join("copy.json");
        let full = ProblemFile::Full(full);
        problem_files::write(&copy, &full).unwrap();
        assert_eq!(problem_files::read(&copy).unwrap(), full);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
