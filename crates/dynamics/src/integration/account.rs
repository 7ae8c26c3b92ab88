//! The energy account: what a tree has, may have, and what is taken from it.

use super::evaluation::{Evaluation, Measure};
use super::part::TreePart;
use super::{MotionMemory, MotionSettings};
use crate::aba::velocities;
use crate::model::Model;

/// Share of the energy scale that a tree may win back after the integrator lost it. Errors of a rule of
/// fourth order come and go within a swing; without a margin each of them would be a loss.
const MARGIN: f64 = 1e-4;
/// How fast the scale forgets, s.
const MEMORY: f64 = 10.0;
/// Share of the energy scale that a floating tree may be overdrawn by before its momentum is touched: if
/// rotation as a whole has too much energy, only less momentum helps.
const OVERDRAFT: f64 = 1e-9;
/// Most times that a tree is slowed down in a substep: each finds the digits that the time before lost.
const MOST_SLOWINGS: usize = 4;
/// What rounding does to the sum of kinetic and potential energy.
const ROUNDING: f64 = 1e-15;

/// The account of one step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account {
    is_open: bool,
    /// Most energy that the tree may have, J.
    limit: f64,
    scale: f64,
    /// Energy at the last entry, J.
    energy: f64,
    taken: f64,
}

/// What a substep brings to the account if it is accepted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// Work of forces without potential, J.
    pub(super) work: f64,
    limit: f64,
    energy: f64,
    scale: f64,
    taken: f64,
}

impl Account {
    pub(super) fn new(
        settings: &MotionSettings,
        memory: &MotionMemory,
        measure: &Measure,
        step: f64,
    ) -> Self {
        let energy = measure.energy();
        Self {
            is_open: settings.energy_account,
            limit: energy + memory.margin,
            scale: memory.scale * (1.0 - step / MEMORY).max(0.0),
            energy,
            taken: 0.0,
        }
    }

    /// Compares the energy at the end of a substep with what forces gave it, and slows the tree down
    /// where it has more. Velocities are changed in `v` and in the evaluation.
    pub(super) fn settle(
        &self,
        model: &Model,
        part: &TreePart,
        work: f64,
        evaluation: &mut Evaluation,
        measure: &mut Measure,
        v: &mut [f64],
    ) -> Entry {
        let before = measure.energy();
        let limit = self.limit + work;
        // What is too much says nothing of the motion's size.
        let excess = (before - limit).max(0.0);
        let scale = self.scale.max(measure.internal(part.mass) - excess);
        // Of far too much energy digits are left over that the first time cannot see.
        for _ in 0..MOST_SLOWINGS {
            let rounding =
                ROUNDING * (measure.kinetic + measure.height.abs() + measure.springs.abs());
            let excess = measure.energy() - limit;
            if !(self.is_open && excess > rounding) {
                break;
            }
            slow(
                part,
                excess,
                measure.internal(part.mass),
                OVERDRAFT * scale,
                measure,
                v,
            );
            velocities(model, &mut evaluation.data, part.links.clone(), v);
            measure.kinetic = evaluation.kinetic(model, part, v);
        }
        let energy = measure.energy();
        Entry {
            work,
            limit: limit.min(energy + MARGIN * scale),
            energy,
            scale,
            taken: before - energy,
        }
    }

    /// How much the energy changed in a substep beside the work of forces, as a share of the largest energy of
    /// motion of the last seconds; what rounding explains is none.
    pub(super) fn drift(&self, part: &TreePart, start: &Measure, end: &Measure, work: f64) -> f64 {
        let sizes = end.kinetic + end.height.abs() + end.springs.abs() + work.abs();
        let drift = (end.energy() - start.energy() - work).abs() - 10.0 * ROUNDING * sizes;
        let scale = self.scale.max(end.internal(part.mass)) + work.abs();
        match drift > 0.0 {
            true => drift / scale,
            false => 0.0,
        }
    }

    pub(super) fn take_over(&mut self, entry: &Entry) {
        self.limit = entry.limit;
        self.energy = entry.energy;
        self.scale = entry.scale;
        self.taken += entry.taken;
    }

    /// The tree was slowed down because it was too fast for numbers.
    pub(super) fn lose(&mut self, before: &Measure, after: &Measure) {
        self.taken += before.energy() - after.energy();
        self.energy = after.energy();
        self.limit = self.limit.min(self.energy);
    }

    /// A force that is not in the entries' work changed the energy from `before` to `after`; `gives` says
    /// whether it may raise it.
    pub(super) fn credit(&mut self, before: f64, after: f64, gives: bool) {
        let change = after - before;
        self.limit += if gives { change } else { change.min(0.0) };
        self.energy = after;
    }

    pub(super) fn taken(&self) -> f64 {
        self.taken
    }

    /// What the next step goes on with.
    pub(super) fn close(&self, memory: &mut MotionMemory) {
        let margin = self.limit - self.energy;
        memory.margin = if margin.is_finite() { margin } else { 0.0 };
        memory.scale = if self.scale.is_finite() {
            self.scale
        } else {
            0.0
        };
    }
}

/// Takes `excess` J out of the motion: of a floating tree first out of what momentum does not ask for.
fn slow(
    part: &TreePart,
    excess: f64,
    internal: f64,
    overdraft: f64,
    measure: &mut Measure,
    v: &mut [f64],
) {
    let share = |left: f64, whole: f64| match whole > 0.0 {
        true => (left / whole).max(0.0).sqrt(),
        false => 0.0,
    };
    let Some(floating) = &mut measure.floating else {
        let factor = share(measure.kinetic - excess, measure.kinetic);
        v[part.v.clone()].iter_mut().for_each(|v| *v *= factor);
        return;
    };
    let relative = internal - floating.locked();
    if excess <= relative {
        let factor = share(relative - excess, relative);
        floating.scale_relative(part, factor, v);
    } else if excess > overdraft {
        let factor = share(internal - excess, internal);
        floating.scale_internal(part, factor, v);
        floating.angular *= factor;
    }
}
