//! Balls and capsules against each other: points and chains among themselves.

use std::f64::consts::PI;

use nalgebra::Vector3;

use super::segments::closest_on_segments;
use super::{FlexibleContact, FlexibleSide, elements_may_touch};
use crate::aabb::Aabb;
use crate::broad_phase::{BroadPhase, Crowded, Proxy};
use crate::collider::{ColliderSet, Geometry, is_closed};
use crate::contact::{any_orthogonal, mix};

/// Finds the elements (balls of points, links of chains) of two colliders, or of one, that touch;
/// with the memory of its broad phase, which saves work and changes nothing.
#[derive(Debug)]
pub(crate) struct ElementSearch {
    broad: BroadPhase,
    proxies: Vec<Proxy>,
    /// Length of a chain up to each vertex, m.
    along: Vec<f64>,
}

impl Default for ElementSearch {
    fn default() -> Self {
        Self {
            broad: BroadPhase::new(0.1),
            proxies: Vec::new(),
            along: Vec::new(),
        }
    }
}

impl ElementSearch {
    /// Forgets what it followed; to be called before it is used for other colliders.
    pub(crate) fn clear(&mut self) {
        self.broad.clear();
    }

    /// Contacts between two colliders, normals from `a` to `b`.
    pub(crate) fn between(
        &mut self,
        a: &FlexibleSide<'_>,
        b: &FlexibleSide<'_>,
        colliders: &ColliderSet,
        margin: f64,
        out: &mut Vec<FlexibleContact>,
    ) -> Result<(), Crowded> {
        self.proxies.clear();
        self.place(a, margin);
        self.place(b, margin);
        let first_of_b = a.n_elements();
        let accept = |i: usize, j: usize| i < first_of_b && j >= first_of_b;
        let allowed = |i: usize, j: usize| elements_may_touch(colliders, (a, i), (b, j));
        for &(i, j) in self.broad.update(&self.proxies, accept)? {
            let (i, j) = (i as usize, j as usize - first_of_b);
            out.extend(contact((a, i), (b, j), margin, &allowed));
        }
        Ok(())
    }

    /// Contacts of a collider with itself, normals from the earlier element to the later.
    ///
    /// Links of a chain that are closer along it than half the circumference of its section are left
    /// out: to touch they would have to be bent more sharply than the chain is thick.
    pub(crate) fn within(
        &mut self,
        side: &FlexibleSide<'_>,
        colliders: &ColliderSet,
        margin: f64,
        out: &mut Vec<FlexibleContact>,
    ) -> Result<(), Crowded> {
        self.proxies.clear();
        self.place(side, margin);
        self.measure(side);
        let apart = PI * side.radius() + margin;
        let closed = matches!(side.geometry, Geometry::Chain { frames, .. } if is_closed(frames));
        let along = &self.along;
        let allowed = |i: usize, j: usize| {
            let (i, j) = (i.min(j), i.max(j));
            if along.is_empty() {
                return true;
            }
            let total = along[along.len() - 1];
            let between = along[j] - along[i + 1];
            let around = total - (along[j + 1] - along[i]);
            i != j
                && between >= apart
                && (!closed || around >= apart)
                && elements_may_touch(colliders, (side, i), (side, j))
        };
        for &(i, j) in self.broad.update(&self.proxies, |_, _| true)? {
            let (i, j) = (i as usize, j as usize);
            out.extend(contact((side, i), (side, j), margin, &allowed));
        }
        Ok(())
    }

    fn place(&mut self, side: &FlexibleSide<'_>, margin: f64) {
        let grown = side.radius() + 0.5 * margin;
        self.proxies.extend((0..side.n_elements()).map(|element| {
            let [p, q] = side.segment(element);
            Proxy::Box(Aabb::from_points([&p, &q]).grown(grown))
        }));
    }

    /// Lengths along a chain; none for points.
    fn measure(&mut self, side: &FlexibleSide<'_>) {
        self.along.clear();
        if let Geometry::Chain { .. } = side.geometry {
            let mut length = 0.0;
            self.along.push(length);
            for w in side.vertices.windows(2) {
                length += (w[1] - w[0]).norm();
                self.along.push(length);
            }
        }
    }
}

/// Contact of two elements, if `allowed` and no farther apart than `margin`. Where two links of a
/// chain meet, both are closest at their common vertex: the earlier has the contact.
fn contact(
    (a, i): (&FlexibleSide<'_>, usize),
    (b, j): (&FlexibleSide<'_>, usize),
    margin: f64,
    allowed: &impl Fn(usize, usize) -> bool,
) -> Option<FlexibleContact> {
    let (first, second) = (a.segment(i), b.segment(j));
    let ([s, t], [p, q]) = closest_on_segments(first, second);
    let offset = q - p;
    let distance = offset.norm();
    let gap = distance - a.radius() - b.radius();
    if gap > margin || !allowed(i, j) {
        return None;
    }
    if s == 0.0
        && let Some(before) = a.before(i)
        && allowed(before, j)
        && closest_on_segments(a.segment(before), second).0[0] == 1.0
    {
        return None;
    }
    if t == 0.0
        && let Some(before) = b.before(j)
        && allowed(i, before)
        && closest_on_segments(first, b.segment(before)).0[1] == 1.0
    {
        return None;
    }
    let normal = if distance > 1e-12 {
        offset / distance
    } else {
        // crossing centre lines: across both
        across(first[1] - first[0], second[1] - second[0])
    };
    Some(FlexibleContact {
        feature: mix(1 + i as u64, 1 + j as u64),
        on: [a.support_along(i, s), b.support_along(j, t)],
        point: nalgebra::center(&p, &q) + normal * (0.5 * (a.radius() - b.radius())),
        normal,
        gap,
    })
}

/// Some unit vector orthogonal to both.
fn across(d: Vector3<f64>, e: Vector3<f64>) -> Vector3<f64> {
    let both = d.cross(&e).try_normalize(1e-12);
    let one = || d.try_normalize(1e-12).or_else(|| e.try_normalize(1e-12));
    both.unwrap_or_else(|| one().map_or_else(Vector3::z, |n| any_orthogonal(&n)))
}
