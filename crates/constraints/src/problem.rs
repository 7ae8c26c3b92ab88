//! The discrete problem as plain data.

use nalgebra::Vector3;
use serde::Deserialize;

use crate::error::ProblemError;
use crate::law::Law;
use crate::problem_in_file::ProblemInFile;
use crate::rows::{RowBlock, Term, TermKind};
use crate::subsystem::Subsystem;

/// Most rows that a constraint may have: three of force and three of torque.
pub const MAX_ROWS: usize = 6;

/// One constraint: its law and where its rows are. Its error term is in [`Problem::error`].
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// The relation between J v̂ and λ.
    pub law: Law,
    /// Number of rows, 1 to [`MAX_ROWS`]; each law says which it takes.
    pub rows: usize,
    /// First row in stacked vectors.
    pub first_row: usize,
    pub(crate) first_term: usize,
    pub(crate) term_count: usize,
}

impl Constraint {
    /// A constraint without a place yet, checked: its law, its number of rows and its error term.
    pub(crate) fn checked(
        index: usize,
        law: Law,
        rows: usize,
        error: &[f64],
    ) -> Result<Self, ProblemError> {
        let refuse = |field, value, reason| ProblemError::Constraint {
            constraint: index,
            field,
            value,
            reason,
        };
        law.check(rows)
            .map_err(|(field, value, reason)| refuse(field, value, reason))?;
        if error.len() != rows {
            let reason = "has another number of rows than the constraint";
            return Err(refuse("e", error.len() as f64, reason));
        }
        if let Some(&value) = error.iter().find(|value| !value.is_finite()) {
            return Err(refuse("e", value, "is not finite"));
        }
        Ok(Self {
            law,
            rows,
            first_row: 0,
            first_term: 0,
            term_count: 0,
        })
    }

    /// The constraint's rows in stacked vectors such as λ.
    pub fn row_range(&self) -> std::ops::Range<usize> {
        self.first_row..self.first_row + self.rows
    }

    /// The constraint's part of a stacked row vector such as λ or e, padded with zeros: for laws of at
    /// most three rows.
    #[inline]
    pub fn load(&self, stacked: &[f64]) -> Vector3<f64> {
        debug_assert!(self.rows <= 3, "{} rows do not fit", self.rows);
        if self.rows == 3 {
            Vector3::from_column_slice(&stacked[self.first_row..self.first_row + 3])
        } else {
            let mut out = Vector3::zeros();
            for (to, from) in out.iter_mut().zip(&stacked[self.row_range()]) {
                *to = *from;
            }
            out
        }
    }

    /// Whether this is a contact that opens, z_n + e_n > 0, and has no impulse: it obeys its law, and
    /// its natural map is zero all around. In most problems most contacts are such. `false` when a
    /// velocity is not finite. All vectors are stacked; `errors` is [`Problem::errors`].
    #[inline]
    pub fn is_free(&self, errors: &[f64], row_velocity: &[f64], lambda: &[f64]) -> bool {
        if !self.law.is_contact() {
            return false;
        }
        let rows = self.first_row..self.first_row + 3;
        let (Ok([x, y, z]), Ok([a, b, c])) = (
            <[f64; 3]>::try_from(&row_velocity[rows.clone()]),
            <[f64; 3]>::try_from(&lambda[rows.clone()]),
        ) else {
            return false;
        };
        let e = errors[rows.end - 1];
        c == 0.0 && a == 0.0 && b == 0.0 && z + e > 0.0 && (x + y + z).is_finite()
    }

    /// Writes the constraint's part of a stacked row vector, for laws of at most three rows.
    #[inline]
    pub fn store(&self, value: &Vector3<f64>, stacked: &mut [f64]) {
        if self.rows == 3 {
            stacked[self.first_row..self.first_row + 3].copy_from_slice(value.as_slice());
        } else {
            stacked[self.row_range()].copy_from_slice(&value.as_slice()[..self.rows]);
        }
    }

    /// Number of Jacobian row blocks.
    pub fn term_count(&self) -> usize {
        self.term_count
    }
}

/// `A v̂ = b + Jᵀ λ` with `(J v̂, λ)` obeying each constraint's law [AL, (8)], as plain data.
///
/// A is block diagonal over [subsystems](Subsystem); J is kept as row blocks, unmultiplied.
/// Impulses λ are in N·s (N·m·s for angular rows), velocities in m/s (rad/s), contact rows are
/// ordered (t1, t2, n).
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(try_from = "ProblemInFile")]
pub struct Problem {
    pub(crate) subsystems: Vec<Subsystem>,
    pub(crate) dof_start: Vec<usize>,
    pub(crate) b: Vec<f64>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) errors: Vec<f64>,
    pub(crate) terms: Vec<Term>,
    pub(crate) coefficients: Vec<f64>,
    pub(crate) indices: Vec<usize>,
}

impl Problem {
    /// An empty problem, to be filled with the `push_…` methods.
    pub fn new() -> Self {
        Self {
            dof_start: vec![0],
            ..Self::default()
        }
    }

    /// The subsystems, in the order of pushing.
    pub fn subsystems(&self) -> &[Subsystem] {
        &self.subsystems
    }

    /// First degree of freedom of each subsystem, and the total as last entry.
    pub fn dof_starts(&self) -> &[usize] {
        if self.dof_start.is_empty() {
            &[0]
        } else {
            &self.dof_start
        }
    }

    /// The right-hand side b, all subsystems stacked, in N·s.
    pub fn b(&self) -> &[f64] {
        &self.b
    }

    /// The constraints, in the order of pushing.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The error terms e of all constraints, stacked by rows like λ: in m/s (rad/s for angular rows),
    /// for soft rows in the unit of the spring's deflection.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// The error term e of one constraint, one number per row.
    pub fn error(&self, constraint: usize) -> &[f64] {
        &self.errors[self.constraints[constraint].row_range()]
    }

    /// Total number of degrees of freedom.
    pub fn dof_count(&self) -> usize {
        self.b.len()
    }

    /// Total number of constraint rows.
    pub fn row_count(&self) -> usize {
        self.errors.len()
    }

    /// Number of constraints whose law is one of the contact laws.
    pub fn contact_count(&self) -> usize {
        self.constraints
            .iter()
            .filter(|constraint| constraint.law.is_contact())
            .count()
    }

    /// The Jacobian row blocks of a constraint, each with its subsystem.
    pub fn terms(&self, constraint: usize) -> impl Iterator<Item = (usize, RowBlock<'_>)> + '_ {
        let constraint = &self.constraints[constraint];
        self.terms[constraint.first_term..constraint.first_term + constraint.term_count]
            .iter()
            .map(move |term| (term.subsystem, self.row_block(term, constraint.rows)))
    }

    pub(crate) fn row_block(&self, term: &Term, rows: usize) -> RowBlock<'_> {
        let values = &self.coefficients[term.first_value..];
        let indices = &self.indices[term.first_index..];
        match term.kind {
            TermKind::Body { body } => RowBlock::Body {
                body,
                values: &values[..6 * rows],
            },
            TermKind::Dofs { count } => RowBlock::Dofs {
                dofs: &indices[..count],
                values: &values[..count * rows],
            },
            TermKind::Nodes { count } => RowBlock::Nodes {
                nodes: &indices[..count],
                weights: &values[..count],
                frame: &values[count..count + 3 * rows],
            },
        }
    }
}
