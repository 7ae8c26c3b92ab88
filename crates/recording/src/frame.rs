//! What changes during a run: poses, velocities, contacts, statistics of the step.

use serde::{Deserialize, Serialize};

use crate::header::{Header, Pose};

/// The state of a run at one moment.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// Simulated time, s.
    pub time: f64,
    /// Pose of every body in the world.
    pub poses: Vec<Pose>,
    /// Velocity of every body, world axes: linear velocity of the body's origin (m/s), then angular
    /// velocity (rad/s).
    pub velocities: Vec<[f64; 6]>,
    /// Joint positions of all articulated robots, concatenated (rad or m).
    pub joints: Vec<f64>,
    /// World positions of every deformable's nodes, m.
    pub nodes: Vec<Vec<[f64; 3]>>,
    /// Von Mises stress at every deformable's nodes, Pa; a list is empty where there is none, as in
    /// recordings that do not have it.
    #[serde(default)]
    pub stress: Vec<Vec<f64>>,
    /// Contact points, touching or near.
    pub contacts: Vec<Contact>,
    /// How the step went.
    pub statistics: Statistics,
}

impl Frame {
    /// A frame of the right sizes for `header`, with everything at rest at the origin.
    pub fn resting(header: &Header) -> Self {
        Self {
            poses: vec![Pose::IDENTITY; header.bodies.len()],
            velocities: vec![[0.0; 6]; header.bodies.len()],
            nodes: header
                .deformables
                .iter()
                .map(|deformable| vec![[0.0; 3]; deformable.nodes])
                .collect(),
            stress: vec![Vec::new(); header.deformables.len()],
            ..Self::default()
        }
    }
}

/// One contact point.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Contact {
    /// Where, in the world, m.
    pub position: [f64; 3],
    /// Unit normal in world axes, from the first body to the second.
    pub normal: [f64; 3],
    /// Force on the second body in world axes, N.
    pub force: [f64; 3],
    /// Signed distance, m; negative is penetration.
    pub gap: f64,
    /// Tangential speed, m/s.
    pub slip: f64,
    /// Open, sticking or slipping.
    pub state: ContactState,
    /// The two bodies: an index into [`Header::bodies`], or `bodies.len() + k` for deformable `k`,
    /// or [`Contact::WORLD`].
    pub bodies: [u32; 2],
}

impl Contact {
    /// Stands in [`Contact::bodies`] for a static environment that is no listed body.
    pub const WORLD: u32 = u32::MAX;
}

/// Which branch of the contact law a contact point is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContactState {
    /// No force.
    #[default]
    Open,
    /// Force inside the friction cone.
    Stick,
    /// Force on the friction cone's boundary.
    Slip,
}

/// Measures of one simulation step (the last one before the frame).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Wall-clock time of the step, s.
    pub step_time: f64,
    /// Iterations of the contact solver.
    pub iterations: u32,
    /// Contact points.
    pub contacts: u32,
    /// Constraint rows.
    pub rows: u32,
    /// Islands of bodies that do not touch one another.
    pub islands: u32,
    /// Residual of the contact problem, in the units of the solver's report.
    pub residual: f64,
    /// Deepest penetration, m.
    pub penetration: f64,
    /// Kinetic energy of all bodies, J.
    pub kinetic_energy: f64,
    /// Potential energy of all bodies, J.
    pub potential_energy: f64,
    /// Whether the solver reached its tolerance.
    pub converged: bool,
    /// Largest distance by which joints between bodies, loops and tendons fail to hold their positions,
    /// m; 0 in recordings that do not have it, as all below.
    #[serde(default)]
    pub joint_error: f64,
    /// The same of angles of joints and of couplings, rad.
    #[serde(default)]
    pub joint_angle_error: f64,
    /// Work of drives, driven bodies and forces that were asked for in the step, J.
    #[serde(default)]
    pub work_given: f64,
    /// Work of contacts, limits, friction, damping and joints in the step, J; negative takes energy.
    #[serde(default)]
    pub work_of_constraints: f64,
    /// Change of energy in the step that no work explains, J: errors of the time step.
    #[serde(default)]
    pub energy_error: f64,
}
