//! The joint-space matrix of a tree: composite-rigid-body assembly of (41), LᵀL without fill-in
//! [RBDA, §6.5].
//!
//! It is refactorised whenever β changes and solved with in every iteration, so it is packed for
//! that: the row of a degree of freedom holds its ancestors from the root on and itself last. The
//! row of an ancestor is then a prefix, and a solve waits for the newest value at the end only.
//! Pivots are stored inverted.

use std::ops::Range;

use stiction_constraints::Tree;

use super::body_matrices::{BodyMatrices, SpatialMatrix};
use super::ten_numbers::{TenMatrices, TenNumbers};
use crate::lanes::{Kernel, vectorized};
use crate::settings::SMALL;
use crate::sweep::Spatial;
use crate::vector::{add_product, add_scaled};

#[derive(Debug, Default)]
pub(crate) struct BranchSparse {
    /// First entry of each dof's row, and the total.
    row_start: Vec<usize>,
    /// Dof of each entry.
    path: Vec<usize>,
    /// Ancestors of each dof as runs of consecutive dofs, and where each dof's runs begin.
    runs: Vec<Range<usize>>,
    first_run: Vec<usize>,
    /// How many entries from the root on the rows of two dofs share, by the larger dof; for small trees
    /// only.
    shared: Vec<usize>,
    /// The matrix, then L.
    factor: Vec<f64>,
    inverse_pivot: Vec<f64>,
    /// L⁻¹, with the pattern of L, and the whole inverse by columns; for small trees only.
    factor_inverse: Vec<f64>,
    inverse: Vec<f64>,
    axes: Vec<Spatial>,
    composite: Vec<SpatialMatrix>,
    composite_ten: Vec<TenNumbers>,
}

/// One call of [`BranchSparse::factorize`].
struct Factorization<'a> {
    factor: &'a mut BranchSparse,
    tree: &'a Tree,
    matrices: (&'a BodyMatrices, Option<&'a TenMatrices>),
    scale: f64,
}

impl Kernel for Factorization<'_> {
    type Output = Result<(), ()>;

    #[inline(always)]
    fn run(self) -> Result<(), ()> {
        self.factor
            .factorize_inlined(self.tree, self.matrices, self.scale)
    }
}

impl BranchSparse {
    /// Lists the ancestors of every degree of freedom.
    pub(super) fn set_pattern(&mut self, tree: &Tree) {
        self.row_start.clear();
        self.path.clear();
        self.runs.clear();
        self.first_run.clear();
        for dof in 0..tree.dof_count() {
            let start = self.path.len();
            self.row_start.push(start);
            self.path.extend(tree.path(Some(dof)));
            self.path[start..].reverse();
            self.first_run.push(self.runs.len());
            let ancestors = &self.path[start..self.path.len() - 1];
            for run in ancestors.chunk_by(|a, b| a + 1 == *b) {
                self.runs.push(run[0]..run[0] + run.len());
            }
        }
        self.row_start.push(self.path.len());
        self.first_run.push(self.runs.len());
        self.axes.clear();
        let columns = tree.columns().iter();
        self.axes
            .extend(columns.map(|column| Spatial::new(column.as_slice())));
        self.factor.resize(self.path.len(), 0.0);
        let dofs = tree.dof_count();
        self.inverse_pivot.resize(dofs, 0.0);
        if dofs <= SMALL {
            self.factor_inverse.resize(self.path.len(), 0.0);
            self.inverse.resize(dofs * dofs, 0.0);
            self.count_shared();
        }
    }

    /// What a dof shares with one before it its parent shares too.
    fn count_shared(&mut self) {
        let n = self.inverse_pivot.len();
        self.shared.resize(n * n, 0);
        for dof in 0..n {
            let row = &self.path[self.row_start[dof]..self.row_start[dof + 1]];
            for other in 0..dof {
                self.shared[dof * n + other] = match row.len().checked_sub(2) {
                    Some(parent) => {
                        let parent = row[parent];
                        self.shared[parent.max(other) * n + parent.min(other)]
                    }
                    None => 0,
                };
            }
            self.shared[dof * n + dof] = row.len();
        }
    }

    /// Assembles Σ_b J_bᵀ H_b J_b + diagonal and factorises it; `Err` when it is not positive
    /// definite.
    pub(super) fn factorize(
        &mut self,
        tree: &Tree,
        matrices: (&BodyMatrices, Option<&TenMatrices>),
        scale: f64,
    ) -> Result<(), ()> {
        vectorized(Factorization {
            factor: self,
            tree,
            matrices,
            scale,
        })
    }

    #[inline(always)]
    fn factorize_inlined(
        &mut self,
        tree: &Tree,
        matrices: (&BodyMatrices, Option<&TenMatrices>),
        scale: f64,
    ) -> Result<(), ()> {
        match matrices {
            (matrices, Some(ten)) => self.assemble_ten(tree, matrices, ten, scale),
            (matrices, None) => self.assemble(tree, matrices, scale),
        }
        for k in (0..self.inverse_pivot.len()).rev() {
            let (above, rest) = self.factor.split_at_mut(self.row_start[k]);
            let (row, last) = rest.split_at_mut(self.row_start[k + 1] - self.row_start[k] - 1);
            // Also catches NaN.
            if !(last[0] > 0.0) {
                return Err(());
            }
            let inverse = 1.0 / last[0].sqrt();
            self.inverse_pivot[k] = inverse;
            for entry in row.iter_mut() {
                *entry *= inverse;
            }
            for (depth, &ancestor) in self.path[self.row_start[k]..][..row.len()]
                .iter()
                .enumerate()
            {
                let target = &mut above[self.row_start[ancestor]..][..depth + 1];
                add_scaled(target, -row[depth], &row[..=depth]);
            }
        }
        if self.inverse_pivot.len() <= SMALL {
            self.invert();
        }
        Ok(())
    }

    /// (LᵀL)⁻¹ = L⁻¹ L⁻ᵀ: a row of L⁻¹ has the ancestors too, and two rows meet in the ancestors
    /// that they share.
    #[inline(always)]
    fn invert(&mut self) {
        let n = self.inverse_pivot.len();
        for dof in 0..n {
            let start = self.row_start[dof];
            let depth = self.row_start[dof + 1] - start - 1;
            let (above, rest) = self.factor_inverse.split_at_mut(start);
            let row = &mut rest[..=depth];
            row.fill(0.0);
            for (position, &ancestor) in self.path[start..start + depth].iter().enumerate() {
                let other = &above[self.row_start[ancestor]..][..=position];
                add_scaled(&mut row[..=position], -self.factor[start + position], other);
            }
            let pivot = self.inverse_pivot[dof];
            for entry in row.iter_mut() {
                *entry *= pivot;
            }
            row[depth] = pivot;
            for other in 0..=dof {
                let first = self.row_start[other];
                let shared = self.shared[dof * n + other];
                let value = short_dot(
                    &self.factor_inverse[start..start + shared],
                    &self.factor_inverse[first..first + shared],
                );
                self.inverse[other * n + dof] = value;
                self.inverse[dof * n + other] = value;
            }
        }
    }

    /// Composite-rigid-body recursion: from the leaves to the root, every body's matrix is added
    /// to its parent's, and its columns meet their ancestors.
    #[inline(always)]
    fn assemble(&mut self, tree: &Tree, matrices: &BodyMatrices, scale: f64) {
        self.composite.resize(matrices.len(), [Spatial::ZERO; 6]);
        for (body, composite) in self.composite.iter_mut().enumerate() {
            matrices.write_body(body, scale, composite);
        }
        for (index, body) in tree.bodies().iter().enumerate().rev() {
            let first = tree.first_dof(index);
            for dof in first..first + body.joint_dofs {
                let mut force = Spatial::ZERO;
                for (column, &value) in self.composite[index].iter().zip(&self.axes[dof].0) {
                    force.add_scaled(value, column);
                }
                let row = self.row_start[dof]..self.row_start[dof + 1];
                for (entry, &ancestor) in self.factor[row.clone()].iter_mut().zip(&self.path[row]) {
                    *entry = self.axes[ancestor].dot(&force);
                }
                self.factor[self.row_start[dof + 1] - 1] += matrices.diagonal(dof, scale);
            }
            if let Some(parent) = body.parent {
                let (before, rest) = self.composite.split_at_mut(index);
                for (sum, column) in before[parent].iter_mut().zip(&rest[0]) {
                    sum.add_scaled(1.0, column);
                }
            }
        }
    }

    /// The same with matrices of ten numbers.
    #[inline(always)]
    fn assemble_ten(
        &mut self,
        tree: &Tree,
        matrices: &BodyMatrices,
        ten: &TenMatrices,
        scale: f64,
    ) {
        self.composite_ten.clear();
        self.composite_ten
            .extend((0..matrices.len()).map(|body| ten.body(body, scale)));
        for (index, body) in tree.bodies().iter().enumerate().rev() {
            let first = tree.first_dof(index);
            for dof in first..first + body.joint_dofs {
                let force = self.composite_ten[index].mul(&self.axes[dof]);
                let row = self.row_start[dof]..self.row_start[dof + 1];
                for (entry, &ancestor) in self.factor[row.clone()].iter_mut().zip(&self.path[row]) {
                    *entry = self.axes[ancestor].dot(&force);
                }
                self.factor[self.row_start[dof + 1] - 1] += matrices.diagonal(dof, scale);
            }
            if let Some(parent) = body.parent {
                let (before, rest) = self.composite_ten.split_at_mut(index);
                before[parent].add_scaled(1.0, &rest[0]);
            }
        }
    }

    /// x ← (Σ_b J_bᵀ H_b J_b + diagonal)⁻¹ x, by the inverse or by L⁻¹ L⁻ᵀ along the
    /// branches.
    #[inline(always)]
    pub(crate) fn solve_in_place(&self, x: &mut [f64]) {
        let n = x.len();
        if n <= SMALL {
            let mut product = [0.0; SMALL];
            add_product(&mut product[..n], &self.inverse, x);
            x.copy_from_slice(&product[..n]);
            return;
        }
        let runs = |dof: usize| &self.runs[self.first_run[dof]..self.first_run[dof + 1]];
        for dof in (0..x.len()).rev() {
            let value = x[dof] * self.inverse_pivot[dof];
            x[dof] = value;
            let mut row = &self.factor[self.row_start[dof]..];
            for run in runs(dof) {
                let (part, rest) = row.split_at(run.len());
                add_scaled(&mut x[run.clone()], -value, part);
                row = rest;
            }
        }
        for dof in 0..x.len() {
            let mut row = &self.factor[self.row_start[dof]..];
            let mut sum = x[dof];
            for run in runs(dof) {
                let (part, rest) = row.split_at(run.len());
                sum -= short_dot(part, &x[run.clone()]);
                row = rest;
            }
            x[dof] = sum * self.inverse_pivot[dof];
        }
    }
}

/// Σ a b for the few degrees of freedom of a branch, in two interleaved sums.
#[inline(always)]
fn short_dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_pairs, a_rest) = a.as_chunks::<2>();
    let (b_pairs, b_rest) = b.as_chunks::<2>();
    let mut sums = [0.0; 2];
    for (x, y) in a_pairs.iter().zip(b_pairs) {
        sums[0] += x[0] * y[0];
        sums[1] += x[1] * y[1];
    }
    for (x, y) in a_rest.iter().zip(b_rest) {
        sums[0] += x * y;
    }
    sums[0] + sums[1]
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix6, Vector6};
    use stiction_constraints::TreeBody;
    use stiction_constraints::factor::TreeFactor;

    use super::*;

    /// A trunk of six degrees of freedom with chains of hinges.
    fn tree(chains: usize, length: usize) -> Tree {
        let body = |parent, joint_dofs| TreeBody {
            parent,
            joint_dofs,
            inertia: Matrix6::identity(),
        };
        let mut bodies = vec![body(None, 6)];
        for _ in 0..chains {
            for link in 0..length {
                let parent = if link == 0 { 0 } else { bodies.len() - 1 };
                bodies.push(body(Some(parent), 1));
            }
        }
        let dofs = 6 + chains * length;
        let columns = (0..dofs)
            .map(|dof| {
                Vector6::from_fn(|row, _| {
                    let unit = f64::from(u8::from(row == dof % 6));
                    unit + 0.3 * ((7 * dof + 3 * row) as f64).sin()
                })
            })
            .collect();
        Tree::new(bodies, columns, vec![0.1; dofs]).expect("parents come first")
    }

    #[test]
    fn solves_below_and_above_the_size_of_explicit_inverses() {
        for (chains, length) in [(0, 0), (4, 3), (2, 13), (3, 9), (5, 8)] {
            let tree = tree(chains, length);
            let (mut matrices, mut own) = (BodyMatrices::default(), BranchSparse::default());
            matrices.set_base(&tree);
            own.set_pattern(&tree);
            own.factorize(&tree, (&matrices, None), 0.0)
                .expect("positive definite");
            let mut reference = TreeFactor::default();
            reference.update(&tree).expect("positive definite");
            let expected: Vec<f64> = (0..tree.dof_count()).map(|i| (i as f64).cos()).collect();
            let mut x = vec![0.0; expected.len()];
            reference.mul(&expected, &mut x);
            own.solve_in_place(&mut x);
            for (a, b) in x.iter().zip(&expected) {
                assert!(
                    (a - b).abs() < 1e-10,
                    "{chains} × {length}: {a} instead of {b}"
                );
            }
        }
    }
}
