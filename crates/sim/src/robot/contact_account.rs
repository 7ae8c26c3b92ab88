//! The energy account of trees that constraints act on.
//!
//! Such a step is of first order: A and rows at q, q⁺ = q ⊕ h v⁺. Everything but gravity and Coriolis forces
//! (constraints, driven bodies, pushes, drives, damping) does the work
//! W = (M (v⁺ − v) + h c)·(v + v⁺)/2 with c the bias force; what the energy changes by beside it,
//! T(q⁺, v⁺) − T(q, v⁺) + V(q⁺) − V(q) − h c·(v + v⁺)/2, is the rule's own error. It is remembered, and what
//! of it exceeds a share of the motion's energy is taken away: impacts make some, and a tree that spins
//! too fast for its step makes more and more.

use stiction_dynamics::{forward_kinematics_velocity, tree_energy_from_kinematics};

use super::Robot;
use super::motion::add_momentum;
use crate::error::Result;
use crate::mechanism::Now;
use crate::state::State;

/// Share of the energy of the motion that the rule's errors may add up to. One bounce at 1 m/s and 240 Hz
/// makes a twelfth of its own.
const OVERDRAFT: f64 = 0.1;
/// Way of a joint in a step, rad or m, below which a tree is too slow to be looked at: half a radian or metre
/// per second at 240 Hz. What errors give a tree while it is slower makes it faster.
const SLOW: f64 = 2e-3;
/// How fast the scale forgets, s.
const MEMORY: f64 = 10.0;

impl Robot {
    /// Closes the accounts of the trees that are on no free path. Returns what was taken, J.
    pub(super) fn close_contact_accounts(
        &mut self,
        now: &Now<'_>,
        next: &mut State,
    ) -> Result<f64> {
        let step = now.settings.time_step;
        if !now.settings.energy_account || !self.has_fast_tree(now, next) {
            return Ok(0.0);
        }
        let mut taken = 0.0;
        let mut data = self
            .measured
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let (q, v) = (&now.state.q[self.q.clone()], &now.state.v[self.v.clone()]);
        if now.guess.is_some() {
            forward_kinematics_velocity(&self.model, &mut data, q, v)?;
        }
        for tree in 0..self.views.len() {
            let bodies = self.views[tree].bodies.clone();
            let from = match now.guess {
                None => &self.placed,
                Some(_) => &*data,
            };
            let energy = tree_energy_from_kinematics(&self.model, from, bodies, v)?;
            self.energies[tree] = energy;
        }
        let v_next = &mut next.v[self.v.clone()];
        forward_kinematics_velocity(&self.model, &mut data, &next.q[self.q.clone()], v_next)?;
        for (tree, view) in self.views.iter().enumerate() {
            if self.paths.is_on(tree) {
                continue;
            }
            let dofs = view.dofs.clone();
            let [kinetic, height] =
                tree_energy_from_kinematics(&self.model, &data, view.bodies.clone(), v_next)?;
            let momentum = &mut self.momentum[dofs.clone()];
            momentum.fill(0.0);
            let (twists, momenta) = (&mut self.twists, &mut self.momenta);
            add_momentum(view, &v_next[dofs.clone()], 1.0, twists, momenta, momentum);
            let mut before = 0.0;
            // The bias holds forces from outside; their work is work.
            let links = self.ids[view.bodies.clone()].iter();
            let pushes = links.zip(&self.external[view.bodies.clone()]);
            let pushes = pushes.filter_map(|(&id, force)| {
                let speeds = [self.placed.velocity(id).ok()?, data.velocity(id).ok()?];
                Some(0.5 * (speeds[0].dot(force) + speeds[1].dot(force)))
            });
            let mut bias: f64 = pushes.sum();
            for (at, dof) in dofs.clone().enumerate() {
                before += 0.5 * momentum[at] * v_next[dof];
                bias += 0.5 * self.bias[dof] * (v[dof] + v_next[dof]);
            }
            let error = kinetic - before + height - self.energies[tree][1] - step * bias;
            let at = self.memory.start + tree * super::TREE_MEMORY;
            let [scale, debt] = [at + 1, at + 3];
            let decayed = next.memory[scale] * (1.0 - step / MEMORY).max(0.0);
            next.memory[scale] = decayed.max(kinetic);
            let owed = (next.memory[debt] + error).max(0.0);
            // Energy at the end of a step of Euler's rule is seen half a step off.
            let fastest = kinetic.max(self.energies[tree][0]);
            let weight = (2.0 * self.masses[tree] * fastest).sqrt() * self.model.gravity().norm();
            let most = OVERDRAFT * next.memory[scale] + step * weight;
            next.memory[debt] = owed.min(most);
            // A debt that is too large because the motion died down is forgiven.
            let excess = (owed - most).min(error).min(kinetic);
            if excess > 0.0 {
                let factor = (1.0 - excess / kinetic).sqrt();
                v_next[dofs].iter_mut().for_each(|v| *v *= factor);
                taken += excess;
            }
        }
        Ok(taken)
    }

    /// Whether a tree on no free path moves faster than [`SLOW`].
    fn has_fast_tree(&self, now: &Now<'_>, next: &State) -> bool {
        let slow = SLOW / now.settings.time_step;
        let trees = self.views.iter().enumerate();
        let mut off_path = trees.filter(|(tree, _)| !self.paths.is_on(*tree));
        off_path.any(|(_, view)| {
            let dofs = self.v.start + view.dofs.start..self.v.start + view.dofs.end;
            let mut speeds = now.state.v[dofs.clone()].iter().chain(&next.v[dofs]);
            speeds.any(|speed| speed.abs() > slow)
        })
    }
}
