//! The energy account of bodies that nothing drives: a step may take energy from them, never give.
//!
//! Averaged rows keep the energy as far as the passes settled; friction that acts on the velocity at the
//! end of the step, contacts that move over a surface within it, and a projection may each add a little.
//! At the end of a step the velocities of an island that has more energy than it had and was given are
//! scaled down until it has not. Islands with driven bodies, tendons or mechanisms other than free bodies
//! are left to those who know what drives them.

use stiction_collision::Support;
use stiction_modeling::Motion;

use super::contacts::touches;
use super::tree_account::TreeAccounts;
use crate::error::Result;
use crate::mechanism::Mechanisms;
use crate::settings::Settings;
use crate::world::World;

/// Work space of the account.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Energy of each connection at the start of the step, J.
    springs: Vec<f64>,
    /// Per subsystem that names an island.
    islands: Vec<Balance>,
    /// Of trees that constraints act on.
    pub(super) trees: TreeAccounts,
}

/// What an island had, was given and has.
#[derive(Debug, Clone, Copy, Default)]
struct Balance {
    /// At the start of the step and what forces from outside gave since, J.
    allowed: f64,
    /// At the end, J; and what of it is kinetic.
    total: f64,
    kinetic: f64,
    /// Whether a joint of it holds positions.
    is_held: bool,
    /// Whether something drives it.
    is_driven: bool,
}

impl World {
    /// Whether any island has an account: with θ = 1/2 all, else those whose joints hold positions.
    fn has_account(&self) -> bool {
        let midpoint = self.settings.theta == Settings::MIDPOINT;
        midpoint || self.connections.iter().any(|c| c.kind.holds_positions())
    }

    /// Takes down the energy of springs at the start of the step.
    pub(super) fn open_account(&mut self) {
        if self.has_account() {
            let poses = &self.places.frames.pose;
            let springs = &mut self.account.springs;
            springs.clear();
            let energies = self.connections.iter().map(|c| c.connector().energy(poses));
            springs.extend(energies);
        }
    }

    /// Takes from the next state what no force has given it.
    pub(super) fn settle_account(&mut self) -> Result<()> {
        if !self.has_account() {
            return Ok(());
        }
        self.passing.clone_from(&self.next.q);
        self.place_passing()?;
        let mut islands = std::mem::take(&mut self.account.islands);
        islands.clear();
        islands.resize(self.tables.layout.subsystem_count(), Balance::default());
        self.fill_account(&mut islands);
        let every = self.settings.theta == Settings::MIDPOINT;
        let mut taken = 0.0;
        for (subsystem, dofs) in self.tables.layout.dof_start.windows(2).enumerate() {
            let Some(island) = self.islands.island_of(subsystem) else {
                continue;
            };
            let balance = &islands[island];
            let excess = balance.total - balance.allowed;
            let is_capped = !balance.is_driven && (every || balance.is_held) && excess > 0.0;
            if is_capped && balance.kinetic > 0.0 {
                let share = (1.0 - excess / balance.kinetic).max(0.0).sqrt();
                if island == subsystem {
                    taken += excess.min(balance.kinetic);
                }
                for value in &mut self.next.v[dofs[0]..dofs[1]] {
                    *value *= share;
                }
            }
        }
        self.account.islands = islands;
        self.report.energy.account -= taken;
        Ok(())
    }

    fn fill_account(&self, islands: &mut [Balance]) {
        let of = |subsystem: usize| self.islands.island_of(subsystem);
        for (subsystem, &(mechanism, _)) in self.tables.layout.owner.iter().enumerate() {
            if let Some(at) = of(subsystem)
                && mechanism != Mechanisms::FREE_BODIES
            {
                islands[at].is_driven = true;
            }
        }
        let (bodies, dt) = (&self.mechanisms.free_bodies, self.settings.time_step);
        // Joined bodies on paths have an account of their own, and may win back what it lost.
        for at in bodies.on_paths().filter_map(of) {
            islands[at].is_driven = true;
        }
        let before = bodies.energies(&self.state, &self.settings);
        let after = bodies.energies(&self.next, &self.settings);
        for ((subsystem, dofs, frame, before), (.., after)) in before.zip(after) {
            let Some(at) = of(subsystem) else {
                continue;
            };
            let wrench = &self.commands.inputs.wrenches[frame];
            let way = &self.v_hat[dofs];
            let forces = wrench.force.iter().chain(wrench.torque.iter());
            let work: f64 = forces.zip(way).map(|(force, v)| dt * force * v).sum();
            let island = &mut islands[at];
            island.allowed += before.kinetic + before.potential + work;
            island.total += after.kinetic + after.potential;
            island.kinetic += after.kinetic;
        }
        let frames = &self.places.frames;
        let is_driven = |frame: u32| frames.motion[frame as usize] == Motion::Driven;
        for (connection, before) in self.connections.iter().zip(&self.account.springs) {
            let connector = connection.connector();
            let mut touched = None;
            connector.touches(&self.places, |subsystem| touched = Some(subsystem));
            if let Some(at) = touched.and_then(of) {
                let island = &mut islands[at];
                island.allowed += before;
                island.total += connector.energy(&frames.pose);
                island.is_held |= connection.kind.holds_positions();
                island.is_driven |= connector.frames.iter().any(|&frame| is_driven(frame));
            }
        }
        for point in &self.contacts.points {
            let driven = point.on.iter().any(|side| match side {
                Support::Frame(frame) => is_driven(*frame),
                Support::Frames { frames, .. } => frames.iter().any(|&frame| is_driven(frame)),
                Support::Nodes { .. } => true,
            });
            // A surface that gives stores energy that nobody counts here.
            if driven || point.material.compliance > 0.0 {
                touches(point, &self.places, |subsystem| {
                    if let Some(at) = of(subsystem) {
                        islands[at].is_driven = true;
                    }
                });
            }
        }
        for subsystem in self.tendons.iter().flat_map(|t| t.model.touches()) {
            if let Some(at) = of(subsystem) {
                islands[at].is_driven = true;
            }
        }
    }
}
