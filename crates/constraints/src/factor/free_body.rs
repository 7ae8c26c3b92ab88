//! 6×6 block: Cholesky and explicit inverse.

use nalgebra::{Cholesky, Matrix6, Vector6};

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
        self.inverse = Cholesky::new(*matrix).ok_or(())?.inverse();
        Ok(())
    }

    /// A⁻¹.
    pub(super) fn inverse(&self) -> &Matrix6<f64> {
        &self.inverse
    }

    /// out = A v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        out.copy_from_slice((self.matrix * Vector6::from_column_slice(v)).as_slice());
    }

    /// x ← A⁻¹ x.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        x.copy_from_slice((self.inverse * Vector6::from_column_slice(x)).as_slice());
    }

    /// xᵀ A⁻¹ x.
    pub(super) fn inverse_norm_squared(&self, x: &[f64]) -> f64 {
        let x = Vector6::from_column_slice(x);
        x.dot(&(self.inverse * x))
    }

    pub(super) fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for column in 0..6 {
            for row in column..6 {
                visit(row, column, self.matrix[(row, column)]);
            }
        }
    }
}
