//! The whole pipeline: poses in, contact points out.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use nalgebra::{Isometry3, Vector3};
use rayon::prelude::*;

use crate::broad_phase::{BroadPhase, Proxy};
use crate::contact::{ContactId, ContactPoint, ShapeContact, mix, name_key};
use crate::detector::{Handled, PairDetector};
use crate::error::{CollisionError, Result, non_negative};
use crate::filter::{Exclusions, Groups, Inclusions};
use crate::material::{ContactMaterial, Friction, Material};
use crate::narrow::{NarrowScratch, NarrowSettings, PairMemory, contacts_between};
use crate::shape::{Geometry, Shape, pose_is_finite};

/// A shape fixed to a body.
#[derive(Debug, Clone)]
pub struct Collider {
    /// Unique name; contact ids are made from it.
    pub name: String,
    /// Index of the body in the slice of poses given to [`CollisionWorld::detect`].
    pub body: usize,
    /// The shape.
    pub shape: Shape,
    /// Pose of the shape in the body's frame.
    pub local_pose: Isometry3<f64>,
    /// Surface.
    pub material: Material,
    /// Groups and mask.
    pub groups: Groups,
    /// Added to the world's margin for pairs of this collider, m.
    pub margin: f64,
}

impl Collider {
    /// Collider at the body's origin with default material, groups and margin.
    pub fn new(name: &str, body: usize, shape: Shape) -> Self {
        Self {
            name: name.to_owned(),
            body,
            shape,
            local_pose: Isometry3::identity(),
            material: Material::default(),
            groups: Groups::default(),
            margin: 0.0,
        }
    }
}

/// Whether pairs are tested one after another or by rayon's current thread pool. The contacts are the
/// same to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Execution {
    /// In the calling thread; allocates nothing in steady state.
    Serial,
    /// In rayon's current pool, if there are enough pairs to be worth it.
    #[default]
    Parallel,
}

/// Settings of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WorldSettings {
    /// Narrow phase, with the margin (m) up to which gaps are reported.
    pub narrow: NarrowSettings,
    /// Threads.
    pub execution: Execution,
}

/// What one call of [`CollisionWorld::detect`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DetectReport {
    /// Pairs the broad phase let through.
    pub n_pairs: usize,
    /// Pairs with at least one contact.
    pub n_touching_pairs: usize,
    /// Contacts before merging and reduction.
    pub n_raw_contacts: usize,
}

/// What detection remembers of its pairs from one step to the next.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct CollisionMemory {
    pairs: Vec<(u32, u32, PairMemory)>,
}

/// One pair that is being followed.
#[derive(Debug, Default)]
struct PairSlot {
    /// Colliders, smaller index first (as the broad phase names pairs).
    pair: (u32, u32),
    memory: PairMemory,
    contacts: Vec<ShapeContact>,
    error: Option<CollisionError>,
}

/// Below this many pairs threads cost more than they bring.
const PARALLEL_PAIRS: usize = 32;

thread_local! {
    static SCRATCH: RefCell<NarrowScratch> = RefCell::default();
}

/// Colliders on bodies, and everything remembered about their pairs.
#[derive(Debug)]
pub struct CollisionWorld {
    settings: WorldSettings,
    colliders: Vec<Collider>,
    keys: Vec<u64>,
    index_of: HashMap<String, usize>,
    exclusions: Exclusions,
    inclusions: Inclusions,
    detectors: Vec<Arc<dyn PairDetector>>,
    broad: BroadPhase,
    proxies: Vec<Proxy>,
    poses: Vec<Isometry3<f64>>,
    slots: Vec<PairSlot>,
    last_slots: Vec<PairSlot>,
    spare: Vec<PairSlot>,
    scratch: NarrowScratch,
}

impl CollisionWorld {
    /// Empty world. Refuses a negative or non-finite margin.
    pub fn new(settings: WorldSettings) -> Result<Self> {
        non_negative("collision world", "margin", settings.narrow.margin)?;
        Ok(Self {
            settings,
            colliders: Vec::new(),
            keys: Vec::new(),
            index_of: HashMap::new(),
            exclusions: Exclusions::default(),
            inclusions: Inclusions::default(),
            detectors: Vec::new(),
            broad: BroadPhase::new(0.1),
            proxies: Vec::new(),
            poses: Vec::new(),
            slots: Vec::new(),
            last_slots: Vec::new(),
            spare: Vec::new(),
            scratch: NarrowScratch::default(),
        })
    }

    /// Adds a collider and returns its index. Refuses a taken name, bad numbers and poses.
    pub fn add(&mut self, collider: Collider) -> Result<usize> {
        let name = &collider.name;
        if self.index_of.contains_key(name) {
            return Err(CollisionError::DuplicateName { name: name.clone() });
        }
        collider.material.validate(name)?;
        non_negative(name, "margin", collider.margin)?;
        if !pose_is_finite(&collider.local_pose) {
            return Err(CollisionError::InvalidParameter {
                element: name.clone(),
                field: "local pose",
                value: f64::NAN,
                reason: "must be finite",
            });
        }
        let index = self.colliders.len();
        self.keys.push(name_key(name));
        self.index_of.insert(name.clone(), index);
        self.colliders.push(collider);
        self.broad.clear();
        Ok(index)
    }

    /// The colliders in the order added.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Index of a collider by name.
    pub fn index_of(&self, name: &str) -> Result<usize> {
        self.index_of
            .get(name)
            .copied()
            .ok_or_else(|| CollisionError::Unknown {
                what: "collider",
                name: name.to_owned(),
            })
    }

    /// Never tests colliders of these two bodies against each other.
    pub fn exclude_bodies(&mut self, a: usize, b: usize) {
        self.exclusions.add_bodies(a, b);
        self.broad.clear();
    }

    /// Never tests a body against its parent in the kinematic tree: `parents[body]`.
    pub fn exclude_parent_child(&mut self, parents: &[Option<usize>]) {
        for (body, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                self.exclusions.add_bodies(body, parent);
            }
        }
        self.broad.clear();
    }

    /// Never tests these two colliders against each other.
    pub fn exclude_named(&mut self, a: &str, b: &str) -> Result<()> {
        let (a, b) = (self.index_of(a)?, self.index_of(b)?);
        self.exclusions.add_colliders(a, b);
        self.broad.clear();
        Ok(())
    }

    /// Tests two colliders of different bodies against each other whatever their groups say and
    /// whatever is excluded; `friction`, where given, replaces what their materials say.
    pub fn include_pair(&mut self, a: usize, b: usize, friction: Option<f64>) -> Result<()> {
        let entry = |index: usize| {
            self.colliders
                .get(index)
                .ok_or_else(|| CollisionError::Unknown {
                    what: "collider",
                    name: index.to_string(),
                })
        };
        let (first, second) = (entry(a)?, entry(b)?);
        let name = format!("{} and {}", first.name, second.name);
        if first.body == second.body {
            return Err(CollisionError::InvalidParameter {
                element: name,
                field: "body",
                value: first.body as f64,
                reason: "is the body of both: shapes of one body never touch",
            });
        }
        if let Some(friction) = friction {
            non_negative(&name, "friction", friction)?;
        }
        self.inclusions.add(a, b, friction);
        self.broad.clear();
        Ok(())
    }

    /// Asks `detector` before those added earlier and before the built-in detection.
    pub fn add_detector(&mut self, detector: Arc<dyn PairDetector>) {
        self.detectors.insert(0, detector);
    }

    /// Changes how much a collider adds to the margin of its pairs, m: for example by how far it
    /// moves in a step.
    pub fn set_margin(&mut self, collider: usize, margin: f64) -> Result<()> {
        let Some(entry) = self.colliders.get_mut(collider) else {
            return Err(CollisionError::Unknown {
                what: "collider",
                name: collider.to_string(),
            });
        };
        non_negative(&entry.name, "margin", margin)?;
        entry.margin = margin;
        Ok(())
    }

    /// What detection remembers of its pairs. A world with the same colliders that
    /// [restores](Self::restore_memory) it finds the same contacts as this one, to the bit.
    pub fn memory(&self) -> CollisionMemory {
        CollisionMemory {
            pairs: self
                .slots
                .iter()
                // Which idle pairs are followed is the broad phase's business and changes nothing.
                .filter(|slot| slot.memory != PairMemory::default())
                .map(|slot| (slot.pair.0, slot.pair.1, slot.memory.clone()))
                .collect(),
        }
    }

    /// Takes over the memory of a world with the same colliders.
    pub fn restore_memory(&mut self, memory: &CollisionMemory) -> Result<()> {
        let n = self.colliders.len();
        let sorted = memory
            .pairs
            .windows(2)
            .all(|w| (w[0].0, w[0].1) < (w[1].0, w[1].1));
        let known = |&(a, b, _): &(u32, u32, PairMemory)| a < b && (b as usize) < n;
        if !sorted || !memory.pairs.iter().all(known) {
            return Err(CollisionError::Unknown {
                what: "pair of colliders in",
                name: "collision memory".to_owned(),
            });
        }
        self.broad.clear();
        self.slots.clear();
        for (a, b, memory) in &memory.pairs {
            self.slots.push(PairSlot {
                pair: (*a, *b),
                memory: memory.clone(),
                ..PairSlot::default()
            });
        }
        Ok(())
    }

    /// Settings, to read.
    pub fn settings(&self) -> &WorldSettings {
        &self.settings
    }

    /// Replaces the settings.
    pub fn set_settings(&mut self, settings: WorldSettings) -> Result<()> {
        non_negative("collision world", "margin", settings.narrow.margin)?;
        self.settings = settings;
        self.broad.clear();
        Ok(())
    }

    /// Contacts of all pairs at these body poses, in `contacts` (cleared first): ordered by pair, the
    /// same whatever the number of threads. On error `contacts` is empty.
    pub fn detect(
        &mut self,
        body_poses: &[Isometry3<f64>],
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport> {
        contacts.clear();
        self.place(body_poses)?;
        self.find_pairs();
        self.test_pairs()?;
        Ok(self.gather(contacts))
    }

    /// World poses and broad-phase proxies of all colliders.
    fn place(&mut self, body_poses: &[Isometry3<f64>]) -> Result<()> {
        if let Some(body) = body_poses.iter().position(|p| !pose_is_finite(p)) {
            return Err(CollisionError::NonFinitePose { body });
        }
        self.poses.clear();
        self.proxies.clear();
        for collider in &self.colliders {
            let Some(body_pose) = body_poses.get(collider.body) else {
                return Err(CollisionError::MissingPose {
                    collider: collider.name.clone(),
                    body: collider.body,
                    n_poses: body_poses.len(),
                });
            };
            let pose = body_pose * collider.local_pose;
            // half of the world's margin on each side of a pair
            let margin = 0.5 * self.settings.narrow.margin + collider.margin;
            self.proxies.push(proxy(&collider.shape, &pose, margin));
            self.poses.push(pose);
        }
        Ok(())
    }

    /// Broad phase; slots follow the pairs, keeping the memory of those that stay.
    fn find_pairs(&mut self) {
        let (colliders, exclusions) = (&self.colliders, &self.exclusions);
        let inclusions = &self.inclusions;
        let accept = |i: usize, j: usize| {
            let (a, b) = (&colliders[i], &colliders[j]);
            let allowed =
                a.groups.allow(&b.groups) && !exclusions.exclude((a.body, b.body), (i, j));
            a.body != b.body && (allowed || inclusions.include(i, j))
        };
        let pairs = self.broad.update(&self.proxies, accept);
        if pairs.len() == self.slots.len()
            && pairs.iter().zip(&self.slots).all(|(p, s)| *p == s.pair)
        {
            return;
        }
        // both lists are sorted: one merge keeps the memory of pairs that stay
        std::mem::swap(&mut self.slots, &mut self.last_slots);
        let mut old = 0;
        for &pair in pairs {
            while old < self.last_slots.len() && self.last_slots[old].pair < pair {
                old += 1;
            }
            let mut slot = self.spare.pop().unwrap_or_default();
            if old < self.last_slots.len() && self.last_slots[old].pair == pair {
                std::mem::swap(&mut slot, &mut self.last_slots[old]);
            } else {
                slot.memory = PairMemory::default();
            }
            slot.pair = pair;
            self.slots.push(slot);
        }
        self.spare.append(&mut self.last_slots);
    }

    /// Narrow phase of every slot.
    fn test_pairs(&mut self) -> Result<()> {
        let test = PairTest {
            settings: &self.settings.narrow,
            colliders: &self.colliders,
            inclusions: &self.inclusions,
            keys: &self.keys,
            poses: &self.poses,
            detectors: &self.detectors,
        };
        let parallel = self.settings.execution == Execution::Parallel
            && self.slots.len() >= PARALLEL_PAIRS
            && rayon::current_num_threads() > 1;
        if parallel {
            self.slots.par_iter_mut().for_each(|slot| {
                SCRATCH.with_borrow_mut(|scratch| test.run(slot, scratch));
            });
        } else {
            for slot in &mut self.slots {
                test.run(slot, &mut self.scratch);
            }
        }
        match self.slots.iter_mut().find_map(|s| s.error.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Turns shape contacts into contact points of bodies, in the order of the slots.
    fn gather(&self, contacts: &mut Vec<ContactPoint>) -> DetectReport {
        let mut report = DetectReport {
            n_pairs: self.slots.len(),
            ..DetectReport::default()
        };
        for slot in &self.slots {
            if slot.contacts.is_empty() {
                continue;
            }
            report.n_touching_pairs += 1;
            report.n_raw_contacts += slot.memory.n_raw().max(slot.contacts.len());
            let (i, j) = ordered_by_key(&self.keys, slot.pair);
            let (a, b) = (&self.colliders[i], &self.colliders[j]);
            let pose = &self.poses[i];
            let directions = [
                friction_direction(a, pose),
                friction_direction(b, &self.poses[j]),
            ];
            let material = a.material.combine(&b.material, directions);
            let material = with_friction(material, self.inclusions.friction(i, j));
            let pair_key = mix(self.keys[i], self.keys[j]);
            contacts.extend(slot.contacts.iter().map(|c| ContactPoint {
                id: ContactId(mix(pair_key, c.feature)),
                collider_a: i,
                collider_b: j,
                body_a: a.body,
                body_b: b.body,
                point: pose * c.point,
                normal: pose.rotation * c.normal,
                gap: c.gap,
                material,
            }));
        }
        report
    }
}

/// The material of a pair that may have a friction of its own, the same in every direction.
fn with_friction(material: ContactMaterial, friction: Option<f64>) -> ContactMaterial {
    match friction {
        None => material,
        Some(friction) => ContactMaterial {
            friction_along: friction,
            friction_across: friction,
            direction: None,
            ..material
        },
    }
}

fn friction_direction(collider: &Collider, pose: &Isometry3<f64>) -> Option<Vector3<f64>> {
    match collider.material.friction {
        Friction::Isotropic(_) => None,
        Friction::TwoAxis { direction, .. } => Some(pose.rotation * *direction),
    }
}

/// The collider with the smaller name key is A, so that the order of adding does not matter.
fn ordered_by_key(keys: &[u64], (i, j): (u32, u32)) -> (usize, usize) {
    let (i, j) = (i as usize, j as usize);
    if keys[i] <= keys[j] { (i, j) } else { (j, i) }
}

fn proxy(shape: &Shape, pose: &Isometry3<f64>, margin: f64) -> Proxy {
    if matches!(shape.geometry(), Geometry::HalfSpace) {
        let normal = pose.rotation * Vector3::z();
        return Proxy::HalfSpace {
            normal,
            offset: normal.dot(&pose.translation.vector) + margin,
        };
    }
    let bounds = shape.bounds().transformed(pose);
    if bounds.is_finite() {
        Proxy::Box(bounds.grown(margin))
    } else {
        Proxy::Everywhere
    }
}

/// What testing a pair needs, shared by all threads.
struct PairTest<'a> {
    settings: &'a NarrowSettings,
    colliders: &'a [Collider],
    inclusions: &'a Inclusions,
    keys: &'a [u64],
    poses: &'a [Isometry3<f64>],
    detectors: &'a [Arc<dyn PairDetector>],
}

impl PairTest<'_> {
    fn run(&self, slot: &mut PairSlot, scratch: &mut NarrowScratch) {
        slot.contacts.clear();
        slot.error = self.contacts(slot, scratch).err();
    }

    fn contacts(&self, slot: &mut PairSlot, scratch: &mut NarrowScratch) -> Result<()> {
        let (i, j) = ordered_by_key(self.keys, slot.pair);
        let (a, b) = (&self.colliders[i], &self.colliders[j]);
        let pose_ab = self.poses[i].inv_mul(&self.poses[j]);
        let margin = self.settings.margin + a.margin + b.margin;
        for detector in self.detectors {
            let out = &mut slot.contacts;
            if detector.detect(&a.shape, &b.shape, &pose_ab, margin, out)? == Handled::Yes {
                return Ok(());
            }
        }
        let mut settings = NarrowSettings {
            margin,
            ..*self.settings
        };
        let material = a.material.combine(&b.material, [None, None]);
        let material = with_friction(material, self.inclusions.friction(i, j));
        settings.reduce.friction = material.friction_along.min(material.friction_across);
        contacts_between(
            &a.shape,
            &b.shape,
            &pose_ab,
            &settings,
            &mut slot.memory,
            scratch,
            &mut slot.contacts,
        )
    }
}
