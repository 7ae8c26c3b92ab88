//! How the lists come about: blocks, active constraints, and the slots that are dealt out to them.

use stiction_constraints::{JointRows, Law, Problem, RowBlock, Subsystem};

use super::terms::{Source, bucket, for_each_target, push_runs};
use super::{Active, BlockKind, BlockLayout, Layout, Piece, Run, Slot};
use crate::fold::Folds;
use crate::lanes::{Lanes, columns_of};
use crate::settings::{CoarseMatrix, SMALL, Splitting};

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
                kind: if problem.dof_count() <= SMALL || self.coarse_matrix == CoarseMatrix::Dense {
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
        let dense_rows =
            splitting == Splitting::Subsystem && self.coarse_matrix == CoarseMatrix::Dense;
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
                        Source::Segments(segments) if dense_rows => {
                            let (len, first_column) = (block.dof_count(), self.run_columns.len());
                            self.runs.push(Run {
                                first: 0,
                                len,
                                first_column,
                            });
                            self.run_columns.resize(first_column + len, Lanes::ZERO);
                            for segment in segments {
                                let at = first_column + segment.first_dof - block.first_dof;
                                let values = joint_rows.values(constraint, segment);
                                for (own, column) in (self.run_columns[at..].iter_mut())
                                    .zip(columns_of(values, segment.len))
                                {
                                    *own = column;
                                }
                            }
                        }
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
}
