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
    dof_parent: Vec<Option<usize>>,
    matrix: Vec<f64>,
    factor: Vec<f64>,
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
        let n = tree.dof_count();
        self.row_start.clear();
        self.row_start.extend_from_slice(tree.packed_row_start());
        self.dof_parent.clear();
        self.dof_parent
            .extend((0..n).map(|dof| tree.dof_parent(dof)));
        self.matrix.resize(self.row_start[n], 0.0);
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
        for k in (0..self.dof_parent.len()).rev() {
            let (above, rest) = self.factor.split_at_mut(self.row_start[k]);
            let row_k = &mut rest[..self.row_start[k + 1] - self.row_start[k]];
            if row_k[0].is_nan() || row_k[0] <= 0.0 {
                return Err(());
            }
            let pivot = row_k[0].sqrt();
            for entry in row_k.iter_mut() {
                *entry /= pivot;
            }
            // The path of the d-th ancestor is the tail of this row's path.
            let mut ancestor = self.dof_parent[k];
            let mut d = 1;
            while let Some(i) = ancestor {
                let scale = row_k[d];
                for (entry, factor) in above[self.row_start[i]..self.row_start[i + 1]]
                    .iter_mut()
                    .zip(&row_k[d..])
                {
                    *entry -= scale * factor;
                }
                ancestor = self.dof_parent[i];
                d += 1;
            }
        }
        Ok(())
    }

    /// out = (Σ J_bᵀ H_b J_b + diag) v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for dof in 0..v.len() {
            let row = &self.matrix[self.row_start[dof]..self.row_start[dof + 1]];
            let mut sum = row[0] * v[dof];
            let mut ancestor = self.dof_parent[dof];
            let mut d = 1;
            while let Some(i) = ancestor {
                sum += row[d] * v[i];
                out[i] += row[d] * v[dof];
                ancestor = self.dof_parent[i];
                d += 1;
            }
            out[dof] += sum;
        }
    }

    /// x ← (Σ J_bᵀ H_b J_b + diag)⁻¹ x, by L⁻¹ L⁻ᵀ along the branches.
    pub fn solve_in_place(&self, x: &mut [f64]) {
        for dof in (0..x.len()).rev() {
            let row = &self.factor[self.row_start[dof]..self.row_start[dof + 1]];
            x[dof] /= row[0];
            let value = x[dof];
            let mut ancestor = self.dof_parent[dof];
            let mut d = 1;
            while let Some(i) = ancestor {
                x[i] -= row[d] * value;
                ancestor = self.dof_parent[i];
                d += 1;
            }
        }
        for dof in 0..x.len() {
            let row = &self.factor[self.row_start[dof]..self.row_start[dof + 1]];
            let mut sum = x[dof];
            let mut ancestor = self.dof_parent[dof];
            let mut d = 1;
            while let Some(i) = ancestor {
                sum -= row[d] * x[i];
                ancestor = self.dof_parent[i];
                d += 1;
            }
            x[dof] = sum / row[0];
        }
    }

    /// xᵀ (Σ J_bᵀ H_b J_b + diag)⁻¹ x = ‖L⁻ᵀ x‖². Only the branches on which x is not zero are
    /// visited; x is overwritten.
    pub(super) fn inverse_norm_squared(&self, x: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for dof in (0..x.len()).rev() {
            if x[dof] == 0.0 {
                continue;
            }
            let row = &self.factor[self.row_start[dof]..self.row_start[dof + 1]];
            let value = x[dof] / row[0];
            sum += value * value;
            let mut ancestor = self.dof_parent[dof];
            let mut d = 1;
            while let Some(i) = ancestor {
                x[i] -= row[d] * value;
                ancestor = self.dof_parent[i];
                d += 1;
            }
        }
        sum
    }

    pub(super) fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        for dof in 0..self.dof_parent.len() {
            let row = &self.matrix[self.row_start[dof]..self.row_start[dof + 1]];
            let path = std::iter::successors(Some(dof), |&i| self.dof_parent[i]);
            for (&value, ancestor) in row.iter().zip(path) {
                visit(dof, ancestor, value);
            }
        }
    }
}
