//! (35): v̂ of every block from slacks and impulses, and what its slots see of it.

use stiction_constraints::Problem;

use crate::block::{Block, tree_of};
use crate::layout::{BlockKind, BlockLayout, Layout};
use crate::parallel::both;

/// Slots that one thread takes at a time; a plausible size, not tuned.
const SLOT_GRAIN: usize = 512;

/// What all blocks read. The state of the iteration is s = z − λ/β for each slot (y/β of (36))
/// together with λ for each constraint; the slack is z = s + λ/β, and since u = −λ (40),
/// β z − u = β s + 2 λ.
pub(crate) struct VelocityStep<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) layout: &'a Layout,
    pub(crate) right_hand_side: &'a [f64],
    pub(crate) state: &'a [[f64; 3]],
    /// λ of each active constraint.
    pub(crate) impulse: &'a [[f64; 3]],
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
    pub(crate) change: &'a mut [[f64; 3]],
    /// Wrenches, then velocities, of the bodies of trees.
    pub(crate) bodies: &'a mut [[f64; 6]],
}

impl VelocityStep<'_> {
    /// Updates v̂ and the change of the state; returns ‖J v̂ − z‖², not finite when something is
    /// not.
    pub(crate) fn run(&self, out: Output<'_>) -> f64 {
        let count = out.blocks.len();
        if count == 0 {
            return 0.0;
        }
        if count == 1 || !self.parallel || out.change.len() <= SLOT_GRAIN {
            return self.run_in_order(out);
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
    fn write_pulls(&self, own: &BlockLayout, pulls: &mut [[f64; 3]]) {
        let slots = own.slots();
        let (state, penalty) = (&self.state[slots.clone()], &self.penalty[slots.clone()]);
        for (((out, slot), state), &penalty) in pulls
            .iter_mut()
            .zip(&self.layout.slots[slots])
            .zip(state)
            .zip(penalty)
        {
            let impulse = &self.impulse[slot.active];
            for row in 0..3 {
                out[row] = penalty * state[row] + 2.0 * impulse[row];
            }
        }
    }

    fn solve(
        &self,
        index: usize,
        block: &mut Block,
        velocity: &mut [f64],
        bodies: &mut [[f64; 6]],
    ) {
        match block {
            Block::Tree(block) => {
                if let Some(tree) = tree_of(self.problem, index) {
                    block.solve(tree, velocity, bodies);
                }
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
    fn write_change(&self, own: &BlockLayout, change: &mut [[f64; 3]]) -> f64 {
        let mut sum = [0.0; 3];
        let slots = own.slots();
        let (state, give) = (
            &self.state[slots.clone()],
            &self.penalty_inverse[slots.clone()],
        );
        for (((out, slot), state), &give) in change
            .iter_mut()
            .zip(&self.layout.slots[slots])
            .zip(state)
            .zip(give)
        {
            let impulse = &self.impulse[slot.active];
            for row in 0..3 {
                let gap = out[row] - (state[row] + give * impulse[row]);
                out[row] = self.relaxation * gap;
                sum[row] += gap * gap;
            }
        }
        sum.iter().sum()
    }
}

/// forces += Jᵀ q with one q per slot of a block; what slots put on bodies of a tree goes to
/// `wrenches`.
pub(crate) fn add_transpose(
    layout: &Layout,
    own: &BlockLayout,
    pulls: &[[f64; 3]],
    forces: &mut [f64],
    wrenches: &mut [[f64; 6]],
) {
    let (on_bodies, on_dofs) = pulls.split_at(own.body_slots);
    let rows = layout.body_values_of(own);
    if own.kind == BlockKind::FreeBody {
        let mut wrench = [0.0; 6];
        for (rows, q) in rows.iter().zip(on_bodies) {
            add_rows(rows, q, &mut wrench);
        }
        for (force, value) in forces.iter_mut().zip(wrench) {
            *force += value;
        }
    } else {
        wrenches.fill([0.0; 6]);
        let slots = &layout.slots[own.on_bodies()];
        for ((rows, q), slot) in rows.iter().zip(on_bodies).zip(slots) {
            add_rows(rows, q, &mut wrenches[slot.body]);
        }
    }
    for (slot, q) in layout.slots[own.on_dofs()].iter().zip(on_dofs) {
        for run in layout.runs(slot) {
            let values = layout.run_rows(slot, run);
            let part = &mut forces[run.first..run.first + run.len];
            if let (Ok(values), Ok(part)) =
                (values.try_into(), <&mut [f64; 6]>::try_from(&mut *part))
            {
                add_rows(values, q, part);
            } else if slot.rows == 3 {
                let (a, rest) = values.split_at(run.len);
                let (b, c) = rest.split_at(run.len);
                for (((sum, a), b), c) in part.iter_mut().zip(a).zip(b).zip(c) {
                    *sum += q[0] * a + q[1] * b + q[2] * c;
                }
            } else {
                for (row, &scale) in values.chunks_exact(run.len).zip(q) {
                    crate::vector::add_scaled(part, scale, row);
                }
            }
        }
    }
}

/// wrench += Jᵀ q for 3×6 rows.
#[inline]
fn add_rows(rows: &[f64; 18], q: &[f64; 3], wrench: &mut [f64; 6]) {
    for k in 0..6 {
        wrench[k] += q[0] * rows[k] + q[1] * rows[6 + k] + q[2] * rows[12 + k];
    }
}

/// J v̂ of every slot of a block; `bodies` holds the velocities of a tree's bodies.
pub(crate) fn slot_velocities(
    layout: &Layout,
    own: &BlockLayout,
    velocity: &[f64],
    bodies: &[[f64; 6]],
    seen: &mut [[f64; 3]],
) {
    let (on_bodies, on_dofs) = seen.split_at_mut(own.body_slots);
    let rows = layout.body_values_of(own);
    if own.kind == BlockKind::FreeBody {
        let body: [f64; 6] = std::array::from_fn(|k| velocity[k]);
        for (rows, seen) in rows.iter().zip(on_bodies) {
            *seen = mul_rows(rows, &body);
        }
    } else {
        let slots = &layout.slots[own.on_bodies()];
        for ((rows, seen), slot) in rows.iter().zip(on_bodies).zip(slots) {
            *seen = mul_rows(rows, &bodies[slot.body]);
        }
    }
    for (slot, seen) in layout.slots[own.on_dofs()].iter().zip(on_dofs) {
        let mut sums = [0.0; 3];
        for run in layout.runs(slot) {
            let part = &velocity[run.first..run.first + run.len];
            let values = layout.run_rows(slot, run);
            if let (Ok(values), Ok(part)) = (values.try_into(), part.try_into()) {
                let own = mul_rows(values, part);
                for row in 0..3 {
                    sums[row] += own[row];
                }
                continue;
            }
            for (sum, row) in sums.iter_mut().zip(values.chunks_exact(run.len)) {
                *sum += crate::vector::dot(row, part);
            }
        }
        *seen = sums;
    }
}

/// J v for 3×6 rows, in two interleaved sums a row: the shape of the narrowest vector registers.
#[inline(always)]
fn mul_rows(rows: &[f64; 18], v: &[f64; 6]) -> [f64; 3] {
    let mut sums = [[0.0; 2]; 3];
    for row in 0..3 {
        for pair in 0..3 {
            for lane in 0..2 {
                let k = 2 * pair + lane;
                sums[row][lane] += rows[6 * row + k] * v[k];
            }
        }
    }
    [
        sums[0][0] + sums[0][1],
        sums[1][0] + sums[1][1],
        sums[2][0] + sums[2][1],
    ]
}
