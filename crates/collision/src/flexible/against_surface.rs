//! Points, chains and surfaces against a surface that deforms, and a surface against itself.

use super::minima::minima_inside;
use super::surface::{SurfaceHit, SurfaceTree};
use super::{FlexibleContact, FlexibleSide};
use crate::aabb::Aabb;
use crate::collider::Geometry;
use crate::contact::mix;
use crate::support::Support;

/// Marks features that are vertices of the other side.
const VERTEX: u64 = 0x7e57;
/// Marks features that are vertices of the same surface.
const OWN_VERTEX: u64 = 0x0e1f;

/// Contacts of the vertices (with their balls) and links of `other` with a surface, normals from the
/// surface. Of two surfaces each is the other once: `turn` tells the two apart. `near` is a buffer.
pub(crate) fn against_surface(
    [surface, other]: [&FlexibleSide<'_>; 2],
    turn: u64,
    margin: f64,
    near: &mut Vec<u32>,
    out: &mut Vec<FlexibleContact>,
) {
    let (Geometry::Surface { depth, .. }, Some(tree)) = (surface.geometry, surface.tree) else {
        return;
    };
    let radius = other.radius();
    let limit = depth.max(margin + radius);
    let reach = tree.bounds().grown(margin + radius);
    for (vertex, p) in other.vertices.iter().enumerate() {
        if reach.distance(p) > 0.0 {
            continue;
        }
        if let Some(hit) = tree.closest(surface, p, limit, near)
            && hit.gap - radius <= margin
        {
            let feature = mix(mix(1 + vertex as u64, VERTEX), turn);
            out.push(contact(&hit, radius, other.support(vertex), feature));
        }
    }
    if let Geometry::Chain { .. } = other.geometry {
        let link = Links {
            surface,
            tree,
            other,
            margin,
            limit,
            reach,
        };
        for number in 0..other.n_elements() {
            link.inside(number, near, out);
        }
    }
}

/// Contacts of a surface with itself, normals from the face to the vertex. `near` is a buffer.
pub(crate) fn surface_with_itself(
    side: &FlexibleSide<'_>,
    margin: f64,
    near: &mut Vec<u32>,
    out: &mut Vec<FlexibleContact>,
) {
    let (Geometry::Surface { depth, .. }, Some(tree)) = (side.geometry, side.tree) else {
        return;
    };
    for vertex in 0..side.vertices.len() {
        if let Some(hit) = tree.closest_opposite(side, vertex, depth.max(margin), near)
            && hit.gap <= margin
        {
            let feature = mix(1 + vertex as u64, OWN_VERTEX);
            out.push(contact(&hit, 0.0, side.support(vertex), feature));
        }
    }
}

/// The links of a chain near a surface.
struct Links<'a> {
    surface: &'a FlexibleSide<'a>,
    tree: &'a SurfaceTree,
    other: &'a FlexibleSide<'a>,
    margin: f64,
    limit: f64,
    reach: Aabb,
}

impl Links<'_> {
    /// Minima of the distance inside a link; those at its ends are its vertices' business.
    fn inside(&self, link: usize, near: &mut Vec<u32>, out: &mut Vec<FlexibleContact>) {
        let [p, q] = self.other.segment(link);
        if !self.reach.overlaps(&Aabb::from_points([&p, &q])) {
            return;
        }
        let d = q - p;
        // Half a link more than the surface is looked for, so that the slope is known all along.
        let limit = self.limit + d.norm();
        let mut slope = |t: f64| {
            let hit = self.tree.closest(self.surface, &(p + d * t), limit, near);
            hit.map_or(0.0, |hit| hit.outward.dot(&d))
        };
        let mut minima = [(0.0, 0); 4];
        let mut count = 0;
        minima_inside(&mut slope, |t, number| {
            minima[count] = (t, number);
            count += 1;
        });
        let radius = self.other.radius();
        for &(t, number) in &minima[..count] {
            let at = p + d * t;
            if let Some(hit) = self.tree.closest(self.surface, &at, self.limit, near)
                && hit.gap - radius <= self.margin
            {
                let support = self.other.support_along(link, t);
                out.push(contact(&hit, radius, support, mix(1 + link as u64, number)));
            }
        }
    }
}

/// Contact of a ball with the surface at its closest point.
fn contact(hit: &SurfaceHit, radius: f64, support: Support, feature: u64) -> FlexibleContact {
    let gap = hit.gap - radius;
    FlexibleContact {
        feature,
        on: [hit.support, support],
        point: hit.point + hit.outward * (0.5 * gap),
        normal: hit.outward,
        gap,
    }
}
