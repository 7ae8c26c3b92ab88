//! Contact reduction: fewer points that hold the same loads.
//!
//! The largest load along d that contacts can hold is, by duality, the smallest over all motions m
//! with m·d = 1 of the power of the contact that pushes hardest against m, friction included. It is
//! kept if for many motions the hardest-pushing contact is kept. Kept are therefore, in this order:
//! the deepest point; the hardest-pushing contact for 192 motions (velocity and angular velocity
//! along the axes and between any two of them); then points as far as possible from all kept ones in
//! position and normal (farthest-point clustering). Contacts kept in the last step are preferred when
//! they do nearly as well, so that ids persist.

mod passes;

use nalgebra::{Point3, Vector3};

use crate::contact::ShapeContact;
use crate::lanes::vectorized;

use passes::{Approach, Contacts, Largest, Strongest, fill_up};

/// Limits of the reduction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReduceSettings {
    /// Most contacts per pair. [AL, §VII-A] found more than 120 impractical.
    pub max_contacts: usize,
    /// Contacts closer than this (m) with nearly equal normals are one.
    pub merge_distance: f64,
    /// Friction coefficient assumed when judging what a contact can hold;
    /// [`BuiltInDetector`](crate::BuiltInDetector) puts the pair's own in its place.
    pub friction: f64,
}

impl Default for ReduceSettings {
    fn default() -> Self {
        Self {
            max_contacts: 120,
            merge_distance: 1e-5,
            friction: 0.5,
        }
    }
}

/// What the reduction looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outline {
    pub(crate) point: Point3<f64>,
    /// Unit normal; its sign does not matter as long as it is the same for all.
    pub(crate) normal: Vector3<f64>,
    pub(crate) gap: f64,
    /// Kept in the last step.
    pub(crate) known: bool,
}

/// Buffers of the reduction. Positions (about their mean, in units of their reach) and normals are
/// kept by coordinate and in single precision, which is plenty for choosing and goes through the
/// vector units eight at a time.
#[derive(Debug, Default)]
pub(crate) struct ReduceScratch {
    order: Vec<u32>,
    outlines: Vec<Outline>,
    keep: Vec<bool>,
    arm: [Vec<f32>; 3],
    normal: [Vec<f32>; 3],
    /// Squared distance to the nearest kept contact.
    distance: Vec<f32>,
    /// Against a motion and its opposite.
    power: Vec<f32>,
    opposite: Vec<f32>,
    known: Vec<u32>,
    n_kept: usize,
}

/// A contact of the last step is preferred if it is at least this part as good as the best.
const LOYALTY: f32 = 0.97;

/// Gaps that differ by less than this (m) are equally deep.
const AS_DEEP: f64 = 1e-7;

/// Merges contacts closer than `distance` whose normals differ by less than about 2.5°: the deepest
/// stays, or the one kept in the last step if it is as deep within `distance`.
pub(crate) fn merge_duplicates(
    contacts: &mut Vec<ShapeContact>,
    distance: f64,
    last: &[u64],
    scratch: &mut ReduceScratch,
) {
    let n = contacts.len();
    scratch.order.clear();
    scratch.order.extend(0..n as u32);
    scratch.order.sort_unstable_by(|&i, &j| {
        let (a, b) = (&contacts[i as usize], &contacts[j as usize]);
        a.point
            .x
            .total_cmp(&b.point.x)
            .then(a.feature.cmp(&b.feature))
    });
    scratch.keep.clear();
    scratch.keep.resize(n, true);
    let better = |a: &ShapeContact, b: &ShapeContact| {
        let known = |c: &ShapeContact| last.binary_search(&c.feature).is_ok();
        if (a.gap - b.gap).abs() <= distance && known(a) != known(b) {
            known(a)
        } else {
            (a.gap, a.feature) < (b.gap, b.feature)
        }
    };
    for s in 0..n {
        let i = scratch.order[s] as usize;
        for t in s + 1..n {
            let j = scratch.order[t] as usize;
            if contacts[j].point.x - contacts[i].point.x > distance {
                break;
            }
            if !scratch.keep[i] || !scratch.keep[j] {
                continue;
            }
            let same = (contacts[i].point - contacts[j].point).norm() <= distance
                && contacts[i].normal.dot(&contacts[j].normal) > 0.999;
            if same {
                let loser = if better(&contacts[i], &contacts[j]) {
                    j
                } else {
                    i
                };
                scratch.keep[loser] = false;
            }
        }
    }
    let mut index = 0;
    contacts.retain(|_| {
        index += 1;
        scratch.keep[index - 1]
    });
}

/// Reduces to at most `settings.max_contacts`; `last` are the sorted features kept in the last step.
pub(crate) fn reduce(
    contacts: &mut Vec<ShapeContact>,
    settings: &ReduceSettings,
    last: &[u64],
    scratch: &mut ReduceScratch,
) {
    if contacts.len() <= settings.max_contacts {
        return;
    }
    // a fixed order makes the outcome independent of how contacts were found
    contacts.sort_unstable_by_key(|c| c.feature);
    let outlines = contacts.iter().map(|c| Outline {
        point: c.point,
        normal: c.normal,
        gap: c.gap,
        known: last.binary_search(&c.feature).is_ok(),
    });
    if choose(outlines, settings, scratch) {
        let mut index = 0;
        contacts.retain(|_| {
            index += 1;
            scratch.keep[index - 1]
        });
    }
}

/// Chooses which of many contacts to keep; [`ReduceScratch::kept`] tells. False if all can stay.
pub(crate) fn choose(
    outlines: impl ExactSizeIterator<Item = Outline>,
    settings: &ReduceSettings,
    scratch: &mut ReduceScratch,
) -> bool {
    if outlines.len() <= settings.max_contacts || settings.max_contacts == 0 {
        return false;
    }
    scratch.outlines.clear();
    scratch.outlines.extend(outlines);
    scratch.prepare();
    let most = settings.max_contacts;

    scratch.keep(scratch.deepest(), most);
    for_each_motion(|motion| {
        for i in scratch.strongest(&motion, settings.friction as f32) {
            scratch.keep(i, most);
        }
    });

    // the rest by distance, those of the last step first as long as they are not crowded
    let spacing = 0.25 / most as f32;
    for k in 0..scratch.known.len() {
        let i = scratch.known[k] as usize;
        if scratch.distance[i] > spacing {
            scratch.keep(i, most);
        }
    }
    while scratch.n_kept < most {
        let farthest = scratch.largest_or_known(&scratch.distance);
        if scratch.distance[farthest] <= 0.0 {
            break;
        }
        scratch.keep(farthest, most);
    }
    true
}

impl ReduceScratch {
    /// Which contacts the last [`choose`] kept.
    pub(crate) fn kept(&self) -> &[bool] {
        &self.keep
    }

    fn prepare(&mut self) {
        let n = self.outlines.len();
        let sum = self
            .outlines
            .iter()
            .fold(Vector3::zeros(), |sum, c| sum + c.point.coords);
        let center = Point3::from(sum / n as f64);
        let size = self
            .outlines
            .iter()
            .map(|c| (c.point - center).norm_squared())
            .fold(1e-24, f64::max)
            .sqrt();
        for k in 0..3 {
            let (arm, normal) = (&mut self.arm[k], &mut self.normal[k]);
            arm.clear();
            normal.clear();
            let scaled = |c: &Outline| ((c.point[k] - center[k]) / size) as f32;
            arm.extend(self.outlines.iter().map(scaled));
            normal.extend(self.outlines.iter().map(|c| c.normal[k] as f32));
            fill_up(arm);
            fill_up(normal);
        }
        self.keep.clear();
        self.keep.resize(n, false);
        let filled_up = self.arm[0].len();
        self.distance.clear();
        self.distance.resize(filled_up, f32::INFINITY);
        for buffer in [&mut self.power, &mut self.opposite] {
            buffer.clear();
            buffer.resize(filled_up, 0.0);
        }
        self.known.clear();
        let known = (0..n as u32).filter(|&i| self.outlines[i as usize].known);
        self.known.extend(known);
        self.n_kept = 0;
    }

    /// The deepest, or the first known one that is as deep within rounding of the search.
    fn deepest(&self) -> usize {
        let gap = |i: &usize| self.outlines[*i].gap;
        let deepest = (0..self.outlines.len())
            .min_by(|i, j| gap(i).total_cmp(&gap(j)))
            .unwrap_or(0);
        let limit = gap(&deepest) + AS_DEEP;
        let mut known = self.known.iter().map(|&i| i as usize);
        known.find(|i| gap(i) <= limit).unwrap_or(deepest)
    }

    fn keep(&mut self, i: usize, most: usize) {
        if self.keep[i] || self.n_kept >= most {
            return;
        }
        self.keep[i] = true;
        self.n_kept += 1;
        vectorized(Approach {
            contacts: contacts(&self.arm, &self.normal),
            kept: i,
            distance: &mut self.distance,
        });
    }

    /// The contacts with the largest power, per unit of normal force, against a motion (velocity,
    /// then angular velocity in units of half the reach) and against its opposite.
    fn strongest(&mut self, motion: &[f32; 6], friction: f32) -> [usize; 2] {
        let [top, opposite_top] = vectorized(Strongest {
            contacts: contacts(&self.arm, &self.normal),
            motion,
            friction,
            power: &mut self.power,
            opposite: &mut self.opposite,
        });
        [
            self.known_or(&self.power, top),
            self.known_or(&self.opposite, opposite_top),
        ]
    }

    /// Index of the largest value; a known one wins if nearly as good.
    fn largest_or_known(&self, values: &[f32]) -> usize {
        self.known_or(values, vectorized(Largest(values)))
    }

    /// A known one if it is nearly as good as the largest value, which is at `top`.
    fn known_or(&self, values: &[f32], top: usize) -> usize {
        let limit = LOYALTY * values[top];
        first_known(&self.known, values, limit).unwrap_or(top)
    }
}

fn contacts<'a>(arm: &'a [Vec<f32>; 3], normal: &'a [Vec<f32>; 3]) -> Contacts<'a> {
    Contacts {
        arm: arm.each_ref().map(Vec::as_slice),
        normal: normal.each_ref().map(Vec::as_slice),
    }
}

/// The first known one whose value is positive and at least `limit`. Not the largest: among many
/// that are nearly as good, as on a ring, the largest changes from step to step.
fn first_known(known: &[u32], values: &[f32], limit: f32) -> Option<usize> {
    let known = known.iter().map(|&i| i as usize);
    known
        .filter(|&i| values[i] > 0.0)
        .find(|&i| values[i] >= limit)
}

/// The six axes of motion, and every axis with each other one added or subtracted in full and in
/// half; of a motion and its opposite only one.
fn for_each_motion(mut visit: impl FnMut([f32; 6])) {
    let mut motion = [0.0; 6];
    for i in 0..6 {
        motion[i] = 1.0;
        visit(motion);
        for j in (0..6).filter(|&j| j != i) {
            for other in [0.5, -0.5] {
                motion[j] = other;
                visit(motion);
            }
            if j > i {
                for other in [1.0, -1.0] {
                    motion[j] = other;
                    visit(motion);
                }
            }
            motion[j] = 0.0;
        }
        motion[i] = 0.0;
    }
}
