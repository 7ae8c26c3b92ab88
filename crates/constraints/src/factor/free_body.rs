//! 6×6 block: Cholesky and explicit inverse.

use nalgebra::{Cholesky, Matrix3, Matrix6, Vector6};

/// A free body's 6×6 block with its inverse. The inverse is formed explicitly: it is used for
/// every contact of the body, and a 6×6 product is cheaper than two triangular solves.
#[derive(Debug, Clone, Default)]
pub struct FreeBodyFactor {
    matrix: Matrix6<f64>,
    inverse: Matrix6<f64>,
}

impl FreeBodyFactor {
    /// Factorises; `Err` when the matrix is not positive definite.
    #[expect(
        clippy::result_unit_err,
        reason = "the caller knows which block it is and names it"
    )]
    pub fn update(&mut self, matrix: &Matrix6<f64>) -> Result<(), ()> {
        self.matrix = *matrix;
        let coupling = matrix.fixed_view::<3, 3>(3, 0);
        if coupling.iter().all(|&value| value == 0.0) {
            // At the centre of mass translation and rotation are apart.
            for start in [0, 3] {
                let block: Matrix3<f64> = matrix.fixed_view::<3, 3>(start, start).into();
                let inverse = Cholesky::new(block).ok_or(())?.inverse();
                self.inverse
                    .fixed_view_mut::<3, 3>(start, start)
                    .copy_from(&inverse);
            }
            self.inverse.fixed_view_mut::<3, 3>(0, 3).fill(0.0);
            self.inverse.fixed_view_mut::<3, 3>(3, 0).fill(0.0);
        } else {
            self.inverse = Cholesky::new(*matrix).ok_or(())?.inverse();
        }
        Ok(())
    }

    /// out = A v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        out.copy_from_slice((self.matrix * Vector6::from_column_slice(v)).as_slice());
    }

    /// x ← A⁻¹ x.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        x.copy_from_slice((self.inverse * Vector6::from_column_slice(x)).as_slice());
    }

    /// Largest diagonal entry of A over what is left of it as a pivot (when it comes last): how much is lost.
    pub(super) fn largest_pivot_ratio(&self) -> f64 {
        let ratio = |dof| self.matrix[(dof, dof)] * self.inverse[(dof, dof)];
        (0..6).map(ratio).fold(0.0, f64::max)
    }

    /// Σ xᵀ A⁻¹ x over the four columns x of `columns`, which may leave out degrees of freedom at
    /// the end where they are zero.
    pub(super) fn inverse_norms_squared(&self, columns: &[[f64; 4]]) -> f64 {
        let mut sum = [0.0; 4];
        for (inverse, x) in self.inverse.column_iter().zip(columns) {
            let mut product = [0.0; 4];
            for (factor, y) in inverse.iter().zip(columns) {
                for lane in 0..4 {
                    product[lane] += factor * y[lane];
                }
            }
            for lane in 0..4 {
                sum[lane] += x[lane] * product[lane];
            }
        }
        sum.iter().sum()
    }

    pub(super) fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for column in 0..6 {
            for row in column..6 {
                visit(row, column, self.matrix[(row, column)]);
            }
        }
    }
}
