//! One substep: stages, end, and how far it may be wrong.

use super::Moved;
use super::account::{Account, Entry};
use super::evaluation::{Action, Evaluation, Measure};
use super::forces::JointSpaceForces;
use super::part::TreePart;
use super::runge_kutta::{EquationOfMotion, RungeKutta};
use crate::aba::velocities;
use crate::configuration::{displace, exponential_rate};
use crate::error::{DynamicsError, Result};
use crate::model::Model;

/// What a step may change the energy by beside the work of forces, as a share of the tolerance and of the
/// energy of motion. The embedded error forgets: a thin rod that spins fast turns its velocity in its own axes
/// by tenths of a radian in a substep, and each turn takes a little of it, always in the same sense. Half a
/// percent of 1e-5 a step is 0.07 % in a minute at 240 Hz.
const ENERGY_SHARE: f64 = 5e-3;

/// Buffers of a substep; all of them are of the size of the model.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    /// Accelerations at the start, at the three other stages, and at the end.
    pub(super) stages: RungeKutta,
    /// What forces do at the start.
    pub(super) first: Action,
}

/// The equations of motion of one tree.
struct TreeEquation<'a> {
    model: &'a Model,
    part: &'a TreePart,
    forces: &'a dyn JointSpaceForces,
    evaluation: &'a mut Evaluation,
    evaluations: &'a mut usize,
}

impl EquationOfMotion for TreeEquation<'_> {
    type Error = DynamicsError;

    fn displace(&mut self, q: &[f64], u: &[f64], out: &mut [f64]) {
        displace(self.model, self.part.links.clone(), q, u, out);
    }

    fn exponential_rate(&mut self, u: &[f64], v: &[f64], out: &mut [f64]) {
        exponential_rate(self.model, self.part.links.clone(), u, v, out);
    }

    fn accelerate(&mut self, q: &[f64], v: &[f64], _weight: f64, out: &mut [f64]) -> Result<f64> {
        self.evaluation.place(self.model, self.part, q, v);
        let action = self
            .evaluation
            .accelerate(self.model, self.part, self.forces, [q, v], out)?;
        *self.evaluations += 1;
        Ok(action.power)
    }
}

/// The end of a substep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried {
    /// Embedded error as a share of the speed.
    pub(super) error: f64,
    /// What forces do there.
    pub(super) action: Action,
    pub(super) measure: Measure,
    pub(super) entry: Entry,
}

impl Rule {
    pub(super) fn new(model: &Model) -> Self {
        let mut stages = RungeKutta::default();
        stages.resize(model.nq(), model.nv());
        stages.q_end.copy_from_slice(&model.neutral());
        Self {
            stages,
            first: Action::default(),
        }
    }

    /// A substep of `h` s by RKMK4 from (q, v), where `k[0]` are the accelerations and `start` was measured.
    ///
    /// # Errors
    /// An end that is not finite, or at which there are no accelerations.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of a step, passed on"
    )]
    pub(super) fn advance(
        &mut self,
        model: &Model,
        part: &TreePart,
        h: f64,
        forces: &dyn JointSpaceForces,
        evaluation: &mut Evaluation,
        [q, v]: [&[f64]; 2],
        start: &Measure,
        account: &Account,
        moved: &mut Moved,
    ) -> Result<Tried> {
        let Action {
            power,
            is_base_free,
        } = self.first;
        let mut equation = TreeEquation {
            model,
            part,
            forces,
            evaluation,
            evaluations: &mut moved.evaluations,
        };
        let dofs = part.v.clone();
        let work = self.stages.advance(&mut equation, dofs, h, [q, v], power)?;
        let arrived = self.arrive(
            model,
            part,
            forces,
            evaluation,
            is_base_free.then_some((start, h)),
        )?;
        let drift = account.drift(part, start, &arrived, work) / ENERGY_SHARE;
        let (measure, entry) = self.settle(model, part, work, evaluation, arrived, account);
        let RungeKutta {
            k, q_end, v_end, ..
        } = &mut self.stages;
        let action = evaluation.accelerate(model, part, forces, [q_end, v_end], &mut k[4])?;
        moved.evaluations += 1;
        let error = self.error(model, part, h, evaluation, &measure);
        Ok(Tried {
            // Numbers that are none stay so: `max` would lose them.
            error: if drift > error { drift } else { error },
            action,
            measure,
            entry,
        })
    }

    /// A step of `h` s by semi-implicit Euler; `None` where its end is not finite.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of a step, passed on"
    )]
    pub(super) fn euler(
        &mut self,
        model: &Model,
        part: &TreePart,
        h: f64,
        forces: &dyn JointSpaceForces,
        evaluation: &mut Evaluation,
        [q, v]: [&[f64]; 2],
        start: &Measure,
        account: &Account,
    ) -> Option<Entry> {
        let mut work = self.first.power - evaluation.torque_power(part, v);
        let RungeKutta {
            k, q_end, v_end, u, ..
        } = &mut self.stages;
        for dof in part.v.clone() {
            v_end[dof] = v[dof] + h * k[0][dof];
            u[dof] = 0.5 * (v[dof] + v_end[dof]);
        }
        work += evaluation.torque_power(part, u);
        for dof in part.v.clone() {
            u[dof] = h * v_end[dof];
        }
        displace(model, part.links.clone(), q, u, q_end);
        let known = self.first.is_base_free.then_some((start, h));
        let arrived = self.arrive(model, part, forces, evaluation, known).ok()?;
        let (_, entry) = self.settle(model, part, h * work, evaluation, arrived, account);
        Some(entry)
    }

    /// Goes to the end of the substep; a floating base gets its known place and momentum there.
    fn arrive(
        &mut self,
        model: &Model,
        part: &TreePart,
        forces: &dyn JointSpaceForces,
        evaluation: &mut Evaluation,
        known: Option<(&Measure, f64)>,
    ) -> Result<Measure> {
        let RungeKutta { q_end, v_end, .. } = &mut self.stages;
        let mut measure = evaluation.arrive(model, part, forces, q_end, v_end);
        if let (Some((start, h)), Some(now)) = (known, &mut measure.floating)
            && let Some(start) = &start.floating
        {
            let shift = now.center_error(part, start, &model.gravity, h);
            evaluation.shift(model, part, &shift, q_end);
            measure.height -= part.mass * model.gravity.dot(&shift);
            now.center += shift;
            now.correct(part, start, &model.gravity, h, v_end);
            velocities(model, &mut evaluation.data, part.links.clone(), v_end);
            measure.kinetic = evaluation.kinetic(model, part, v_end);
        }
        match measure.is_finite() {
            true => Ok(measure),
            false => Err(DynamicsError::NotFinite),
        }
    }

    fn settle(
        &mut self,
        model: &Model,
        part: &TreePart,
        work: f64,
        evaluation: &mut Evaluation,
        mut measure: Measure,
        account: &Account,
    ) -> (Measure, Entry) {
        let v = &mut self.stages.v_end;
        let entry = account.settle(model, part, work, evaluation, &mut measure, v);
        (measure, entry)
    }

    /// The embedded error of third order, h/10 (k4 − k5), as a share of the speed; both as √ of kinetic
    /// energy. Speeds that rounding alone explains do not count.
    fn error(
        &mut self,
        model: &Model,
        part: &TreePart,
        h: f64,
        evaluation: &mut Evaluation,
        measure: &Measure,
    ) -> f64 {
        /// Share of what gravity does in a substep below which a speed is noise.
        const NOISE: f64 = 1e-6;
        let RungeKutta { k, u, .. } = &mut self.stages;
        let [k1, _, _, k4, k5] = &*k;
        for dof in part.v.clone() {
            u[dof] = 0.1 * h * (k4[dof] - k5[dof]);
        }
        let error = evaluation.quadratic(model, part, u);
        let fall = NOISE * h * model.gravity.norm();
        let speed = 2.0 * measure.kinetic
            + h * h * evaluation.quadratic(model, part, k1)
            + part.mass * fall * fall;
        match error > 0.0 {
            true => (error / speed).sqrt(),
            // No error; and what is not a number is none to go on with.
            false if error == 0.0 => 0.0,
            false => f64::INFINITY,
        }
    }
}
