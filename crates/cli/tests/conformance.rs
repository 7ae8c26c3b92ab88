//! `bench conformance`: a table for people, an object for programs, an exit code.

mod common;

use common::{Folder, stderr, stdout, stiction};

#[test]
fn findings_are_counted_saved_and_exit_with_one() {
    let folder = Folder::new("conformance");
    // Jacobi does not solve every plain problem.
    let arguments = [
        "bench",
        "conformance",
        "--count",
        "40",
        "--solver",
        "jacobi",
    ];
    let saved = [&arguments[..], &["--save", "failures"]].concat();
    let output = stiction(&folder, &saved);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.starts_with("jacobi on 40 of 40 problems, seeds from 1000"),
        "{text}"
    );
    assert!(text.contains("plain and certified, not solved"));
    let file = std::fs::read_dir(folder.path("failures"))
        .expect("a folder of problems")
        .next()
        .expect("a problem")
        .expect("a problem")
        .path();
    let file = file.display().to_string();
    let solved = stiction(&folder, &["solve", &file, "--solver", "subadmm"]);
    assert_ne!(solved.status.code(), Some(2), "{}", stderr(&solved));

    let output = stiction(&folder, &[&arguments[..], &["--json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(found["problems"].as_array().map(Vec::len), Some(40));
    assert_eq!(
        found["findings"]["falsely converged"],
        serde_json::json!([])
    );
}

#[test]
fn an_unknown_solver_is_refused() {
    let folder = Folder::new("conformance-unknown");
    let output = stiction(&folder, &["bench", "conformance", "--solver", "nonsense"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("nonsense"));
}
