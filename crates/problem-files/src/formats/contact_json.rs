//! Local and global contact problems as JSON.
//!
//! One object with `name`, `kind` (`"local"` or `"global"`), `dimension` = 3, `component_order` =
//! `"normal,tangent1,tangent2"`, `n_contacts`, `mu` (one number per contact) and
//!
//! - local: `W` (3nc × 3nc) and `q` (3nc), for u = W r + q;
//! - global: `M` (n × n), `H` (n × 3nc), `f` (n), `w` (3nc), for M v = H r + f, u = Hᵀ v + w.
//!
//! Matrices are `{"format":"csc","shape":[rows,columns],"indptr":[…],"indices":[…],"data":[…]}`
//! with rows ascending within each column. `family`, `source`, `license`, `info` and `note` are
//! kept; other fields are ignored.

use serde::{Deserialize, Serialize};

use crate::content::{Origin, ProblemFile};
use crate::csc_matrix::CscMatrix;
use crate::error::Refusal;
use crate::reduction::{GlobalProblem, LocalProblem};

const COMPONENT_ORDER: &str = "normal,tangent1,tangent2";

#[derive(Serialize, Deserialize)]
struct Matrix {
    format: String,
    shape: [usize; 2],
    indptr: Vec<usize>,
    indices: Vec<usize>,
    data: Vec<f64>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Local,
    Global,
}

#[derive(Serialize, Deserialize)]
#[expect(non_snake_case, reason = "the names of the file format")]
struct Document {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    family: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    license: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    info: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<serde_json::Value>,
    kind: Kind,
    dimension: usize,
    component_order: String,
    n_contacts: usize,
    mu: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    W: Option<Matrix>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    q: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    M: Option<Matrix>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    H: Option<Matrix>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    f: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    w: Option<Vec<f64>>,
}

pub(crate) fn parse(bytes: &[u8]) -> Result<ProblemFile, Refusal> {
    let document: Document = serde_json::from_slice(bytes)?;
    if document.dimension != 3 {
        return Err(Refusal::element(
            "dimension",
            format!("is {}, only 3 is supported", document.dimension),
        ));
    }
    if document.component_order != COMPONENT_ORDER {
        return Err(Refusal::element(
            "component_order",
            format!(
                "is \"{}\", only \"{COMPONENT_ORDER}\" is supported",
                document.component_order
            ),
        ));
    }
    if document.mu.len() != document.n_contacts {
        return Err(Refusal::element(
            "mu",
            format!(
                "has {} numbers, n_contacts is {}",
                document.mu.len(),
                document.n_contacts
            ),
        ));
    }
    let origin = Origin {
        name: document.name,
        family: document.family,
        source: document.source,
        license: document.license,
        info: document.info,
        note: document.note,
    };
    match document.kind {
        Kind::Local => LocalProblem::checked(
            origin,
            document.mu,
            matrix("W", needed("W", "local", document.W)?)?,
            needed("q", "local", document.q)?,
        )
        .map(ProblemFile::Local),
        Kind::Global => GlobalProblem::checked(
            origin,
            document.mu,
            matrix("M", needed("M", "global", document.M)?)?,
            matrix("H", needed("H", "global", document.H)?)?,
            needed("f", "global", document.f)?,
            needed("w", "global", document.w)?,
        )
        .map(ProblemFile::Global),
    }
}

fn needed<T>(field: &str, kind: &str, value: Option<T>) -> Result<T, Refusal> {
    value.ok_or_else(|| Refusal::element(field, format!("is missing, a {kind} problem needs it")))
}

fn matrix(name: &str, matrix: Matrix) -> Result<CscMatrix, Refusal> {
    if matrix.format != "csc" {
        return Err(Refusal::element(
            format!("{name}.format"),
            format!("is \"{}\", only \"csc\" is supported", matrix.format),
        ));
    }
    let [rows, columns] = matrix.shape;
    CscMatrix::new(rows, columns, matrix.indptr, matrix.indices, matrix.data)
        .map_err(|(field, reason)| Refusal::element(format!("{name}.{field}"), reason))
}

pub(crate) fn local_to_json(problem: &LocalProblem) -> Result<Vec<u8>, serde_json::Error> {
    let document = Document {
        W: Some(to_matrix(&problem.delassus)),
        q: Some(problem.free_velocity.clone()),
        ..document(&problem.origin, Kind::Local, &problem.friction)
    };
    serde_json::to_vec(&document)
}

pub(crate) fn global_to_json(problem: &GlobalProblem) -> Result<Vec<u8>, serde_json::Error> {
    let document = Document {
        M: Some(to_matrix(&problem.mass)),
        H: Some(to_matrix(&problem.directions)),
        f: Some(problem.force.clone()),
        w: Some(problem.bias.clone()),
        ..document(&problem.origin, Kind::Global, &problem.friction)
    };
    serde_json::to_vec(&document)
}

fn to_matrix(matrix: &CscMatrix) -> Matrix {
    Matrix {
        format: "csc".into(),
        shape: [matrix.rows(), matrix.columns()],
        indptr: matrix.column_start().to_vec(),
        indices: matrix.row_index().to_vec(),
        data: matrix.values().to_vec(),
    }
}

fn document(origin: &Origin, kind: Kind, friction: &[f64]) -> Document {
    let origin = origin.clone();
    Document {
        name: origin.name,
        family: origin.family,
        source: origin.source,
        license: origin.license,
        info: origin.info,
        note: origin.note,
        kind,
        dimension: 3,
        component_order: COMPONENT_ORDER.into(),
        n_contacts: friction.len(),
        mu: friction.to_vec(),
        W: None,
        q: None,
        M: None,
        H: None,
        f: None,
        w: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_bytes;

    fn local(change: impl Fn(String) -> String) -> Result<ProblemFile, String> {
        let text = r#"{"name":"one","kind":"local","dimension":3,
            "component_order":"normal,tangent1,tangent2","n_contacts":1,"mu":[0.5],
            "W":{"format":"csc","shape":[3,3],"indptr":[0,1,2,3],"indices":[0,1,2],"data":[1.0,2.0,3.0]},
            "q":[-1.0,0.5,0.25],"note":"by hand"}"#;
        parse_bytes(change(text.into()).as_bytes(), "one.json").map_err(|e| e.to_string())
    }

    fn replaced(from: &'static str, to: &'static str) -> String {
        local(|text| {
            assert!(text.contains(from));
            text.replace(from, to)
        })
        .unwrap_err()
    }

    #[test]
    fn local_problem_is_read_and_written_back() {
        let file = local(|text| text).unwrap();
        let ProblemFile::Local(problem) = &file else {
            panic!("not local");
        };
        assert_eq!(problem.free_velocity(), [-1.0, 0.5, 0.25]);
        assert_eq!(problem.origin.note, Some("by hand".into()));
        let bytes = local_to_json(problem).unwrap();
        assert_eq!(parse_bytes(&bytes, "again").unwrap(), file);
    }

    #[test]
    fn faults_name_file_element_and_reason() {
        for (from, to, expected) in [
            ("0.25]", "NaN]", "line 4, column"),
            ("0.25]", "1e999]", "number out of range"),
            ("[0,1,2,3]", "[0,2,1,3]", "W.indptr[2]: is 1, less than 2"),
            ("[0,1,2],", "[0,1,7],", "W.indices[2]: is row 7"),
            ("[3,3]", "[3,18446744073709551615]", "W.indptr"),
            ("[3,3]", "[3,-3]", "line 3"),
            ("[0.5]", "[-0.5]", "mu[0]: is -0.5"),
            ("[0.5]", "[0.5,0.5]", "mu: has 2 numbers, n_contacts is 1"),
            (
                "\"n_contacts\":1",
                "\"n_contacts\":18446744073709551615",
                "n_contacts is",
            ),
            ("normal,tangent1,tangent2", "t1,t2,n", "component_order"),
            ("\"dimension\":3", "\"dimension\":2", "dimension: is 2"),
            ("csc", "csr", "W.format"),
            ("\"W\"", "\"X\"", "W: is missing"),
            (
                "\"kind\":\"local\"",
                "\"kind\":\"other\"",
                "unknown variant",
            ),
            ("[-1.0,0.5,", "[0.5,", "q: has 2 numbers, 3 expected"),
        ] {
            let text = replaced(from, to);
            assert!(
                text.starts_with("one.json: ") && text.contains(expected),
                "{text}"
            );
        }
    }
}
