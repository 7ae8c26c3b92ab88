//! How soft bodies and rods touch, as plain data.

use stiction_collision::Groups;

/// How the surface of a soft body or rod touches.
#[derive(Debug, Clone, PartialEq)]
pub struct TouchDescription {
    /// Whether it touches at all.
    pub touches: bool,
    /// Material by name; `None` for the default material.
    pub material: Option<String>,
    /// Collision groups.
    pub groups: Groups,
    /// Whether it also touches itself.
    pub itself: bool,
}

impl TouchDescription {
    /// A surface of the default material that touches everything, itself too or not.
    pub fn new(itself: bool) -> Self {
        Self {
            touches: true,
            material: None,
            groups: Groups::default(),
            itself,
        }
    }
}
