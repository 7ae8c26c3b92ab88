//! What changed the energy of a world in a step, and who did it.

mod measure;
mod watch;

pub(crate) use measure::{WorldEnergy, driven_work, exerted};
pub use watch::{EnergyGain, EnergyWatch};

use serde::{Deserialize, Serialize};

/// Change of energy in one step and the work behind it, J; positive is energy that the world has more of.
///
/// Impulses p work by p · (v + v⁺)/2: summed up over all of them this is the change of kinetic energy at
/// the inertia of the step's start, exactly. Gravity and springs are potential energy. All works and
/// [`integration`](Self::integration) add up to [`change`](Self::change).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EnergyLedger {
    /// Kinetic and potential energy at the end of the step minus those at its start.
    pub change: f64,
    /// Drives of joints and tendons, actuators, and forces that were asked for.
    pub drives: f64,
    /// Driven bodies, through whatever touches them or is connected with them.
    pub driven: f64,
    /// Damping of joints.
    pub damping: f64,
    /// Contacts, friction and impacts: not above zero but for what overlaps by a little.
    pub contacts: f64,
    /// Limits of joints.
    pub limits: f64,
    /// Dry friction of joints.
    pub friction: f64,
    /// Connections, loops and couplings; dampers of springs.
    pub connections: f64,
    /// Tendons, without their drives: limits, friction, dampers.
    pub tendons: f64,
    /// Constraints of mechanisms that are none of ours.
    pub mechanisms: f64,
    /// Positions that were put right: overlaps pushed out, joints brought back.
    pub projection: f64,
    /// Taken by the energy account of mechanisms that have one.
    pub account: f64,
    /// What none of these explains: errors of the time step. Of a body that falls it is −m g² dt²/2.
    pub integration: f64,
}

impl EnergyLedger {
    /// The works by name, in the order of the fields.
    pub fn works(&self) -> [(&'static str, f64); 12] {
        [
            ("drives", self.drives),
            ("driven", self.driven),
            ("damping", self.damping),
            ("contacts", self.contacts),
            ("limits", self.limits),
            ("friction", self.friction),
            ("connections", self.connections),
            ("tendons", self.tendons),
            ("mechanisms", self.mechanisms),
            ("projection", self.projection),
            ("account", self.account),
            ("integration", self.integration),
        ]
    }

    /// What somebody put in or took out on purpose, J.
    pub fn given(&self) -> f64 {
        self.drives + self.driven
    }

    /// What contacts, limits, friction, damping, connections and tendons did, J.
    pub fn of_constraints(&self) -> f64 {
        self.damping
            + self.contacts
            + self.limits
            + self.friction
            + self.connections
            + self.tendons
            + self.mechanisms
    }

    /// Adds another step to this one.
    pub fn add(&mut self, other: &Self) {
        self.change += other.change;
        self.drives += other.drives;
        self.driven += other.driven;
        self.damping += other.damping;
        self.contacts += other.contacts;
        self.limits += other.limits;
        self.friction += other.friction;
        self.connections += other.connections;
        self.tendons += other.tendons;
        self.mechanisms += other.mechanisms;
        self.projection += other.projection;
        self.account += other.account;
        self.integration += other.integration;
    }
}
