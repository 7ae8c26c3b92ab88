//! Adding up the work of a step.

use stiction_islands::{RowResult, StartVelocity};
use stiction_modeling::tendon::SPRING_AND_DRIVE;

use super::EnergyLedger;
use crate::error::Result;
use crate::mechanism::{Energy, Now, Placing};
use crate::step::RowKind;
use crate::world::World;

/// Energies of a world, J.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct WorldEnergy {
    pub(crate) kinetic: f64,
    /// Gravity and springs of mechanisms.
    pub(crate) mechanisms: f64,
    /// Springs between bodies.
    pub(crate) connections: f64,
    pub(crate) tendons: f64,
}

impl WorldEnergy {
    pub(crate) fn potential(&self) -> f64 {
        self.mechanisms + self.connections + self.tendons
    }

    pub(crate) fn total(&self) -> f64 {
        self.kinetic + self.potential()
    }
}

/// Work of driven bodies through a constraint, J.
pub(crate) fn driven_work(result: &RowResult) -> f64 {
    let both = result.impulse.iter().zip(result.note.driven);
    -both.map(|(impulse, driven)| impulse * driven).sum::<f64>()
}

/// Sum of the sizes of a constraint's impulses, N·s or N·m·s.
pub(crate) fn exerted(result: &RowResult) -> f64 {
    result.impulse.iter().map(|impulse| impulse.abs()).sum()
}

impl World {
    /// Energies where everything is placed.
    pub(crate) fn energy_now(&self) -> Result<WorldEnergy> {
        let mut sum = WorldEnergy::default();
        for mechanism in self.mechanisms.iter() {
            let Energy { kinetic, potential } = mechanism.energy(&self.state, &self.settings)?;
            sum.kinetic += kinetic;
            sum.mechanisms += potential;
        }
        for connection in &self.connections {
            sum.connections += connection.connector().energy(&self.places.frames.pose);
        }
        sum.tendons = self.tendon_energy();
        Ok(sum)
    }

    /// Work of everything but contacts and springs' energy, with A and J of the step: to be called while
    /// the world is still placed where the step solved.
    pub(crate) fn add_up_work(&mut self) {
        let theta = self.settings.theta;
        let mut ledger = EnergyLedger::default();
        let start = StartVelocity {
            velocity: &self.state.v,
            theta,
        };
        self.mean_velocity.clear();
        let both = self.state.v.iter().zip(&self.v_hat);
        self.mean_velocity
            .extend(both.map(|(&before, &v_hat)| start.mean(before, v_hat)));
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: None,
        };
        for mechanism in self.mechanisms.iter() {
            let work = mechanism.work(&now, &self.v_hat, &self.mean_velocity, &self.places);
            ledger.drives += work.drives;
            ledger.damping += work.damping;
            ledger.account += work.account;
        }
        for (head, result) in self.rows.heads().iter().zip(self.last.results()) {
            let driven = driven_work(result);
            ledger.driven += driven;
            let own = result.work - driven;
            let kind = head.key.kind;
            if kind == RowKind::Contact as u16 {
                ledger.contacts += own;
            } else if kind == RowKind::Limit as u16 {
                ledger.limits += own;
            } else if kind == RowKind::Friction as u16 {
                ledger.friction += own;
            } else if kind == RowKind::Tendon as u16 {
                let tendon = &self.tendons[head.key.owner as usize].model;
                let drive = match head.key.part == SPRING_AND_DRIVE && result.impulse[0] != 0.0 {
                    true => tendon.drive_impulse(result.impulse[0]) * own / result.impulse[0],
                    false => 0.0,
                };
                ledger.drives += drive;
                ledger.tendons += own - drive;
            } else if kind == RowKind::Mechanism as u16 {
                ledger.mechanisms += own;
            } else {
                ledger.connections += own;
            }
        }
        self.report.energy = ledger;
    }

    /// Work of drives of tendons that are no rows, once the world is placed at the end of the step.
    pub(crate) fn add_direct_work(&mut self) {
        for tendon in &self.tendons {
            let direct = tendon.model.direct_impulse();
            if direct != 0.0 {
                let after = tendon.measure(&self.state, &self.places).before;
                let mean = 0.5 * (tendon.model.rate() + after);
                let driven = -direct * tendon.model.driven();
                self.report.energy.drives += direct * mean;
                self.report.energy.driven += driven;
            }
        }
    }

    /// Closes the ledger with the energies before and after the step.
    pub(crate) fn close_ledger(&mut self, before: &WorldEnergy, after: &WorldEnergy) {
        let ledger = &mut self.report.energy;
        ledger.change = after.total() - before.total();
        // What springs gave is in the potential energy already.
        ledger.connections += after.connections - before.connections;
        ledger.tendons += after.tendons - before.tendons;
        let explained: f64 = ledger.works().iter().map(|(_, work)| work).sum();
        ledger.integration = ledger.change - explained;
    }

    /// Potential energy that was gained by putting positions right, J: that of the state minus that of
    /// the positions `plain`. Leaves the world placed at its state.
    pub(crate) fn projection_work(&mut self, after: &WorldEnergy) -> Result<f64> {
        let at = Placing {
            q: &self.plain,
            v: &self.state.v,
            memory: &self.state.memory,
            guess: None,
            inputs: &self.commands.inputs,
        };
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.place(&at, &mut self.places)?;
        }
        std::mem::swap(&mut self.state.q, &mut self.plain);
        let plain = self.energy_now();
        std::mem::swap(&mut self.state.q, &mut self.plain);
        self.refresh()?;
        Ok(after.total() - plain?.total())
    }
}
