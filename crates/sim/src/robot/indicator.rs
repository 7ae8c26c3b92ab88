//! Whether one evaluation of a tree's motion is enough for a step in which something touches it.
//!
//! Two cheap signs say that it is not: links that turn far within the step, and an acceleration under gravity and
//! motion alone, a = −M⁻¹ c with c the bias force, that is not what it was a step ago. Drives are left out: they are
//! constant within a step, or implicit.

use std::ops::Range;

use stiction_dynamics::tree_response_from_kinematics;

use super::{Robot, TREE_MEMORY};
use crate::error::Result;
use crate::mechanism::Now;
use crate::state::State;

/// What a tree carries of its last step: nothing, since nothing touched it; that something did; and that its
/// acceleration is known beside.
const FREE: f64 = 0.0;
const TOUCHED: f64 = 1.0;
const KNOWN: f64 = 2.0;

/// Turn of the fastest link in a step, rad, below which a tree's acceleration is not looked at: M and what it gives
/// change by about as much, which one evaluation bears, and looking costs as much as a solve with M.
const GENTLE: f64 = 1.0 / 64.0;

/// What is known of a tree's motion in this step.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Indicator {
    /// Whether one evaluation is not enough.
    pub(super) is_fast: bool,
    /// Whether its acceleration is known.
    is_known: bool,
}

impl Robot {
    /// Looks at all trees where they are at the start of the step.
    pub(super) fn look_for_fast_trees(&mut self, now: &Now<'_>) -> Result<()> {
        let step = now.settings.time_step;
        let limits = &now.settings.contact_motion;
        for tree in 0..self.views.len() {
            let turn = step * self.fastest_turn(tree);
            let mut indicator = Indicator {
                is_fast: turn > limits.fast_turn,
                is_known: false,
            };
            let dofs = self.views[tree].dofs.clone();
            let was_touched = now.state.memory[self.flag(tree)] > FREE;
            if self.paths.are_there && was_touched && !indicator.is_fast && turn > GENTLE {
                let bodies = self.views[tree].bodies.clone();
                let data = &mut self.placed;
                let a = tree_response_from_kinematics(&self.model, data, bodies, &self.bias)?;
                for dof in dofs {
                    self.acceleration[dof] = -a[dof];
                }
                indicator.is_known = true;
                indicator.is_fast = self.change(tree, now) > limits.fast_change;
            }
            self.indicators[tree] = indicator;
        }
        Ok(())
    }

    /// h |a − a of the last step| as a share of the speed |v| + h |a|, all of them √ of kinetic energy; zero
    /// where the last is not known.
    fn change(&mut self, tree: usize, now: &Now<'_>) -> f64 {
        let own = &now.state.memory[self.memory.clone()];
        let dofs = self.views[tree].dofs.clone();
        if now.state.memory[self.flag(tree)] != KNOWN {
            return 0.0;
        }
        let step = now.settings.time_step;
        let before = &own[self.accelerations()][dofs.clone()];
        let mut values = std::mem::take(&mut self.mean);
        values.clear();
        values.extend_from_slice(&self.acceleration[dofs.clone()]);
        // ½ aᵀ M a with M a = −c.
        let bias = self.bias[dofs.clone()].iter().zip(&values);
        let whole = -0.5 * bias.map(|(c, a)| c * a).sum::<f64>();
        values.iter_mut().zip(before).for_each(|(a, b)| *a -= b);
        let changed = self.kinetic_where_placed(tree, &values);
        values.clear();
        let all = self.v.start + dofs.start..self.v.start + dofs.end;
        values.extend_from_slice(&now.state.v[all]);
        let kinetic = self.kinetic_where_placed(tree, &values);
        self.mean = values;
        let speed = kinetic.sqrt() + step * whole.max(0.0).sqrt();
        match changed > 0.0 {
            true => step * changed.sqrt() / speed,
            false => 0.0,
        }
    }

    /// Where accelerations are in what the robot carries from step to step.
    fn accelerations(&self) -> Range<usize> {
        let start = self.views.len() * TREE_MEMORY;
        start..start + self.model.nv()
    }

    /// Where a tree's last step is told in what the world carries.
    fn flag(&self, tree: usize) -> usize {
        self.memory.start + tree * TREE_MEMORY + TREE_MEMORY - 1
    }

    /// Carries accelerations on to the next step; those of a tree on a free path are forgotten.
    pub(super) fn keep_accelerations(&self, next: &mut State) {
        let start = self.memory.start + self.accelerations().start;
        for (tree, (view, indicator)) in self.views.iter().zip(&self.indicators).enumerate() {
            let flag = &mut next.memory[self.flag(tree)];
            *flag = match (self.paths.is_on(tree), indicator.is_known) {
                (true, _) => FREE,
                (false, false) => TOUCHED,
                (false, true) => KNOWN,
            };
            if *flag == KNOWN {
                let dofs = view.dofs.clone();
                next.memory[start + dofs.start..start + dofs.end]
                    .copy_from_slice(&self.acceleration[dofs]);
            }
        }
    }
}
