//! A tree's motion through a time step when nothing but its own forces acts on it.
//!
//! The rule is RKMK4: the classical Runge–Kutta rule on the Lie group of the joints (Munthe-Kaas, "High
//! order Runge–Kutta methods on manifolds", 1999). Substeps are bisected where an embedded third-order
//! error says so ([`MotionSettings::tolerance`]), the momentum of a floating base is kept, and an energy
//! account ([`MotionMemory`]) sees to it that the tree never keeps energy that no force gave it, whatever
//! its speed. Forces too stiff for an explicit rule are taken implicitly, see [`StiffForces`].

mod account;
mod evaluation;
mod forces;
mod momentum;
mod part;
mod rule;
mod runge_kutta;
mod stiff;
mod tree;

pub use forces::{JointSpaceForces, NoForces, StiffForces};
pub use runge_kutta::{EquationOfMotion, RungeKutta};
pub use stiff::light_joint_inertias;
pub use tree::{OneBody, TreeDynamics, TreeFrame};

use serde::{Deserialize, Serialize};

use crate::configuration::difference_of;
use crate::error::{DynamicsError, Result, check_length};
use crate::model::Model;
use account::Account;
use evaluation::{Action, Evaluation, Measure};
use part::TreePart;
use rule::Rule;

/// How a tree moves through a time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Integrator {
    /// Runge–Kutta–Munthe-Kaas of fourth order, substeps where they are needed.
    #[default]
    Rk4,
    /// Semi-implicit Euler: one evaluation, first order.
    Euler,
}

/// How precisely a tree moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionSettings {
    /// The rule.
    pub integrator: Integrator,
    /// Largest embedded error of a step, as a share of the speed (both as √ of kinetic energy); a substep
    /// of 1/2ᵈ of the step may make 1/2ᵈ of it.
    pub tolerance: f64,
    /// Most substeps of a step, at least 1; rounded down to a power of two.
    pub max_substeps: usize,
    /// Whether energy that no force gave is taken away.
    pub energy_account: bool,
}

impl Default for MotionSettings {
    fn default() -> Self {
        Self {
            integrator: Integrator::Rk4,
            tolerance: 1e-4,
            max_substeps: 16,
            energy_account: true,
        }
    }
}

/// What a tree carries from step to step beside q and v. All zero at the start, and whenever someone
/// else than the integrator has changed q, v or gravity.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MotionMemory {
    /// Energy that the tree may still gain without a force's work, because it lost as much to the
    /// integrator's error before, J. Bounded by a share of [`scale`](Self::scale).
    pub margin: f64,
    /// Largest kinetic energy of the last seconds, J, the translation of a floating base's centre of mass
    /// left out.
    pub scale: f64,
    /// Substeps begin at 1/2ᵈ of the step with this d.
    pub level: u32,
}

impl MotionMemory {
    /// How many numbers it is.
    pub const LEN: usize = 3;

    /// As plain numbers, for a state that is saved.
    pub fn to_array(self) -> [f64; Self::LEN] {
        [self.margin, self.scale, f64::from(self.level)]
    }

    /// From [`to_array`](Self::to_array).
    pub fn from_slice(values: &[f64]) -> Self {
        let value = |at: usize| values.get(at).copied().unwrap_or(0.0);
        Self {
            margin: value(0),
            scale: value(1),
            level: value(2).clamp(0.0, 63.0) as u32,
        }
    }
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moved {
    /// Substeps made.
    pub substeps: usize,
    /// Times that accelerations were computed.
    pub evaluations: usize,
    /// Work of forces that have no [potential](JointSpaceForces::potential), J.
    pub work: f64,
    /// Energy that the account took away, J.
    pub taken: f64,
}

/// Moves the trees of a model, one at a time. Keeps its storage.
#[derive(Debug, Clone)]
pub struct TreeMotion {
    parts: Vec<TreePart>,
    evaluation: Evaluation,
    rule: Rule,
    /// Where the trees are at the end of their last steps.
    q: Vec<f64>,
    v: Vec<f64>,
    /// Accelerations there.
    acceleration: Vec<f64>,
    ends: Vec<End>,
}

/// What is known at the end of a tree's last step. It saves work and changes nothing: whoever does not
/// have it computes the same.
#[derive(Debug, Clone, Default)]
struct End {
    is_known: bool,
    measure: Measure,
    gravity: nalgebra::Vector3<f64>,
}

impl TreeMotion {
    /// For the trees of a model, in the order of [`Model::trees`].
    pub fn new(model: &Model) -> Self {
        let parts: Vec<_> = model
            .trees()
            .map(|bodies| TreePart::new(model, bodies))
            .collect();
        Self {
            evaluation: Evaluation::new(model),
            rule: Rule::new(model),
            q: model.neutral(),
            v: vec![0.0; model.nv()],
            acceleration: vec![0.0; model.nv()],
            ends: vec![End::default(); parts.len()],
            parts,
        }
    }

    /// Moves tree number `tree` from (q, v) by `step` s; [`end`](Self::end) says where to. All vectors are
    /// those of the whole model.
    ///
    /// # Errors
    /// Wrong lengths, an unknown tree, and a state at which the tree has no accelerations (a joint without
    /// inertia, numbers that are not finite).
    #[expect(
        clippy::too_many_arguments,
        reason = "each of them changes on its own from step to step or tree to tree"
    )]
    pub fn step(
        &mut self,
        model: &Model,
        tree: usize,
        step: f64,
        settings: &MotionSettings,
        forces: &dyn JointSpaceForces,
        [q, v]: [&[f64]; 2],
        memory: &mut MotionMemory,
    ) -> Result<Moved> {
        check_length("q", q.len(), model.nq())?;
        check_length("v", v.len(), model.nv())?;
        self.evaluation.data.check(model)?;
        let Some(part) = self.parts.get(tree) else {
            return Err(DynamicsError::UnknownIndex {
                kind: "tree",
                index: tree,
                count: self.parts.len(),
            });
        };
        let part = part.clone();
        let mut moved = Moved::default();
        let measure = self.begin(model, tree, &part, step, forces, [q, v], &mut moved)?;
        let mut account = Account::new(settings, memory, &measure, step);
        match settings.integrator {
            Integrator::Rk4 => self.run_rk4(
                model,
                &part,
                step,
                settings,
                forces,
                measure,
                memory,
                &mut account,
                &mut moved,
            ),
            Integrator::Euler => {
                self.run_euler(
                    model,
                    &part,
                    step,
                    forces,
                    &measure,
                    &mut account,
                    &mut moved,
                );
            }
        }
        let mut is_end_known =
            settings.integrator == Integrator::Rk4 && forces.wrenches().is_none();
        if let Some(stiff) = forces.stiff() {
            self.take_stiff(model, &part, step, forces, stiff, &mut account, &mut moved)?;
            is_end_known = false;
        }
        account.close(memory);
        moved.taken = account.taken();
        self.ends[tree].is_known = is_end_known;
        self.ends[tree].gravity = model.gravity;
        Ok(moved)
    }

    /// Configuration and velocity of the model, each tree as its last [`step`](Self::step) left it.
    pub fn end(&self) -> (&[f64], &[f64]) {
        (&self.q, &self.v)
    }

    /// Says where a tree ends that has moved otherwise; `q` and `v` are its own.
    pub fn put(&mut self, tree: usize, [q, v]: [&[f64]; 2]) {
        if let (Some(part), Some(end)) = (self.parts.get(tree), self.ends.get_mut(tree)) {
            end.is_known = false;
            self.q[part.q.clone()].copy_from_slice(q);
            self.v[part.v.clone()].copy_from_slice(v);
        }
    }

    /// Writes the constant velocity that goes from `q` to the end of a tree's last step in `step` s.
    ///
    /// # Errors
    /// Wrong lengths, an unknown tree.
    pub fn mean_velocity(
        &self,
        model: &Model,
        tree: usize,
        q: &[f64],
        step: f64,
        v: &mut [f64],
    ) -> Result<()> {
        check_length("q", q.len(), model.nq())?;
        check_length("v", v.len(), model.nv())?;
        let Some(part) = self.parts.get(tree) else {
            return Ok(());
        };
        difference_of(model, part.links.clone(), q, &self.q, v);
        v[part.v.clone()].iter_mut().for_each(|v| *v /= step);
        Ok(())
    }

    /// Takes (q, v), and the accelerations there. They are those of the end of the last step if nobody has
    /// changed anything since.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of a step, passed on"
    )]
    fn begin(
        &mut self,
        model: &Model,
        tree: usize,
        part: &TreePart,
        step: f64,
        forces: &dyn JointSpaceForces,
        [q, v]: [&[f64]; 2],
        moved: &mut Moved,
    ) -> Result<Measure> {
        let (q, v) = (&q[part.q.clone()], &v[part.v.clone()]);
        let end = &self.ends[tree];
        let is_same = end.is_known
            && forces.wrenches().is_none()
            && forces.stiff().is_none()
            && end.gravity == model.gravity
            && self.q[part.q.clone()] == *q
            && self.v[part.v.clone()] == *v;
        self.q[part.q.clone()].copy_from_slice(q);
        self.v[part.v.clone()].copy_from_slice(v);
        if is_same && let Some(action) = self.evaluation.recall(part, forces, &self.q, &self.v) {
            self.rule.first = action;
            self.rule.stages.k[0][part.v.clone()]
                .copy_from_slice(&self.acceleration[part.v.clone()]);
            // What was corrected to known momentum differs in its last digits from what is measured.
            if part.floats {
                return Ok(self
                    .evaluation
                    .arrive(model, part, forces, &self.q, &self.v));
            }
            let mut measure = self.ends[tree].measure;
            measure.springs = forces.potential(&self.q);
            return Ok(measure);
        }
        self.evaluation.forget_held(part);
        let measure = self
            .evaluation
            .arrive(model, part, forces, &self.q, &self.v);
        if let Some(stiff) = forces.stiff() {
            self.evaluation
                .hold_stiff(model, part, step, forces, stiff, [&self.q, &self.v])?;
            moved.evaluations += 1;
        }
        let k1 = &mut self.rule.stages.k[0];
        self.rule.first =
            self.evaluation
                .accelerate(model, part, forces, [&self.q, &self.v], k1)?;
        moved.evaluations += 1;
        Ok(measure)
    }

    /// The whole step by RKMK4, in substeps of powers of two.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of a step, passed on"
    )]
    fn run_rk4(
        &mut self,
        model: &Model,
        part: &TreePart,
        step: f64,
        settings: &MotionSettings,
        forces: &dyn JointSpaceForces,
        mut measure: Measure,
        memory: &mut MotionMemory,
        account: &mut Account,
        moved: &mut Moved,
    ) {
        /// Below this share of the bound a substep of twice the length would pass: its fifth power.
        const COARSER: f64 = 0.022;
        let deepest = settings.max_substeps.max(1).ilog2();
        let mut level = memory.level.min(deepest);
        // Time in units of the finest substep.
        let (mut at, whole) = (0u64, 1u64 << deepest);
        while at < whole {
            let length = 1u64 << (deepest - level);
            let h = step * (length as f64 / whole as f64);
            let tried = self.rule.advance(
                model,
                part,
                h,
                forces,
                &mut self.evaluation,
                [&self.q, &self.v],
                &measure,
                account,
                moved,
            );
            let bound = settings.tolerance / (1u64 << level) as f64;
            let error = tried.as_ref().map_or(f64::INFINITY, |tried| tried.error);
            if (error.is_nan() || error > bound) && level < deepest {
                level += 1;
                continue;
            }
            match tried {
                Ok(tried) => {
                    self.q[part.q.clone()].copy_from_slice(&self.rule.stages.q_end[part.q.clone()]);
                    self.v[part.v.clone()].copy_from_slice(&self.rule.stages.v_end[part.v.clone()]);
                    let [k1, .., k5] = &mut self.rule.stages.k;
                    k1[part.v.clone()].copy_from_slice(&k5[part.v.clone()]);
                    self.rule.first = tried.action;
                    account.take_over(&tried.entry);
                    moved.work += tried.entry.work;
                    measure = tried.measure;
                }
                // Faster than numbers can say: the tree waits, and slows down.
                Err(_) => {
                    measure = self.slow_down(model, part, forces, &measure, account, moved);
                }
            }
            moved.substeps += 1;
            at += length;
            if error < COARSER * bound && level > 0 && at.is_multiple_of(2 * length) {
                level -= 1;
            }
        }
        memory.level = level;
        self.acceleration[part.v.clone()].copy_from_slice(&self.rule.stages.k[0][part.v.clone()]);
        if let Some(end) = self.ends.get_mut(part.number) {
            end.measure = measure;
        }
    }

    /// Halves the velocity: the last resort where a substep has no end.
    fn slow_down(
        &mut self,
        model: &Model,
        part: &TreePart,
        forces: &dyn JointSpaceForces,
        before: &Measure,
        account: &mut Account,
        moved: &mut Moved,
    ) -> Measure {
        self.v[part.v.clone()].iter_mut().for_each(|v| *v *= 0.5);
        let measure = self
            .evaluation
            .arrive(model, part, forces, &self.q, &self.v);
        let k1 = &mut self.rule.stages.k[0];
        let state = [self.q.as_slice(), &self.v];
        let action = self.evaluation.accelerate(model, part, forces, state, k1);
        self.rule.first = action.unwrap_or_else(|_| {
            k1[part.v.clone()].fill(0.0);
            Action::default()
        });
        moved.evaluations += 1;
        account.lose(before, &measure);
        measure
    }

    /// The whole step by semi-implicit Euler.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of a step, passed on"
    )]
    fn run_euler(
        &mut self,
        model: &Model,
        part: &TreePart,
        h: f64,
        forces: &dyn JointSpaceForces,
        measure: &Measure,
        account: &mut Account,
        moved: &mut Moved,
    ) {
        let state = [self.q.as_slice(), &self.v];
        let tried = self.rule.euler(
            model,
            part,
            h,
            forces,
            &mut self.evaluation,
            state,
            measure,
            account,
        );
        match tried {
            Some(entry) => {
                self.q[part.q.clone()].copy_from_slice(&self.rule.stages.q_end[part.q.clone()]);
                self.v[part.v.clone()].copy_from_slice(&self.rule.stages.v_end[part.v.clone()]);
                account.take_over(&entry);
                moved.work += entry.work;
            }
            None => {
                self.slow_down(model, part, forces, measure, account, moved);
            }
        }
        moved.substeps += 1;
    }
}
