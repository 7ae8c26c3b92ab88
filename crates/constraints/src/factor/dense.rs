//! Dense block: Cholesky in place, storage reused.

use nalgebra::DMatrix;

use crate::linear::{cholesky_in_place, cholesky_solve};

/// A dense block with its Cholesky factor. Diagonal matrices (the identity that the reduced form
/// of a local problem has) are recognised and cost nothing.
#[derive(Debug, Clone, Default)]
pub struct DenseFactor {
    matrix: DMatrix<f64>,
    /// What [`cholesky_in_place`] leaves, dimension × dimension.
    factor: Vec<f64>,
    is_diagonal: bool,
}

impl DenseFactor {
    /// Factorises; `Err` when the matrix is not positive definite.
    #[expect(
        clippy::result_unit_err,
        reason = "the caller knows which block it is and names it"
    )]
    pub fn update(&mut self, matrix: &DMatrix<f64>) -> Result<(), ()> {
        let n = matrix.nrows();
        // `clone_from` of nalgebra allocates anew.
        if self.matrix.shape() == matrix.shape() {
            self.matrix.copy_from(matrix);
        } else {
            self.matrix = matrix.clone();
        }
        self.is_diagonal = (0..n).all(|j| (0..n).all(|i| i == j || matrix[(i, j)] == 0.0));
        if self.is_diagonal {
            return if (0..n).all(|i| matrix[(i, i)] > 0.0) {
                Ok(())
            } else {
                Err(())
            };
        }
        self.factor.resize(n * n, 0.0);
        for i in 0..n {
            for j in 0..=i {
                self.factor[i * n + j] = matrix[(i, j)];
            }
        }
        match cholesky_in_place(n, &mut self.factor) {
            true => Ok(()),
            false => Err(()),
        }
    }

    /// out = A v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        if self.is_diagonal {
            for i in 0..v.len() {
                out[i] = self.matrix[(i, i)] * v[i];
            }
            return;
        }
        out.fill(0.0);
        for (column, &value) in self.matrix.column_iter().zip(v) {
            for (sum, entry) in out.iter_mut().zip(column.iter()) {
                *sum += entry * value;
            }
        }
    }

    /// x ← A⁻¹ x.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        if self.is_diagonal {
            for i in 0..x.len() {
                x[i] /= self.matrix[(i, i)];
            }
        } else {
            cholesky_solve(&self.factor, x);
        }
    }

    /// Largest diagonal entry of A over what is left of it as a pivot: how much is lost.
    pub(super) fn largest_pivot_ratio(&self) -> f64 {
        if self.is_diagonal {
            return 0.0;
        }
        let n = self.matrix.nrows();
        let ratio = |i| self.matrix[(i, i)] * self.factor[i * n + i].powi(2);
        (0..n).map(ratio).fold(0.0, f64::max)
    }

    pub(super) fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        let n = self.matrix.nrows();
        for column in 0..n {
            for row in column..if self.is_diagonal { column + 1 } else { n } {
                visit(row, column, self.matrix[(row, column)]);
            }
        }
    }
}
