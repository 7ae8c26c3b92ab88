//! What a step did: statistics and forces.

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_constraints::Outcome;

use crate::body::BodyHandle;
use crate::ledger::EnergyLedger;
use crate::world::ColliderHandle;

/// Wall-clock time of the stages of a step, s.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StageTimes {
    /// Controllers.
    pub control: f64,
    /// Collision detection.
    pub detect: f64,
    /// What equations of motion and constraints are made from.
    pub assemble: f64,
    /// Naming the constraints, writing down the problems of all islands, and the solver.
    pub solve: f64,
    /// Moving the state on, forces and statistics.
    pub integrate: f64,
}

impl StageTimes {
    /// All stages together, s.
    pub fn total(&self) -> f64 {
        self.control + self.detect + self.assemble + self.solve + self.integrate
    }
}

/// How a step went.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StepReport {
    /// Time at the end of the step, s.
    pub time: f64,
    /// Wall-clock time by stage.
    pub stages: StageTimes,
    /// Contact points handed to the solver.
    pub contacts: usize,
    /// Constraint rows, those of joint limits far away included.
    pub rows: usize,
    /// Islands solved.
    pub islands: usize,
    /// Most iterations of an island.
    pub iterations: usize,
    /// Largest scaled residual of an island, m/s.
    pub residual: f64,
    /// Contacts of bodies that overlap and cannot be pushed apart: they are held as they are.
    pub delayed_pushes: usize,
    /// Islands whose solver did not reach the tolerance.
    pub unconverged: usize,
    /// How the last of those ended.
    pub outcome: Option<Outcome>,
    /// Deepest penetration at the start of the step, m.
    pub penetration: f64,
    /// Substeps of all trees that moved on a free path.
    #[serde(default)]
    pub substeps: usize,
    /// Trees in contact that moved too fast for one evaluation: stages were evaluated for them.
    #[serde(default)]
    pub staged_trees: usize,
    /// Energy that accounts took away because no force had given it, J.
    #[serde(default)]
    pub energy_taken: f64,
    /// Colliders that went farther in the step than contacts were looked for, by more than half their
    /// thickness, because something flung them into motion: they may have passed through what was in
    /// their way.
    #[serde(default)]
    pub outran: usize,
    /// Kinetic energy at the end of the step, J.
    pub kinetic_energy: f64,
    /// Energy of gravity and springs at the end of the step, J.
    pub potential_energy: f64,
    /// What changed the energy in the step, and who did it.
    #[serde(default)]
    pub energy: EnergyLedger,
    /// How far joints between bodies, loops, couplings and tendons are from holding their positions at
    /// the end of the step.
    #[serde(default)]
    pub joints: JointErrors,
}

impl StepReport {
    /// Takes in the part of the step that went before this one.
    pub(crate) fn follow(&mut self, before: &Self) {
        self.iterations = self.iterations.max(before.iterations);
        self.residual = self.residual.max(before.residual);
        self.delayed_pushes += before.delayed_pushes;
        self.unconverged += before.unconverged;
        let outcome = self.outcome.take();
        self.outcome = outcome.or_else(|| before.outcome.clone());
        self.penetration = before.penetration;
        self.substeps += before.substeps;
        self.staged_trees = self.staged_trees.max(before.staged_trees);
        self.energy_taken += before.energy_taken;
        self.outran += before.outran;
        self.energy.add(&before.energy);
    }
}

/// Largest errors of position of everything that holds positions; none of the joints of robots, which
/// hold theirs by how they are computed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct JointErrors {
    /// Connections, loops and tendons: distance between points that should coincide, or length too much
    /// or too little, m.
    pub distance: f64,
    /// Connections: angle between axes that should be parallel; couplings: what they are off by; rad (m
    /// for a coupling of slides).
    pub angle: f64,
    /// The largest of distances over the size of their links, and angles.
    pub relative: f64,
}

impl JointErrors {
    /// Relative errors from which on a user should be told.
    pub const LARGE: f64 = 0.01;
}

/// What a contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContactMode {
    /// No force.
    Open,
    /// Force, and no sliding.
    Stick,
    /// Force, and sliding.
    Slip,
}

/// A contact and the force it transmitted in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// First body; `None` for a contact on nodes or between the frames of a chain.
    pub body_a: Option<BodyHandle>,
    /// Second body, as the first.
    pub body_b: Option<BodyHandle>,
    /// The colliders that touch, first and second.
    pub colliders: [ColliderHandle; 2],
    /// Where, world, m.
    pub point: Point3<f64>,
    /// Unit normal from the first to the second.
    pub normal: Vector3<f64>,
    /// Gap at the start of the step, m; negative when penetrating.
    pub gap: f64,
    /// Force on the second body, world axes, N (mean over the step).
    pub force: Vector3<f64>,
    /// Sliding speed, m/s.
    pub slip: f64,
    /// Open, sticking or slipping.
    pub mode: ContactMode,
}
