//! A kinematic tree: body matrices, factorised along the branches.

use stiction_constraints::Tree;

use super::body_matrices::BodyMatrices;
use super::branch_sparse::BranchSparse;

#[derive(Debug, Default)]
pub(crate) struct TreeBlock {
    pub(super) matrices: BodyMatrices,
    pub(crate) factor: BranchSparse,
}

impl TreeBlock {
    pub(super) fn set_base(&mut self, tree: &Tree) {
        self.matrices.set_base(tree);
        self.factor.set_pattern(tree);
    }

    pub(super) fn factorize(&mut self, tree: &Tree, scale: f64) -> Result<(), ()> {
        self.factor.factorize(tree, &self.matrices, scale)
    }
}
