//! Tree block: composite-rigid-body assembly and branch-sparse LᵀL.

use nalgebra::{Matrix6, Vector6};

use crate::subsystem::Tree;

/// The joint-space matrix of a tree, Σ_b J_bᵀ H_b J_b + diagonal, [AL, (41)], assembled by the
/// composite-rigid-body recursion and factorised as LᵀL without fill-in [RBDA, §6.5].
///
/// Storage is packed: the row of a degree of freedom holds only the dofs between it and the root
/// (see [`Tree::packed_row_start`]).
#[derive(Debug, Clone, Default)]
pub struct TreeFactor {
    row_start: Vec<usize>,
    /// The degree of freedom of each entry.
    path: Vec<usize>,
    matrix: Vec<f64>,
    factor: Vec<f64>,
    /// 1 / diagonal of L.
    inverse_pivot: Vec<f64>,
    composite: Vec<Matrix6<f64>>,
}

impl TreeFactor {
    /// Assembles and factorises A_j; `Err` when it is not positive definite.
    #[expect(
        clippy::result_unit_err,
        reason = "the caller knows which block it is and names it"
    )]
    pub fn update(&mut self, tree: &Tree) -> Result<(), ()> {
        self.update_with(
            tree,
            |body| tree.bodies()[body].inertia,
            |dof| tree.diagonal()[dof],
        )
    }

    /// Assembles and factorises Σ_b J_bᵀ H_b J_b + diag(d) with the body matrices H_b of
    /// [AL, (42)] (world axes at the reference point) and a joint-space diagonal.
    #[expect(
        clippy::result_unit_err,
        reason = "the caller knows which block it is and names it"
    )]
    pub fn update_with(
        &mut self,
        tree: &Tree,
        body_matrix: impl Fn(usize) -> Matrix6<f64>,
        diagonal: impl Fn(usize) -> f64,
    ) -> Result<(), ()> {
        self.copy_pattern(tree);
        self.assemble(tree, body_matrix, diagonal);
        self.factor.clone_from(&self.matrix);
        self.factorize()
    }

    fn copy_pattern(&mut self, tree: &Tree) {
        self.row_start.clear();
        self.row_start.extend_from_slice(tree.packed_row_start());
        self.path.clear();
        self.path.extend_from_slice(tree.packed_path());
        self.matrix.resize(self.path.len(), 0.0);
        self.inverse_pivot.resize(tree.dof_count(), 0.0);
    }

    /// The entries of a dof's row left of the diagonal, with their degrees of freedom.
    #[inline]
    fn off_diagonal<'a>(
        &'a self,
        values: &'a [f64],
        dof: usize,
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let range = self.row_start[dof] + 1..self.row_start[dof + 1];
        let path = self.path[range.clone()].iter().copied();
        path.zip(values[range].iter().copied())
    }

    /// Composite-rigid-body recursion: from the leaves to the root, every body's matrix is added
    /// to its parent's, and its columns meet their ancestors.
    fn assemble(
        &mut self,
        tree: &Tree,
        body_matrix: impl Fn(usize) -> Matrix6<f64>,
        diagonal: impl Fn(usize) -> f64,
    ) {
        self.composite.clear();
        self.composite
            .extend((0..tree.bodies().len()).map(body_matrix));
        for (index, body) in tree.bodies().iter().enumerate().rev() {
            let first = tree.first_dof(index);
            for dof in first..first + body.joint_dofs {
                let force: Vector6<f64> = self.composite[index] * tree.columns()[dof];
                let row = &mut self.matrix[self.row_start[dof]..self.row_start[dof + 1]];
                for (entry, ancestor) in row.iter_mut().zip(tree.path(Some(dof))) {
                    *entry = tree.columns()[ancestor].dot(&force);
                }
                row[0] += diagonal(dof);
            }
            if let Some(parent) = body.parent {
                let own = self.composite[index];
                self.composite[parent] += own;
            }
        }
    }

    /// H = LᵀL in place, from the last dof to the first; row k of the result holds L[k, ancestors].
    fn factorize(&mut self) -> Result<(), ()> {
        for k in (0..self.inverse_pivot.len()).rev() {
            let (above, rest) = self.factor.split_at_mut(self.row_start[k]);
            let row_k = &mut rest[..self.row_start[k + 1] - self.row_start[k]];
            if row_k[0].is_nan() || row_k[0] <= 0.0 {
                return Err(());
            }
            let pivot = row_k[0].sqrt();
            let inverse = 1.0 / pivot;
            self.inverse_pivot[k] = inverse;
            row_k[0] = pivot;
            for entry in &mut row_k[1..] {
                *entry *= inverse;
            }
            // The path of the d-th ancestor is the tail of this row's path.
            let path = &self.path[self.row_start[k]..self.row_start[k + 1]];
            for d in 1..row_k.len() {
                let scale = row_k[d];
                let first = self.row_start[path[d]];
                let row = &mut above[first..first + row_k.len() - d];
                for (entry, factor) in row.iter_mut().zip(&row_k[d..]) {
                    *entry -= scale * factor;
                }
            }
        }
        Ok(())
    }

    /// out = (Σ J_bᵀ H_b J_b + diag) v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for dof in 0..v.len() {
            let mut sum = self.matrix[self.row_start[dof]] * v[dof];
            for (ancestor, value) in self.off_diagonal(&self.matrix, dof) {
                sum += value * v[ancestor];
                out[ancestor] += value * v[dof];
            }
            out[dof] += sum;
        }
    }

    /// x ← (Σ J_bᵀ H_b J_b + diag)⁻¹ x, by L⁻¹ L⁻ᵀ along the branches.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        for dof in (0..x.len()).rev() {
            let value = x[dof] * self.inverse_pivot[dof];
            x[dof] = value;
            for (ancestor, factor) in self.off_diagonal(&self.factor, dof) {
                x[ancestor] -= factor * value;
            }
        }
        for dof in 0..x.len() {
            let mut sum = x[dof];
            for (ancestor, factor) in self.off_diagonal(&self.factor, dof) {
                sum -= factor * x[ancestor];
            }
            x[dof] = sum * self.inverse_pivot[dof];
        }
    }

    /// Σ xᵀ (Σ J_bᵀ H_b J_b + diag)⁻¹ x = Σ ‖L⁻ᵀ x‖² over the four columns x of `columns`, which
    /// may leave out degrees of freedom at the end where they are zero. Only the branches on which
    /// they are not are visited; `columns` is overwritten.
    pub(super) fn inverse_norms_squared(&self, columns: &mut [[f64; 4]]) -> f64 {
        let mut sum = [0.0; 4];
        for dof in (0..columns.len()).rev() {
            if columns[dof] == [0.0; 4] {
                continue;
            }
            let values = columns[dof].map(|value| value * self.inverse_pivot[dof]);
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += value * value;
            }
            for (ancestor, factor) in self.off_diagonal(&self.factor, dof) {
                for (to, value) in columns[ancestor].iter_mut().zip(values) {
                    *to -= factor * value;
                }
            }
        }
        sum.iter().sum()
    }

    /// Largest diagonal entry of A over what is left of it as a pivot: how much is lost.
    pub(super) fn largest_pivot_ratio(&self) -> f64 {
        let diagonal = self.row_start.iter().map(|&start| self.matrix[start]);
        let ratios = self
            .inverse_pivot
            .iter()
            .zip(diagonal)
            .map(|(inverse, value)| value * inverse * inverse);
        ratios.fold(0.0, f64::max)
    }

    /// Calls `visit(row, column, value)` for every stored entry of the lower triangle of A_j.
    pub fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for dof in 0..self.inverse_pivot.len() {
            visit(dof, dof, self.matrix[self.row_start[dof]]);
            for (ancestor, value) in self.off_diagonal(&self.matrix, dof) {
                visit(dof, ancestor, value);
            }
        }
    }
}
