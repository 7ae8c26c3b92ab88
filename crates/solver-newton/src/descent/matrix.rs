//! A + Jᵀ K J with blocks K that are not symmetric, dense: what strict operators lead to.

use nalgebra::Matrix3;
use stiction_constraints::{DynamicsMatrix, JointRows};

/// A square matrix by columns with its factors L U.
#[derive(Debug, Default)]
pub(crate) struct GeneralMatrix {
    size: usize,
    entries: Vec<f64>,
    factors: Vec<f64>,
    /// Row that changed places with each row.
    pivots: Vec<usize>,
}

impl GeneralMatrix {
    /// A + Jᵀ K J with a block K for each constraint, each entry divided by `scale` of its row and column.
    pub(crate) fn assemble(
        &mut self,
        dynamics: &DynamicsMatrix,
        rows: &JointRows,
        stiffness: &[Matrix3<f64>],
        scale: &[f64],
    ) {
        let n = dynamics.dimension();
        self.size = n;
        self.entries.clear();
        self.entries.resize(n * n, 0.0);
        let entries = &mut self.entries;
        dynamics.for_each_lower_entry(|row, column, value| {
            entries[column * n + row] += value;
            if row != column {
                entries[row * n + column] += value;
            }
        });
        for (constraint, k) in stiffness.iter().enumerate() {
            if *k != Matrix3::zeros() {
                add_product(entries, n, rows, constraint, k);
            }
        }
        for (column, entries) in self.entries.chunks_exact_mut(n.max(1)).enumerate() {
            for (entry, row_scale) in entries.iter_mut().zip(scale) {
                *entry /= row_scale * scale[column];
            }
        }
    }

    /// L U with partial pivoting; `false` where the matrix is singular or not finite.
    pub(crate) fn factorize(&mut self) -> bool {
        let n = self.size;
        self.factors.clone_from(&self.entries);
        self.pivots.resize(n, 0);
        for k in 0..n {
            let column = &self.factors[k * n..(k + 1) * n];
            let mut pivot = k;
            for row in k + 1..n {
                if column[row].abs() > column[pivot].abs() {
                    pivot = row;
                }
            }
            self.pivots[k] = pivot;
            let value = column[pivot];
            if !(value.abs() > 0.0 && value.is_finite()) {
                return false;
            }
            if pivot != k {
                for column in self.factors.chunks_exact_mut(n) {
                    column.swap(k, pivot);
                }
            }
            let (before, after) = self.factors.split_at_mut((k + 1) * n);
            let lower = &mut before[k * n + k + 1..];
            for entry in lower.iter_mut() {
                *entry /= value;
            }
            for column in after.chunks_exact_mut(n) {
                let upper = column[k];
                if upper != 0.0 {
                    for (entry, lower) in column[k + 1..].iter_mut().zip(&*lower) {
                        *entry -= upper * lower;
                    }
                }
            }
        }
        true
    }

    /// x ← H⁻¹ x with the last factors.
    pub(crate) fn solve_in_place(&self, x: &mut [f64]) {
        let n = self.size;
        for (row, &pivot) in self.pivots.iter().enumerate() {
            x.swap(row, pivot);
        }
        for k in 0..n {
            let value = x[k];
            for (x, lower) in x[k + 1..]
                .iter_mut()
                .zip(&self.factors[k * n + k + 1..(k + 1) * n])
            {
                *x -= value * lower;
            }
        }
        for k in (0..n).rev() {
            let column = &self.factors[k * n..(k + 1) * n];
            let value = x[k] / column[k];
            x[k] = value;
            for (x, upper) in x[..k].iter_mut().zip(column) {
                *x -= value * upper;
            }
        }
    }

    /// H x.
    pub(crate) fn mul(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (column, &value) in self.entries.chunks_exact(self.size.max(1)).zip(x) {
            for (out, entry) in out.iter_mut().zip(column) {
                *out += value * entry;
            }
        }
    }

    /// Hᵀ x.
    pub(crate) fn mul_transpose(&self, x: &[f64], out: &mut [f64]) {
        for (out, column) in out
            .iter_mut()
            .zip(self.entries.chunks_exact(self.size.max(1)))
        {
            *out = column.iter().zip(x).map(|(a, b)| a * b).sum();
        }
    }
}

/// entries += Jᵀ K J of one constraint.
fn add_product(
    entries: &mut [f64],
    n: usize,
    rows: &JointRows,
    constraint: usize,
    k: &Matrix3<f64>,
) {
    let count = rows.rows(constraint).min(3);
    for b in rows.segments(constraint) {
        let b_values = rows.values(constraint, b);
        for offset in 0..b.len {
            let mut weighted = [0.0; 3];
            for (i, weighted) in weighted.iter_mut().enumerate().take(count) {
                for j in 0..count {
                    *weighted += k[(i, j)] * b_values[j * b.len + offset];
                }
            }
            let column = &mut entries[(b.first_dof + offset) * n..][..n];
            for a in rows.segments(constraint) {
                let a_values = rows.values(constraint, a);
                let run = &mut column[a.first_dof..a.first_dof + a.len];
                for (i, weight) in weighted.iter().enumerate().take(count) {
                    let row = &a_values[i * a.len..(i + 1) * a.len];
                    for (entry, value) in run.iter_mut().zip(row) {
                        *entry += weight * value;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_undone_and_a_singular_matrix_is_told() {
        let n = 5;
        let entry = |row: usize, column: usize| ((3 * row + 7 * column) as f64).sin();
        let mut matrix = GeneralMatrix {
            size: n,
            entries: (0..n * n).map(|at| entry(at % n, at / n)).collect(),
            ..GeneralMatrix::default()
        };
        // Sines of sums have rank two.
        for k in 0..n {
            matrix.entries[k * n + (k + 1) % n] += 2.0;
        }
        assert!(matrix.factorize());
        let x: Vec<f64> = (0..n).map(|i| i as f64 - 1.5).collect();
        let mut y = vec![0.0; n];
        matrix.mul(&x, &mut y);
        matrix.solve_in_place(&mut y);
        for (y, x) in y.iter().zip(&x) {
            assert!((y - x).abs() < 1e-12);
        }
        let mut transposed = vec![0.0; n];
        matrix.mul_transpose(&x, &mut transposed);
        let first: f64 = (0..n).map(|row| matrix.entries[row] * x[row]).sum();
        assert!((transposed[0] - first).abs() < 1e-14);
        matrix.entries[..n].fill(0.0);
        assert!(!matrix.factorize());
    }
}
