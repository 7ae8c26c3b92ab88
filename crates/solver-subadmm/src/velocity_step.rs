//! (35): v̂ of every block from slacks and impulses, and what its slots see of it.

use stiction_constraints::Problem;

use crate::block::{Block, tree_of};
use crate::lanes::{Kernel, Lanes, vectorized};
use crate::layout::{BlockKind, BlockLayout, Layout};
use crate::parallel::{GRAIN, both};
use crate::settings::SMALL;
use crate::sweep::Spatial;

/// What all blocks read. The state of the iteration is s = z − λ/β for each slot (y/β of (36))
/// together with λ for each constraint; the slack is z = s + λ/β, and since u = −λ (40),
/// β z − u = β s + 2 λ.
pub(crate) struct VelocityStep<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) layout: &'a Layout,
    pub(crate) right_hand_side: &'a [f64],
    pub(crate) state: &'a [Lanes],
    /// λ of each active constraint.
    pub(crate) impulse: &'a [Lanes],
    pub(crate) penalty: &'a [f64],
    pub(crate) penalty_inverse: &'a [f64],
    pub(crate) relaxation: f64,
    pub(crate) parallel: bool,
}

/// What the blocks `first..` write, cut to size while the work is halved.
pub(crate) struct Output<'a> {
    pub(crate) first_block: usize,
    pub(crate) blocks: &'a mut [Block],
    pub(crate) velocity: &'a mut [f64],
    /// Change of the state of each slot, relaxation × (J v̂ − z).
    pub(crate) change: &'a mut [Lanes],
    /// Wrenches, then velocities, of the bodies of trees.
    pub(crate) bodies: &'a mut [Spatial],
}

/// The blocks of one thread.
struct InOrder<'a, 'b> {
    step: &'a VelocityStep<'a>,
    out: Output<'b>,
}

impl Kernel for InOrder<'_, '_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        self.step.run_in_order(self.out)
    }
}

impl VelocityStep<'_> {
    /// Updates v̂ and the change of the state; returns ‖J v̂ − z‖², not finite when something is
    /// not.
    pub(crate) fn run(&self, out: Output<'_>) -> f64 {
        let count = out.blocks.len();
        if count == 0 {
            return 0.0;
        }
        if count == 1 || !self.parallel || out.change.len() <= GRAIN {
            return vectorized(InOrder { step: self, out });
        }
        let middle = &self.layout.blocks[out.first_block + count / 2];
        let first = &self.layout.blocks[out.first_block];
        let (blocks_a, blocks_b) = out.blocks.split_at_mut(count / 2);
        let (velocity_a, velocity_b) = out
            .velocity
            .split_at_mut(middle.first_dof - first.first_dof);
        let (change_a, change_b) = out
            .change
            .split_at_mut(middle.first_slot - first.first_slot);
        let (bodies_a, bodies_b) = out
            .bodies
            .split_at_mut(middle.first_body - first.first_body);
        let (a, b) = both(
            true,
            || {
                self.run(Output {
                    first_block: out.first_block,
                    blocks: blocks_a,
                    velocity: velocity_a,
                    change: change_a,
                    bodies: bodies_a,
                })
            },
            || {
                self.run(Output {
                    first_block: out.first_block + count / 2,
                    blocks: blocks_b,
                    velocity: velocity_b,
                    change: change_b,
                    bodies: bodies_b,
                })
            },
        );
        a + b
    }

    #[inline(always)]
    fn run_in_order(&self, out: Output<'_>) -> f64 {
        let (mut velocity, mut change, mut bodies) = (out.velocity, out.change, out.bodies);
        let mut gap = 0.0;
        for (position, block) in out.blocks.iter_mut().enumerate() {
            let index = out.first_block + position;
            let own = &self.layout.blocks[index];
            let (own_velocity, rest) = velocity.split_at_mut(own.dof_count());
            velocity = rest;
            let (own_change, rest) = change.split_at_mut(own.slot_end - own.first_slot);
            change = rest;
            let (own_bodies, rest) = bodies.split_at_mut(own.body_end - own.first_body);
            bodies = rest;
            own_velocity.copy_from_slice(&self.right_hand_side[own.first_dof..own.dof_end]);
            if own_change.is_empty() {
                block.solve_in_place(self.problem, index, own_velocity);
                continue;
            }
            // What slots pull with, then what they see, then the change: all in one place.
            self.write_pulls(own, own_change);
            add_transpose(self.layout, own, own_change, own_velocity, own_bodies);
            self.solve(index, block, own_velocity, own_bodies);
            slot_velocities(self.layout, own, own_velocity, own_bodies, own_change);
            gap += self.write_change(own, own_change);
        }
        gap
    }

    /// β z − u of every slot of a block.
    #[inline(always)]
    fn write_pulls(&self, own: &BlockLayout, pulls: &mut [Lanes]) {
        let slots = own.slots();
        for (((out, &active), state), &penalty) in pulls
            .iter_mut()
            .zip(&self.layout.active_of[slots.clone()])
            .zip(&self.state[slots.clone()])
            .zip(&self.penalty[slots])
        {
            let impulse = &self.impulse[active];
            *out = state.scaled(penalty).plus_scaled(2.0, impulse);
        }
    }

    #[inline(always)]
    fn solve(&self, index: usize, block: &mut Block, velocity: &mut [f64], bodies: &mut [Spatial]) {
        match block {
            Block::Tree(block) => {
                let sweep = self.layout.sweep(&self.layout.blocks[index]);
                sweep.collect(bodies, velocity);
                block.factor.solve_in_place(velocity);
                sweep.spread(velocity, bodies);
            }
            Block::Articulated(block) => {
                if let Some(tree) = tree_of(self.problem, index) {
                    block.solve(tree, velocity, bodies);
                }
            }
            Block::FreeBody(block) => block.solve_in_place(velocity),
            Block::Sparse(block) => block.solve_in_place(velocity),
            Block::Dense(block) => block.solve_in_place(velocity),
        }
    }

    /// From J v̂ of every slot of a block to the change of its state; returns ‖J v̂ − z‖².
    #[inline(always)]
    fn write_change(&self, own: &BlockLayout, change: &mut [Lanes]) -> f64 {
        let mut sum = Lanes::ZERO;
        let slots = own.slots();
        for (((out, &active), state), &inverse_penalty) in change
            .iter_mut()
            .zip(&self.layout.active_of[slots.clone()])
            .zip(&self.state[slots.clone()])
            .zip(&self.penalty_inverse[slots])
        {
            let gap = out.minus(&state.plus_scaled(inverse_penalty, &self.impulse[active]));
            *out = gap.scaled(self.relaxation);
            sum = sum.plus_product(&gap, &gap);
        }
        sum.total()
    }
}

/// forces += Jᵀ q with one q per slot of a block; what slots put on bodies of a tree goes to
/// `wrenches`.
#[inline(always)]
pub(crate) fn add_transpose(
    layout: &Layout,
    own: &BlockLayout,
    pulls: &[Lanes],
    forces: &mut [f64],
    wrenches: &mut [Spatial],
) {
    let (on_bodies, on_dofs) = pulls.split_at(own.body_slots);
    let columns = layout.body_columns_of(own);
    if own.kind == BlockKind::FreeBody {
        let wrench = wrench_of(columns.iter(), on_bodies);
        for (force, value) in forces.iter_mut().zip(wrench.six()) {
            *force += value;
        }
    } else {
        wrenches.fill(Spatial::ZERO);
        let (mut columns, mut pulls) = (columns, on_bodies);
        for slots in layout.slots[own.on_bodies()].chunk_by(|a, b| a.body == b.body) {
            let (own_columns, rest) = columns.split_at(slots.len());
            columns = rest;
            let (own_pulls, rest) = pulls.split_at(slots.len());
            pulls = rest;
            wrenches[slots[0].body] = wrench_of(own_columns.iter(), own_pulls);
        }
    }
    let slots = layout.slots[own.on_dofs()].iter().zip(on_dofs);
    if slots.len() == 0 {
        return;
    }
    let pieces = layout.pieces(own);
    if !pieces.is_empty() {
        for piece in pieces {
            let pulls = &on_dofs[piece.first_slot..piece.first_slot + piece.count];
            let wrench = wrench_of(layout.piece_columns(piece), pulls);
            let forces = &mut forces[piece.first_dof..piece.first_dof + 6];
            for (force, value) in forces.iter_mut().zip(wrench.six()) {
                *force += value;
            }
        }
    } else if forces.len() <= SMALL {
        // Sums lane by lane: lanes are added up once, not for each slot.
        let mut sums = [Lanes::ZERO; SMALL];
        for (slot, q) in slots {
            for run in layout.runs(slot) {
                let part = &mut sums[run.first..run.first + run.len];
                add_products(part, layout.run_columns(run), q);
            }
        }
        for (force, sum) in forces.iter_mut().zip(&sums) {
            *force += sum.total();
        }
    } else {
        for (slot, q) in slots {
            for run in layout.runs(slot) {
                let part = &mut forces[run.first..run.first + run.len];
                for (force, column) in part.iter_mut().zip(layout.run_columns(run)) {
                    *force += column.dot(q);
                }
            }
        }
    }
}

/// sums += columns × q, lane by lane. In pieces of fixed length: a loop over single columns would
/// be vectorised across them, at the price of turning them round.
#[inline(always)]
fn add_products(sums: &mut [Lanes], columns: &[Lanes], q: &Lanes) {
    let (sums, last_sums) = sums.as_chunks_mut::<3>();
    let (columns, last_columns) = columns.as_chunks::<3>();
    for (sums, columns) in sums.iter_mut().zip(columns) {
        for (sum, column) in sums.iter_mut().zip(columns) {
            *sum = sum.plus_product(column, q);
        }
    }
    for (sum, column) in last_sums.iter_mut().zip(last_columns) {
        *sum = sum.plus_product(column, q);
    }
}

/// Jᵀ q of the slots on one body.
#[inline(always)]
fn wrench_of<'a>(columns: impl Iterator<Item = &'a [Lanes; 6]>, pulls: &[Lanes]) -> Spatial {
    let mut sums = [Lanes::ZERO; 6];
    for (columns, q) in columns.zip(pulls) {
        for (sum, column) in sums.iter_mut().zip(columns) {
            *sum = sum.plus_product(column, q);
        }
    }
    let mut wrench = Spatial::ZERO;
    for (value, sum) in wrench.0.iter_mut().zip(&sums) {
        *value = sum.total();
    }
    wrench
}

/// J v̂ of every slot of a block; `bodies` holds the velocities of a tree's bodies.
#[inline(always)]
pub(crate) fn slot_velocities(
    layout: &Layout,
    own: &BlockLayout,
    velocity: &[f64],
    bodies: &[Spatial],
    seen: &mut [Lanes],
) {
    let (on_bodies, on_dofs) = seen.split_at_mut(own.body_slots);
    let columns = layout.body_columns_of(own);
    if own.kind == BlockKind::FreeBody {
        let body: [f64; 6] = std::array::from_fn(|k| velocity[k]);
        for (columns, seen) in columns.iter().zip(on_bodies) {
            *seen = plus_columns(Lanes::ZERO, columns, &body);
        }
    } else {
        let slots = &layout.slots[own.on_bodies()];
        for ((columns, seen), slot) in columns.iter().zip(on_bodies).zip(slots) {
            *seen = plus_columns(Lanes::ZERO, columns, bodies[slot.body].six());
        }
    }
    let pieces = layout.pieces(own);
    if !pieces.is_empty() {
        on_dofs.fill(Lanes::ZERO);
        for piece in pieces {
            let body: [f64; 6] = std::array::from_fn(|k| velocity[piece.first_dof + k]);
            let seen = &mut on_dofs[piece.first_slot..piece.first_slot + piece.count];
            for (columns, seen) in layout.piece_columns(piece).zip(seen) {
                *seen = plus_columns(*seen, columns, &body);
            }
        }
        return;
    }
    for (slot, seen) in layout.slots[own.on_dofs()].iter().zip(on_dofs) {
        let mut sum = Lanes::ZERO;
        for run in layout.runs(slot) {
            let part = &velocity[run.first..run.first + run.len];
            let columns = layout.run_columns(run);
            // The same twice: of known length it is unrolled.
            sum = match (
                <&[Lanes; 6]>::try_from(columns),
                <&[f64; 6]>::try_from(part),
            ) {
                (Ok(columns), Ok(part)) => plus_columns(sum, columns, part),
                _ => plus_columns(sum, columns, part),
            };
        }
        *seen = sum;
    }
}

/// sum + J v with J by columns.
#[inline(always)]
fn plus_columns(mut sum: Lanes, columns: &[Lanes], v: &[f64]) -> Lanes {
    for (column, &v) in columns.iter().zip(v) {
        sum = sum.plus_scaled(v, column);
    }
    sum
}

#[cfg(test)]
mod tests {
    use nalgebra::Matrix6;
    use proptest::prelude::*;
    use stiction_constraints::{Law, ResidualEvaluator, RowBlock};

    use super::*;
    use crate::fold::Folds;
    use crate::settings::Splitting;

    /// What a contact acts on.
    #[derive(Debug, Clone, Copy)]
    enum On {
        Body(usize),
        Pair(usize, usize),
        /// The first degrees of freedom of a body.
        Dofs(usize, usize),
    }

    fn on() -> impl Strategy<Value = On> {
        prop_oneof![
            3 => (0..3_usize).prop_map(On::Body),
            3 => (0..2_usize).prop_map(|body| On::Pair(body, body + 1)),
            1 => (0..3_usize, 1..=6_usize).prop_map(|(body, count)| On::Dofs(body, count)),
        ]
    }

    fn problem(contacts: &[(On, usize)]) -> Problem {
        let mut problem = Problem::new();
        for _ in 0..3 {
            problem
                .push_free_body(Matrix6::identity(), &[0.0; 6])
                .expect("a unit mass");
        }
        let law = Law::Contact { friction: 0.5 };
        // Several contacts in a row on the same bodies, each with its own numbers.
        let all = contacts.iter().flat_map(|&(on, times)| vec![on; times]);
        for (index, on) in all.enumerate() {
            let numbers: Vec<f64> = (0..36).map(|k| ((37 * index + k) as f64).sin()).collect();
            let rows = |body: usize| RowBlock::Body {
                body: 0,
                values: &numbers[18 * body..18 * body + 18],
            };
            let dofs: Vec<usize> = (0..6).collect();
            let terms = match on {
                On::Body(body) => vec![(body, rows(0))],
                On::Pair(a, b) => vec![(a, rows(0)), (b, rows(1))],
                On::Dofs(body, count) => {
                    let (dofs, values) = (&dofs[..count], &numbers[..3 * count]);
                    vec![(body, RowBlock::Dofs { dofs, values })]
                }
            };
            problem
                .push_constraint(law, &[0.0; 3], &terms)
                .expect("a contact");
        }
        problem
    }

    /// J v̂ and Jᵀ q through the slots against the joint-space rows.
    fn check(problem: &Problem, splitting: Splitting) -> Layout {
        let mut evaluator = ResidualEvaluator::default();
        evaluator.update(problem).expect("unit masses");
        let (mut layout, mut folds) = (Layout::default(), Folds::default());
        let rows = evaluator.rows();
        layout.update(problem, rows, splitting, &mut folds, true);
        let v: Vec<f64> = (0..problem.dof_count()).map(|k| (k as f64).cos()).collect();
        let lambda: Vec<f64> = (0..problem.row_count())
            .map(|k| (0.7 * k as f64).cos())
            .collect();
        let mut seen = vec![Lanes::ZERO; layout.slots.len()];
        let mut forces = vec![0.0; v.len()];
        for own in &layout.blocks {
            let dofs = own.first_dof..own.dof_end;
            let pulls: Vec<Lanes> = layout.active_of[own.slots()]
                .iter()
                .map(|&active| Lanes::load(&lambda[3 * active..3 * active + 3]))
                .collect();
            slot_velocities(&layout, own, &v[dofs.clone()], &[], &mut seen[own.slots()]);
            add_transpose(&layout, own, &pulls, &mut forces[dofs], &mut []);
        }
        let (mut row_velocity, mut expected) = (vec![0.0; lambda.len()], vec![0.0; v.len()]);
        rows.mul(&v, &mut row_velocity);
        rows.mul_transpose_add(&lambda, &mut expected);
        for (force, expected) in forces.iter().zip(&expected) {
            assert!((force - expected).abs() < 1e-12, "{force} {expected}");
        }
        for active in 0..layout.active.len() {
            for row in 0..3 {
                let slots = layout.slots_of(active).iter();
                let sum: f64 = slots.map(|&slot| seen[slot][row]).sum();
                let expected = row_velocity[3 * active + row];
                assert!((sum - expected).abs() < 1e-12, "{sum} {expected}");
            }
        }
        layout
    }

    proptest! {
        #[test]
        fn products_through_slots_are_those_of_the_rows(
            contacts in prop::collection::vec((on(), 1..9_usize), 1..8),
        ) {
            let problem = problem(&contacts);
            for splitting in [Splitting::None, Splitting::Body, Splitting::Subsystem] {
                check(&problem, splitting);
            }
        }
    }

    #[test]
    fn many_contacts_between_the_same_bodies_make_pieces() {
        let stack = problem(&[(On::Body(0), 10), (On::Pair(0, 1), 12), (On::Pair(1, 2), 9)]);
        let layout = check(&stack, Splitting::None);
        assert_eq!(layout.pieces(&layout.blocks[0]).len(), 5);
        // Fewer degrees of freedom, though from the same on.
        let mixed = problem(&[(On::Body(0), 10), (On::Dofs(0, 4), 1)]);
        let layout = check(&mixed, Splitting::None);
        assert!(layout.pieces(&layout.blocks[0]).is_empty());
    }
}
