//! The subsystem-based reformulation [AL, §VI-A] as flat arrays.
//!
//! Every Jacobian term (31)–(32) gets a *slot*; the slots of one block lie side by side, those on
//! bodies first and by bodies, so that the velocity step streams through memory and the slots of
//! different blocks can be handed to different threads. Jacobians are kept by columns of four lanes,
//! zero beyond the constraint's own rows.

use stiction_constraints::{JointRows, Law, Problem, RowBlock, Segment, Subsystem};

use crate::fold::Folds;
use crate::lanes::{Lanes, columns_of};
use crate::settings::{SMALL, Splitting};
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
}

/// One term as it is dealt out: the block it acts on and the body, if it is kept on a body.
struct Target {
    block: usize,
    body: Option<usize>,
}

impl Layout {
    /// Rebuilds all lists; allocates only when the problem grew.
    pub(crate) fn update(
        &mut self,
        problem: &Problem,
        joint_rows: &JointRows,
        splitting: Splitting,
        folds: &mut Folds,
        fold_soft: bool,
    ) {
        self.one_block = splitting == Splitting::None;
        self.find_dense_trees(problem, splitting);
        folds.choose(
            problem,
            fold_soft,
            splitting == Splitting::None,
            &self.dense_tree,
        );
        self.list_blocks(problem, splitting);
        self.list_active(problem, folds);
        // First count, then deal out: a stable counting sort by blocks and bodies.
        self.cursor.fill(0);
        for index in 0..self.active.len() {
            let constraint = self.active[index].constraint;
            for_each_target(
                problem,
                joint_rows,
                splitting,
                &self.dense_tree,
                constraint,
                |target, _| {
                    self.cursor[bucket(&self.first_bucket, &target)] += 1;
                },
            );
        }
        self.place_blocks();
        self.deal_out(problem, joint_rows, splitting);
        self.list_walks(problem);
        self.list_pieces();
        self.is_one_to_one = self.slots.len() == self.active.len()
            && self
                .slots_of
                .iter()
                .enumerate()
                .all(|(at, &slot)| at == slot)
            && self
                .slot_start
                .iter()
                .enumerate()
                .all(|(at, &start)| at == start);
    }

    /// A tree whose rows couple several joint coordinates at once has no branch-sparse matrix.
    fn find_dense_trees(&mut self, problem: &Problem, splitting: Splitting) {
        self.dense_tree.clear();
        self.dense_tree
            .resize(problem.subsystems().len(), splitting != Splitting::Body);
        if splitting != Splitting::Body {
            return;
        }
        for constraint in 0..problem.constraints().len() {
            for (subsystem, block) in problem.terms(constraint) {
                let couples = match block {
                    RowBlock::Body { .. } => false,
                    RowBlock::Dofs { dofs, .. } => dofs.len() > 1,
                    RowBlock::Nodes { .. } => true,
                };
                if couples && matches!(problem.subsystems()[subsystem], Subsystem::Tree(_)) {
                    self.dense_tree[subsystem] = true;
                }
            }
        }
    }

    fn list_blocks(&mut self, problem: &Problem, splitting: Splitting) {
        self.blocks.clear();
        self.first_bucket.clear();
        let mut bodies = 0;
        let mut buckets = 0;
        if splitting == Splitting::None {
            self.first_bucket.push(0);
            self.blocks.push(BlockLayout {
                kind: if problem.dof_count() <= SMALL {
                    BlockKind::Dense
                } else {
                    BlockKind::Sparse
                },
                first_dof: 0,
                dof_end: problem.dof_count(),
                first_slot: 0,
                slot_end: 0,
                body_slots: 0,
                first_body_value: 0,
                first_body: 0,
                body_end: 0,
                first_piece: 0,
                piece_end: 0,
                first_step: 0,
                step_end: 0,
            });
            buckets = 1;
        } else {
            for (index, subsystem) in problem.subsystems().iter().enumerate() {
                let kind = match subsystem {
                    Subsystem::FreeBody(_) => BlockKind::FreeBody,
                    Subsystem::Tree(_) if self.dense_tree[index] => BlockKind::Dense,
                    Subsystem::Tree(_) => BlockKind::Tree,
                    Subsystem::Sparse(_) => BlockKind::Sparse,
                    Subsystem::Dense(_) => BlockKind::Dense,
                };
                let own_bodies = match kind {
                    BlockKind::Tree => subsystem.body_count(),
                    _ => 0,
                };
                self.first_bucket.push(buckets);
                self.blocks.push(BlockLayout {
                    kind,
                    first_dof: problem.dof_starts()[index],
                    dof_end: problem.dof_starts()[index + 1],
                    first_slot: 0,
                    slot_end: 0,
                    body_slots: 0,
                    first_body_value: 0,
                    first_body: bodies,
                    body_end: bodies + own_bodies,
                    first_piece: 0,
                    piece_end: 0,
                    first_step: 0,
                    step_end: 0,
                });
                bodies += own_bodies;
                buckets += 1 + match kind {
                    BlockKind::FreeBody => 1,
                    _ => own_bodies,
                };
            }
        }
        self.first_bucket.push(buckets);
        self.cursor.resize(buckets, 0);
    }

    fn list_active(&mut self, problem: &Problem, folds: &Folds) {
        self.active.clear();
        self.error.clear();
        self.friction.clear();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            if !folds.is_folded(index) {
                self.active.push(Active {
                    constraint: index,
                    law: constraint.law,
                    rows: constraint.rows,
                    first_row: constraint.first_row,
                });
                let error = constraint.load(problem.errors());
                self.error.push(Lanes::load(error.as_slice()));
                self.friction.push(match constraint.law {
                    Law::Contact { friction } => friction,
                    _ => f64::NAN,
                });
            }
        }
    }

    /// Turns the counts of the buckets into first slots.
    fn place_blocks(&mut self) {
        let (mut slot, mut body_value) = (0, 0);
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let (first, end) = (self.first_bucket[index], self.first_bucket[index + 1]);
            block.first_slot = slot;
            block.first_body_value = body_value;
            for (position, cursor) in self.cursor[first..end].iter_mut().enumerate() {
                let count = *cursor;
                *cursor = slot;
                slot += count;
                if position + 1 < end - first {
                    block.body_slots += count;
                    body_value += count;
                }
            }
            block.slot_end = slot;
        }
        self.slots.clear();
        self.slots.resize(slot, Slot::default());
        self.active_of.clear();
        self.active_of.resize(slot, 0);
        self.body_columns.clear();
        self.body_columns.resize(body_value, [Lanes::ZERO; 6]);
    }

    fn deal_out(&mut self, problem: &Problem, joint_rows: &JointRows, splitting: Splitting) {
        self.slots_of.clear();
        self.slot_start.clear();
        self.slot_start.push(0);
        self.runs.clear();
        self.run_columns.clear();
        for index in 0..self.active.len() {
            let (constraint, rows) = (self.active[index].constraint, self.active[index].rows);
            for_each_target(
                problem,
                joint_rows,
                splitting,
                &self.dense_tree,
                constraint,
                |target, source| {
                    let cursor = &mut self.cursor[bucket(&self.first_bucket, &target)];
                    let number = *cursor;
                    *cursor += 1;
                    let block = &self.blocks[target.block];
                    let mut slot = Slot {
                        body: target.body.unwrap_or(0),
                        first_run: self.runs.len(),
                        run_count: 0,
                        rows,
                    };
                    match source {
                        Source::Body(values) => {
                            let place = block.first_body_value + number - block.first_slot;
                            let columns = &mut self.body_columns[place];
                            for (own, column) in columns.iter_mut().zip(columns_of(values, 6)) {
                                *own = column;
                            }
                        }
                        Source::Block(term) => push_runs(
                            problem,
                            target.block,
                            &term,
                            &mut self.runs,
                            &mut self.run_columns,
                        ),
                        Source::Segments(segments) => {
                            for segment in segments {
                                self.runs.push(Run {
                                    first: segment.first_dof - block.first_dof,
                                    len: segment.len,
                                    first_column: self.run_columns.len(),
                                });
                                self.run_columns.extend(columns_of(
                                    joint_rows.values(constraint, segment),
                                    segment.len,
                                ));
                            }
                        }
                    }
                    slot.run_count = self.runs.len() - slot.first_run;
                    self.slots[number] = slot;
                    self.active_of[number] = index;
                    self.slots_of.push(number);
                },
            );
            self.slot_start.push(self.slots_of.len());
        }
    }

    fn list_walks(&mut self, problem: &Problem) {
        self.sweeps.clear();
        for (index, block) in self.blocks.iter_mut().enumerate() {
            if block.kind == BlockKind::Tree
                && let Subsystem::Tree(tree) = &problem.subsystems()[index]
            {
                let touched = self.slots[block.on_bodies()].iter().map(|slot| slot.body);
                (block.first_step, block.step_end) = self.sweeps.push(tree, touched);
            }
        }
    }

    fn list_pieces(&mut self) {
        self.pieces.clear();
        for index in 0..self.blocks.len() {
            let first = self.pieces.len();
            let on_dofs = self.blocks[index].on_dofs();
            for (position, number) in on_dofs.clone().enumerate() {
                let slot = self.slots[number];
                let runs = &self.runs[slot.first_run..slot.first_run + slot.run_count];
                // As many pieces are open as the slot before had runs.
                let open = self.pieces.len() - slot.run_count.min(self.pieces.len() - first);
                let goes_on = self.pieces[open..].iter().zip(runs).all(|(piece, run)| {
                    piece.first_slot + piece.count == position
                        && (piece.first_dof, 6) == (run.first, run.len)
                        && piece.first_column + piece.count * piece.stride == run.first_column
                        && piece.stride == 6 * runs.len()
                }) && self.pieces.len() - open == runs.len();
                if goes_on {
                    for piece in &mut self.pieces[open..] {
                        piece.count += 1;
                    }
                    continue;
                }
                self.pieces.extend(runs.iter().map(|run| Piece {
                    first_slot: position,
                    count: 1,
                    first_dof: run.first,
                    first_column: run.first_column,
                    stride: 6 * runs.len(),
                }));
                if runs.iter().any(|run| run.len != 6) {
                    self.pieces.truncate(first);
                    break;
                }
            }
            let block = &mut self.blocks[index];
            (block.first_piece, block.piece_end) = (first, self.pieces.len());
        }
    }

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

/// Where the numbers of a term come from.
enum Source<'a> {
    /// rows × 6 on a body.
    Body(&'a [f64]),
    /// A row block that is written out in joint space.
    Block(RowBlock<'a>),
    /// Rows in joint space, already added up.
    Segments(&'a [Segment]),
}

fn bucket(first_bucket: &[usize], target: &Target) -> usize {
    match target.body {
        Some(body) => first_bucket[target.block] + body,
        None => first_bucket[target.block + 1] - 1,
    }
}

/// Visits the terms of a constraint as the splitting defines them.
fn for_each_target(
    problem: &Problem,
    joint_rows: &JointRows,
    splitting: Splitting,
    dense_tree: &[bool],
    constraint: usize,
    mut visit: impl FnMut(Target, Source<'_>),
) {
    match splitting {
        Splitting::Body => {
            for (subsystem, block) in problem.terms(constraint) {
                // The bodies of a sparse subsystem are coupled by its matrix, which has no bodies apart.
                let is_sparse = matches!(problem.subsystems()[subsystem], Subsystem::Sparse(_));
                match block {
                    RowBlock::Body { body, values } if !dense_tree[subsystem] && !is_sparse => {
                        visit(
                            Target {
                                block: subsystem,
                                body: Some(body),
                            },
                            Source::Body(values),
                        );
                    }
                    _ => visit(
                        Target {
                            block: subsystem,
                            body: None,
                        },
                        Source::Block(block),
                    ),
                }
            }
        }
        Splitting::Subsystem => {
            for group in joint_rows
                .segments(constraint)
                .chunk_by(|a, b| a.subsystem == b.subsystem)
            {
                visit(
                    Target {
                        block: group[0].subsystem,
                        body: None,
                    },
                    Source::Segments(group),
                );
            }
        }
        Splitting::None => {
            let segments = joint_rows.segments(constraint);
            if !segments.is_empty() {
                visit(
                    Target {
                        block: 0,
                        body: None,
                    },
                    Source::Segments(segments),
                );
            }
        }
    }
}

/// Writes a row block out in joint space.
fn push_runs(
    problem: &Problem,
    subsystem: usize,
    block: &RowBlock<'_>,
    runs: &mut Vec<Run>,
    run_columns: &mut Vec<Lanes>,
) {
    match *block {
        RowBlock::Body { body, values } => match &problem.subsystems()[subsystem] {
            Subsystem::Tree(tree) => {
                for dof in tree.path(tree.body_dof(body)) {
                    runs.push(Run {
                        first: dof,
                        len: 1,
                        first_column: run_columns.len(),
                    });
                    let axis = &tree.columns()[dof];
                    let mut column = Lanes::ZERO;
                    for (lane, row) in column.0.iter_mut().zip(values.chunks_exact(6)) {
                        *lane = row.iter().zip(axis.iter()).map(|(a, b)| a * b).sum();
                    }
                    run_columns.push(column);
                }
            }
            _ => {
                runs.push(Run {
                    first: 6 * body,
                    len: 6,
                    first_column: run_columns.len(),
                });
                run_columns.extend(columns_of(values, 6));
            }
        },
        RowBlock::Dofs { dofs, values } => {
            let mut at = 0;
            while at < dofs.len() {
                let mut len = 1;
                while at + len < dofs.len() && dofs[at + len] == dofs[at] + len {
                    len += 1;
                }
                runs.push(Run {
                    first: dofs[at],
                    len,
                    first_column: run_columns.len(),
                });
                run_columns.extend(columns_of(values, dofs.len()).skip(at).take(len));
                at += len;
            }
        }
        RowBlock::Nodes {
            nodes,
            weights,
            frame,
        } => {
            for (&node, &weight) in nodes.iter().zip(weights) {
                runs.push(Run {
                    first: 3 * node,
                    len: 3,
                    first_column: run_columns.len(),
                });
                let columns = columns_of(frame, 3);
                run_columns.extend(columns.map(|column| column.scaled(weight)));
            }
        }
    }
}
