//! The Newton matrix as a dense matrix by rows.

use nalgebra::Matrix3;
use stiction_constraints::linear::{cholesky_in_place, cholesky_solve};
use stiction_constraints::{DynamicsMatrix, JointRows};

use super::factor::LuShape;
use super::{Part, factor, for_each_block};

/// Dense A + Jᵀ K J with its factor in place.
#[derive(Debug, Default)]
pub(super) struct DenseHessian {
    n: usize,
    /// A, both triangles, by rows.
    base: Vec<f64>,
    matrix: Vec<f64>,
    lu_shape: LuShape,
    product: Vec<f64>,
}

impl DenseHessian {
    pub(super) fn update(&mut self, n: usize, dynamics: &DynamicsMatrix) {
        self.n = n;
        self.base.clear();
        self.base.resize(n * n, 0.0);
        self.matrix.resize(n * n, 0.0);
        dynamics.for_each_lower_entry(|row, column, value| {
            self.base[row * n + column] = value;
            self.base[column * n + row] = value;
        });
    }

    pub(super) fn factorize_symmetric(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
    ) -> bool {
        self.assemble(rows, active, stiffness, Part::Lower);
        cholesky_in_place(self.n, &mut self.matrix)
    }

    pub(super) fn solve_symmetric(&self, x: &mut [f64]) {
        cholesky_solve(&self.matrix, x);
    }

    pub(super) fn factorize_general(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
    ) -> bool {
        self.assemble(rows, active, stiffness, Part::All);
        factor::lu_in_place(self.n, &mut self.matrix, &mut self.lu_shape)
    }

    pub(super) fn solve_general(&self, x: &mut [f64]) {
        factor::lu_solve(self.n, &self.matrix, &self.lu_shape, x);
    }

    pub(super) fn is_determinant_positive(&self) -> bool {
        factor::lu_is_positive(self.n, &self.matrix, &self.lu_shape)
    }

    fn assemble(
        &mut self,
        rows: &JointRows,
        active: &[usize],
        stiffness: &[Matrix3<f64>],
        part: Part,
    ) {
        self.matrix.copy_from_slice(&self.base);
        let (n, matrix) = (self.n, &mut self.matrix);
        for_each_block(
            rows,
            active,
            stiffness,
            part,
            &mut self.product,
            |_, a, b, j_a, kj_b| {
                let target = &mut matrix[a.first_dof * n..(a.first_dof + a.len) * n];
                if a.len == 6
                    && b.len == 6
                    && let (Ok(j_a), Ok(kj_b)) = (j_a.try_into(), kj_b.try_into())
                {
                    add_body_block(target, n, b.first_dof, j_a, kj_b);
                    return;
                }
                for (i, row) in target.chunks_exact_mut(n).enumerate() {
                    add_row(
                        &mut row[b.first_dof..b.first_dof + b.len],
                        i,
                        a.len,
                        j_a,
                        kj_b,
                    );
                }
            },
        );
    }
}

/// The block of a contact between two rigid bodies (or of one with itself): the common case, at
/// fixed size.
#[inline]
fn add_body_block(target: &mut [f64], n: usize, column: usize, j_a: &[f64; 18], kj_b: &[f64; 18]) {
    for (i, row) in target.chunks_exact_mut(n).enumerate().take(6) {
        let (a0, a1, a2) = (j_a[i], j_a[6 + i], j_a[12 + i]);
        let out = &mut row[column..column + 6];
        for c in 0..6 {
            out[c] += a0 * kj_b[c] + a1 * kj_b[6 + c] + a2 * kj_b[12 + c];
        }
    }
}

/// out += Σ_r J_a[r, i] · (K J_b)[r, ·].
#[inline]
fn add_row(out: &mut [f64], i: usize, a_len: usize, j_a: &[f64], kj_b: &[f64]) {
    let len = out.len();
    if kj_b.len() == 3 * len {
        let (a0, a1, a2) = (j_a[i], j_a[a_len + i], j_a[2 * a_len + i]);
        let (k0, rest) = kj_b.split_at(len);
        let (k1, k2) = rest.split_at(len);
        for c in 0..len {
            out[c] += a0 * k0[c] + a1 * k1[c] + a2 * k2[c];
        }
    } else {
        for (r, row) in kj_b.chunks_exact(len).enumerate() {
            let scale = j_a[r * a_len + i];
            for (o, value) in out.iter_mut().zip(row) {
                *o += scale * value;
            }
        }
    }
}
