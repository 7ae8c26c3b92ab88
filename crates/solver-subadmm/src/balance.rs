//! The residuals (43) of one plain iteration, as printed and relative, for the update of β (44).

use stiction_constraints::Problem;

use crate::block::{tree::collect_wrenches, tree_of};
use crate::layout::{Layout, Slot};
use crate::parallel::largest;
use crate::vector;
use crate::velocity_step::add_transpose;

/// One iteration without extrapolation, from (s, λ) to (s + change, λ').
pub(crate) struct PlainStep<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) layout: &'a Layout,
    /// s + change.
    pub(crate) state: &'a [[f64; 3]],
    /// relaxation × (J v̂ − z).
    pub(crate) change: &'a [[f64; 3]],
    pub(crate) relaxation: f64,
    /// λ of each active constraint, before and after.
    pub(crate) old_impulse: &'a [[f64; 3]],
    pub(crate) impulse: &'a [[f64; 3]],
    pub(crate) penalty: &'a [f64],
    pub(crate) penalty_inverse: &'a [f64],
}

/// Work space of [`PlainStep`].
#[derive(Debug, Default)]
pub(crate) struct Forces {
    forces: Vec<f64>,
    bodies: Vec<[f64; 6]>,
    pulls: Vec<[f64; 3]>,
}

impl PlainStep<'_> {
    /// J v̂, old z and new z of a slot.
    fn slot_velocities(&self, number: usize, slot: &Slot) -> [[f64; 3]; 3] {
        let (state, change) = (&self.state[number], &self.change[number]);
        let give = self.penalty_inverse[number];
        let (old, new) = (&self.old_impulse[slot.active], &self.impulse[slot.active]);
        let old_slack: [f64; 3] =
            std::array::from_fn(|row| state[row] - change[row] + give * old[row]);
        let new_slack = std::array::from_fn(|row| state[row] + give * new[row]);
        let seen = std::array::from_fn(|row| old_slack[row] + change[row] / self.relaxation);
        [seen, old_slack, new_slack]
    }

    /// A v̂ − b − Jᵀλ' of a slot's part: since K v̂ = b + Jᵀ(β z + λ), it is the sum over slots of
    /// Jᵀ(β (z − J v̂) + λ − λ').
    fn dual_pull(&self, number: usize, slot: &Slot) -> [f64; 3] {
        let [seen, old_slack, _] = self.slot_velocities(number, slot);
        let (old, new) = (&self.old_impulse[slot.active], &self.impulse[slot.active]);
        std::array::from_fn(|row| {
            self.penalty[number] * (old_slack[row] - seen[row]) + old[row] - new[row]
        })
    }

    /// (θp, θd) of (43).
    pub(crate) fn printed(&self, work: &mut Forces) -> (f64, f64) {
        let mut primal = 0.0;
        for (number, slot) in self.layout.slots.iter().enumerate() {
            let [seen, _, slack] = self.slot_velocities(number, slot);
            let square: f64 = (0..3).map(|row| (seen[row] - slack[row]).powi(2)).sum();
            primal = largest(primal, square.sqrt());
        }
        self.add_forces(work, |number, slot| self.dual_pull(number, slot));
        let mut dual = 0.0;
        for block in &self.layout.blocks {
            let part = &work.forces[block.first_dof..block.dof_end];
            dual = largest(dual, vector::norm(part));
        }
        (primal, dual)
    }

    /// Both residuals relative to what they are differences of. `free_size` is ‖J v̂‖ of the free
    /// motion: in a resting stack J v̂ and z vanish, and without a floor β would run away.
    pub(crate) fn relative(&self, work: &mut Forces, free_size: f64) -> (f64, f64) {
        let (mut gap, mut seen_size, mut slack_size) = (0.0, 0.0, 0.0);
        for (number, slot) in self.layout.slots.iter().enumerate() {
            let [seen, _, slack] = self.slot_velocities(number, slot);
            for row in 0..3 {
                gap += (seen[row] - slack[row]).powi(2);
                seen_size += seen[row] * seen[row];
                slack_size += slack[row] * slack[row];
            }
        }
        let reference = f64::sqrt(seen_size)
            .max(f64::sqrt(slack_size))
            .max(FREE_SHARE * free_size);
        self.add_forces(work, |number, slot| self.dual_pull(number, slot));
        let dual = vector::norm(&work.forces);
        self.add_forces(work, |_, slot| self.impulse[slot.active]);
        let size = vector::norm(&work.forces).max(vector::norm(self.problem.b()));
        (
            f64::sqrt(gap) / reference.max(f64::MIN_POSITIVE),
            dual / size.max(f64::MIN_POSITIVE),
        )
    }

    /// forces = Jᵀ q.
    fn add_forces(&self, work: &mut Forces, pull: impl Fn(usize, &Slot) -> [f64; 3]) {
        work.forces.clear();
        work.forces.resize(self.problem.dof_count(), 0.0);
        for (index, block) in self.layout.blocks.iter().enumerate() {
            let forces = &mut work.forces[block.first_dof..block.dof_end];
            work.bodies.clear();
            work.bodies
                .resize(block.body_end - block.first_body, [0.0; 6]);
            work.pulls.clear();
            work.pulls.extend(
                block
                    .slots()
                    .map(|number| pull(number, &self.layout.slots[number])),
            );
            add_transpose(self.layout, block, &work.pulls, forces, &mut work.bodies);
            if block.body_end > block.first_body
                && let Some(tree) = tree_of(self.problem, index)
            {
                collect_wrenches(tree, &mut work.bodies, forces);
            }
        }
    }
}

/// Part of the free motion below which velocities count as zero.
const FREE_SHARE: f64 = 0.01;
