//! The body matrices H_b of (42) and the joint-space diagonal of a tree.

use nalgebra::Matrix6;
use stiction_constraints::{Problem, RowBlock, Tree};

use crate::fold::Fold;
use crate::lanes::{Lanes, rows_of};
use crate::layout::{BlockLayout, Layout, squared_size};
use crate::sweep::Spatial;

/// A 6×6 matrix by columns.
pub(super) type SpatialMatrix = [Spatial; 6];

/// H_b = M_b + Σ β J_{i,b}ᵀ J_{i,b}, base and weighted part apart. Armature, implicit gains and
/// rows on single joints are a diagonal in joint space.
#[derive(Debug, Default)]
pub(crate) struct BodyMatrices {
    base: Vec<SpatialMatrix>,
    base_diagonal: Vec<f64>,
    weighted: Vec<SpatialMatrix>,
    weighted_diagonal: Vec<f64>,
}

impl BodyMatrices {
    pub(super) fn set_base(&mut self, tree: &Tree) {
        self.base.clear();
        self.base.extend(tree.bodies().iter().map(|body| {
            let mut matrix = [Spatial::ZERO; 6];
            for (own, column) in matrix.iter_mut().zip(body.inertia.column_iter()) {
                *own = Spatial::new(column.as_slice());
            }
            matrix
        }));
        self.base_diagonal.clear();
        self.base_diagonal.extend_from_slice(tree.diagonal());
        self.clear_weighted();
    }

    fn clear_weighted(&mut self) {
        self.weighted.clear();
        self.weighted.resize(self.base.len(), [Spatial::ZERO; 6]);
        self.weighted_diagonal.clear();
        self.weighted_diagonal.resize(self.base_diagonal.len(), 0.0);
    }

    pub(super) fn add_fold(&mut self, problem: &Problem, fold: &Fold) {
        for (_, block) in problem.terms(fold.constraint) {
            match block {
                RowBlock::Body { body, values } => {
                    for row in values.chunks_exact(6) {
                        add_row_square(&mut self.base[body], &Spatial::new(row), fold.damping);
                    }
                }
                // Folds on a branch-sparse tree name one dof.
                RowBlock::Dofs { dofs, values } => {
                    self.base_diagonal[dofs[0]] +=
                        fold.damping * values.iter().map(|x| x * x).sum::<f64>();
                }
                RowBlock::Nodes { .. } => {}
            }
        }
    }

    pub(super) fn weigh(&mut self, layout: &Layout, block: &BlockLayout, penalty: &[f64]) {
        self.clear_weighted();
        for slot in block.on_bodies() {
            let matrix = &mut self.weighted[layout.slots[slot].body];
            add_square(matrix, layout.body_columns(block, slot), penalty[slot]);
        }
        self.add_dofs(layout, block, penalty);
    }

    /// Computes the joint-space part of Σ Jᵀ β₀ J alone.
    pub(super) fn weigh_dofs(&mut self, layout: &Layout, block: &BlockLayout, penalty: &[f64]) {
        self.clear_weighted();
        self.add_dofs(layout, block, penalty);
    }

    fn add_dofs(&mut self, layout: &Layout, block: &BlockLayout, penalty: &[f64]) {
        for number in block.on_dofs() {
            let slot = &layout.slots[number];
            for run in layout.runs(slot) {
                let size = squared_size(layout.run_columns(run));
                self.weighted_diagonal[run.first] += penalty[number] * size;
            }
        }
    }

    /// M_b of every body, with what was folded into it.
    pub(super) fn base(&self) -> &[SpatialMatrix] {
        &self.base
    }

    /// Number of bodies.
    pub(super) fn len(&self) -> usize {
        self.base.len()
    }

    /// H_b with the weighted part scaled.
    #[inline(always)]
    pub(super) fn write_body(&self, body: usize, scale: f64, out: &mut SpatialMatrix) {
        let (base, weighted) = (&self.base[body], &self.weighted[body]);
        for j in 0..6 {
            out[j] = base[j];
            out[j].add_scaled(scale, &weighted[j]);
        }
    }

    /// H_b with the weighted part scaled.
    pub(super) fn body(&self, body: usize, scale: f64) -> Matrix6<f64> {
        let mut columns = [Spatial::ZERO; 6];
        self.write_body(body, scale, &mut columns);
        Matrix6::from_fn(|i, j| columns[j].0[i])
    }

    /// Joint-space diagonal with the weighted part scaled.
    #[inline(always)]
    pub(super) fn diagonal(&self, dof: usize, scale: f64) -> f64 {
        self.base_diagonal[dof] + scale * self.weighted_diagonal[dof]
    }
}

/// matrix += weight × JᵀJ of a slot on a body.
#[inline(always)]
pub(super) fn add_square(matrix: &mut SpatialMatrix, columns: &[Lanes; 6], weight: f64) {
    for row in rows_of(columns) {
        add_row_square(matrix, &Spatial::new(&row), weight);
    }
}

/// matrix += weight × row rowᵀ.
#[inline(always)]
fn add_row_square(matrix: &mut SpatialMatrix, row: &Spatial, weight: f64) {
    for (column, &value) in matrix.iter_mut().zip(&row.0) {
        column.add_scaled(weight * value, row);
    }
}
