//! The body matrices H_b of (42) and the joint-space diagonal of a tree.

use nalgebra::Matrix6;
use stiction_constraints::{Problem, RowBlock, Tree};

use super::combine;
use crate::fold::{Fold, add_square};
use crate::layout::{BlockLayout, Layout};

/// H_b = M_b + Σ β J_{i,b}ᵀ J_{i,b}, base and weighted part apart. Armature, implicit gains and
/// rows on single joints are a diagonal in joint space.
#[derive(Debug, Default)]
pub(crate) struct BodyMatrices {
    base: Vec<Matrix6<f64>>,
    base_diagonal: Vec<f64>,
    weighted: Vec<Matrix6<f64>>,
    weighted_diagonal: Vec<f64>,
}

impl BodyMatrices {
    pub(super) fn set_base(&mut self, tree: &Tree) {
        self.base.clear();
        self.base
            .extend(tree.bodies().iter().map(|body| body.inertia));
        self.base_diagonal.clear();
        self.base_diagonal.extend_from_slice(tree.diagonal());
        self.clear_weighted();
    }

    fn clear_weighted(&mut self) {
        self.weighted.clear();
        self.weighted.resize(self.base.len(), Matrix6::zeros());
        self.weighted_diagonal.clear();
        self.weighted_diagonal.resize(self.base_diagonal.len(), 0.0);
    }

    pub(super) fn add_fold(&mut self, problem: &Problem, fold: &Fold) {
        for (_, block) in problem.terms(fold.constraint) {
            match block {
                RowBlock::Body { body, values } => {
                    add_square(&mut self.base[body], values, fold.damping);
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
            add_square(
                &mut self.weighted[layout.slots[slot].body],
                layout.body_rows(block, slot),
                penalty[slot],
            );
        }
        for number in block.on_dofs() {
            let slot = &layout.slots[number];
            for run in layout.runs(slot) {
                let size: f64 = layout.run_rows(slot, run).iter().map(|x| x * x).sum();
                self.weighted_diagonal[run.first] += penalty[number] * size;
            }
        }
    }

    /// H_b with the weighted part scaled.
    #[inline]
    pub(super) fn body(&self, body: usize, scale: f64) -> Matrix6<f64> {
        combine(&self.base[body], &self.weighted[body], scale)
    }

    /// Joint-space diagonal with the weighted part scaled.
    #[inline]
    pub(super) fn diagonal(&self, dof: usize, scale: f64) -> f64 {
        self.base_diagonal[dof] + scale * self.weighted_diagonal[dof]
    }
}
