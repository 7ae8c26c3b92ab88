//! Bare matrices as JSON: dense A, b and J per subsystem, for users who bring their own numbers.
//!
//! ```json
//! {"schema": "stiction-matrices/1", "name": "block",
//!  "subsystems": [{"A": [[1.0, 0.0], [0.0, 1.0]], "b": [0.1, -0.2]}],
//!  "constraints": [{"kind": "hard", "terms": [{"sub": 0, "J": [[0.0, 1.0]]}], "e": [0.0]}]}
//! ```
//!
//! `kind` is one of
//!
//! | kind | law | parameters | rows |
//! |---|---|---|---|
//! | `contact` | contact with Coulomb friction, rows (t1, t2, n) | `mu` | 3 |
//! | `hard` | 0 ≤ λ ⟂ J v + e ≥ 0 | | 1 to 3 |
//! | `eq` | J v + e = 0 | | 1 to 3 |
//! | `soft` | λ = −k e − c J v | `k`, `b` (the coefficient c) | 1 to 3 |
//! | `jfric` | dry friction in a joint, \|λ\| ≤ mu | `mu` (N·s) | 1 to 3 |
//! | `jlimit` | lo ≤ J v + e ≤ hi | `lo`, `hi` (left out or null: no limit) | 1 to 3 |
//!
//! The laws other than `contact` hold row by row. `ncp-vector/1` is accepted as schema name too.

use nalgebra::DMatrix;
use serde::Deserialize;
use stiction_constraints::{Law, Problem, RowBlock, Solution};

use crate::checks::{check_definite, check_vector};
use crate::content::{FullProblem, ProblemFile, StoredSolution};
use crate::error::Refusal;

/// Names of the schema that are accepted.
pub(crate) const SCHEMAS: [&str; 2] = ["stiction-matrices/1", "ncp-vector/1"];

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    name: String,
    subsystems: Vec<Block>,
    constraints: Vec<Constraint>,
    #[serde(default)]
    solution: Option<Stored>,
}

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "the names of the file format")]
struct Block {
    A: Vec<Vec<f64>>,
    b: Vec<f64>,
}

#[derive(Deserialize)]
struct Constraint {
    kind: Kind,
    terms: Vec<Term>,
    e: Vec<f64>,
    mu: Option<f64>,
    k: Option<f64>,
    b: Option<f64>,
    lo: Option<f64>,
    hi: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Contact,
    Hard,
    Eq,
    Soft,
    Jfric,
    Jlimit,
}

#[derive(Deserialize)]
#[expect(non_snake_case, reason = "the names of the file format")]
struct Term {
    sub: usize,
    J: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct Stored {
    v: Vec<f64>,
    lam: Vec<f64>,
    v_unique: Option<bool>,
    v_tol: Option<f64>,
}

pub(crate) fn parse(bytes: &[u8]) -> Result<ProblemFile, Refusal> {
    let document: Document = serde_json::from_slice(bytes)?;
    let mut problem = Problem::new();
    for (index, block) in document.subsystems.iter().enumerate() {
        let n = block.A.len();
        if let Some(row) = block.A.iter().position(|row| row.len() != n) {
            return Err(Refusal::element(
                format!("subsystems[{index}].A[{row}]"),
                format!("has {} numbers, but A has {n} rows", block.A[row].len()),
            ));
        }
        problem.push_dense(DMatrix::from_fn(n, n, |i, j| block.A[i][j]), &block.b)?;
    }
    for (index, constraint) in document.constraints.iter().enumerate() {
        push(&mut problem, index, constraint)?;
    }
    check_definite(&problem)?;
    let solution = match document.solution {
        None => None,
        Some(stored) => Some(checked_solution(&problem, stored)?),
    };
    Ok(ProblemFile::Full(FullProblem {
        name: document.name,
        problem,
        solution,
        guess: None,
    }))
}

fn push(problem: &mut Problem, index: usize, constraint: &Constraint) -> Result<(), Refusal> {
    let place = |field: &str| format!("constraints[{index}].{field}");
    let parameter = |field: &str, value: Option<f64>| {
        value.ok_or_else(|| Refusal::element(place(field), "is missing, this kind needs it"))
    };
    let law = match constraint.kind {
        Kind::Contact => Law::Contact {
            friction: parameter("mu", constraint.mu)?,
        },
        Kind::Hard => Law::Unilateral,
        Kind::Eq => Law::Equality,
        Kind::Soft => Law::Soft {
            stiffness: parameter("k", constraint.k)?,
            damping: parameter("b", constraint.b)?,
        },
        Kind::Jfric => Law::JointFriction {
            bound: parameter("mu", constraint.mu)?,
        },
        Kind::Jlimit => Law::JointLimit {
            lower: constraint.lo.unwrap_or(f64::NEG_INFINITY),
            upper: constraint.hi.unwrap_or(f64::INFINITY),
        },
    };
    let rows = constraint.e.len();
    let mut blocks: Vec<(usize, Vec<usize>, Vec<f64>)> = Vec::new();
    for (position, term) in constraint.terms.iter().enumerate() {
        let Some(subsystem) = problem.subsystems().get(term.sub) else {
            return Err(Refusal::element(
                place(&format!("terms[{position}].sub")),
                format!("is {}, there are {}", term.sub, problem.subsystems().len()),
            ));
        };
        let dofs = subsystem.dof_count();
        if term.J.len() != rows {
            return Err(Refusal::element(
                place(&format!("terms[{position}].J")),
                format!("has {} rows, but e has {rows}", term.J.len()),
            ));
        }
        if let Some(row) = term.J.iter().position(|row| row.len() != dofs) {
            return Err(Refusal::element(
                place(&format!("terms[{position}].J[{row}]")),
                format!(
                    "has {} numbers, subsystem {} has {dofs} degrees of freedom",
                    term.J[row].len(),
                    term.sub
                ),
            ));
        }
        let used: Vec<usize> = (0..dofs)
            .filter(|&dof| term.J.iter().any(|row| row[dof] != 0.0))
            .collect();
        let values = term
            .J
            .iter()
            .flat_map(|row| used.iter().map(|&dof| row[dof]))
            .collect();
        blocks.push((term.sub, used, values));
    }
    let blocks: Vec<_> = blocks
        .iter()
        .map(|(subsystem, dofs, values)| (*subsystem, RowBlock::Dofs { dofs, values }))
        .collect();
    problem.push_constraint(law, &constraint.e, &blocks)?;
    Ok(())
}

fn checked_solution(problem: &Problem, stored: Stored) -> Result<StoredSolution, Refusal> {
    check_vector("solution.v", &stored.v, problem.dof_count())?;
    check_vector("solution.lam", &stored.lam, problem.row_count())?;
    Ok(StoredSolution {
        solution: Solution {
            velocity: stored.v,
            impulse: stored.lam,
        },
        velocity_is_unique: stored.v_unique,
        velocity_tolerance: stored.v_tol,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_bytes;

    const EXAMPLE: &str = r#"{"schema":"stiction-matrices/1","name":"x",
        "subsystems":[{"A":[[2.0,0.5],[0.5,1.0]],"b":[0.1,-0.2]},{"A":[[3.0]],"b":[0.0]}],
        "constraints":[
          {"kind":"contact","terms":[{"sub":0,"J":[[1,0],[0,0],[0,1]]},{"sub":1,"J":[[0],[0],[-1]]}],
           "e":[0,0,0.1],"mu":0.4},
          {"kind":"soft","terms":[{"sub":1,"J":[[1]]}],"e":[0.2],"k":3.0,"b":0.5},
          {"kind":"jlimit","terms":[{"sub":0,"J":[[0,1]]}],"e":[0.0],"hi":0.7},
          {"kind":"jfric","terms":[{"sub":0,"J":[[1,0],[0,1]]}],"e":[0.0,0.0],"mu":0.01},
          {"kind":"eq","terms":[],"e":[0.0]},
          {"kind":"hard","terms":[{"sub":1,"J":[[1]]}],"e":[0.0]}],
        "solution":{"v":[0,0,0],"lam":[0,0,0,0,0,0,0,0,0]}}"#;

    #[test]
    fn every_kind_is_read() {
        let ProblemFile::Full(full) = parse_bytes(EXAMPLE.as_bytes(), "x").unwrap() else {
            panic!("not a full problem");
        };
        let kinds: Vec<_> = (full.problem.constraints().iter())
            .map(|constraint| constraint.law.kind())
            .collect();
        assert_eq!(
            kinds,
            [
                "contact",
                "soft",
                "joint limit",
                "joint friction",
                "equality",
                "unilateral"
            ]
        );
        assert_eq!(full.problem.constraints()[3].rows, 2);
        assert_eq!(
            full.problem.constraints()[2].law,
            Law::JointLimit {
                lower: f64::NEG_INFINITY,
                upper: 0.7
            }
        );
        assert!(full.solution.is_some());
    }

    #[test]
    fn faults_name_the_element() {
        for (from, to, expected) in [
            ("[0.5,1.0]]", "[0.5]]", "subsystems[0].A[1]: has 1 numbers"),
            (
                "[0.5,1.0]]",
                "[0.4,1.0]]",
                "subsystem 0: A is not symmetric",
            ),
            (
                "[[2.0,0.5],[0.5,",
                "[[2.0,5.0],[5.0,",
                "subsystem 0: A is not positive definite",
            ),
            ("\"mu\":0.4", "\"mu\":-0.4", "constraint 0: friction = -0.4"),
            (",\"mu\":0.4", "", "constraints[0].mu: is missing"),
            (
                "\"sub\":1,\"J\":[[0]",
                "\"sub\":9,\"J\":[[0]",
                "constraints[0].terms[1].sub: is 9",
            ),
            (
                "[[0,1]]",
                "[[0,1],[1,0]]",
                "constraints[2].terms[0].J: has 2 rows",
            ),
            (
                "[[0,1]]",
                "[[0,1,2]]",
                "constraints[2].terms[0].J[0]: has 3 numbers",
            ),
            ("\"v\":[0,0,0]", "\"v\":[0,0]", "solution.v: has 2 numbers"),
            ("\"kind\":\"eq\"", "\"kind\":\"glue\"", "line 9"),
        ] {
            assert!(EXAMPLE.contains(from), "{from}");
            let text = parse_bytes(EXAMPLE.replace(from, to).as_bytes(), "x.json")
                .unwrap_err()
                .to_string();
            assert!(
                text.starts_with("x.json: ") && text.contains(expected),
                "{text}"
            );
        }
    }
}
