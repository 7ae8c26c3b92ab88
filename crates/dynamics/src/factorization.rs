//! Branch-sparse factorisations of the mass matrix, [RBDA, section 6.5].
//!
//! Eliminating from the leaves to the roots creates no entry outside the pattern of the tree: the
//! factor L lives in the storage of the matrix itself.

use nalgebra::DMatrix;

use crate::error::{DynamicsError, Result, check_length};
use crate::mass_matrix::MassMatrix;
use crate::model::Model;
use crate::model::topology::NO_DOF;

/// M = Lᵀ D L with L unit lower triangular.
#[derive(Clone, Debug)]
pub struct LdlFactorization {
    /// L below the diagonal; on it 1/D.
    factor: MassMatrix,
}

/// M = Lᵀ L with L lower triangular.
#[derive(Clone, Debug)]
pub struct LlFactorization {
    /// L below the diagonal; on it 1/L_kk.
    factor: MassMatrix,
}

impl LdlFactorization {
    /// Storage for the factor of a matrix of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            factor: MassMatrix::new(model),
        }
    }

    /// Factorises a matrix of the same model.
    ///
    /// # Errors
    /// If a pivot is not positive, naming its joint; the factor is then unusable.
    pub fn factorize(&mut self, model: &Model, mass: &MassMatrix) -> Result<()> {
        copy_values(&mut self.factor, mass, model)?;
        let MassMatrix {
            row_start,
            parent,
            values,
        } = &mut self.factor;
        for k in (0..parent.len()).rev() {
            let (above, row) = values[..row_start[k + 1]].split_at_mut(row_start[k]);
            let (pivot, row) = row.split_last_mut().expect("a row holds its diagonal");
            check_pivot(model, k, *pivot)?;
            let inverse = 1.0 / *pivot;
            let mut i = parent[k];
            for depth in (0..row.len()).rev() {
                let scale = row[depth] * inverse;
                let target = &mut above[row_start[i]..=row_start[i] + depth];
                subtract(target, scale, &row[..=depth]);
                row[depth] = scale;
                i = parent[i];
            }
            *pivot = inverse;
        }
        Ok(())
    }

    /// x ← M⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) -> Result<()> {
        check_length("x", x.len(), self.factor.nv())?;
        self.solve_upper(x)?;
        for (k, x) in x.iter_mut().enumerate() {
            *x *= self.inverse_pivot(k);
        }
        self.solve_lower(x)
    }

    /// x ← L⁻¹ x, from the roots out.
    pub fn solve_lower(&self, x: &mut [f64]) -> Result<()> {
        check_length("x", x.len(), self.factor.nv())?;
        for k in 0..x.len() {
            let mut sum = x[k];
            self.factor.for_each_above(k, |i, l| sum -= l * x[i]);
            x[k] = sum;
        }
        Ok(())
    }

    /// x ← L⁻ᵀ x, from the leaves in.
    pub fn solve_upper(&self, x: &mut [f64]) -> Result<()> {
        check_length("x", x.len(), self.factor.nv())?;
        for k in (0..x.len()).rev() {
            let xk = x[k];
            self.factor.for_each_above(k, |i, l| x[i] -= l * xk);
        }
        Ok(())
    }

    /// Xᵀ ← (M⁻¹ X)ᵀ for a square X: with one column of storage per degree of freedom, each step of
    /// the elimination is a sum of two contiguous columns.
    pub(crate) fn solve_transposed(&self, x: &mut DMatrix<f64>) {
        let n = self.factor.nv();
        let x = x.as_mut_slice();
        for k in (0..n).rev() {
            let (above, column) = x[..(k + 1) * n].split_at_mut(k * n);
            self.factor
                .for_each_above(k, |i, l| subtract(&mut above[i * n..][..n], l, column));
            let inverse = self.inverse_pivot(k);
            column.iter_mut().for_each(|x| *x *= inverse);
        }
        for k in 0..n {
            let (above, column) = x[..(k + 1) * n].split_at_mut(k * n);
            self.factor
                .for_each_above(k, |i, l| subtract(column, l, &above[i * n..][..n]));
        }
    }

    /// D_kk, the inertia about degree of freedom `k` with everything below it free to move.
    ///
    /// # Panics
    /// If `k` is not a degree of freedom.
    pub fn pivot(&self, k: usize) -> f64 {
        1.0 / self.inverse_pivot(k)
    }

    /// Writes M⁻¹ as a full matrix.
    pub fn write_inverse(&self, inverse: &mut DMatrix<f64>) -> Result<()> {
        let nv = self.factor.nv();
        check_length("inverse (rows)", inverse.nrows(), nv)?;
        check_length("inverse (columns)", inverse.ncols(), nv)?;
        for j in 0..nv {
            let mut column = inverse.column_mut(j);
            let x = column.as_mut_slice();
            x.fill(0.0);
            x[j] = 1.0;
            // L⁻ᵀ e_j reaches only the path from j to its root, D⁻¹ follows on the way
            let mut k = j;
            loop {
                let xk = x[k];
                self.factor.for_each_above(k, |i, l| x[i] -= l * xk);
                x[k] = xk * self.inverse_pivot(k);
                match self.factor.parent[k] {
                    NO_DOF => break,
                    parent => k = parent,
                }
            }
            // L⁻¹ from the root (k) out to j: the rest follows from symmetry
            for k in k..=j {
                let mut sum = x[k];
                self.factor.for_each_above(k, |i, l| sum -= l * x[i]);
                x[k] = sum;
            }
        }
        inverse.fill_lower_triangle_with_upper_triangle();
        Ok(())
    }

    fn inverse_pivot(&self, k: usize) -> f64 {
        self.factor.values[self.factor.row_start[k + 1] - 1]
    }
}

impl LlFactorization {
    /// Storage for the factor of a matrix of `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            factor: MassMatrix::new(model),
        }
    }

    /// Factorises a matrix of the same model.
    ///
    /// # Errors
    /// If a pivot is not positive, naming its joint; the factor is then unusable.
    pub fn factorize(&mut self, model: &Model, mass: &MassMatrix) -> Result<()> {
        copy_values(&mut self.factor, mass, model)?;
        let MassMatrix {
            row_start,
            parent,
            values,
        } = &mut self.factor;
        for k in (0..parent.len()).rev() {
            let (above, row) = values[..row_start[k + 1]].split_at_mut(row_start[k]);
            let (pivot, row) = row.split_last_mut().expect("a row holds its diagonal");
            check_pivot(model, k, *pivot)?;
            let inverse = 1.0 / pivot.sqrt();
            row.iter_mut().for_each(|x| *x *= inverse);
            let mut i = parent[k];
            for depth in (0..row.len()).rev() {
                let scale = row[depth];
                let target = &mut above[row_start[i]..=row_start[i] + depth];
                subtract(target, scale, &row[..=depth]);
                i = parent[i];
            }
            *pivot = inverse;
        }
        Ok(())
    }

    /// x ← M⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) -> Result<()> {
        self.solve_upper(x)?;
        self.solve_lower(x)
    }

    /// x ← L⁻¹ x, from the roots out.
    pub fn solve_lower(&self, x: &mut [f64]) -> Result<()> {
        check_length("x", x.len(), self.factor.nv())?;
        for k in 0..x.len() {
            let mut sum = x[k];
            self.factor.for_each_above(k, |i, l| sum -= l * x[i]);
            x[k] = sum * self.inverse_diagonal(k);
        }
        Ok(())
    }

    /// x ← L⁻ᵀ x, from the leaves in. The squared norm of L⁻ᵀ b is bᵀ M⁻¹ b.
    pub fn solve_upper(&self, x: &mut [f64]) -> Result<()> {
        check_length("x", x.len(), self.factor.nv())?;
        for k in (0..x.len()).rev() {
            let xk = x[k] * self.inverse_diagonal(k);
            x[k] = xk;
            self.factor.for_each_above(k, |i, l| x[i] -= l * xk);
        }
        Ok(())
    }

    fn inverse_diagonal(&self, k: usize) -> f64 {
        self.factor.values[self.factor.row_start[k + 1] - 1]
    }
}

/// x ← x − s y
#[inline]
fn subtract(x: &mut [f64], s: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x -= s * y;
    }
}

fn copy_values(factor: &mut MassMatrix, mass: &MassMatrix, model: &Model) -> Result<()> {
    check_length("mass matrix", mass.nv(), model.nv())?;
    check_length("factorization", factor.nv(), model.nv())?;
    check_length(
        "mass matrix (entries)",
        mass.values.len(),
        factor.values.len(),
    )?;
    factor.values.copy_from_slice(&mass.values);
    Ok(())
}

#[inline]
fn check_pivot(model: &Model, dof: usize, value: f64) -> Result<()> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    let joint = model.joint_name_of_dof(dof);
    Err(DynamicsError::NotPositiveDefinite { joint, dof, value })
}
