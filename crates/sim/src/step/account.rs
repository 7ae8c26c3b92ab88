//! The energy account of bodies that nothing drives: a step may take energy from them, never give.
//!
//! Averaged rows keep the energy as far as the passes settled; friction that acts on the velocity at the
//! end of the step, contacts that move over a surface within it, and a projection may each add a little.
//! At the end of a step what bodies of an island do beside what its momenta ask for (all they do, where something
//! fixed holds it) is scaled down until it has no more energy than it had and was given. With θ = 0 that is done
//! where something touches or where joints hold: what overlaps is pushed apart, and lifted, by energy of the motion.
//! Islands with tendons or mechanisms other than free bodies, and with θ = 1/2 those with driven bodies, are left to
//! those who know what drives them.

use std::ops::Range;

use nalgebra::Vector3;
use stiction_collision::Support;
use stiction_modeling::Motion;

use super::contacts::touches;
use super::locked::{Locked, LockedMotion};
use super::rows::RowKind;
use super::tree_account::TreeAccounts;
use crate::error::Result;
use crate::ledger::{driven_work, exerted};
use crate::mechanism::Mechanisms;
use crate::settings::Settings;
use crate::world::World;

/// Share of an island's energy up to which more of it is rounding.
const ROUNDING: f64 = 1e-15;

/// Share of the energy that momentum asks for by which bodies may be overdrawn before it is touched.
const OVERDRAFT: f64 = 1e-9;

/// Work space of the account.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Energy of each connection at the start of the step, J.
    springs: Vec<f64>,
    /// Per subsystem that names an island.
    islands: Vec<Balance>,
    /// Velocities of bodies that are slowed down, and where they are.
    slowed: Vec<(Range<usize>, [Vector3<f64>; 2])>,
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
    /// Whether a contact of it exerts something.
    is_touched: bool,
    /// Whether something drives it.
    is_driven: bool,
    /// Whether something touches or holds it that does not move by itself.
    is_grounded: bool,
    /// Sum of what contacts exert, N·s.
    impulse: f64,
    /// What is to be taken, J.
    excess: f64,
    /// Its bodies added up, and how they move as one, where nothing grounds it.
    locked: Locked,
    whole: Option<LockedMotion>,
    /// What velocities are multiplied by.
    factor: f64,
}

impl Balance {
    /// Finds what no force gave; whether there is any beyond what the solver's tolerance (m/s) explains.
    fn find_excess(&mut self, every: bool, tolerance: f64) -> bool {
        let excess = self.total - self.allowed;
        let has_account = every || self.is_held || self.is_touched;
        let rounding = ROUNDING * (self.kinetic + self.total.abs()) + tolerance * self.impulse;
        let is_capped = !self.is_driven && has_account && excess > rounding && self.kinetic > 0.0;
        self.excess = if is_capped { excess } else { 0.0 };
        is_capped
    }
}

impl World {
    /// Whether any island may have an account: bodies that something touches or holds.
    fn has_account(&self) -> bool {
        let midpoint = self.settings.theta == Settings::MIDPOINT;
        let is_touched = self.settings.energy_account
            && self.mechanisms.free_bodies.subsystems().next().is_some()
            && !self.contacts.points.is_empty();
        midpoint || is_touched || self.connections.iter().any(|c| c.kind.holds_positions())
    }

    /// Takes down the energy of springs at the start of the step.
    pub(super) fn open_account(&mut self) {
        if !self.connections.is_empty() {
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
        if !self.connections.is_empty() {
            self.passing.clone_from(&self.next.q);
            self.place_passing()?;
        }
        let mut islands = std::mem::take(&mut self.account.islands);
        islands.clear();
        islands.resize(self.tables.layout.subsystem_count(), Balance::default());
        self.fill_account(&mut islands);
        self.add_up_touch(&mut islands);
        let every = self.settings.theta == Settings::MIDPOINT;
        let has_excess = islands.iter_mut().fold(false, |has_excess, balance| {
            has_excess | balance.find_excess(every, self.settings.tolerance)
        });
        if has_excess {
            self.add_up_momenta(&mut islands);
            let taken = self.slow_bodies(&mut islands);
            self.report.energy.account -= taken;
            self.report.energy_taken += taken;
        }
        self.account.islands = islands;
        Ok(())
    }

    /// How islands with too much energy that nothing fixed holds move as a whole.
    fn add_up_momenta(&self, islands: &mut [Balance]) {
        for (subsystem, _, body) in self.mechanisms.free_bodies.moving(&self.next) {
            if let Some(at) = self.islands.island_of(subsystem)
                && islands[at].excess > 0.0
                && !islands[at].is_grounded
            {
                islands[at].locked.add(&body);
            }
        }
        for island in islands.iter_mut().filter(|island| island.excess > 0.0) {
            island.whole = island.locked.motion();
        }
    }

    /// Takes the excess of all islands out of what their bodies do beside what momentum asks for; how much, J.
    fn slow_bodies(&mut self, islands: &mut [Balance]) -> f64 {
        let mut taken = 0.0;
        for island in islands.iter_mut().filter(|island| island.excess > 0.0) {
            let kept = island.whole.map_or(0.0, |whole| whole.kinetic);
            let rest = (island.kinetic - kept).max(0.0);
            let excess = island.excess.min(rest);
            let left = island.excess - excess;
            if left > OVERDRAFT * kept {
                // Only less momentum helps.
                let share = 1.0 - left / kept;
                island.whole = island.whole.map(|whole| whole.with_energy(share));
                taken += left.min(kept);
            }
            island.factor = match rest > 0.0 {
                true => (1.0 - excess / rest).max(0.0).sqrt(),
                false => 1.0,
            };
            taken += excess;
        }
        let bodies = &self.mechanisms.free_bodies;
        let mut slowed = std::mem::take(&mut self.account.slowed);
        slowed.clear();
        for (subsystem, dofs, body) in bodies.moving(&self.next) {
            let Some(at) = self.islands.island_of(subsystem) else {
                continue;
            };
            let island = &islands[at];
            if island.excess > 0.0 {
                let own = [body.velocity, body.angular_velocity];
                let slow = match &island.whole {
                    Some(whole) => whole.with_rest(&body, island.factor),
                    None => own.map(|part| part * island.factor),
                };
                slowed.push((dofs, slow));
            }
        }
        for (dofs, [linear, angular]) in slowed.drain(..) {
            let v = &mut self.next.v[dofs];
            v[..3].copy_from_slice(linear.as_slice());
            v[3..].copy_from_slice(angular.as_slice());
        }
        self.account.slowed = slowed;
        taken
    }
    /// What contacts of implicit Euler say of their islands. Its velocities lag behind its positions by half a step
    /// of gravity: what is neither gained nor lost in flight, on a slope and in an impact that gives all back is the
    /// energy and half a step's work of gravity at the present velocity.
    fn add_up_touch(&self, islands: &mut [Balance]) {
        if self.settings.theta > 0.0 || !self.settings.energy_account {
            return;
        }
        for (head, result) in self.rows.heads().iter().zip(self.last.results()) {
            let is_contact = head.key.kind == RowKind::Contact as u16;
            // What is pushed apart turns without an impulse at the end of the step.
            if !is_contact || (result.impulse[2] == 0.0 && !self.has_way) {
                continue;
            }
            let mut touched = self.rows.touched(head);
            if let Some(at) = touched.find_map(|subsystem| self.islands.island_of(subsystem)) {
                islands[at].is_touched = true;
                islands[at].is_driven |= self.contacts.soft.is_some();
                islands[at].allowed += driven_work(result);
                islands[at].impulse += exerted(result);
            }
        }
        let (bodies, gravity) = (&self.mechanisms.free_bodies, &self.settings.gravity);
        let before = bodies.falling(&self.state, gravity);
        let after = bodies.falling(&self.next, gravity);
        for ((subsystem, before), (_, after)) in before.zip(after) {
            if let Some(at) = self.islands.island_of(subsystem)
                && islands[at].is_touched
                && !islands[at].is_held
            {
                islands[at].total += 0.5 * self.settings.time_step * (after - before);
            }
        }
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
        let is_fixed = |frame: &u32| frames.motion[*frame as usize].subsystem().is_none();
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
                island.is_grounded |= connector.frames.iter().any(is_fixed);
            }
        }
        let is_midpoint = self.settings.theta > 0.0 || !self.settings.energy_account;
        for point in &self.contacts.points {
            let driven = point.on.iter().any(|side| match side {
                Support::Frame(frame) => is_driven(*frame),
                Support::Frames { frames, .. } => frames.iter().any(|&frame| is_driven(frame)),
                Support::Nodes { .. } => true,
            });
            let fixed = point.on.iter().any(|side| match side {
                Support::Frame(frame) => is_fixed(frame),
                Support::Frames { frames, .. } => frames.iter().any(is_fixed),
                Support::Nodes { .. } => false,
            });
            if fixed {
                touches(point, &self.places, |subsystem| {
                    if let Some(at) = of(subsystem) {
                        islands[at].is_grounded = true;
                    }
                });
            }
            // A surface that gives stores energy that nobody counts here; what a driven one does is counted with θ = 0.
            if (driven && is_midpoint) || point.material.compliance > 0.0 {
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
