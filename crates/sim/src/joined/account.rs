//! The energy account of a mechanism on its path, as that of trees.

use stiction_dynamics::{MotionMemory, MotionSettings};

/// Share of the energy scale that may be won back after it was lost.
const MARGIN: f64 = 1e-4;
/// How fast the scale forgets, s.
const FORGETS: f64 = 10.0;
/// What rounding does to sums of energies.
pub(super) const ROUNDING: f64 = 1e-15;

/// The energy account of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Account {
    is_open: bool,
    /// Most energy that the mechanism may have, J.
    limit: f64,
    scale: f64,
    /// Energy of motion below which changes are noise, J.
    noise: f64,
    energy: f64,
}

impl Account {
    /// Opens it with the energy of motion and the potential at the start.
    pub(super) fn new(
        settings: &MotionSettings,
        memory: &MotionMemory,
        [kinetic, potential]: [f64; 2],
        noise: f64,
        step: f64,
    ) -> Self {
        let energy = kinetic + potential;
        Self {
            is_open: settings.energy_account,
            limit: energy + memory.margin,
            scale: (memory.scale * (1.0 - step / FORGETS).max(0.0)).max(kinetic),
            noise,
            energy,
        }
    }

    /// How much the energy changed since the last entry beside the work of forces, as a share of the energy of
    /// motion; what rounding explains is none, nor `slack`, which joints that are closed no better leave, J.
    pub(super) fn drift(&self, [kinetic, potential]: [f64; 2], work: f64, slack: f64) -> f64 {
        let energy = kinetic + potential;
        let sizes = kinetic + potential.abs() + work.abs();
        let drift = (energy - self.energy - work).abs() - 10.0 * ROUNDING * sizes - slack;
        drift.max(0.0) / (self.scale.max(kinetic).max(self.noise) + work.abs())
    }

    /// Enters what a substep ended with and the work of forces in it; what is too much, J.
    pub(super) fn enter(&mut self, [kinetic, potential]: [f64; 2], work: f64) -> f64 {
        self.limit += work;
        self.energy = kinetic + potential;
        let excess = self.energy - self.limit;
        // What is too much says nothing of the motion's size.
        self.scale = self.scale.max(kinetic - excess.max(0.0));
        let is_too_much = self.is_open && excess > ROUNDING * (kinetic + potential.abs());
        if is_too_much { excess } else { 0.0 }
    }

    /// What is too much was taken; how much that was, J.
    pub(super) fn slowed(&mut self, before: [f64; 2], after: [f64; 2]) -> f64 {
        self.energy = after[0] + after[1];
        before[0] + before[1] - self.energy
    }

    /// The mechanism was slowed down because there was no other way, J.
    pub(super) fn lose(&mut self, lost: f64) {
        self.energy -= lost;
        self.limit = self.limit.min(self.energy);
    }

    pub(super) fn close_entry(&mut self) {
        self.limit = self.limit.min(self.energy + MARGIN * self.scale);
    }

    /// What the next step goes on with.
    pub(super) fn memory(&self, level: u32) -> MotionMemory {
        MotionMemory {
            margin: (self.limit - self.energy).min(MARGIN * self.scale),
            scale: self.scale,
            level,
        }
    }
}
