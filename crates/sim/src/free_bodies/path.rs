//! Free bodies on the paths of mechanisms that they are joined to, see [`crate::joined`].

use stiction_dynamics::MotionMemory;

use super::{FreeBodies, FreeBody, read_vector};
use crate::drive::{Inputs, Wrench};
use crate::joined::{Body, BodyAt, PathEnd};
use crate::state::State;

impl FreeBodies {
    /// What of a body stays through a step.
    pub(crate) fn joined_body(&self, item: usize, inputs: &Inputs) -> Body {
        let body = &self.items[item];
        let wrench = &inputs.wrenches[body.frame];
        Body {
            mass: body.mass,
            inertia: body.inertia,
            inverse_inertia: body.inverse_inertia,
            mobility: body.inverse_inertia,
            force: wrench.force,
            torque: wrench.torque,
        }
    }

    /// Where a body is and how it moves, and what it carries from step to step.
    pub(crate) fn joined_state(&self, item: usize, state: &State) -> (BodyAt, MotionMemory) {
        let body = &self.items[item];
        let at = body.read(&state.q, &state.v);
        let at = BodyAt {
            center: at.center,
            rotation: at.rotation,
            velocity: at.velocity,
            spin: at.rotation.inverse() * at.angular_velocity,
        };
        let memory = MotionMemory::from_slice(&state.memory[body.memory.clone()]);
        (at, memory)
    }

    /// Puts a body on its path, and writes the constant velocities that lead to its end in `step` s.
    /// Returns its subsystem.
    pub(crate) fn put_on_path(
        &mut self,
        item: usize,
        end: PathEnd,
        state: &State,
        step: f64,
        v_hat: &mut [f64],
    ) -> usize {
        let body = &mut self.items[item];
        let from = body.read(&state.q, &state.v);
        let linear = (end.at.center - from.center) / step;
        // The inverse of the Cayley turn.
        let turn = end.at.rotation * from.rotation.inverse();
        let angular = turn.imag() * (2.0 / (step * turn.scalar()));
        v_hat[body.v..body.v + 3].copy_from_slice(linear.as_slice());
        v_hat[body.v + 3..body.v + 6].copy_from_slice(angular.as_slice());
        let mut way = [0.0; 6];
        way.copy_from_slice(&v_hat[body.v..body.v + 6]);
        body.path = Some((end, way));
        body.subsystem
    }

    /// Takes a body off its path. Returns its subsystem.
    pub(crate) fn leave_path(&mut self, item: usize) -> usize {
        self.items[item].path = None;
        self.items[item].subsystem
    }

    /// Subsystems of bodies that are on paths.
    pub(crate) fn on_paths(&self) -> impl Iterator<Item = usize> + '_ {
        let items = self.items.iter().filter(|body| body.path.is_some());
        items.map(|body| body.subsystem)
    }

    /// The subsystem of a body.
    pub(crate) fn subsystem(&self, item: usize) -> usize {
        self.items[item].subsystem
    }

    /// Work of what pushes a body on its path, J.
    pub(crate) fn pushed(&self, item: usize, inputs: &Inputs, v_hat: &[f64], step: f64) -> f64 {
        let body = &self.items[item];
        body.pushed(&inputs.wrenches[body.frame], v_hat, step)
    }

    /// Forgets what bodies may win back: energy counts from elsewhere.
    pub(crate) fn forget_memory(&self, state: &mut State) {
        for body in &self.items {
            state.memory[body.memory.clone()].fill(0.0);
        }
    }
}

impl FreeBody {
    pub(super) fn pushed(&self, wrench: &Wrench, v_hat: &[f64], step: f64) -> f64 {
        let [linear, angular] = [self.v, self.v + 3].map(|at| read_vector(&v_hat[at..]));
        step * (wrench.force.dot(&linear) + wrench.torque.dot(&angular))
    }
}
