//! A kinematic tree: body matrices, factorised along the branches.

use stiction_constraints::Tree;

use super::body_matrices::BodyMatrices;
use super::branch_sparse::BranchSparse;
use super::ten_numbers::TenMatrices;
use crate::layout::{BlockLayout, Layout};
use crate::settings::TreeMethod;

#[derive(Debug, Default)]
pub(crate) struct TreeBlock {
    pub(super) matrices: BodyMatrices,
    pub(crate) factor: BranchSparse,
    /// Matrices of ten numbers, where they are wanted, and whether everything has that form.
    ten: Option<TenMatrices>,
    is_ten: bool,
}

impl TreeBlock {
    pub(super) fn compact() -> Self {
        Self {
            ten: Some(TenMatrices::default()),
            ..Self::default()
        }
    }

    pub(super) fn method(&self) -> TreeMethod {
        match self.ten {
            Some(_) => TreeMethod::CompactFactorization,
            None => TreeMethod::Factorization,
        }
    }

    pub(super) fn weigh(&mut self, layout: &Layout, block: &BlockLayout, penalty: &[f64]) {
        self.is_ten = match &mut self.ten {
            Some(ten) => ten.weigh(&self.matrices, (layout, block), penalty),
            None => false,
        };
        if self.is_ten {
            self.matrices.weigh_dofs(layout, block, penalty);
        } else {
            self.matrices.weigh(layout, block, penalty);
        }
    }

    pub(super) fn set_base(&mut self, tree: &Tree) {
        self.matrices.set_base(tree);
        self.factor.set_pattern(tree);
    }

    pub(super) fn factorize(&mut self, tree: &Tree, scale: f64) -> Result<(), ()> {
        let ten = self.ten.as_ref().filter(|_| self.is_ten);
        self.factor.factorize(tree, (&self.matrices, ten), scale)
    }
}
