//! Reader of stored problems with known solutions (schema `ncp-vector/1`), where they are beside the
//! project.

use std::path::PathBuf;

use nalgebra::DMatrix;
use serde_json::Value;
use stiction_constraints::{Law, Problem, RowBlock};

/// A stored problem with its solution.
pub(crate) struct Stored {
    pub name: String,
    pub problem: Problem,
    /// v̂, where it is unique, with the tolerance it is known to.
    pub velocity: Option<(Vec<f64>, f64)>,
    /// Whether a solution is known at all.
    pub is_solvable: bool,
}

/// All stored problems; empty, with a message, where they are not there.
pub(crate) fn stored() -> Vec<Stored> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    paths.sort();
    #[allow(clippy::print_stderr, reason = "a skipped test must say so")]
    if paths.is_empty() {
        eprintln!("skipped: no stored problems in {}", folder.display());
    }
    paths.iter().map(read).collect()
}

fn read(path: &PathBuf) -> Stored {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let mut problem = Problem::new();
    for subsystem in list(&json["subsystems"]) {
        let b = numbers(&subsystem["b"]);
        let rows: Vec<Vec<f64>> = list(&subsystem["A"]).iter().map(numbers).collect();
        let matrix = DMatrix::from_fn(b.len(), b.len(), |i, j| rows[i][j]);
        problem.push_dense(matrix, &b).expect("a valid subsystem");
    }
    for constraint in list(&json["constraints"]) {
        push_constraint(&mut problem, constraint);
    }
    let solution = &json["solution"];
    let velocity = (solution["v_unique"] == Value::Bool(true)).then(|| {
        let tolerance = solution["v_tol"].as_f64().unwrap_or(1e-6);
        (numbers(&solution["v"]), tolerance)
    });
    Stored {
        name: path
            .file_stem()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned()),
        problem,
        velocity,
        is_solvable: solution.is_object(),
    }
}

fn push_constraint(problem: &mut Problem, json: &Value) {
    let number = |key: &str| json[key].as_f64().unwrap_or(0.0);
    let error = numbers(&json["e"]);
    let law = match json["kind"].as_str() {
        Some("contact") => Law::Contact {
            friction: number("mu"),
        },
        Some("hard") => Law::Unilateral,
        Some("eq") => Law::Equality,
        Some("soft") => Law::Soft {
            stiffness: number("k"),
            damping: number("b"),
        },
        Some("jfric") => Law::JointFriction {
            bound: number("mu"),
        },
        Some("jlimit") => Law::JointLimit {
            lower: number("lo"),
            upper: number("hi"),
        },
        other => panic!("unknown law {other:?}"),
    };
    let terms: Vec<(usize, Vec<usize>, Vec<f64>)> = list(&json["terms"])
        .iter()
        .map(|term| {
            let subsystem = term["sub"].as_u64().expect("a subsystem") as usize;
            let rows: Vec<Vec<f64>> = list(&term["J"]).iter().map(numbers).collect();
            let dofs: Vec<usize> = (0..rows[0].len())
                .filter(|&dof| rows.iter().any(|row| row[dof] != 0.0))
                .collect();
            let values = rows
                .iter()
                .flat_map(|row| dofs.iter().map(|&dof| row[dof]))
                .collect();
            (subsystem, dofs, values)
        })
        .collect();
    let blocks: Vec<_> = terms
        .iter()
        .map(|(subsystem, dofs, values)| (*subsystem, RowBlock::Dofs { dofs, values }))
        .collect();
    problem
        .push_constraint(law, &error, &blocks)
        .expect("a valid constraint");
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn numbers(json: &Value) -> Vec<f64> {
    list(json)
        .iter()
        .map(|value| value.as_f64().expect("a number"))
        .collect()
}
