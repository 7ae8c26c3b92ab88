//! Lines 1–7 of Algorithm 2: reformulation, β, matrices and their factors, and where to start.

use stiction_constraints::{Failure, Problem};

use super::{Manner, SubAdmm};
use crate::block::{self, Block};
use crate::lanes::{Lanes, sum_of_products};
use crate::parallel::both;
use crate::sweep::Spatial;
use crate::velocity_step::slot_velocities;

impl SubAdmm {
    /// Lines 1–7: reformulation, β, matrices and their factors.
    pub(super) fn prepare(&mut self, problem: &Problem, is_close: bool) -> Result<(), Failure> {
        let splitting = self.choose(problem, is_close);
        self.layout.coarse_matrix = self.settings.coarse_matrix;
        self.layout.update(
            problem,
            self.evaluator.rows(),
            splitting,
            &mut self.folds,
            self.settings.fold_soft,
        );
        self.folds
            .update_right_hand_side(problem, self.evaluator.rows());
        self.base
            .update(problem, &self.layout, &self.folds, &self.evaluator)?;
        let (dynamics, rows) = self.evaluator.matrices();
        block::set_bases(
            &mut self.blocks,
            problem,
            &self.layout,
            self.settings.tree_method,
            dynamics,
            rows,
            &self.folds,
        );
        self.trial_scale = [1.0; 2];
        self.set_penalty(problem, self.manners.0, 1.0)
    }

    /// Lines 3 and 6: β by a rule, with everything that follows from it.
    pub(super) fn set_penalty(
        &mut self,
        problem: &Problem,
        manner: Manner,
        scale: f64,
    ) -> Result<(), Failure> {
        self.manner = manner;
        self.penalty.start(
            manner.penalty,
            problem,
            &self.layout,
            &self.folds,
            &mut self.evaluator,
            &mut self.base,
        );
        if scale != 1.0 {
            self.penalty.set_scale(scale, &self.layout);
        }
        let (layout, start) = (&self.layout, &self.penalty.start);
        for_each_block(self.is_parallel, 0, &mut self.blocks, &|index, block| {
            block.weigh(layout, index, start);
            Ok(())
        })?;
        self.factorize(problem)
    }

    /// Lines 6 and 17.
    pub(super) fn factorize(&mut self, problem: &Problem) -> Result<(), Failure> {
        self.factorizations += self.blocks.len();
        let scale = self.penalty.scale;
        self.iterate.root_penalty.clear();
        for_each_block(self.is_parallel, 0, &mut self.blocks, &|index, block| {
            block
                .factorize(problem, index, scale)
                .map_err(|()| Failure::NotPositiveDefinite { subsystem: index })
        })
    }

    /// z = J v̂ of the guess, or zero, and s = z − λ/β.
    pub(super) fn start_iterate(&mut self, problem: &Problem, has_guess: bool) {
        let iterate = &mut self.iterate;
        let slots = self.layout.slots.len();
        iterate.state.resize(slots, Lanes::ZERO);
        iterate.change.resize(slots, Lanes::ZERO);
        iterate.impulse.clear();
        for active in &self.layout.active {
            let rows = &iterate.stacked[active.first_row..active.first_row + active.rows];
            iterate.impulse.push(match has_guess {
                true => Lanes::load(rows),
                false => Lanes::ZERO,
            });
        }
        iterate.old_impulse.clone_from(&iterate.impulse);
        let bodies = self.layout.blocks.last().map_or(0, |last| last.body_end);
        iterate.bodies.resize(bodies, Spatial::ZERO);
        iterate.velocity.clear();
        iterate
            .velocity
            .extend_from_slice(self.evaluator.free_velocity());
        self.spread();
        self.iterate.free_size = sum_of_products(&self.iterate.state, &self.iterate.state).sqrt();
        if has_guess {
            self.velocity_of_active_impulses(problem);
            self.iterate
                .velocity
                .copy_from_slice(&self.iterate.measured_velocity);
            self.spread();
        } else {
            // Rest is nearer to what constraints allow than the motion without them.
            self.iterate.state.fill(Lanes::ZERO);
        }
        self.move_state(-1.0);
        self.anderson.start(self.manner.memory, slots);
    }

    /// z = J v̂ of a guessed velocity; λ stays. Nothing where there is no such guess.
    pub(super) fn start_from_velocity(&mut self, problem: &Problem, guess: &[f64]) {
        let is_finite = guess.iter().all(|value| value.is_finite());
        if !is_finite || guess.len() != problem.dof_count() {
            return;
        }
        self.iterate.velocity.copy_from_slice(guess);
        self.spread();
        self.move_state(-1.0);
    }

    /// state ← J v̂.
    fn spread(&mut self) {
        let iterate = &mut self.iterate;
        for own in &self.layout.blocks {
            let velocity = &iterate.velocity[own.first_dof..own.dof_end];
            let bodies = &mut iterate.bodies[own.first_body..own.body_end];
            self.layout.sweep(own).spread(velocity, bodies);
            let state = &mut iterate.state[own.slots()];
            slot_velocities(&self.layout, own, velocity, bodies, state);
        }
    }

    /// state += sign × λ/β.
    pub(super) fn move_state(&mut self, sign: f64) {
        let iterate = &mut self.iterate;
        for ((state, &active), &inverse) in iterate
            .state
            .iter_mut()
            .zip(&self.layout.active_of)
            .zip(&self.penalty.slot_inverse)
        {
            *state = state.plus_scaled(sign * inverse, &iterate.impulse[active]);
        }
    }
}

/// Blocks that one thread assembles and factorises at a time.
const BLOCK_GRAIN: usize = 16;

/// Calls `act` for all blocks; the first block's failure wins.
fn for_each_block(
    parallel: bool,
    first: usize,
    blocks: &mut [Block],
    act: &(impl Fn(usize, &mut Block) -> Result<(), Failure> + Sync),
) -> Result<(), Failure> {
    let count = blocks.len();
    if parallel && count > BLOCK_GRAIN {
        let (a, b) = blocks.split_at_mut(count / 2);
        let (a, b) = both(
            true,
            || for_each_block(true, first, a, act),
            || for_each_block(true, first + count / 2, b, act),
        );
        return a.and(b);
    }
    for (position, block) in blocks.iter_mut().enumerate() {
        act(first + position, block)?;
    }
    Ok(())
}
