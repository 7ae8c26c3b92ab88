//! All colliders of a world, and which of them may touch.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::Vector3;

use super::filter::{Exclusions, Inclusions};
use super::{Collider, Geometry};
use crate::contact::{ContactId, mix, name_key};
use crate::error::{CollisionError, Result, non_negative};
use crate::material::{ContactMaterial, Friction};
use crate::places::PlacesView;

/// What there is to touch: colliders by index, pairs that never do, pairs that always may. Data
/// alone: a [`Detector`](crate::Detector) finds the contacts.
#[derive(Debug, Clone, Default)]
pub struct ColliderSet {
    colliders: Vec<Collider>,
    keys: Vec<u64>,
    index_of: HashMap<String, u32>,
    exclusions: Exclusions,
    inclusions: Inclusions,
    revision: u64,
}

impl ColliderSet {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a collider and returns its index. Refuses a taken name, and what makes no sense.
    pub fn add(&mut self, collider: Collider) -> Result<u32> {
        if self.index_of.contains_key(&collider.name) {
            return Err(CollisionError::DuplicateName {
                name: collider.name,
            });
        }
        collider.validate()?;
        let index = self.colliders.len() as u32;
        self.keys.push(name_key(&collider.name));
        self.index_of.insert(collider.name.clone(), index);
        self.colliders.push(collider);
        self.changed();
        Ok(index)
    }

    /// The colliders in the order added.
    pub fn as_slice(&self) -> &[Collider] {
        &self.colliders
    }

    /// Number of colliders.
    pub fn len(&self) -> usize {
        self.colliders.len()
    }

    /// Whether there is nothing to touch.
    pub fn is_empty(&self) -> bool {
        self.colliders.is_empty()
    }

    /// A collider by index.
    pub fn get(&self, index: u32) -> Result<&Collider> {
        self.colliders
            .get(index as usize)
            .ok_or_else(|| unknown(index.to_string()))
    }

    /// Index of a collider by name.
    pub fn index_of(&self, name: &str) -> Result<u32> {
        let index = self.index_of.get(name).copied();
        index.ok_or_else(|| unknown(name.to_owned()))
    }

    /// Never lets what one frame carries touch what the other carries: shapes, and the links of
    /// chains on either side of a frame.
    pub fn exclude_frames(&mut self, a: u32, b: u32) {
        self.exclusions.add_frames(a, b);
        self.changed();
    }

    /// Never lets two colliders touch.
    pub fn exclude(&mut self, a: u32, b: u32) -> Result<()> {
        self.get(a)?;
        self.get(b)?;
        self.exclusions.add_colliders(a, b);
        self.changed();
        Ok(())
    }

    /// Never lets two colliders touch, by name.
    pub fn exclude_named(&mut self, a: &str, b: &str) -> Result<()> {
        self.exclude(self.index_of(a)?, self.index_of(b)?)
    }

    /// Lets two colliders touch whatever their groups say and whatever is excluded; `friction`, where
    /// given, replaces what their materials say. Refuses two of one frame.
    pub fn include(&mut self, a: u32, b: u32, friction: Option<f64>) -> Result<()> {
        let (first, second) = (self.get(a)?, self.get(b)?);
        let name = format!("{} and {}", first.name, second.name);
        let same_frame = first.frame().is_some() && first.frame() == second.frame();
        if a == b || same_frame {
            return Err(CollisionError::InvalidParameter {
                element: name,
                field: "frame",
                value: first.frame().map_or(f64::NAN, f64::from),
                reason: "carries both: shapes of one frame never touch",
            });
        }
        if let Some(friction) = friction {
            non_negative(&name, "friction", friction)?;
        }
        self.inclusions.add(a, b, friction);
        self.changed();
        Ok(())
    }

    /// Whether two different colliders may touch at all. Both indices must be of this set.
    pub fn may_touch(&self, i: u32, j: u32) -> bool {
        let (a, b) = (&self.colliders[i as usize], &self.colliders[j as usize]);
        let mut allowed = a.groups.allow(&b.groups) && !self.exclusions.exclude_colliders(i, j);
        if let (Some(f), Some(g)) = (a.frame(), b.frame()) {
            if f == g {
                return false;
            }
            allowed = allowed && !self.exclusions.exclude_frames(f, g);
        }
        allowed || self.inclusions.include(i, j)
    }

    /// Whether what frame `f` carries of collider `i` may touch what frame `g` carries of collider
    /// `j`, where the two colliders may touch.
    pub fn frames_may_touch(&self, (i, f): (u32, u32), (j, g): (u32, u32)) -> bool {
        f != g && (!self.exclusions.exclude_frames(f, g) || self.inclusions.include(i, j))
    }

    /// Two colliders in the order of their contacts: the first is A, the second B. It follows from
    /// their names, so that the order of adding does not matter. Both indices must be of this set.
    pub fn ordered(&self, i: u32, j: u32) -> [u32; 2] {
        if self.keys[i as usize] <= self.keys[j as usize] {
            [i, j]
        } else {
            [j, i]
        }
    }

    /// Name of the contact of two colliders (in their [order](Self::ordered)) at a feature: a number
    /// that is unique within the pair and stays while the same features touch.
    pub fn contact_id(&self, [a, b]: [u32; 2], feature: u64) -> ContactId {
        let pair = mix(self.keys[a as usize], self.keys[b as usize]);
        ContactId(mix(pair, feature))
    }

    /// Combined material of two colliders where they are, with the friction of an included pair. Both
    /// indices must be of this set, and their frames placed.
    pub fn contact_material(&self, [a, b]: [u32; 2], places: &PlacesView<'_>) -> ContactMaterial {
        let directions = [a, b].map(|index| self.friction_direction(index, places));
        self.material_along([a, b], directions)
    }

    /// Combined material of two colliders for these world directions of friction.
    pub(crate) fn material_along(
        &self,
        [a, b]: [u32; 2],
        directions: [Option<Vector3<f64>>; 2],
    ) -> ContactMaterial {
        let first = &self.colliders[a as usize].material;
        let second = &self.colliders[b as usize].material;
        let material = first.combine(second, directions);
        match self.inclusions.friction(a, b) {
            None => material,
            // The friction of a pair is the same in every direction.
            Some(friction) => ContactMaterial {
                friction_along: friction,
                friction_across: friction,
                direction: None,
                ..material
            },
        }
    }

    fn friction_direction(&self, index: u32, places: &PlacesView<'_>) -> Option<Vector3<f64>> {
        let collider = &self.colliders[index as usize];
        match (&collider.material.friction, &collider.geometry) {
            (Friction::TwoAxis { direction, .. }, Geometry::Rigid { frame, pose, .. }) => {
                let pose = places.poses[*frame as usize] * pose;
                Some(pose.rotation * **direction)
            }
            _ => None,
        }
    }

    /// A number that two sets share only if one is an unchanged clone of the other.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Keys of the names, by collider.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    fn changed(&mut self) {
        static LAST: AtomicU64 = AtomicU64::new(0);
        self.revision = 1 + LAST.fetch_add(1, Ordering::Relaxed);
    }
}

fn unknown(name: String) -> CollisionError {
    CollisionError::Unknown {
        what: "collider",
        name,
    }
}
