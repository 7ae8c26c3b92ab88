//! Newton's step in impulses: for few constraints on many degrees of freedom.
//!
//! A soft body has thousands of degrees of freedom and touches in some dozen places. Its factor of A is
//! there already; what a Newton step (A + Jᵀ K J) dv̂ = −Jᵀ f, dλ = −K J dv̂ − f needs beyond it are
//! the constraints' own equations, with W = J A⁻¹ Jᵀ, which is the same in all steps of a solve:
//!   (I + K W) dλ = −f.
//! That is the same step, and rounding is kinder to it: where K is huge, J dv̂ is a difference of what
//! nearly cancels, which dλ here is not.

use nalgebra::Matrix3;
use stiction_constraints::{Delassus, Problem, ResidualEvaluator};

use super::factor::{self, LuShape};

/// The most rows of constraints for each degree of freedom. W takes half a solve with A for each row, and the
/// factor of I + K W grows with their cube: with many more the sparse factor of A + Jᵀ K J costs less.
const ROWS_PER_DOF: f64 = 0.125;
/// Constraints of more rows than their matrix K has.
const MOST_ROWS: usize = 3;
/// A row that no column of the matrix belongs to.
const NONE: usize = usize::MAX;

/// I + K W with its factor. Storage is kept.
#[derive(Debug, Default)]
pub(crate) struct Condensed {
    delassus: Delassus,
    /// Constraints with K ≠ 0: all others follow from f alone.
    active: Vec<usize>,
    /// The column of each row in the matrix.
    column: Vec<usize>,
    /// By rows, each divided by its largest entry: K has any size.
    matrix: Vec<f64>,
    scale: Vec<f64>,
    shape: LuShape,
    inactive: Vec<f64>,
    through: Vec<f64>,
    right: Vec<f64>,
}

impl Condensed {
    /// Whether a problem is one of few constraints on many degrees of freedom.
    pub(crate) fn suits(problem: &Problem) -> bool {
        problem.row_count() as f64 <= ROWS_PER_DOF * problem.dof_count() as f64
            && problem
                .constraints()
                .iter()
                .all(|one| one.rows <= MOST_ROWS)
    }

    /// Takes over A and J.
    pub(crate) fn update(&mut self, problem: &Problem, evaluator: &mut ResidualEvaluator) {
        // The evaluator lends its factors: A must be borrowed to solve, J to read.
        let mut dynamics = std::mem::take(evaluator.dynamics());
        self.delassus
            .update(problem, &mut dynamics, evaluator.rows());
        *evaluator.dynamics() = dynamics;
        let rows = problem.row_count();
        for buffer in [&mut self.inactive, &mut self.through] {
            buffer.clear();
            buffer.resize(rows, 0.0);
        }
        // Room for all of them: how many are active changes from one step of Newton to the next.
        self.matrix.clear();
        self.matrix.reserve(rows * rows);
        for buffer in [&mut self.scale, &mut self.right] {
            buffer.clear();
            buffer.reserve(rows);
        }
        self.column.clear();
        self.column.reserve(rows);
        self.active.clear();
        self.active.reserve(problem.constraints().len());
        self.shape.reserve(rows);
    }

    /// out = J v̂ of impulses, for J A⁻¹ b.
    pub(crate) fn row_velocity(&self, free: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.delassus.mul(lambda, out);
        for (out, free) in out.iter_mut().zip(free) {
            *out += free;
        }
    }

    /// Factorises I + K W; `false` where it is singular.
    pub(crate) fn factorize(&mut self, problem: &Problem, stiffness: &[Matrix3<f64>]) -> bool {
        self.number(problem, stiffness);
        let n = self.scale.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for &index in &self.active {
            let (constraint, k) = (&problem.constraints()[index], &stiffness[index]);
            let first = self.column[constraint.first_row];
            for row in 0..constraint.rows {
                let target = &mut self.matrix[(first + row) * n..][..n];
                for inner in 0..constraint.rows {
                    let k = k[(row, inner)];
                    let mut values = self.delassus.row_values(index, inner);
                    for run in self.delassus.runs(index) {
                        let (part, rest) = values.split_at(run.len);
                        let columns = &self.column[run.first_row..run.first_row + run.len];
                        for (&column, value) in columns.iter().zip(part) {
                            if column != NONE {
                                target[column] += k * value;
                            }
                        }
                        values = rest;
                    }
                }
                target[first + row] += 1.0;
                let largest = target.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                self.scale[first + row] = 1.0 / largest;
                target.iter_mut().for_each(|entry| *entry /= largest);
            }
        }
        factor::lu_in_place(n, &mut self.matrix, &mut self.shape)
    }

    /// Which constraints are active, and the columns of their rows.
    fn number(&mut self, problem: &Problem, stiffness: &[Matrix3<f64>]) {
        self.active.clear();
        self.column.clear();
        self.column.resize(problem.row_count(), NONE);
        let mut count = 0;
        for (index, constraint) in problem.constraints().iter().enumerate() {
            if stiffness[index] == Matrix3::zeros() {
                continue;
            }
            self.active.push(index);
            for row in constraint.row_range() {
                self.column[row] = count;
                count += 1;
            }
        }
        self.scale.clear();
        self.scale.resize(count, 0.0);
    }

    /// dλ = −(I + K W)⁻¹ f.
    pub(crate) fn solve(
        &mut self,
        problem: &Problem,
        stiffness: &[Matrix3<f64>],
        f: &[f64],
        out: &mut [f64],
    ) {
        for (row, &column) in self.column.iter().enumerate() {
            self.inactive[row] = if column == NONE { f[row] } else { 0.0 };
            out[row] = -f[row];
        }
        self.delassus.mul(&self.inactive, &mut self.through);
        self.right.clear();
        for &index in &self.active {
            let constraint = &problem.constraints()[index];
            let pushed = stiffness[index] * constraint.load(&self.through);
            for (axis, row) in constraint.row_range().enumerate() {
                let scale = self.scale[self.right.len()];
                self.right.push(scale * (pushed[axis] - f[row]));
            }
        }
        let n = self.scale.len();
        factor::lu_solve(n, &self.matrix, &self.shape, &mut self.right);
        for (row, &column) in self.column.iter().enumerate() {
            if column != NONE {
                out[row] = self.right[column];
            }
        }
    }

    /// Whether det(A + Jᵀ K J) = det A · det(I + K W) is positive: A is.
    pub(crate) fn is_determinant_positive(&self) -> bool {
        factor::lu_is_positive(self.scale.len(), &self.matrix, &self.shape)
    }
}
