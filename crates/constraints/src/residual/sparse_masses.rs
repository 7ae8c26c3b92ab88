//! Traces of J A_j⁻¹ Jᵀ on sparse subsystems, for many constraints at a time: their ways through the factor
//! run together towards its end, where most of the work is.

use crate::factor::{DynamicsMatrix, Gram};
use crate::joint_rows::JointRows;
use crate::problem::Problem;

/// Constraints that are worked on together. More of them need more memory and are hardly faster.
const TOGETHER: usize = 64;

/// The traces, with what is needed to find them.
#[derive(Debug, Default)]
pub(super) struct SparseMasses {
    groups: Vec<Group>,
    /// By number of the group.
    traces: Vec<f64>,
    gram: Gram,
}

/// The segments of a constraint on one sparse subsystem.
#[derive(Debug, Clone, Copy)]
struct Group {
    subsystem: usize,
    /// In the order of constraints and their segments.
    number: usize,
    constraint: usize,
    first_segment: usize,
    segment_count: usize,
}

impl SparseMasses {
    /// Σ xᵀ A_j⁻¹ x over the rows x of each constraint on each sparse subsystem, in the order of constraints
    /// and their segments.
    pub(super) fn update(
        &mut self,
        problem: &Problem,
        dynamics: &DynamicsMatrix,
        rows: &JointRows,
    ) -> &[f64] {
        self.groups.clear();
        for constraint in 0..rows.constraint_count() {
            let mut first_segment = 0;
            for same in rows
                .segments(constraint)
                .chunk_by(|a, b| a.subsystem == b.subsystem)
            {
                if dynamics.is_sparse(same[0].subsystem) {
                    self.groups.push(Group {
                        subsystem: same[0].subsystem,
                        number: self.groups.len(),
                        constraint,
                        first_segment,
                        segment_count: same.len(),
                    });
                }
                first_segment += same.len();
            }
        }
        self.groups
            .sort_unstable_by_key(|group| (group.subsystem, group.number));
        self.traces.clear();
        self.traces.resize(self.groups.len(), 0.0);
        let Self {
            groups,
            traces,
            gram,
        } = self;
        for same in groups.chunk_by(|a, b| a.subsystem == b.subsystem) {
            let start = problem.dof_starts()[same[0].subsystem];
            for together in same.chunks(TOGETHER) {
                gram.clear();
                for group in together {
                    push_rows(gram, problem, rows, group, start);
                }
                dynamics.inverse_norms(same[0].subsystem, gram);
                let mut column = 0;
                for group in together {
                    let own = column..column + problem.constraints()[group.constraint].rows;
                    column = own.end;
                    traces[group.number] = own.map(|column| gram.norm_squared(column)).sum();
                }
            }
        }
        traces
    }
}

/// The rows of a group, each a column.
fn push_rows(gram: &mut Gram, problem: &Problem, rows: &JointRows, group: &Group, start: usize) {
    let segments = &rows.segments(group.constraint)[group.first_segment..][..group.segment_count];
    for row in 0..problem.constraints()[group.constraint].rows {
        gram.push_column();
        for segment in segments {
            let values = &rows.values(group.constraint, segment)[row * segment.len..];
            for (k, &value) in values[..segment.len].iter().enumerate() {
                gram.push_entry(segment.first_dof - start + k, value);
            }
        }
    }
}
