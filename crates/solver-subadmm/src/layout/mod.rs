//! The subsystem-based reformulation [AL, §VI-A] as flat arrays.
//!
//! Every Jacobian term (31)–(32) gets a *slot*; the slots of one block lie side by side, those on
//! bodies first and by bodies, so that the velocity step streams through memory and the slots of
//! different blocks can be handed to different threads. Jacobians are kept by columns of four lanes,
//! zero beyond the constraint's own rows.

mod build;
mod terms;

use stiction_constraints::Law;

use crate::lanes::Lanes;
use crate::settings::CoarseMatrix;
use crate::sweep::{TreeSweep, TreeSweeps};

/// How the matrix of a block is stored and factorised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    FreeBody,
    Tree,
    Sparse,
    Dense,
}

/// One linear system of (35): a subsystem, or everything when nothing is split.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockLayout {
    pub(crate) kind: BlockKind,
    pub(crate) first_dof: usize,
    pub(crate) dof_end: usize,
    pub(crate) first_slot: usize,
    pub(crate) slot_end: usize,
    /// Number of slots on bodies; they come first.
    pub(crate) body_slots: usize,
    /// Where the values of the first body slot are.
    pub(crate) first_body_value: usize,
    /// First of the block's bodies among all bodies of trees.
    pub(crate) first_body: usize,
    pub(crate) body_end: usize,
    /// Pieces that all rows on dofs make up, none where they do not.
    first_piece: usize,
    piece_end: usize,
    /// Steps of the sweep over a tree.
    first_step: usize,
    step_end: usize,
}

impl BlockLayout {
    pub(crate) fn dof_count(&self) -> usize {
        self.dof_end - self.first_dof
    }

    pub(crate) fn slots(&self) -> std::ops::Range<usize> {
        self.first_slot..self.slot_end
    }

    /// Slots whose rows act on a body.
    pub(crate) fn on_bodies(&self) -> std::ops::Range<usize> {
        self.first_slot..self.first_slot + self.body_slots
    }

    /// Slots whose rows act on degrees of freedom.
    pub(crate) fn on_dofs(&self) -> std::ops::Range<usize> {
        self.first_slot + self.body_slots..self.slot_end
    }
}

/// Where a slot's rows are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slot {
    /// Body inside the block, for slots on bodies.
    pub(crate) body: usize,
    /// Runs of degrees of freedom, for the others.
    pub(crate) first_run: usize,
    pub(crate) run_count: usize,
    /// Number of rows, 1 to 3.
    pub(crate) rows: usize,
}

/// A run of consecutive degrees of freedom of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// First dof inside the block.
    pub(crate) first: usize,
    pub(crate) len: usize,
    /// First of its columns.
    first_column: usize,
}

/// Consecutive slots with a run of the same six degrees of freedom: in a small problem that is one
/// block, the contacts of a body with another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    /// First slot, counted from the block's first slot on dofs, and how many.
    pub(crate) first_slot: usize,
    pub(crate) count: usize,
    /// First dof inside the block.
    pub(crate) first_dof: usize,
    first_column: usize,
    /// Columns from one slot to the next.
    stride: usize,
}

/// A constraint that takes part in the iteration (that is, was not folded).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Active {
    pub(crate) constraint: usize,
    pub(crate) law: Law,
    pub(crate) rows: usize,
    pub(crate) first_row: usize,
}

/// The reformulated problem.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) blocks: Vec<BlockLayout>,
    pub(crate) active: Vec<Active>,
    /// e of each active constraint.
    pub(crate) error: Vec<Lanes>,
    /// μ of each active constraint that is a contact with Coulomb friction, NaN for other laws.
    pub(crate) friction: Vec<f64>,
    /// Slots of all active constraints, in the order of their terms, and where each one's begin.
    slots_of: Vec<usize>,
    slot_start: Vec<usize>,
    /// Whether every active constraint has one slot, with its own number.
    is_one_to_one: bool,
    pub(crate) slots: Vec<Slot>,
    /// Index of each slot's constraint among the active ones.
    pub(crate) active_of: Vec<usize>,
    body_columns: Vec<[Lanes; 6]>,
    runs: Vec<Run>,
    run_columns: Vec<Lanes>,
    pieces: Vec<Piece>,
    sweeps: TreeSweeps,
    /// Next free slot of every bucket while slots are dealt out.
    cursor: Vec<usize>,
    /// First bucket of each block: one per body, then one for rows on dofs.
    first_bucket: Vec<usize>,
    dense_tree: Vec<bool>,
    one_block: bool,
    /// How coarser splittings keep their matrices; set before an update.
    pub(crate) coarse_matrix: CoarseMatrix,
}

impl Layout {
    /// The pieces that all rows of a block on dofs make up; none where they do not.
    #[inline(always)]
    pub(crate) fn pieces(&self, block: &BlockLayout) -> &[Piece] {
        &self.pieces[block.first_piece..block.piece_end]
    }

    /// The columns of the slots of a piece.
    #[inline(always)]
    pub(crate) fn piece_columns(&self, piece: &Piece) -> impl Iterator<Item = &[Lanes; 6]> {
        self.run_columns[piece.first_column..]
            .chunks(piece.stride)
            .take(piece.count)
            .filter_map(|columns| columns.first_chunk())
    }

    /// The sweep over the tree of a block; empty for other blocks.
    #[inline(always)]
    pub(crate) fn sweep(&self, block: &BlockLayout) -> TreeSweep<'_> {
        self.sweeps.of(block.first_step, block.step_end)
    }

    /// Whether every active constraint has one slot, with its own number.
    pub(crate) fn is_one_to_one(&self) -> bool {
        self.is_one_to_one
    }

    /// Whether every subsystem has its own block.
    pub(crate) fn is_split(&self) -> bool {
        !self.one_block
    }

    /// The slots of an active constraint.
    #[inline(always)]
    pub(crate) fn slots_of(&self, active: usize) -> &[usize] {
        &self.slots_of[self.slot_start[active]..self.slot_start[active + 1]]
    }

    /// The columns of all slots on bodies of a block.
    #[inline]
    pub(crate) fn body_columns_of(&self, block: &BlockLayout) -> &[[Lanes; 6]] {
        &self.body_columns[block.first_body_value..block.first_body_value + block.body_slots]
    }

    /// The columns of a slot on a body.
    #[inline]
    pub(crate) fn body_columns(&self, block: &BlockLayout, slot: usize) -> &[Lanes; 6] {
        &self.body_columns[block.first_body_value + slot - block.first_slot]
    }

    /// The runs of a slot on dofs.
    #[inline]
    pub(crate) fn runs(&self, slot: &Slot) -> &[Run] {
        &self.runs[slot.first_run..slot.first_run + slot.run_count]
    }

    /// The columns of a run.
    #[inline]
    pub(crate) fn run_columns(&self, run: &Run) -> &[Lanes] {
        &self.run_columns[run.first_column..run.first_column + run.len]
    }

    /// Σ of the squares of a slot's Jacobian: its part of Tr(JᵀJ).
    pub(crate) fn squared_size(&self, block: &BlockLayout, slot: usize) -> f64 {
        if block.on_bodies().contains(&slot) {
            squared_size(self.body_columns(block, slot))
        } else {
            let slot = &self.slots[slot];
            self.runs(slot)
                .iter()
                .map(|run| squared_size(self.run_columns(run)))
                .sum()
        }
    }
}

/// Σ of the squares of some columns.
pub(crate) fn squared_size(columns: &[Lanes]) -> f64 {
    columns.iter().map(|column| column.dot(column)).sum()
}
