//! The matrices A_j + Σ J_ijᵀ β J_ij of (35), one file per kind of subsystem.
//!
//! Every block keeps its base A_j (with folded soft constraints) and the weighted part Σ Jᵀ β₀ J
//! apart: a common change of all β costs an addition and a factorisation, no assembly.

mod articulated;
mod body_matrices;
mod branch_sparse;
mod dense;
mod free_body;
mod sparse;
mod ten_numbers;
pub(crate) mod tree;

use nalgebra::Matrix6;
use stiction_constraints::{DynamicsMatrix, JointRows, Problem, Subsystem, Tree};

pub(crate) use articulated::ArticulatedBlock;
pub(crate) use dense::DenseBlock;
pub(crate) use free_body::FreeBodyBlock;
pub(crate) use sparse::SparseBlock;
pub(crate) use tree::TreeBlock;

use crate::fold::Folds;
use crate::layout::{BlockKind, BlockLayout, Layout};
use crate::settings::TreeMethod;

/// One block's matrix with its factor.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "free bodies, the largest variant, are also the common one"
)]
pub(crate) enum Block {
    FreeBody(FreeBodyBlock),
    Tree(TreeBlock),
    Articulated(ArticulatedBlock),
    Sparse(SparseBlock),
    Dense(DenseBlock),
}

impl Block {
    fn empty_for(kind: BlockKind, method: TreeMethod) -> Self {
        match (kind, method) {
            (BlockKind::FreeBody, _) => Self::FreeBody(FreeBodyBlock::default()),
            (BlockKind::Tree, TreeMethod::Factorization) => Self::Tree(TreeBlock::default()),
            (BlockKind::Tree, TreeMethod::CompactFactorization) => Self::Tree(TreeBlock::compact()),
            (BlockKind::Tree, TreeMethod::ArticulatedBody) => {
                Self::Articulated(ArticulatedBlock::default())
            }
            (BlockKind::Sparse, _) => Self::Sparse(SparseBlock::default()),
            (BlockKind::Dense, _) => Self::Dense(DenseBlock::default()),
        }
    }

    fn fits(&self, kind: BlockKind, method: TreeMethod) -> bool {
        match self {
            Self::FreeBody(_) => kind == BlockKind::FreeBody,
            Self::Tree(own) => kind == BlockKind::Tree && method == own.method(),
            Self::Articulated(_) => {
                kind == BlockKind::Tree && method == TreeMethod::ArticulatedBody
            }
            Self::Sparse(_) => kind == BlockKind::Sparse,
            Self::Dense(_) => kind == BlockKind::Dense,
        }
    }

    /// Computes Σ Jᵀ β₀ J.
    pub(crate) fn weigh(&mut self, layout: &Layout, index: usize, penalty: &[f64]) {
        let block = &layout.blocks[index];
        match self {
            Self::FreeBody(own) => own.weigh(layout, block, penalty),
            Self::Tree(own) => own.weigh(layout, block, penalty),
            Self::Articulated(own) => own.matrices.weigh(layout, block, penalty),
            Self::Sparse(own) => own.weigh(layout, index, penalty),
            Self::Dense(own) => own.weigh(layout, block, penalty),
        }
    }

    /// Factorises base + scale × weighted part; `Err` when it is not positive definite.
    pub(crate) fn factorize(
        &mut self,
        problem: &Problem,
        index: usize,
        scale: f64,
    ) -> Result<(), ()> {
        match self {
            Self::FreeBody(own) => own.factorize(scale),
            Self::Tree(own) => own.factorize(tree_of(problem, index).ok_or(())?, scale),
            Self::Articulated(own) => own.factorize(tree_of(problem, index).ok_or(())?, scale),
            Self::Sparse(own) => own.factorize(scale),
            Self::Dense(own) => own.factorize(scale),
        }
    }

    /// x ← K⁻¹ x, with nothing on bodies.
    pub(crate) fn solve_in_place(&mut self, problem: &Problem, index: usize, x: &mut [f64]) {
        match self {
            Self::FreeBody(own) => own.solve_in_place(x),
            Self::Tree(own) => own.factor.solve_in_place(x),
            Self::Articulated(own) => {
                if let Some(tree) = tree_of(problem, index) {
                    own.solve_joint_space(tree, x);
                }
            }
            Self::Sparse(own) => own.solve_in_place(x),
            Self::Dense(own) => own.solve_in_place(x),
        }
    }
}

/// The tree of a block of kind [`BlockKind::Tree`].
pub(crate) fn tree_of(problem: &Problem, index: usize) -> Option<&Tree> {
    match &problem.subsystems()[index] {
        Subsystem::Tree(tree) => Some(tree),
        _ => None,
    }
}

/// Sets the bases A_j + Σ c JᵀJ of all blocks.
pub(crate) fn set_bases(
    blocks: &mut Vec<Block>,
    problem: &Problem,
    layout: &Layout,
    method: TreeMethod,
    dynamics: &DynamicsMatrix,
    joint_rows: &JointRows,
    folds: &Folds,
) {
    blocks.truncate(layout.blocks.len());
    let mut needs_entries = false;
    for (index, block) in layout.blocks.iter().enumerate() {
        if index == blocks.len() {
            blocks.push(Block::empty_for(block.kind, method));
        } else if !blocks[index].fits(block.kind, method) {
            blocks[index] = Block::empty_for(block.kind, method);
        }
        let subsystem = problem.subsystems().get(index);
        match (&mut blocks[index], subsystem) {
            (Block::FreeBody(own), Some(Subsystem::FreeBody(inertia))) => own.set_base(inertia),
            (Block::Tree(own), Some(Subsystem::Tree(tree))) => own.set_base(tree),
            (Block::Articulated(own), Some(Subsystem::Tree(tree))) => own.matrices.set_base(tree),
            (Block::Dense(own), _) => {
                own.reset(block.dof_count());
                needs_entries = true;
            }
            (Block::Sparse(own), _) => {
                own.reset(block.dof_count());
                needs_entries = true;
            }
            // The kinds of blocks follow from the subsystems, so that nothing else occurs.
            _ => {}
        }
    }
    if needs_entries {
        let mut at = 0;
        dynamics.for_each_lower_entry(|row, column, value| {
            while row >= layout.blocks[at].dof_end {
                at += 1;
            }
            let first = layout.blocks[at].first_dof;
            match &mut blocks[at] {
                Block::Dense(own) => own.set_base_entry(row - first, column - first, value),
                Block::Sparse(own) => own.push_base_entry(row - first, column - first, value),
                _ => {}
            }
        });
    }
    for fold in &folds.list {
        let block = &layout.blocks[fold.block];
        match &mut blocks[fold.block] {
            Block::Tree(own) => own.matrices.add_fold(problem, fold),
            Block::Articulated(own) => own.matrices.add_fold(problem, fold),
            Block::FreeBody(own) => own.add_fold(joint_rows, block, fold),
            Block::Dense(own) => own.add_fold(joint_rows, block, fold),
            Block::Sparse(own) => own.add_fold(joint_rows, block, fold),
        }
    }
    for (index, block) in blocks.iter_mut().enumerate() {
        if let Block::Sparse(own) = block {
            own.finish_pattern(layout, &layout.blocks[index]);
        }
    }
}

/// Calls `visit(a, b, value)` for the lower triangle of weight × JᵀJ of a constraint's joint-space
/// rows on one block, degrees of freedom counted inside the block.
fn for_each_fold_entry(
    joint_rows: &JointRows,
    block: &BlockLayout,
    constraint: usize,
    weight: f64,
    mut visit: impl FnMut(usize, usize, f64),
) {
    let rows = joint_rows.rows(constraint);
    let segments = joint_rows.segments(constraint);
    for (position, first) in segments.iter().enumerate() {
        let first_values = joint_rows.values(constraint, first);
        for second in &segments[..=position] {
            let second_values = joint_rows.values(constraint, second);
            for i in 0..first.len {
                for j in 0..second.len {
                    let (a, b) = (first.first_dof + i, second.first_dof + j);
                    if b > a {
                        continue;
                    }
                    let product: f64 = (0..rows)
                        .map(|row| {
                            first_values[row * first.len + i] * second_values[row * second.len + j]
                        })
                        .sum();
                    visit(a - block.first_dof, b - block.first_dof, weight * product);
                }
            }
        }
    }
}

/// matrix + scale × weight.
#[inline]
fn combine(base: &Matrix6<f64>, weight: &Matrix6<f64>, scale: f64) -> Matrix6<f64> {
    base + weight * scale
}
