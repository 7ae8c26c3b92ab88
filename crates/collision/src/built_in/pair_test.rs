//! The narrow phase of one pair.

use std::sync::Arc;

use super::placed::Placed;
use super::slots::{FlexibleWork, PairSlot};
use crate::broad_phase::{Crowded, MOST_PAIRS};
use crate::collider::{ColliderSet, Geometry};
use crate::error::{CollisionError, Result};
use crate::flexible::{
    FlexibleContact, against_shape, against_surface, edges_of_one, edges_of_two,
    surface_with_itself,
};
use crate::narrow::{NarrowScratch, NarrowSettings, contacts_between, is_many_point_pair};
use crate::pair_detector::{Handled, PairDetector};
use crate::places::PlacesView;
use crate::shape::Shape;

/// What testing a pair needs, shared by all threads.
pub(super) struct PairTest<'a> {
    pub(super) settings: &'a NarrowSettings,
    pub(super) colliders: &'a ColliderSet,
    pub(super) places: &'a PlacesView<'a>,
    pub(super) placed: &'a Placed,
    pub(super) detectors: &'a [Arc<dyn PairDetector>],
}

impl PairTest<'_> {
    /// Finds the contacts of a slot's pair.
    pub(super) fn run(&self, slot: &mut PairSlot, scratch: &mut NarrowScratch) {
        slot.contacts.clear();
        let (i, j) = slot.pair;
        let pair @ [a, b] = self.colliders.ordered(i, j);
        let shape = |index: u32| match &self.colliders.as_slice()[index as usize].geometry {
            Geometry::Rigid { shape, .. } => Some(shape),
            _ => None,
        };
        if let (Some(first), Some(second)) = (shape(a), shape(b)) {
            let result = self.rigid(pair, [first, second], slot, scratch);
            slot.error = result.err().map(Box::new);
        } else {
            let work = slot.flexible.get_or_insert_default();
            work.contacts.clear();
            let result = self.flexible(pair, work);
            slot.error = result.err().map(|_| Box::new(self.crowded(pair)));
        }
    }

    /// The margin of a pair: each side sees as far as it moves.
    fn margin(&self, [a, b]: [u32; 2]) -> f64 {
        let travel = |index: u32| {
            let travel = self.places.travel.get(index as usize);
            travel.copied().unwrap_or(0.0)
        };
        self.settings.margin + travel(a) + travel(b)
    }

    fn rigid(
        &self,
        pair: [u32; 2],
        [a, b]: [&Shape; 2],
        slot: &mut PairSlot,
        scratch: &mut NarrowScratch,
    ) -> Result<()> {
        let pose = |index: u32| &self.placed.poses[index as usize];
        let pose_ab = pose(pair[0]).inv_mul(pose(pair[1]));
        let margin = self.margin(pair);
        for detector in self.detectors {
            let out = &mut slot.contacts;
            if detector.detect(a, b, &pose_ab, margin, out)? == Handled::Yes {
                return Ok(());
            }
        }
        let mut settings = NarrowSettings {
            margin,
            ..*self.settings
        };
        // few contacts are not reduced, and need not know how they hold
        if is_many_point_pair(a, b) {
            let material = self.colliders.material_along(pair, [None, None]);
            settings.reduce.friction = material.friction_along.min(material.friction_across);
        }
        let (memory, out) = (&mut slot.memory, &mut slot.contacts);
        contacts_between(a, b, &pose_ab, &settings, memory, scratch, out)
    }

    /// Too many parts of two colliders, or of one, are in one place.
    fn crowded(&self, pair: [u32; 2]) -> CollisionError {
        crowded(self.colliders, (pair[0], pair[1]))
    }

    fn flexible(
        &self,
        pair: [u32; 2],
        work: &mut FlexibleWork,
    ) -> std::result::Result<(), Crowded> {
        let margin = self.margin(pair);
        let rigid = pair.map(|index| self.placed.rigid(self.colliders, index));
        let side = |k: usize| self.placed.flexible(self.colliders, pair[k]);
        let (out, near) = (&mut work.contacts, &mut work.near);
        match rigid {
            [Some(first), _] => {
                against_shape(&first, &side(1), self.colliders, margin, near, out);
            }
            [None, Some(second)] => {
                against_shape(&second, &side(0), self.colliders, margin, near, out);
                for contact in out {
                    *contact = FlexibleContact::flipped(*contact);
                }
            }
            [None, None] if pair[0] == pair[1] => {
                let side = side(0);
                match side.tree {
                    Some(_) => {
                        surface_with_itself(&side, margin, near, out);
                        edges_of_one(&side, margin, &mut work.edges, out);
                    }
                    None => work.search.within(&side, self.colliders, margin, out)?,
                }
            }
            [None, None] => {
                let (a, b) = (side(0), side(1));
                if a.tree.is_some() {
                    against_surface([&a, &b], 0, margin, near, out);
                }
                if b.tree.is_some() {
                    let first = out.len();
                    against_surface([&b, &a], 1, margin, near, out);
                    for contact in &mut out[first..] {
                        *contact = FlexibleContact::flipped(*contact);
                    }
                }
                edges_of_two([&a, &b], margin, &mut work.edges, out);
                if a.tree.is_none() && b.tree.is_none() {
                    let search = &mut work.search;
                    search.between(&a, &b, self.colliders, margin, out)?;
                }
            }
        }
        Ok(())
    }
}

/// What to say of too many overlapping boxes.
pub(super) fn crowded(colliders: &ColliderSet, among: (u32, u32)) -> CollisionError {
    let name = |index: u32| colliders.as_slice()[index as usize].name.clone();
    CollisionError::Crowded {
        shape_a: name(among.0),
        shape_b: name(among.1),
        most: MOST_PAIRS,
    }
}

/// Refuses pairs that may touch but cannot be tested, before any of them comes near.
pub(super) fn check_pairs(colliders: &ColliderSet) -> Result<()> {
    let entries = colliders.as_slice();
    for (i, a) in entries.iter().enumerate() {
        if a.frame().is_some() {
            continue;
        }
        for (j, b) in entries.iter().enumerate() {
            // two flexible ones are seen once
            let seen = b.frame().is_none() && j <= i;
            let (i, j) = (i as u32, j as u32);
            if !seen && !is_tested(&b.geometry) && colliders.may_touch(i, j) {
                return Err(CollisionError::UnsupportedPair {
                    shape_a: a.name.clone(),
                    kind_a: a.geometry.kind(),
                    shape_b: b.name.clone(),
                    kind_b: b.geometry.kind(),
                });
            }
        }
    }
    Ok(())
}

/// Whether what deforms can be tested against a geometry.
fn is_tested(other: &Geometry) -> bool {
    match other {
        Geometry::Rigid { shape, .. } => shape.has_signed_distance(),
        _ => true,
    }
}

/// Whether both are points without a radius: these have no size and never touch.
pub(super) fn have_no_size(a: &Geometry, b: &Geometry) -> bool {
    let is_bare = |geometry: &Geometry| matches!(geometry, Geometry::Points { radius: 0.0, .. });
    is_bare(a) && is_bare(b)
}
