//! Which contacts were chosen of many, reused while the pair has hardly moved.
//!
//! A choice is made by looking at every face near the other side and reducing what is found. Points,
//! normals and gaps change with every motion and are searched anew in every step; which of the faces
//! stand for the pair does not. While φ has changed by c < δ on all faces since the choice was made,
//! the deepest face lies at most 2 c deeper than the deepest chosen one, and a face that has come into
//! the margin lies at most c within it.

use nalgebra::Isometry3;

use super::NarrowSettings;
use super::placement::Placement;

/// A choice of which less than this part is still within the margin is made anew.
const ENOUGH: f64 = 0.85;

/// The chosen faces (against a half-space: vertices) of one part of a pair.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Choice {
    /// Name of the parts.
    path: u64,
    /// From the frame of the faces to that of the distance, when it was made.
    pose: Isometry3<f64>,
    /// How far (m) it looked.
    margin: f64,
    /// How deep (m) the deepest lay, and not less than 0.
    depth: f64,
    friction: f64,
    max_contacts: usize,
    /// Of all there are.
    n_faces: usize,
    faces: Vec<u32>,
    /// How many contacts were not chosen.
    pub(super) n_dropped: usize,
}

impl Choice {
    /// Whether the choice is good for where the faces are now.
    fn holds(&self, now: &Placement<'_>, n_faces: usize, settings: &NarrowSettings) -> bool {
        let grown = (settings.margin - self.margin).max(0.0);
        if self.n_faces != n_faces
            || self.max_contacts != settings.reduce.max_contacts
            || self.friction != settings.reduce.friction
            || grown >= settings.reuse
        {
            return false;
        }
        let reach = 2.0 * (self.margin + self.depth) + settings.reuse;
        grown + now.change_since(&self.pose, reach) < settings.reuse
    }

    /// How far (m) to look at the chosen faces.
    pub(super) fn margin(&self, settings: &NarrowSettings) -> f64 {
        self.margin.max(settings.margin)
    }

    /// The chosen faces.
    pub(super) fn faces(&self) -> &[u32] {
        &self.faces
    }

    /// Whether so many contacts are enough to go on with.
    pub(super) fn is_served_by(&self, n_contacts: usize) -> bool {
        n_contacts as f64 >= ENOUGH * self.faces.len() as f64
    }
}

/// Choices of a pair, by part.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Choices(Vec<Choice>);

impl Choices {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The choice for the parts with this name, if it is good for where they are now.
    pub(super) fn good(
        &self,
        path: u64,
        now: &Placement<'_>,
        n_faces: usize,
        settings: &NarrowSettings,
    ) -> Option<&Choice> {
        if !(settings.reuse > 0.0) {
            return None;
        }
        let choice = self.0.iter().find(|choice| choice.path == path)?;
        let in_range = |choice: &Choice| choice.faces.iter().all(|&f| (f as usize) < n_faces);
        (choice.holds(now, n_faces, settings) && in_range(choice)).then_some(choice)
    }

    /// Notes what was chosen; nothing to choose from leaves no choice.
    pub(super) fn note(
        &mut self,
        path: u64,
        now: &Placement<'_>,
        n_faces: usize,
        settings: &NarrowSettings,
        chosen: impl Iterator<Item = (u32, f64)>,
        n_dropped: usize,
    ) {
        let index = self.0.iter().position(|choice| choice.path == path);
        let mut faces = match index {
            Some(index) => self.0.swap_remove(index).faces,
            None => Vec::new(),
        };
        if !(settings.reuse > 0.0) {
            return;
        }
        faces.clear();
        let mut depth = 0.0_f64;
        faces.extend(chosen.map(|(face, gap)| {
            depth = depth.max(-gap);
            face
        }));
        if faces.is_empty() {
            return;
        }
        self.0.push(Choice {
            path,
            pose: now.pose,
            margin: settings.margin,
            depth,
            friction: settings.reduce.friction,
            max_contacts: settings.reduce.max_contacts,
            n_faces,
            faces,
            n_dropped,
        });
    }
}
