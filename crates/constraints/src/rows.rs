//! Jacobian row blocks: what one constraint sees of one subsystem.

use serde::{Deserialize, Serialize};

/// A Jacobian row block of one constraint on one subsystem, as a user hands it in.
///
/// All blocks of a constraint have the constraint's number of rows; values are by rows.
/// The constraint's velocity is the sum of its blocks' velocities, so that a contact between two
/// bodies is the block of the first body and the negated block of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowBlock<'a> {
    /// On a body: rows × 6, (linear, angular), world axes at the subsystem's reference point (at the
    /// body's own in a sparse subsystem of bodies).
    Body {
        /// Body inside its subsystem (0 for a free body).
        body: usize,
        /// rows × 6 values by rows.
        values: &'a [f64],
    },
    /// On a few degrees of freedom: rows × dofs.
    Dofs {
        /// Degrees of freedom inside the subsystem, each named once.
        dofs: &'a [usize],
        /// rows × dofs values by rows.
        values: &'a [f64],
    },
    /// On nodes with three degrees of freedom each: weight × frame, for a point inside a
    /// deformable element.
    Nodes {
        /// Node numbers; node k owns dofs 3k, 3k + 1, 3k + 2 of the subsystem.
        nodes: &'a [usize],
        /// One weight per node.
        weights: &'a [f64],
        /// rows × 3 values by rows: the directions that the rows measure, world axes.
        frame: &'a [f64],
    },
}

impl RowBlock<'_> {
    /// Calls `visit(at, a, b)` for every number a·b of one row: a weight and a direction's entry for
    /// nodes, a value and 1 else. `at` is a degree of freedom of the subsystem; for a body it is an entry
    /// of the stacked velocities of bodies, 6 × body + k, which are the degrees of freedom except in a
    /// tree.
    #[inline]
    pub fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64, f64)) {
        match *self {
            RowBlock::Body { body, values } => {
                for (k, &value) in values[6 * row..6 * row + 6].iter().enumerate() {
                    visit(6 * body + k, value, 1.0);
                }
            }
            RowBlock::Dofs { dofs, values } => {
                for (&dof, &value) in dofs.iter().zip(&values[row * dofs.len()..]) {
                    visit(dof, value, 1.0);
                }
            }
            RowBlock::Nodes {
                nodes,
                weights,
                frame,
            } => {
                let direction = &frame[3 * row..3 * row + 3];
                for (&node, &weight) in nodes.iter().zip(weights) {
                    for (axis, &entry) in direction.iter().enumerate() {
                        visit(3 * node + axis, weight, entry);
                    }
                }
            }
        }
    }
}

/// Where a stored term keeps its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TermKind {
    Body { body: usize },
    Dofs { count: usize },
    Nodes { count: usize },
}

/// A stored term: one row block of one constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Term {
    pub(crate) subsystem: usize,
    pub(crate) kind: TermKind,
    /// First number in `Problem::coefficients`.
    pub(crate) first_value: usize,
    /// First index in `Problem::indices`.
    pub(crate) first_index: usize,
}

impl Term {
    /// How many values and how many indices the term owns; `None` where a count overflows.
    pub(crate) fn extent(&self, rows: usize) -> (Option<usize>, Option<usize>) {
        match self.kind {
            TermKind::Body { .. } => (Some(6 * rows), Some(0)),
            TermKind::Dofs { count } => (count.checked_mul(rows), Some(count)),
            TermKind::Nodes { count } => (count.checked_add(3 * rows), Some(count)),
        }
    }
}
