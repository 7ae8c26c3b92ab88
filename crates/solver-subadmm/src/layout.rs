//! The subsystem-based reformulation [AL, §VI-A] as flat arrays.
//!
//! Every Jacobian term (31)–(32) gets a *slot*; the slots of one block lie side by side, those on
//! bodies first and by bodies, so that the velocity step streams through memory and the slots of
//! different blocks can be handed to different threads. Three rows are kept for every slot, zero
//! beyond the constraint's own.

use nalgebra::Vector3;
use stiction_constraints::{JointRows, Law, Problem, RowBlock, Segment, Subsystem};

use crate::fold::Folds;
use crate::settings::Splitting;

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
    /// Index of the constraint among the active ones.
    pub(crate) active: usize,
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
    /// First of rows × len values, by rows.
    pub(crate) first_value: usize,
}

/// A constraint that takes part in the iteration (that is, was not folded).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Active {
    pub(crate) constraint: usize,
    pub(crate) law: Law,
    pub(crate) error: Vector3<f64>,
    pub(crate) rows: usize,
    pub(crate) first_row: usize,
    pub(crate) first_slot: usize,
    pub(crate) slot_count: usize,
}

/// The reformulated problem.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub(crate) blocks: Vec<BlockLayout>,
    pub(crate) active: Vec<Active>,
    /// Slots of each active constraint, in the order of its terms.
    pub(crate) slots_of: Vec<usize>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) body_values: Vec<[f64; 18]>,
    pub(crate) runs: Vec<Run>,
    pub(crate) run_values: Vec<f64>,
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
        dense_full_up_to: usize,
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
        self.list_blocks(problem, splitting, dense_full_up_to);
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

    fn list_blocks(&mut self, problem: &Problem, splitting: Splitting, dense_full_up_to: usize) {
        self.blocks.clear();
        self.first_bucket.clear();
        let mut bodies = 0;
        let mut buckets = 0;
        if splitting == Splitting::None {
            self.first_bucket.push(0);
            self.blocks.push(BlockLayout {
                kind: if problem.dof_count() <= dense_full_up_to {
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
        for (index, constraint) in problem.constraints().iter().enumerate() {
            if !folds.is_folded(index) {
                self.active.push(Active {
                    constraint: index,
                    law: constraint.law,
                    error: constraint.error,
                    rows: constraint.rows,
                    first_row: constraint.first_row,
                    first_slot: 0,
                    slot_count: 0,
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
        self.body_values.clear();
        self.body_values.resize(body_value, [0.0; 18]);
    }

    fn deal_out(&mut self, problem: &Problem, joint_rows: &JointRows, splitting: Splitting) {
        self.slots_of.clear();
        self.runs.clear();
        self.run_values.clear();
        for index in 0..self.active.len() {
            let (constraint, rows) = (self.active[index].constraint, self.active[index].rows);
            let first = self.slots_of.len();
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
                        active: index,
                        body: target.body.unwrap_or(0),
                        first_run: self.runs.len(),
                        run_count: 0,
                        rows,
                    };
                    match source {
                        Source::Body(values) => {
                            let place = block.first_body_value + number - block.first_slot;
                            self.body_values[place][..values.len()].copy_from_slice(values);
                        }
                        Source::Block(term) => push_runs(
                            problem,
                            target.block,
                            &term,
                            rows,
                            &mut self.runs,
                            &mut self.run_values,
                        ),
                        Source::Segments(segments) => {
                            for segment in segments {
                                self.runs.push(Run {
                                    first: segment.first_dof - block.first_dof,
                                    len: segment.len,
                                    first_value: self.run_values.len(),
                                });
                                self.run_values
                                    .extend_from_slice(joint_rows.values(constraint, segment));
                            }
                        }
                    }
                    slot.run_count = self.runs.len() - slot.first_run;
                    self.slots[number] = slot;
                    self.slots_of.push(number);
                },
            );
            self.active[index].first_slot = first;
            self.active[index].slot_count = self.slots_of.len() - first;
        }
    }

    /// Rows of active constraints for each degree of freedom, at least 1.
    pub(crate) fn crowd(&self) -> f64 {
        let rows: usize = self.active.iter().map(|active| active.rows).sum();
        let dofs = self.blocks.last().map_or(0, |last| last.dof_end);
        (rows as f64 / dofs.max(1) as f64).max(1.0)
    }

    /// Whether every subsystem has its own block.
    pub(crate) fn is_split(&self) -> bool {
        !self.one_block
    }

    /// The slots of an active constraint.
    pub(crate) fn slots_of(&self, active: &Active) -> &[usize] {
        &self.slots_of[active.first_slot..active.first_slot + active.slot_count]
    }

    /// 3×6 rows of all slots on bodies of a block.
    #[inline]
    pub(crate) fn body_values_of(&self, block: &BlockLayout) -> &[[f64; 18]] {
        &self.body_values[block.first_body_value..block.first_body_value + block.body_slots]
    }

    /// 3×6 rows of a slot on a body.
    #[inline]
    pub(crate) fn body_rows(&self, block: &BlockLayout, slot: usize) -> &[f64; 18] {
        &self.body_values[block.first_body_value + slot - block.first_slot]
    }

    /// The runs of a slot on dofs.
    #[inline]
    pub(crate) fn runs(&self, slot: &Slot) -> &[Run] {
        &self.runs[slot.first_run..slot.first_run + slot.run_count]
    }

    /// rows × len values of a run, by rows.
    #[inline]
    pub(crate) fn run_rows(&self, slot: &Slot, run: &Run) -> &[f64] {
        &self.run_values[run.first_value..run.first_value + slot.rows * run.len]
    }

    /// Σ of the squares of a slot's Jacobian: its part of Tr(JᵀJ).
    pub(crate) fn squared_size(&self, block: &BlockLayout, slot: usize) -> f64 {
        if block.on_bodies().contains(&slot) {
            self.body_rows(block, slot).iter().map(|x| x * x).sum()
        } else {
            let slot = &self.slots[slot];
            self.runs(slot)
                .iter()
                .map(|run| self.run_rows(slot, run).iter().map(|x| x * x).sum::<f64>())
                .sum()
        }
    }
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
                match block {
                    RowBlock::Body { body, values } if !dense_tree[subsystem] => visit(
                        Target {
                            block: subsystem,
                            body: Some(body),
                        },
                        Source::Body(values),
                    ),
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
    rows: usize,
    runs: &mut Vec<Run>,
    run_values: &mut Vec<f64>,
) {
    match *block {
        RowBlock::Body { body, values } => match &problem.subsystems()[subsystem] {
            Subsystem::Tree(tree) => {
                for dof in tree.path(tree.body_dof(body)) {
                    let first_value = run_values.len();
                    let column = &tree.columns()[dof];
                    for row in values.chunks_exact(6) {
                        run_values.push(row.iter().zip(column.iter()).map(|(a, b)| a * b).sum());
                    }
                    runs.push(Run {
                        first: dof,
                        len: 1,
                        first_value,
                    });
                }
            }
            _ => {
                runs.push(Run {
                    first: 0,
                    len: 6,
                    first_value: run_values.len(),
                });
                run_values.extend_from_slice(values);
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
                    first_value: run_values.len(),
                });
                for row in 0..rows {
                    run_values.extend_from_slice(
                        &values[row * dofs.len() + at..row * dofs.len() + at + len],
                    );
                }
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
                    first_value: run_values.len(),
                });
                run_values.extend(frame.iter().map(|value| weight * value));
            }
        }
    }
}
