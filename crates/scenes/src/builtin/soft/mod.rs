//! Scenes with soft bodies and rods: one file each.

mod arc;
pub(super) mod cable_vehicles;
pub(super) mod cable_winding;
pub(super) mod capstan;
pub(super) mod catenary;
pub(super) mod cloth_pinch;
pub(super) mod soft_lab;
mod vehicle;
