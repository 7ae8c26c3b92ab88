//! Scenes with soft bodies and rods: one file each.

pub(super) mod capstan;
pub(super) mod catenary;
pub(super) mod cloth_pinch;
pub(super) mod soft_lab;
