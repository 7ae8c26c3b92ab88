//! Scenes with soft bodies and rods: one file each.

mod arc;
pub(super) mod beam_insertion;
pub(super) mod cable_vehicles;
pub(super) mod cable_winding;
pub(super) mod capstan;
pub(super) mod catenary;
pub(super) mod cloth_pinch;
pub(super) mod soft_ball;
pub(super) mod soft_gripper;
pub(super) mod soft_lab;
pub(super) mod soft_mat;
mod vehicle;

use stiction_sim::deformable::cut::PieceSize;
use stiction_sim::deformable::mesh::MeshError;
use stiction_sim::{Result, Settings, SimError};

use super::robots::stage::Stage;
use crate::robots::RobotFile;

/// What may be chosen about a scene with a soft body or a cable: what papers draw at random, and whether the body is
/// cut into pieces, for solvers that take subsystems by themselves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftChoice {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Friction coefficient, with everything.
    pub friction: f64,
    /// Whether soft bodies are cut into pieces of a few hundred nodes, cables into pieces of four links.
    pub is_cut: bool,
    /// How fast it is handled, as a share of the scene's own pace: 0.25 takes four times as long.
    pub pace: f64,
}

impl SoftChoice {
    fn pieces(&self) -> PieceSize {
        match self.is_cut {
            true => PieceSize::AtMost(400),
            false => PieceSize::Whole,
        }
    }

    /// Refuses a pace at which nothing would happen.
    fn checked(self, scene: &str) -> Result<Self> {
        match self.pace.is_finite() && self.pace > 0.0 {
            true => Ok(self),
            false => Err(SimError::NotPossible {
                element: scene.to_owned(),
                reason: format!("pace {}: must be finite and positive", self.pace),
            }),
        }
    }
}

/// Steps, tolerance and solver of the scenes with robots, s and m/s; these have controllers in place of their
/// file's actuators.
fn stage(robot: &RobotFile, scene: &str, seconds: f64) -> Result<Stage> {
    let mut stage = Stage::new(robot, scene, seconds)?;
    stage.drop_actuators();
    let settings = stage.settings();
    settings.time_step = Some(0.01);
    settings.tolerance = Some(1e-6);
    settings.solver = Some("canal".to_owned());
    Ok(stage)
}

/// The same of those without.
fn settings() -> Settings {
    Settings {
        time_step: 0.01,
        tolerance: 1e-6,
        ..Settings::default()
    }
}

/// Says which scene a mesh was refused for.
fn of_mesh(scene: &str, error: &MeshError) -> SimError {
    SimError::NotPossible {
        element: scene.to_owned(),
        reason: error.to_string(),
    }
}
