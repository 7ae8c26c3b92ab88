//! Writing one constraint straight into a [`Problem`]: its row blocks are filled in place, so that no
//! number of J is stored twice.

use crate::error::ProblemError;
use crate::law::Law;
use crate::problem::{Constraint, Problem};
use crate::rows::{Term, TermKind};
use crate::subsystem::Subsystem;

/// Appends the row blocks of one constraint to a problem, and its law and error term at the end.
/// Dropped unfinished, it leaves no trace.
///
/// ```
/// use nalgebra::Matrix6;
/// use stiction_constraints::{Law, Problem};
///
/// # fn main() -> Result<(), stiction_constraints::ProblemError> {
/// let mut problem = Problem::new();
/// let body = problem.push_free_body(Matrix6::identity(), &[0.0, 0.0, -0.1, 0.0, 0.0, 0.0])?;
/// let mut row = problem.begin_constraint(1);
/// row.body(body, 0)[2] = 1.0;
/// row.finish(Law::Unilateral, &[0.0])?;
/// assert_eq!(problem.row_count(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ConstraintWriter<'p> {
    problem: &'p mut Problem,
    rows: usize,
    first_term: usize,
    first_value: usize,
    first_index: usize,
    is_finished: bool,
}

/// A row block on degrees of freedom while it is written.
#[derive(Debug)]
pub struct DofBlock<'a> {
    /// The degrees of freedom that the block names.
    pub dofs: &'a [usize],
    /// rows × dofs values by rows, zero at first.
    pub values: &'a mut [f64],
    /// The subsystem as it stands in the problem; `None` if there is no such one, which
    /// [`ConstraintWriter::finish`] refuses.
    pub subsystem: Option<&'a Subsystem>,
}

impl Problem {
    /// Begins a constraint of this many rows.
    pub fn begin_constraint(&mut self, rows: usize) -> ConstraintWriter<'_> {
        ConstraintWriter {
            rows,
            first_term: self.terms.len(),
            first_value: self.coefficients.len(),
            first_index: self.indices.len(),
            is_finished: false,
            problem: self,
        }
    }
}

impl ConstraintWriter<'_> {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A block on a body: rows × 6 values by rows, zero at first, (linear, angular), world axes at
    /// the subsystem's reference point.
    pub fn body(&mut self, subsystem: usize, body: usize) -> &mut [f64] {
        self.term(subsystem, TermKind::Body { body });
        self.values(6 * self.rows)
    }

    /// A block on degrees of freedom of a subsystem, each named once.
    pub fn dofs(
        &mut self,
        subsystem: usize,
        dofs: impl IntoIterator<Item = usize>,
    ) -> DofBlock<'_> {
        let first_index = self.problem.indices.len();
        self.problem.indices.extend(dofs);
        let count = self.problem.indices.len() - first_index;
        let first_value = self.problem.coefficients.len();
        self.problem.terms.push(Term {
            subsystem,
            kind: TermKind::Dofs { count },
            first_value,
            first_index,
        });
        let values = first_value + count * self.rows;
        self.problem.coefficients.resize(values, 0.0);
        DofBlock {
            dofs: &self.problem.indices[first_index..],
            values: &mut self.problem.coefficients[first_value..],
            subsystem: self.problem.subsystems.get(subsystem),
        }
    }

    /// A block on nodes of a subsystem, each named once with its weight: returns rows × 3 values by
    /// rows, zero at first, for the directions that the rows measure, world axes.
    pub fn nodes(
        &mut self,
        subsystem: usize,
        nodes: impl IntoIterator<Item = (usize, f64)>,
    ) -> &mut [f64] {
        let first_index = self.problem.indices.len();
        let first_value = self.problem.coefficients.len();
        for (node, weight) in nodes {
            self.problem.indices.push(node);
            self.problem.coefficients.push(weight);
        }
        let count = self.problem.indices.len() - first_index;
        self.problem.terms.push(Term {
            subsystem,
            kind: TermKind::Nodes { count },
            first_value,
            first_index,
        });
        self.values(3 * self.rows)
    }

    fn term(&mut self, subsystem: usize, kind: TermKind) {
        self.problem.terms.push(Term {
            subsystem,
            kind,
            first_value: self.problem.coefficients.len(),
            first_index: self.problem.indices.len(),
        });
    }

    fn values(&mut self, count: usize) -> &mut [f64] {
        let first = self.problem.coefficients.len();
        self.problem.coefficients.resize(first + count, 0.0);
        &mut self.problem.coefficients[first..]
    }

    /// Ends the constraint with its law and its error term, one number per row; returns its index.
    ///
    /// # Errors
    /// A law parameter, an error term, a subsystem, body, dof or node that is not possible. The
    /// problem is then as it was.
    pub fn finish(mut self, law: Law, error: &[f64]) -> Result<usize, ProblemError> {
        let index = self.problem.constraints.len();
        let constraint = Constraint::checked(index, law, self.rows, error)?;
        for (number, term) in self.problem.terms[self.first_term..].iter().enumerate() {
            self.problem
                .check_block(
                    self.rows,
                    term.subsystem,
                    &self.problem.row_block(term, self.rows),
                )
                .map_err(|reason| ProblemError::Term {
                    constraint: index,
                    term: number,
                    reason,
                })?;
        }
        let constraint = Constraint {
            first_row: self.problem.row_count(),
            first_term: self.first_term,
            term_count: self.problem.terms.len() - self.first_term,
            ..constraint
        };
        self.problem.constraints.push(constraint);
        self.problem.errors.extend_from_slice(error);
        self.is_finished = true;
        Ok(index)
    }
}

impl Drop for ConstraintWriter<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.problem.terms.truncate(self.first_term);
            self.problem.coefficients.truncate(self.first_value);
            self.problem.indices.truncate(self.first_index);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, Matrix6};

    use super::*;
    use crate::rows::RowBlock;

    fn problem() -> Problem {
        let mut problem = Problem::new();
        problem
            .push_free_body(Matrix6::identity(), &[0.0; 6])
            .unwrap();
        problem
            .push_dense(DMatrix::identity(9, 9), &[0.0; 9])
            .unwrap();
        problem
    }

    #[test]
    fn writing_in_place_is_pushing() {
        let (mut written, mut pushed) = (problem(), problem());
        let body: Vec<f64> = (0..18).map(f64::from).collect();
        let frame: Vec<f64> = (20..29).map(f64::from).collect();
        let law = Law::Contact { friction: 0.5 };
        let blocks = [
            (
                0,
                RowBlock::Body {
                    body: 0,
                    values: &body,
                },
            ),
            (
                1,
                RowBlock::Nodes {
                    nodes: &[2, 0],
                    weights: &[0.25, 0.75],
                    frame: &frame,
                },
            ),
        ];
        pushed
            .push_constraint(law, &[1.0, 2.0, 3.0], &blocks)
            .unwrap();
        let dofs = (
            1,
            RowBlock::Dofs {
                dofs: &[3, 1],
                values: &[5.0, 6.0],
            },
        );
        pushed
            .push_constraint(Law::Equality, &[4.0], &[dofs])
            .unwrap();

        let mut row = written.begin_constraint(3);
        row.body(0, 0).copy_from_slice(&body);
        row.nodes(1, [(2, 0.25), (0, 0.75)]).copy_from_slice(&frame);
        row.finish(law, &[1.0, 2.0, 3.0]).unwrap();
        let mut row = written.begin_constraint(1);
        let block = row.dofs(1, [3, 1]);
        assert!(matches!(block.subsystem, Some(Subsystem::Dense(_))));
        block.values.copy_from_slice(&[5.0, 6.0]);
        row.finish(Law::Equality, &[4.0]).unwrap();
        assert_eq!(written, pushed);
    }

    #[test]
    fn what_is_refused_or_dropped_leaves_no_trace() {
        let untouched = problem();
        let mut tried = problem();
        let mut row = tried.begin_constraint(3);
        row.body(0, 0)[0] = f64::NAN;
        assert!(
            row.finish(Law::Contact { friction: 0.5 }, &[0.0; 3])
                .is_err()
        );
        assert_eq!(tried, untouched);
        let mut row = tried.begin_constraint(1);
        row.dofs(7, [0]);
        assert!(row.finish(Law::Equality, &[0.0]).is_err());
        let mut row = tried.begin_constraint(1);
        row.nodes(1, [(3, 1.0)]);
        assert!(row.finish(Law::Equality, &[0.0]).is_err());
        tried.begin_constraint(2).body(0, 0);
        assert!(
            tried
                .begin_constraint(1)
                .finish(Law::Equality, &[0.0, 0.0])
                .is_err()
        );
        assert_eq!(tried, untouched);
    }
}
