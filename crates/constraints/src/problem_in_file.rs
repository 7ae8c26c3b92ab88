//! How a [`Problem`] stands in a file: every constraint with its error term beside it, padded with
//! zeros to three numbers where it has fewer rows.

use serde::{Deserialize, Serialize, Serializer};

use crate::law::Law;
use crate::problem::{Constraint, MAX_ROWS, Problem};
use crate::rows::Term;
use crate::subsystem::Subsystem;

/// Numbers that an error term has in a file at least.
const PADDED: usize = 3;

#[derive(Serialize)]
struct ProblemRef<'a> {
    subsystems: &'a [Subsystem],
    dof_start: &'a [usize],
    b: &'a [f64],
    constraints: Vec<ConstraintInFile>,
    terms: &'a [Term],
    coefficients: &'a [f64],
    indices: &'a [usize],
}

/// A problem as read. Its places are not checked yet: see [`Problem::rebuild_checked`].
#[derive(Deserialize)]
#[serde(rename = "Problem")]
pub(crate) struct ProblemInFile {
    subsystems: Vec<Subsystem>,
    dof_start: Vec<usize>,
    b: Vec<f64>,
    constraints: Vec<ConstraintInFile>,
    terms: Vec<Term>,
    coefficients: Vec<f64>,
    indices: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Constraint")]
struct ConstraintInFile {
    law: Law,
    error: Vec<f64>,
    rows: usize,
    first_row: usize,
    first_term: usize,
    term_count: usize,
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let constraints = self.constraints.iter().map(|constraint| {
            let mut error = self.errors[constraint.row_range()].to_vec();
            error.resize(constraint.rows.max(PADDED), 0.0);
            ConstraintInFile {
                law: constraint.law,
                error,
                rows: constraint.rows,
                first_row: constraint.first_row,
                first_term: constraint.first_term,
                term_count: constraint.term_count,
            }
        });
        let whole = ProblemRef {
            subsystems: &self.subsystems,
            dof_start: &self.dof_start,
            b: &self.b,
            constraints: constraints.collect(),
            terms: &self.terms,
            coefficients: &self.coefficients,
            indices: &self.indices,
        };
        whole.serialize(serializer)
    }
}

impl TryFrom<ProblemInFile> for Problem {
    type Error = String;

    fn try_from(file: ProblemInFile) -> Result<Self, String> {
        let mut errors = Vec::new();
        let mut constraints = Vec::with_capacity(file.constraints.len());
        for (index, constraint) in file.constraints.into_iter().enumerate() {
            let rows = constraint.rows;
            if !(1..=MAX_ROWS).contains(&rows) {
                return Err(format!(
                    "constraint {index}: rows = {rows}: a constraint has one to six rows"
                ));
            }
            if constraint.error.len() != rows.max(PADDED) {
                return Err(format!(
                    "constraint {index}: e has {} numbers, {} expected",
                    constraint.error.len(),
                    rows.max(PADDED)
                ));
            }
            constraints.push(Constraint {
                law: constraint.law,
                rows,
                first_row: errors.len(),
                first_term: constraint.first_term,
                term_count: constraint.term_count,
            });
            errors.extend_from_slice(&constraint.error[..rows]);
        }
        Ok(Self {
            subsystems: file.subsystems,
            dof_start: file.dof_start,
            b: file.b,
            constraints,
            errors,
            terms: file.terms,
            coefficients: file.coefficients,
            indices: file.indices,
        })
    }
}
