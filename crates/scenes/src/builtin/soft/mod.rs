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

use stiction_sim::SimError;
use stiction_sim::deformable::mesh::MeshError;

/// Says which scene a mesh was refused for.
fn of_mesh(scene: &str, error: &MeshError) -> SimError {
    SimError::NotPossible {
        element: scene.to_owned(),
        reason: error.to_string(),
    }
}
