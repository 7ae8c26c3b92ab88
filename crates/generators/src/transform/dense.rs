//! Everything as matrices.

use nalgebra::DMatrix;
use stiction_constraints::{DynamicsMatrix, JointRows, Problem, ProblemError, RowBlock};

/// The same problem with every subsystem as a dense matrix and every row block in joint space: what
/// a textbook solver sees, and a check on all structured ones.
///
/// # Errors
/// A subsystem whose matrix is not positive definite.
pub fn densify(problem: &Problem) -> Result<Problem, ProblemError> {
    let mut dynamics = DynamicsMatrix::default();
    dynamics
        .update(problem)
        .map_err(|failure| ProblemError::Subsystem {
            subsystem: match failure {
                stiction_constraints::Failure::NotPositiveDefinite { subsystem } => subsystem,
                _ => 0,
            },
            reason: failure.to_string(),
        })?;
    let starts = problem.dof_starts();
    let mut blocks: Vec<DMatrix<f64>> = starts
        .windows(2)
        .map(|pair| DMatrix::zeros(pair[1] - pair[0], pair[1] - pair[0]))
        .collect();
    let mut owner = Vec::with_capacity(problem.dof_count());
    for (subsystem, pair) in starts.windows(2).enumerate() {
        owner.extend(std::iter::repeat_n(subsystem, pair[1] - pair[0]));
    }
    dynamics.for_each_lower_entry(|row, column, value| {
        let start = starts[owner[row]];
        let block = &mut blocks[owner[row]];
        block[(row - start, column - start)] = value;
        block[(column - start, row - start)] = value;
    });
    let mut out = Problem::new();
    for (subsystem, block) in blocks.into_iter().enumerate() {
        out.push_dense(
            block,
            &problem.b()[starts[subsystem]..starts[subsystem + 1]],
        )?;
    }
    let mut rows = JointRows::default();
    rows.update(problem);
    for (index, constraint) in problem.constraints().iter().enumerate() {
        let segments: Vec<(usize, Vec<usize>, &[f64])> = rows
            .segments(index)
            .iter()
            .map(|segment| {
                let first = segment.first_dof - starts[segment.subsystem];
                let dofs = (first..first + segment.len).collect();
                (segment.subsystem, dofs, rows.values(index, segment))
            })
            .collect();
        let terms: Vec<_> = segments
            .iter()
            .map(|(subsystem, dofs, values)| (*subsystem, RowBlock::Dofs { dofs, values }))
            .collect();
        out.push_constraint(constraint.law, problem.error(index), &terms)?;
    }
    Ok(out)
}
