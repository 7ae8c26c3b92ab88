//! Our own full [`Problem`] as JSON, with every subsystem and law, to the last bit.
//!
//! `{"format": "stiction-problem", "version": 1, "name": …, "problem": …, "guess": …}`: for bug
//! reports, benches and tests. `guess`, which may be missing, is the λ that a solver began with. Reading
//! checks everything that the builders check.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use stiction_constraints::Problem;

use crate::checks::{check_definite, check_vector};
use crate::content::{FullProblem, ProblemFile};
use crate::error::Refusal;

/// What `format` says in our own files.
pub(crate) const FORMAT: &str = "stiction-problem";
const VERSION: u32 = 1;

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    name: String,
    problem: Problem,
    guess: Option<Vec<f64>>,
}

#[derive(Serialize)]
struct DocumentRef<'a> {
    format: &'a str,
    version: u32,
    name: &'a str,
    problem: &'a Problem,
    #[serde(skip_serializing_if = "Option::is_none")]
    guess: Option<&'a [f64]>,
}

/// First look at a file: the shapes of dense matrices, whose product must not overflow when the
/// matrices are built.
#[derive(Deserialize)]
struct Shapes {
    version: u32,
    problem: ProblemShapes,
}

#[derive(Deserialize)]
struct ProblemShapes {
    subsystems: Vec<SubsystemShape>,
}

#[derive(Deserialize)]
enum SubsystemShape {
    FreeBody(IgnoredAny),
    Tree(IgnoredAny),
    Sparse(IgnoredAny),
    Dense((IgnoredAny, usize, usize)),
}

pub(crate) fn parse(bytes: &[u8]) -> Result<ProblemFile, Refusal> {
    let shapes: Shapes = serde_json::from_slice(bytes)?;
    if shapes.version != VERSION {
        return Err(Refusal::element(
            "version",
            format!("is {}, this program reads {VERSION}", shapes.version),
        ));
    }
    for (index, shape) in shapes.problem.subsystems.iter().enumerate() {
        if let SubsystemShape::Dense((_, rows, columns)) = shape
            && (rows != columns || rows.checked_mul(*columns).is_none())
        {
            return Err(Refusal::element(
                format!("subsystem {index}"),
                format!("is a dense matrix of {rows}×{columns}, which cannot be"),
            ));
        }
    }
    let document: Document = serde_json::from_slice(bytes)?;
    let problem = document.problem.rebuild_checked()?;
    check_definite(&problem)?;
    if let Some(guess) = &document.guess {
        check_vector("guess", guess, problem.row_count())?;
    }
    Ok(ProblemFile::Full(FullProblem {
        name: document.name,
        problem,
        solution: None,
        guess: document.guess,
    }))
}

pub(crate) fn to_json(full: &FullProblem) -> Result<Vec<u8>, serde_json::Error> {
    serde_json::to_vec(&DocumentRef {
        format: FORMAT,
        version: VERSION,
        name: &full.name,
        problem: &full.problem,
        guess: full.guess.as_deref(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_bytes;
    use nalgebra::{DMatrix, Matrix6, Vector6};
    use stiction_constraints::{Law, RowBlock, SparseSymmetric, Subsystem, Tree, TreeBody};

    /// Every kind of subsystem, row block and law.
    fn example() -> FullProblem {
        let mut problem = Problem::new();
        let inertia = Matrix6::from_diagonal(&Vector6::new(1.0, 1.0, 1.0, 0.1, 0.2, 0.3));
        let body = problem.push_free_body(inertia, &[0.1 + 0.2; 6]).unwrap();
        let link = |parent| TreeBody {
            parent,
            joint_dofs: 1,
            inertia,
        };
        let columns = vec![Vector6::new(0.0, 0.0, 0.0, 0.0, 0.0, 1.0); 2];
        let tree = Tree::new(vec![link(None), link(Some(0))], columns, vec![0.01; 2]).unwrap();
        let tree = problem.push_tree(tree, &[1e-300, -0.0]).unwrap();
        let sparse = SparseSymmetric::from_lower_entries(
            3,
            &[(0, 0, 2.0), (1, 1, 2.0), (2, 2, 2.0), (2, 0, 0.3)],
        )
        .unwrap();
        let sparse = problem.push_sparse(sparse, &[0.0; 3]).unwrap();
        let dense = problem
            .push_dense(DMatrix::identity(2, 2), &[1.0 / 3.0; 2])
            .unwrap();
        let on_body = RowBlock::Body {
            body: 0,
            values: &[0.7; 18],
        };
        let on_nodes = RowBlock::Nodes {
            nodes: &[0],
            weights: &[0.25],
            frame: &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        };
        let contact = [(body, on_body), (sparse, on_nodes)];
        for law in [
            Law::Contact { friction: 0.5 },
            Law::AnisotropicContact {
                friction: [0.2, 0.4],
            },
            Law::CompliantContact {
                friction: [0.1; 2],
                tangential_compliance: 1e-3,
                normal_compliance: 1e-4,
            },
        ] {
            problem
                .push_constraint(law, &[0.0, 0.1, -0.2], &contact)
                .unwrap();
        }
        let on_dof = [(
            dense,
            RowBlock::Dofs {
                dofs: &[1],
                values: &[1.0],
            },
        )];
        let on_joint = [(
            tree,
            RowBlock::Dofs {
                dofs: &[0, 1],
                values: &[1.0, -1.0],
            },
        )];
        for law in [
            Law::Unilateral,
            Law::Equality,
            Law::Soft {
                stiffness: 10.0,
                damping: 0.1,
            },
            Law::JointFriction { bound: 0.1 },
        ] {
            problem.push_constraint(law, &[0.05], &on_dof).unwrap();
        }
        for (lower, upper) in [(-1.0, f64::INFINITY), (f64::NEG_INFINITY, 0.5)] {
            let law = Law::JointLimit { lower, upper };
            problem.push_constraint(law, &[0.0], &on_joint).unwrap();
        }
        FullProblem {
            name: "everything".into(),
            problem,
            solution: None,
            guess: None,
        }
    }

    #[test]
    fn every_subsystem_and_law_comes_back_to_the_last_bit() {
        let full = example();
        let bytes = to_json(&full).unwrap();
        let ProblemFile::Full(back) = parse_bytes(&bytes, "x").unwrap() else {
            panic!("not a full problem");
        };
        assert_eq!(back, full);
        // Equality takes −0.0 for 0.0; the bytes do not.
        assert_eq!(to_json(&back).unwrap(), bytes);
    }

    #[test]
    fn the_example_has_every_kind_and_the_lists_of_kinds_too() {
        let FullProblem { problem, .. } = example();
        let laws = problem.constraints().iter().map(|c| c.law.kind());
        let laws: std::collections::BTreeSet<_> = laws.collect();
        assert_eq!(laws, Law::KINDS.into_iter().collect());
        let subsystems = problem.subsystems().iter().map(Subsystem::kind);
        let subsystems: std::collections::BTreeSet<_> = subsystems.collect();
        assert_eq!(subsystems, Subsystem::KINDS.into_iter().collect());
    }

    #[test]
    fn a_guess_comes_back_and_must_fit() {
        let mut full = example();
        let guess: Vec<f64> = (0..full.problem.row_count())
            .map(|k| 0.1 * k as f64)
            .collect();
        full.guess = Some(guess.clone());
        let bytes = to_json(&full).unwrap();
        let ProblemFile::Full(back) = parse_bytes(&bytes, "x").unwrap() else {
            panic!("not a full problem");
        };
        assert_eq!(back.guess, Some(guess));
        full.guess = Some(vec![0.0; 2]);
        let error = parse_bytes(&to_json(&full).unwrap(), "x").unwrap_err();
        assert!(
            error.to_string().contains("guess: has 2 numbers"),
            "{error}"
        );
    }

    #[test]
    fn hostile_files_are_refused() {
        let text = String::from_utf8(to_json(&example()).unwrap()).unwrap();
        let refused = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            parse_bytes(text.replacen(from, to, 1).as_bytes(), "x.json")
                .unwrap_err()
                .to_string()
        };
        let huge = u64::MAX.to_string();
        assert!(refused("\"version\":1", "\"version\":2").contains("version: is 2"));
        assert!(refused(",2,2]}", ",4294967296,4294967296]}").contains("subsystem 3: is a dense"));
        assert!(refused("\"joint_dofs\":1", &format!("\"joint_dofs\":{huge}")).contains("line 1"));
        assert!(
            refused("\"dimension\":3", &format!("\"dimension\":{huge}")).contains("subsystem 2")
        );
        assert!(
            refused("\"first_value\":0", &format!("\"first_value\":{huge}"))
                .contains("constraint 0")
        );
        assert!(
            refused("\"term_count\":2", &format!("\"term_count\":{huge}")).contains("constraint 0")
        );
        assert!(refused("\"friction\":0.5", "\"friction\":-0.5").contains("friction = -0.5"));
        assert!(refused("\"dof_start\":[0,6", "\"dof_start\":[0,7").contains("subsystem"));
    }
}
