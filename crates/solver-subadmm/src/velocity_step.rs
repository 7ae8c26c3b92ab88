//! (35): v̂ of every block from slacks and impulses, and what its slots see of it.

use stiction_constraints::Problem;

use crate::block::{Block, tree_of};
use crate::layout::{BlockKind, BlockLayout, Layout, Slot};
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
            self.update_velocity(index, block, own_velocity, own_bodies);
            gap += self.update_change(own, own_velocity, own_bodies, own_change);
        }
        gap
    }

    /// β z − u of a slot.
    #[inline]
    fn pull(&self, number: usize, slot: &Slot) -> [f64; 3] {
        let (state, impulse) = (&self.state[number], &self.impulse[slot.active]);
        let penalty = self.penalty[number];
        std::array::from_fn(|row| penalty * state[row] + 2.0 * impulse[row])
    }

    fn update_velocity(
        &self,
        index: usize,
        block: &mut Block,
        velocity: &mut [f64],
        bodies: &mut [[f64; 6]],
    ) {
        let own = &self.layout.blocks[index];
        add_transpose(self.layout, own, velocity, bodies, |number, slot| {
            self.pull(number, slot)
        });
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

    fn update_change(
        &self,
        own: &BlockLayout,
        velocity: &[f64],
        bodies: &[[f64; 6]],
        change: &mut [[f64; 3]],
    ) -> f64 {
        let mut sum = [0.0; 3];
        for_each_velocity(self.layout, own, velocity, bodies, |number, slot, seen| {
            let (state, impulse) = (&self.state[number], &self.impulse[slot.active]);
            let give = self.penalty_inverse[number];
            let out = &mut change[number - own.first_slot];
            for row in 0..3 {
                let gap = seen[row] - (state[row] + give * impulse[row]);
                out[row] = self.relaxation * gap;
                sum[row] += gap * gap;
            }
        });
        sum.iter().sum()
    }
}

/// forces += Jᵀ q with one q per slot; what slots put on bodies of a tree goes to `wrenches`.
#[inline]
pub(crate) fn add_transpose(
    layout: &Layout,
    own: &BlockLayout,
    forces: &mut [f64],
    wrenches: &mut [[f64; 6]],
    pull: impl Fn(usize, &Slot) -> [f64; 3],
) {
    if own.kind == BlockKind::FreeBody {
        let mut wrench = [0.0; 6];
        for number in own.on_bodies() {
            add_rows(
                layout.body_rows(own, number),
                &pull(number, &layout.slots[number]),
                &mut wrench,
            );
        }
        for (force, value) in forces.iter_mut().zip(wrench) {
            *force += value;
        }
    } else {
        wrenches.fill([0.0; 6]);
        for number in own.on_bodies() {
            let slot = &layout.slots[number];
            add_rows(
                layout.body_rows(own, number),
                &pull(number, slot),
                &mut wrenches[slot.body],
            );
        }
    }
    for number in own.on_dofs() {
        let slot = &layout.slots[number];
        let q = pull(number, slot);
        for run in layout.runs(slot) {
            let values = layout.run_rows(slot, run);
            let part = &mut forces[run.first..run.first + run.len];
            if let (Ok(values), Ok(part)) = (values.try_into(), part.try_into()) {
                add_rows(values, &q, part);
            } else if slot.rows == 3 {
                let (a, rest) = values.split_at(run.len);
                let (b, c) = rest.split_at(run.len);
                for (((sum, a), b), c) in part.iter_mut().zip(a).zip(b).zip(c) {
                    *sum += q[0] * a + q[1] * b + q[2] * c;
                }
            } else {
                for (row, scale) in values.chunks_exact(run.len).zip(q) {
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

/// Visits J v̂ of every slot of a block; `bodies` holds the velocities of a tree's bodies.
#[inline]
pub(crate) fn for_each_velocity(
    layout: &Layout,
    own: &BlockLayout,
    velocity: &[f64],
    bodies: &[[f64; 6]],
    mut visit: impl FnMut(usize, &Slot, [f64; 3]),
) {
    if own.kind == BlockKind::FreeBody {
        let body: [f64; 6] = std::array::from_fn(|k| velocity[k]);
        for number in own.on_bodies() {
            let seen = mul_rows(layout.body_rows(own, number), &body);
            visit(number, &layout.slots[number], seen);
        }
    } else {
        for number in own.on_bodies() {
            let slot = &layout.slots[number];
            let seen = mul_rows(layout.body_rows(own, number), &bodies[slot.body]);
            visit(number, slot, seen);
        }
    }
    for number in own.on_dofs() {
        let slot = &layout.slots[number];
        let mut seen = [0.0; 3];
        for run in layout.runs(slot) {
            let part = &velocity[run.first..run.first + run.len];
            let values = layout.run_rows(slot, run);
            if let (Ok(values), Ok(part)) = (values.try_into(), part.try_into()) {
                let own = mul_rows(values, part);
                for row in 0..3 {
                    seen[row] += own[row];
                }
                continue;
            }
            for (sum, row) in seen.iter_mut().zip(values.chunks_exact(run.len)) {
                *sum += crate::vector::dot(row, part);
            }
        }
        visit(number, slot, seen);
    }
}

#[inline]
fn mul_rows(rows: &[f64; 18], v: &[f64; 6]) -> [f64; 3] {
    let mut out = [0.0; 3];
    for (row, sum) in out.iter_mut().enumerate() {
        let r = &rows[6 * row..6 * row + 6];
        *sum =
            (r[0] * v[0] + r[1] * v[1]) + (r[2] * v[2] + r[3] * v[3]) + (r[4] * v[4] + r[5] * v[5]);
    }
    out
}
