//! The detection that comes with this crate: a grid over all colliders, then every pair that is near.

mod pair_test;
mod placed;
mod settings;
mod slots;

use std::cell::RefCell;
use std::sync::Arc;

use nalgebra::Isometry3;
use rayon::prelude::*;

pub use settings::{DetectionSettings, Execution};

use crate::broad_phase::BroadPhase;
use crate::collider::ColliderSet;
use crate::contact::{ContactPoint, ShapeContact};
use crate::detector::{CollisionMemory, DetectReport, Detector};
use crate::error::Result;
use crate::material::ContactMaterial;
use crate::narrow::{NarrowScratch, PairMemory};
use crate::pair_detector::PairDetector;
use crate::places::PlacesView;
use crate::support::Support;

use pair_test::{PairTest, check_pairs, crowded, have_no_size};
use placed::Placed;
use slots::PairSlots;

/// Below this many pairs threads cost more than they bring.
const PARALLEL_PAIRS: usize = 32;

thread_local! {
    static SCRATCH: RefCell<NarrowScratch> = RefCell::default();
}

/// Detection of every kind of geometry against every other, as far as the table in the crate's
/// documentation goes; users' own [`PairDetector`]s are asked first.
#[derive(Debug)]
pub struct BuiltInDetector {
    settings: DetectionSettings,
    detectors: Vec<Arc<dyn PairDetector>>,
    /// Of the colliders that were last seen.
    revision: u64,
    /// Their keys: whose memory the slots hold.
    keys: Vec<u64>,
    broad: BroadPhase,
    placed: Placed,
    slots: PairSlots,
    /// Colliders that touch themselves.
    selves: PairSlots,
    scratch: NarrowScratch,
}

impl BuiltInDetector {
    /// Detection that has seen nothing yet. Refuses a margin or a way of reuse that is negative or not finite.
    pub fn new(settings: DetectionSettings) -> Result<Self> {
        settings.validate()?;
        Ok(Self {
            settings,
            detectors: Vec::new(),
            revision: 0,
            keys: Vec::new(),
            broad: BroadPhase::new(0.1),
            placed: Placed::default(),
            slots: PairSlots::default(),
            selves: PairSlots::default(),
            scratch: NarrowScratch::default(),
        })
    }

    /// Asks `detector` before those added earlier and before the built-in detection.
    pub fn add_pair_detector(&mut self, detector: Arc<dyn PairDetector>) {
        self.detectors.insert(0, detector);
    }

    /// Settings, to read.
    pub fn settings(&self) -> &DetectionSettings {
        &self.settings
    }

    /// Replaces the settings.
    pub fn set_settings(&mut self, settings: DetectionSettings) -> Result<()> {
        settings.validate()?;
        self.settings = settings;
        self.broad.clear();
        Ok(())
    }

    /// Takes note of colliders that are not those last seen.
    fn meet(&mut self, colliders: &ColliderSet) -> Result<()> {
        if colliders.revision() == self.revision {
            return Ok(());
        }
        check_pairs(colliders)?;
        self.broad.clear();
        self.placed.forget();
        if !colliders.keys().starts_with(&self.keys) {
            self.slots.clear();
        }
        self.keys.clear();
        self.keys.extend_from_slice(colliders.keys());
        self.selves.clear();
        for (index, collider) in colliders.as_slice().iter().enumerate() {
            if collider.touches_itself {
                let pair = (index as u32, index as u32);
                self.selves.push(pair, PairMemory::default());
            }
        }
        self.revision = colliders.revision();
        Ok(())
    }

    /// Broad phase; slots follow the pairs.
    fn find_pairs(&mut self, colliders: &ColliderSet) -> Result<()> {
        let entries = colliders.as_slice();
        let accept = |i: usize, j: usize| {
            colliders.may_touch(i as u32, j as u32)
                && !have_no_size(&entries[i].geometry, &entries[j].geometry)
        };
        let pairs = self.broad.update(&self.placed.proxies, accept);
        let pairs = pairs.map_err(|found| crowded(colliders, found.among))?;
        self.slots.follow(pairs);
        Ok(())
    }

    /// Narrow phase of every slot.
    fn test_pairs(&mut self, colliders: &ColliderSet, places: &PlacesView<'_>) -> Result<()> {
        let test = PairTest {
            settings: &self.settings.narrow,
            colliders,
            places,
            placed: &self.placed,
            detectors: &self.detectors,
        };
        let may_part =
            self.settings.execution == Execution::Parallel && rayon::current_num_threads() > 1;
        // a collider and itself is a pair of many
        let slots = [
            (self.slots.as_mut_slice(), PARALLEL_PAIRS),
            (self.selves.as_mut_slice(), 2),
        ];
        for (slots, enough) in slots {
            if may_part && slots.len() >= enough {
                slots.par_iter_mut().for_each(|slot| {
                    SCRATCH.with_borrow_mut(|scratch| test.run(slot, scratch));
                });
            } else {
                for slot in slots.iter_mut() {
                    test.run(slot, &mut self.scratch);
                }
            }
            if let Some(error) = slots.iter_mut().find_map(|slot| slot.error.take()) {
                return Err(*error);
            }
        }
        Ok(())
    }

    /// Turns the contacts of all slots into contact points of the world, in the order of the slots.
    fn gather(
        &self,
        colliders: &ColliderSet,
        places: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> DetectReport {
        let slots = [self.slots.as_slice(), self.selves.as_slice()];
        let mut report = DetectReport {
            n_pairs: slots[0].len() + slots[1].len(),
            ..DetectReport::default()
        };
        for slot in slots.into_iter().flatten() {
            let flexible = slot
                .flexible
                .as_ref()
                .map_or(&[][..], |work| &work.contacts);
            let found = slot.contacts.len() + flexible.len();
            if found == 0 {
                continue;
            }
            report.n_touching_pairs += 1;
            report.n_raw_contacts += slot.memory.n_raw().max(found);
            let pair = colliders.ordered(slot.pair.0, slot.pair.1);
            let material = colliders.contact_material(pair, places);
            if flexible.is_empty() {
                let pose = &self.placed.poses[pair[0] as usize];
                gather_rigid(&slot.contacts, pair, pose, &material, colliders, contacts);
            }
            contacts.extend(flexible.iter().map(|c| ContactPoint {
                id: colliders.contact_id(pair, c.feature),
                colliders: pair,
                on: c.on,
                point: c.point,
                normal: c.normal,
                gap: c.gap,
                material,
            }));
        }
        report
    }
}

fn gather_rigid(
    found: &[ShapeContact],
    pair: [u32; 2],
    pose: &Isometry3<f64>,
    material: &ContactMaterial,
    colliders: &ColliderSet,
    contacts: &mut Vec<ContactPoint>,
) {
    let frame = |index: u32| colliders.as_slice()[index as usize].frame().unwrap_or(0);
    let on = pair.map(|index| Support::Frame(frame(index)));
    contacts.extend(found.iter().map(|c| ContactPoint {
        id: colliders.contact_id(pair, c.feature),
        colliders: pair,
        on,
        point: pose * c.point,
        normal: pose.rotation * c.normal,
        gap: c.gap,
        material: *material,
    }));
}

impl Detector for BuiltInDetector {
    /// Contacts ordered by pair, those of colliders with themselves last. The colliders of a
    /// detector may grow; for another set take another detector.
    fn detect(
        &mut self,
        colliders: &ColliderSet,
        places: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport> {
        contacts.clear();
        self.meet(colliders)?;
        self.placed
            .update(colliders, places, self.settings.narrow.margin)?;
        self.find_pairs(colliders)?;
        self.test_pairs(colliders, places)?;
        Ok(self.gather(colliders, places, contacts))
    }

    fn memory(&self) -> CollisionMemory {
        CollisionMemory {
            pairs: self
                .slots
                .as_slice()
                .iter()
                // Which idle pairs are followed is the broad phase's business and changes nothing.
                .filter(|slot| !slot.memory.is_blank())
                .map(|slot| (slot.pair.0, slot.pair.1, slot.memory.clone()))
                .collect(),
            bytes: Vec::new(),
        }
    }

    fn restore(&mut self, colliders: &ColliderSet, memory: &CollisionMemory) -> Result<()> {
        let n = colliders.len();
        let sorted = memory
            .pairs
            .windows(2)
            .all(|w| (w[0].0, w[0].1) < (w[1].0, w[1].1));
        let known = |&(a, b, _): &(u32, u32, PairMemory)| a < b && (b as usize) < n;
        let fits = sorted && memory.pairs.iter().all(known) && memory.bytes.is_empty();
        memory.refuse_unless(fits)?;
        self.meet(colliders)?;
        self.broad.clear();
        self.slots.clear();
        for (a, b, memory) in &memory.pairs {
            self.slots.push((*a, *b), memory.clone());
        }
        Ok(())
    }
}
