//! The terms of a constraint as they are dealt out: which block each acts on, and with which numbers.

use stiction_constraints::{JointRows, Problem, RowBlock, Segment, Subsystem};

use super::Run;
use crate::lanes::{Lanes, columns_of};
use crate::settings::Splitting;

/// One term as it is dealt out: the block it acts on and the body, if it is kept on a body.
pub(super) struct Target {
    pub(super) block: usize,
    pub(super) body: Option<usize>,
}

/// Where the numbers of a term come from.
pub(super) enum Source<'a> {
    /// rows × 6 on a body.
    Body(&'a [f64]),
    /// A row block that is written out in joint space.
    Block(RowBlock<'a>),
    /// Rows in joint space, already added up.
    Segments(&'a [Segment]),
}

pub(super) fn bucket(first_bucket: &[usize], target: &Target) -> usize {
    match target.body {
        Some(body) => first_bucket[target.block] + body,
        None => first_bucket[target.block + 1] - 1,
    }
}

/// Visits the terms of a constraint as the splitting defines them.
pub(super) fn for_each_target(
    problem: &Problem,
    joint_rows: &JointRows,
    splitting: Splitting,
    dense_tree: &[bool],
    constraint: usize,
    mut visit: impl FnMut(Target, Source<'_>),
) {
    match splitting {
        Splitting::Body => {
            for (subsystem, block) in problem.terms(constraint) {
                // The bodies of a sparse subsystem are coupled by its matrix, which has no bodies apart.
                let is_sparse = matches!(problem.subsystems()[subsystem], Subsystem::Sparse(_));
                match block {
                    RowBlock::Body { body, values } if !dense_tree[subsystem] && !is_sparse => {
                        visit(
                            Target {
                                block: subsystem,
                                body: Some(body),
                            },
                            Source::Body(values),
                        );
                    }
                    _ => visit(
                        Target {
                            block: subsystem,
                            body: None,
                        },
                        Source::Block(block),
                    ),
                }
            }
        }
        Splitting::Subsystem => {
            for group in joint_rows
                .segments(constraint)
                .chunk_by(|a, b| a.subsystem == b.subsystem)
            {
                visit(
                    Target {
                        block: group[0].subsystem,
                        body: None,
                    },
                    Source::Segments(group),
                );
            }
        }
        Splitting::None => {
            let segments = joint_rows.segments(constraint);
            if !segments.is_empty() {
                visit(
                    Target {
                        block: 0,
                        body: None,
                    },
                    Source::Segments(segments),
                );
            }
        }
    }
}

/// Writes a row block out in joint space.
pub(super) fn push_runs(
    problem: &Problem,
    subsystem: usize,
    block: &RowBlock<'_>,
    runs: &mut Vec<Run>,
    run_columns: &mut Vec<Lanes>,
) {
    match *block {
        RowBlock::Body { body, values } => match &problem.subsystems()[subsystem] {
            Subsystem::Tree(tree) => {
                for dof in tree.path(tree.body_dof(body)) {
                    runs.push(Run {
                        first: dof,
                        len: 1,
                        first_column: run_columns.len(),
                    });
                    let axis = &tree.columns()[dof];
                    let mut column = Lanes::ZERO;
                    for (lane, row) in column.0.iter_mut().zip(values.chunks_exact(6)) {
                        *lane = row.iter().zip(axis.iter()).map(|(a, b)| a * b).sum();
                    }
                    run_columns.push(column);
                }
            }
            _ => {
                runs.push(Run {
                    first: 6 * body,
                    len: 6,
                    first_column: run_columns.len(),
                });
                run_columns.extend(columns_of(values, 6));
            }
        },
        RowBlock::Dofs { dofs, values } => {
            let mut at = 0;
            while at < dofs.len() {
                let mut len = 1;
                while at + len < dofs.len() && dofs[at + len] == dofs[at] + len {
                    len += 1;
                }
                runs.push(Run {
                    first: dofs[at],
                    len,
                    first_column: run_columns.len(),
                });
                run_columns.extend(columns_of(values, dofs.len()).skip(at).take(len));
                at += len;
            }
        }
        RowBlock::Nodes {
            nodes,
            weights,
            frame,
        } => {
            for (&node, &weight) in nodes.iter().zip(weights) {
                runs.push(Run {
                    first: 3 * node,
                    len: 3,
                    first_column: run_columns.len(),
                });
                let columns = columns_of(frame, 3);
                run_columns.extend(columns.map(|column| column.scaled(weight)));
            }
        }
    }
}
