//! A and J as dense matrices in twice the precision, put together anew from the problem's data.

use stiction_constraints::{Problem, RowBlock, Subsystem, Tree};

use super::double::Double;

/// A dense matrix by rows.
#[derive(Debug, Clone)]
pub(super) struct Matrix {
    pub(super) columns: usize,
    values: Vec<Double>,
}

impl Matrix {
    pub(super) fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            columns,
            values: vec![Double::ZERO; rows * columns],
        }
    }

    pub(super) fn row(&self, row: usize) -> &[Double] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    pub(super) fn row_mut(&mut self, row: usize) -> &mut [Double] {
        &mut self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// Σ over the columns of a row times a vector.
    pub(super) fn row_times(&self, row: usize, vector: &[Double]) -> Double {
        dot(self.row(row), vector)
    }
}

/// Σ aᵢ bᵢ; terms with a zero are left out, because most are.
pub(super) fn dot(a: &[Double], b: &[Double]) -> Double {
    let mut sum = Double::ZERO;
    for (a, b) in a.iter().zip(b) {
        if a.hi() != 0.0 && b.hi() != 0.0 {
            sum += *a * *b;
        }
    }
    sum
}

/// The matrix A_j of a subsystem.
pub(super) fn subsystem_matrix(subsystem: &Subsystem) -> Matrix {
    let n = subsystem.dof_count();
    let mut out = Matrix::zeros(n, n);
    match subsystem {
        Subsystem::FreeBody(inertia) => fill(&mut out, |i, j| inertia[(i, j)]),
        Subsystem::Dense(matrix) => fill(&mut out, |i, j| matrix[(i, j)]),
        Subsystem::Sparse(matrix) => {
            for column in 0..n {
                for entry in matrix.column_start()[column]..matrix.column_start()[column + 1] {
                    let row = matrix.row_index()[entry];
                    let value = Double::from(matrix.values()[entry]);
                    out.row_mut(row)[column] = value;
                    out.row_mut(column)[row] = value;
                }
            }
        }
        Subsystem::Tree(tree) => fill_tree(&mut out, tree),
    }
    out
}

fn fill(out: &mut Matrix, at: impl Fn(usize, usize) -> f64) {
    for i in 0..out.columns {
        for j in 0..out.columns {
            out.row_mut(i)[j] = (Double::from(at(i, j)) + at(j, i)) * 0.5;
        }
    }
}

/// Σ over bodies of S_bᵀ I_b S_b, plus the diagonal; S_b are the motion columns that move body b.
fn fill_tree(out: &mut Matrix, tree: &Tree) {
    for (index, body) in tree.bodies().iter().enumerate() {
        let path: Vec<usize> = tree.path(tree.body_dof(index)).collect();
        for &j in &path {
            let force: [Double; 6] = std::array::from_fn(|row| {
                let mut sum = Double::ZERO;
                for k in 0..6 {
                    let inertia =
                        (Double::from(body.inertia[(row, k)]) + body.inertia[(k, row)]) * 0.5;
                    sum += inertia * tree.columns()[j][k];
                }
                sum
            });
            for &i in &path {
                let mut sum = Double::ZERO;
                for (k, force) in force.iter().enumerate() {
                    sum += *force * tree.columns()[i][k];
                }
                out.row_mut(i)[j] += sum;
            }
        }
    }
    for (dof, &value) in tree.diagonal().iter().enumerate() {
        out.row_mut(dof)[dof] += Double::from(value);
    }
}

/// J, all rows on all degrees of freedom, and the sums of the sizes of what was added up in each
/// entry: rounding is relative to those.
pub(super) fn jacobian(problem: &Problem) -> (Matrix, Vec<f64>) {
    let dofs = problem.dof_count();
    let mut out = Matrix::zeros(problem.row_count(), dofs);
    let mut sizes = vec![0.0; problem.row_count() * dofs];
    for (index, constraint) in problem.constraints().iter().enumerate() {
        for (subsystem, block) in problem.terms(index) {
            let start = problem.dof_starts()[subsystem];
            for row in 0..constraint.rows {
                let target = constraint.first_row + row;
                let mut add = |dof: usize, value: Double| {
                    out.row_mut(target)[start + dof] += value;
                    sizes[target * dofs + start + dof] += value.hi().abs();
                };
                add_block(&problem.subsystems()[subsystem], &block, row, &mut add);
            }
        }
    }
    (out, sizes)
}

/// Hands on the numbers of one row of a block, each with its degree of freedom.
fn add_block(
    subsystem: &Subsystem,
    block: &RowBlock<'_>,
    row: usize,
    add: &mut impl FnMut(usize, Double),
) {
    match *block {
        RowBlock::Body { body, values } => {
            let values = &values[6 * row..6 * row + 6];
            if let Subsystem::Tree(tree) = subsystem {
                for dof in tree.path(tree.body_dof(body)) {
                    for k in 0..6 {
                        add(dof, Double::product(values[k], tree.columns()[dof][k]));
                    }
                }
            } else {
                // A free body, or one of a sparse subsystem of bodies.
                for (k, &value) in values.iter().enumerate() {
                    add(6 * body + k, Double::from(value));
                }
            }
        }
        RowBlock::Dofs { dofs, values } => {
            for (k, &dof) in dofs.iter().enumerate() {
                add(dof, Double::from(values[row * dofs.len() + k]));
            }
        }
        RowBlock::Nodes {
            nodes,
            weights,
            frame,
        } => {
            for (&node, &weight) in nodes.iter().zip(weights) {
                for axis in 0..3 {
                    let value = Double::product(weight, frame[3 * row + axis]);
                    add(3 * node + axis, value);
                }
            }
        }
    }
}

/// L with L Lᵀ = A; `None` where A is not positive definite.
pub(super) fn cholesky(mut matrix: Matrix) -> Option<Matrix> {
    let n = matrix.columns;
    for j in 0..n {
        for i in j..n {
            let sum = matrix.row(i)[j] - dot(&matrix.row(i)[..j], &matrix.row(j)[..j]);
            if i > j {
                let pivot = matrix.row(j)[j];
                matrix.row_mut(i)[j] = sum / pivot;
            } else if sum.hi() > 0.0 {
                matrix.row_mut(j)[j] = sum.sqrt();
            } else {
                return None;
            }
        }
        for k in j + 1..n {
            matrix.row_mut(j)[k] = Double::ZERO;
        }
    }
    Some(matrix)
}

/// x ← L⁻¹ x.
pub(super) fn solve_lower(factor: &Matrix, x: &mut [Double]) {
    for i in 0..factor.columns {
        let sum = x[i] - dot(&factor.row(i)[..i], &x[..i]);
        x[i] = sum / factor.row(i)[i];
    }
}

/// x ← L⁻ᵀ x.
pub(super) fn solve_upper(factor: &Matrix, x: &mut [Double]) {
    for i in (0..factor.columns).rev() {
        x[i] /= factor.row(i)[i];
        let value = x[i];
        for k in 0..i {
            let change = factor.row(i)[k] * value;
            x[k] -= change;
        }
    }
}
