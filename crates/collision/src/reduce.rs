//! Contact reduction: fewer points that hold the same loads.
//!
//! Kept are, in this order: the deepest point; for 72 directions in the space of wrenches (the six
//! axes of force and torque and the diagonals between any two) the contact that can push furthest
//! along it, friction included; then points as far as possible from all kept ones in position and
//! normal (farthest-point clustering). Contacts kept in the last step are preferred when they do
//! nearly as well, so that ids persist.

use nalgebra::{Point3, Vector3};

use crate::contact::ShapeContact;

/// Limits of the reduction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReduceSettings {
    /// Most contacts per pair. [AL, §VII-A] found more than 120 impractical.
    pub max_contacts: usize,
    /// Contacts closer than this (m) with nearly equal normals are one.
    pub merge_distance: f64,
    /// Friction coefficient assumed when judging what a contact can hold.
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

/// Buffers of the reduction.
#[derive(Debug, Default)]
pub(crate) struct ReduceScratch {
    order: Vec<u32>,
    keep: Vec<bool>,
    distance: Vec<f64>,
    was_kept: Vec<bool>,
}

/// A contact of the last step is preferred if its score is at least this part of the best.
const LOYALTY: f64 = 0.97;

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
    let n = contacts.len();
    if n <= settings.max_contacts || settings.max_contacts == 0 {
        return;
    }
    // a fixed order makes the outcome independent of how contacts were found
    contacts.sort_unstable_by_key(|c| c.feature);
    let center = contacts
        .iter()
        .fold(Vector3::zeros(), |sum, c| sum + c.point.coords)
        / n as f64;
    let center = Point3::from(center);
    let size = contacts
        .iter()
        .map(|c| (c.point - center).norm())
        .fold(1e-12, f64::max);
    scratch.keep.clear();
    scratch.keep.resize(n, false);
    scratch.distance.clear();
    scratch.distance.resize(n, f64::INFINITY);
    scratch.was_kept.clear();
    scratch.was_kept.extend(
        contacts
            .iter()
            .map(|c| last.binary_search(&c.feature).is_ok()),
    );
    let mut choice = Choice {
        contacts,
        size,
        keep: &mut scratch.keep,
        distance: &mut scratch.distance,
        n_kept: 0,
        max: settings.max_contacts,
    };

    let deepest = best(contacts.len(), |i| -contacts[i].gap, |_| false);
    choice.keep(deepest);
    for_each_wrench(|force, torque| {
        let score = |i: usize| {
            let c = &contacts[i];
            let arm = (c.point - center) / size;
            // power of a unit normal force and its friction against this twist
            let motion = force + torque.cross(&arm);
            let along = motion.dot(&c.normal);
            along + settings.friction * (motion - c.normal * along).norm()
        };
        choice.keep(best(n, score, |i| scratch.was_kept[i]));
    });

    // the rest by distance, those of the last step first as long as they are not crowded
    let spacing = 0.5 / (settings.max_contacts as f64).sqrt();
    for i in 0..n {
        if scratch.was_kept[i] && choice.distance[i] > spacing * spacing {
            choice.keep(i);
        }
    }
    while choice.n_kept < settings.max_contacts {
        let farthest = best(n, |i| choice.distance[i], |i| scratch.was_kept[i]);
        if choice.distance[farthest] <= 0.0 {
            break;
        }
        choice.keep(farthest);
    }
    let mut index = 0;
    contacts.retain(|_| {
        index += 1;
        scratch.keep[index - 1]
    });
}

/// Index of the largest score; a favoured one wins if nearly as good (for positive scores).
fn best(n: usize, score: impl Fn(usize) -> f64, favoured: impl Fn(usize) -> bool) -> usize {
    let (mut top, mut top_score) = (0, f64::NEG_INFINITY);
    let (mut known, mut known_score) = (0, f64::NEG_INFINITY);
    for i in 0..n {
        let s = score(i);
        if s > top_score {
            (top, top_score) = (i, s);
        }
        if s > known_score && favoured(i) {
            (known, known_score) = (i, s);
        }
    }
    if known_score > 0.0 && known_score >= LOYALTY * top_score {
        known
    } else {
        top
    }
}

struct Choice<'a> {
    contacts: &'a [ShapeContact],
    size: f64,
    keep: &'a mut [bool],
    /// Squared distance to the nearest kept contact, position in units of `size`.
    distance: &'a mut [f64],
    n_kept: usize,
    max: usize,
}

impl Choice<'_> {
    fn keep(&mut self, i: usize) {
        if self.keep[i] || self.n_kept >= self.max {
            return;
        }
        self.keep[i] = true;
        self.n_kept += 1;
        let kept = self.contacts[i];
        let scale = 1.0 / (self.size * self.size);
        for (c, d) in self.contacts.iter().zip(self.distance.iter_mut()) {
            let apart = (c.point - kept.point).norm_squared() * scale
                + 0.25 * (c.normal - kept.normal).norm_squared();
            *d = d.min(apart);
        }
    }
}

/// The six axes of force and torque with both signs, and the diagonals between any two of them.
fn for_each_wrench(mut visit: impl FnMut(Vector3<f64>, Vector3<f64>)) {
    let unit = |axis: usize, value: f64| {
        let mut w = [Vector3::zeros(), Vector3::zeros()];
        w[axis / 3][axis % 3] = value;
        w
    };
    for i in 0..6 {
        for sign in [1.0, -1.0] {
            let [force, torque] = unit(i, sign);
            visit(force, torque);
            for j in i + 1..6 {
                for other in [1.0, -1.0] {
                    let [f, t] = unit(j, other);
                    visit(force + f, torque + t);
                }
            }
        }
    }
}
