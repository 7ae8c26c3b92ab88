//! Soft constraints inside one subsystem as part of its matrix: A += c JᵀJ, b −= k Jᵀe.
//!
//! λ = −k e − c J v̂ is linear, so this is exact, and the iteration has nothing left to agree on.

use stiction_constraints::{JointRows, Law, Problem, RowBlock, Subsystem};

/// One folded constraint.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    pub(crate) constraint: usize,
    /// Block whose matrix it joins.
    pub(crate) block: usize,
    pub(crate) stiffness: f64,
    pub(crate) damping: f64,
}

/// Which constraints are folded, and b with their part.
#[derive(Debug, Default)]
pub(crate) struct Folds {
    pub(crate) list: Vec<Fold>,
    folded: Vec<bool>,
    touched_block: Vec<bool>,
    /// b − Σ k Jᵀe.
    pub(crate) right_hand_side: Vec<f64>,
    impulse: Vec<f64>,
}

impl Folds {
    /// Decides which soft constraints fit the matrix of their subsystem.
    pub(crate) fn choose(
        &mut self,
        problem: &Problem,
        enabled: bool,
        one_block: bool,
        dense_tree: &[bool],
    ) {
        self.list.clear();
        self.folded.clear();
        self.folded.resize(problem.constraints().len(), false);
        self.touched_block.clear();
        self.touched_block
            .resize(problem.subsystems().len().max(1), false);
        if !enabled {
            return;
        }
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let Law::Soft { stiffness, damping } = constraint.law else {
                continue;
            };
            let mut terms = problem.terms(index);
            let Some((subsystem, first)) = terms.next() else {
                continue;
            };
            let one_term = constraint.term_count() == 1;
            if terms.any(|(other, _)| other != subsystem) {
                continue;
            }
            let is_branch_sparse = matches!(problem.subsystems()[subsystem], Subsystem::Tree(_))
                && !dense_tree[subsystem];
            // Several terms on one tree would couple its bodies (not its branches).
            if is_branch_sparse && !(one_term && fits_tree(&first)) {
                continue;
            }
            let block = if one_block { 0 } else { subsystem };
            self.folded[index] = true;
            self.touched_block[block] = true;
            self.list.push(Fold {
                constraint: index,
                block,
                stiffness,
                damping,
            });
        }
    }

    /// b with the springs' part.
    pub(crate) fn update_right_hand_side(&mut self, problem: &Problem, rows: &JointRows) {
        self.right_hand_side.clear();
        self.right_hand_side.extend_from_slice(problem.b());
        if self.list.is_empty() {
            return;
        }
        self.impulse.clear();
        self.impulse.resize(problem.row_count(), 0.0);
        for fold in &self.list {
            let constraint = &problem.constraints()[fold.constraint];
            let e = constraint.load(problem.errors());
            constraint.store(&(e * -fold.stiffness), &mut self.impulse);
        }
        rows.mul_transpose_add(&self.impulse, &mut self.right_hand_side);
    }

    /// Writes λ = −k e − c J v̂ of the folded constraints into stacked impulses.
    pub(crate) fn write_impulses(
        &self,
        problem: &Problem,
        row_velocity: &[f64],
        impulse: &mut [f64],
    ) {
        for fold in &self.list {
            let constraint = &problem.constraints()[fold.constraint];
            let e = constraint.load(problem.errors());
            let value = e * -fold.stiffness - constraint.load(row_velocity) * fold.damping;
            constraint.store(&value, impulse);
        }
    }

    pub(crate) fn is_folded(&self, constraint: usize) -> bool {
        self.folded[constraint]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a block has folded constraints.
    pub(crate) fn touches(&self, block: usize) -> bool {
        self.touched_block[block]
    }
}

fn fits_tree(block: &RowBlock<'_>) -> bool {
    match block {
        RowBlock::Body { .. } => true,
        RowBlock::Dofs { dofs, .. } => dofs.len() == 1,
        RowBlock::Nodes { .. } => false,
    }
}
