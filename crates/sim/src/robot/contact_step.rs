//! What energy a tree that constraints act on should have at the end of a step.
//!
//! Such a step is of first order: A and rows where the pass stands, q⁺ = q ⊕ h v̂. Everything but gravity
//! and Coriolis forces (constraints, driven bodies, pushes, drives, damping, springs) gives the momentum
//! p = M (v⁺ − v) + h c with c the bias force, and does the work p·(v + v⁺)/2. By as much, but for the work of the
//! joints' own springs, the energy with theirs should change; what it changes by beside that is the rule's own
//! error. Where stages were evaluated, the step begins at the end of the path without constraints, and
//! p = M (v⁺ − v_free).

use nalgebra::Vector3;
use stiction_dynamics::{forward_kinematics_velocity, tree_energy_from_kinematics};

use super::Robot;
use super::motion::add_momentum;
use crate::error::Result;
use crate::mechanism::Now;
use crate::state::State;

/// A step of a tree on no free path.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ContactStep {
    is_noted: bool,
    /// Energy at the end of the step if the rule made no error, J.
    expected: f64,
    /// Kinetic energy at its start, J.
    kinetic: f64,
}

/// How a tree ended such a step.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ContactEnd {
    /// Energy beyond what was expected, J.
    pub(crate) error: f64,
    /// Kinetic energy, J.
    pub(crate) kinetic: f64,
    /// What gravity can do to the tree in a second as fast as it is, W.
    pub(crate) power: f64,
}

impl Robot {
    /// Takes down what energy its trees on no free path should have in the state `next`, before positions are
    /// put right; trees that are slow are left out.
    pub(super) fn note_contact_steps(&mut self, now: &Now<'_>, next: &State) -> Result<()> {
        let slow = now.settings.contact_motion.slow / now.settings.time_step;
        let speeds = [&now.state.v, &next.v].map(|v| &v[self.v.clone()]);
        for (tree, view) in self.views.iter().enumerate() {
            let mut speeds = speeds.iter().flat_map(|v| &v[view.dofs.clone()]);
            let is_fast = speeds.any(|speed| speed.abs() > slow);
            self.contact_steps[tree].is_noted =
                now.settings.energy_account && is_fast && !self.paths.is_on(tree);
        }
        if !self.contact_steps.iter().any(|step| step.is_noted) {
            return Ok(());
        }
        self.measure_starts(now)?;
        for tree in 0..self.views.len() {
            if self.contact_steps[tree].is_noted {
                let [kinetic, height] = self.energies[tree];
                let work = match self.paths.gave_velocity(tree) {
                    true => self.work_beside_path(tree, now, next),
                    false => self.work_of_all_but_gravity(tree, now, next)?,
                };
                let work = work - self.work_of_springs(tree, now, next);
                self.contact_steps[tree].kinetic = kinetic;
                self.contact_steps[tree].expected = kinetic + height + work;
            }
        }
        Ok(())
    }

    /// Kinetic energy and that of gravity and springs of the trees that were noted: at the start of the step, or at the end
    /// of the path that b came from.
    fn measure_starts(&mut self, now: &Now<'_>) -> Result<()> {
        let mut data = self
            .measured
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for on_path in [false, true] {
            let trees = self.contact_steps.iter().enumerate();
            let mut trees = trees
                .filter(|(tree, step)| step.is_noted && self.paths.gave_velocity(*tree) == on_path)
                .peekable();
            if trees.peek().is_none() {
                continue;
            }
            let (q, v) = match on_path {
                false => (&now.state.q[self.q.clone()], &now.state.v[self.v.clone()]),
                true => self.paths.end(),
            };
            let at = match now.guess.is_none() && !on_path {
                true => &self.placed,
                false => {
                    forward_kinematics_velocity(&self.model, &mut data, q, v)?;
                    &*data
                }
            };
            for (tree, _) in trees {
                let bodies = self.views[tree].bodies.clone();
                let [kinetic, height] = tree_energy_from_kinematics(&self.model, at, bodies, v)?;
                self.energies[tree] = [kinetic, height + self.energy_of_springs(tree, q)];
            }
        }
        Ok(())
    }

    /// Hands out how the trees that were noted end at (q, v) of the world.
    pub(crate) fn for_each_contact_end(
        &self,
        [q, v]: [&[f64]; 2],
        mut visit: impl FnMut(usize, ContactEnd),
    ) -> Result<()> {
        if !self.contact_steps.iter().any(|step| step.is_noted) {
            return Ok(());
        }
        let (q, v) = (&q[self.q.clone()], &v[self.v.clone()]);
        let mut data = self.measured();
        forward_kinematics_velocity(&self.model, &mut data, q, v)?;
        let steps = self.contact_steps.iter().enumerate();
        for (tree, step) in steps.filter(|(_, step)| step.is_noted) {
            let bodies = self.views[tree].bodies.clone();
            let [kinetic, height] = tree_energy_from_kinematics(&self.model, &data, bodies, v)?;
            let fastest = kinetic.max(step.kinetic);
            let weight = self.masses[tree] * self.model.gravity().norm();
            let springs = self.energy_of_springs(tree, q);
            let end = ContactEnd {
                error: kinetic + height + springs - step.expected,
                kinetic,
                power: (2.0 * fastest / self.masses[tree]).sqrt() * weight,
            };
            visit(tree, end);
        }
        Ok(())
    }

    /// (M (v⁺ − v) + h c)·(v + v⁺)/2 with M and c where the pass stands, J. The bias force holds forces from
    /// outside; their work is work.
    fn work_of_all_but_gravity(&mut self, tree: usize, now: &Now<'_>, next: &State) -> Result<f64> {
        let step = now.settings.time_step;
        let dofs = self.views[tree].dofs.clone();
        let all = self.v.start + dofs.start..self.v.start + dofs.end;
        let (v, after) = (&now.state.v[all.clone()], &next.v[all]);
        let before = match now.guess {
            None => self.energies[tree][0],
            Some(_) => self.kinetic_where_placed(tree, v),
        };
        let mut work = self.kinetic_where_placed(tree, after) - before;
        let mut mean = std::mem::take(&mut self.mean);
        mean.clear();
        mean.extend(v.iter().zip(after).map(|(a, b)| 0.5 * (a + b)));
        let bias = self.bias[dofs].iter().zip(&mean);
        work += step * bias.map(|(c, v)| c * v).sum::<f64>();
        let pushed = self.push_power(tree, now, &mean);
        self.mean = mean;
        Ok(work + step * pushed?)
    }

    /// M (v⁺ − v_free)·(v + v⁺)/2 of a tree whose b came from its path, J.
    fn work_beside_path(&mut self, tree: usize, now: &Now<'_>, next: &State) -> f64 {
        let dofs = self.views[tree].dofs.clone();
        let all = self.v.start + dofs.start..self.v.start + dofs.end;
        let mut change = std::mem::take(&mut self.mean);
        change.clear();
        let both = next.v[all.clone()].iter().zip(&self.paths.end().1[dofs]);
        change.extend(both.map(|(after, free)| after - free));
        let momentum = &mut self.momentum[..change.len()];
        momentum.fill(0.0);
        let (twists, momenta) = (&mut self.twists, &mut self.momenta);
        add_momentum(&self.views[tree], &change, 1.0, twists, momenta, momentum);
        let mean = now.state.v[all.clone()].iter().zip(&next.v[all]);
        let each = momentum.iter().zip(mean);
        let work = each.map(|(p, (before, after))| 0.5 * p * (before + after));
        let work = work.sum();
        self.mean = change;
        work
    }

    fn energy_of_springs(&self, tree: usize, q: &[f64]) -> f64 {
        let dofs = self.views[tree].dofs.clone();
        let properties = self.model.dof_properties();
        self.joints.spring_energy(properties, q, dofs)
    }

    /// Work in the step of the joints' own springs as A and b have it, J; of a tree whose b came from its path, of what
    /// they do beside that.
    fn work_of_springs(&self, tree: usize, now: &Now<'_>, next: &State) -> f64 {
        let (step, theta) = (now.settings.time_step, now.settings.theta);
        let gave_velocity = self.paths.gave_velocity(tree);
        let mut work = 0.0;
        for dof in self.views[tree].dofs.clone() {
            let properties = &self.model.dof_properties()[dof];
            let [impulse, falls] = self.joints.spring_impulse(properties, dof, step);
            if impulse == 0.0 && falls == 0.0 {
                continue;
            }
            let (before, after) = (now.state.v[self.v.start + dof], next.v[self.v.start + dof]);
            let hat = |after: f64| theta * before + (1.0 - theta) * after;
            let exerted = match gave_velocity {
                true => falls * (hat(self.paths.end().1[dof]) - hat(after)),
                false => impulse - falls * hat(after),
            };
            work += 0.5 * exerted * (before + after);
        }
        work
    }

    /// ½ vᵀ M v of a tree where the pass stands, J; `v` is that of the tree.
    pub(super) fn kinetic_where_placed(&mut self, tree: usize, v: &[f64]) -> f64 {
        let momentum = &mut self.momentum[..v.len()];
        momentum.fill(0.0);
        let (twists, momenta) = (&mut self.twists, &mut self.momenta);
        add_momentum(&self.views[tree], v, 1.0, twists, momenta, momentum);
        0.5 * momentum.iter().zip(v).map(|(p, v)| p * v).sum::<f64>()
    }

    /// Power (W) of forces from outside where the pass stands, at a velocity of the tree.
    fn push_power(&mut self, tree: usize, now: &Now<'_>, v: &[f64]) -> Result<f64> {
        let bodies = self.views[tree].bodies.clone();
        let wrenches = &now.inputs.wrenches[self.first_body + bodies.start..][..bodies.len()];
        let is_pushed = |wrench: &crate::drive::Wrench| {
            wrench.force != Vector3::zeros() || wrench.torque != Vector3::zeros()
        };
        if !wrenches.iter().any(is_pushed) {
            return Ok(0.0);
        }
        // What it leaves in `twists` is wanted.
        self.kinetic_where_placed(tree, v);
        let reference = self.views[tree].reference_point;
        let mut power = 0.0;
        for ((&id, wrench), twist) in self.ids[bodies].iter().zip(wrenches).zip(&self.twists) {
            let arm = self.placed.pose(id)?.translation - reference;
            let velocity = twist.linear + twist.angular.cross(&arm);
            power += wrench.force.dot(&velocity) + wrench.torque.dot(&twist.angular);
        }
        Ok(power)
    }
}
