//! Triangle faces against a signed distance: culling, search, warm start.

use nalgebra::{Isometry3, Point3, Rotation3, Vector3};

use super::NarrowSettings;
use crate::contact::{ShapeContact, mix};
use crate::frank_wolfe::{
    SearchEffort, longest_edge, minimize_on_face, minimize_on_face_splitting,
};
use crate::sdf::Sdf;
use crate::shape::TriangleMesh;

/// The side of a pair that brings faces; `surface` is what the mesh approximates, if known.
pub(super) struct FaceSide<'a> {
    pub(super) mesh: &'a TriangleMesh,
    pub(super) surface: Option<&'a dyn Sdf>,
}

/// Minimum of φ on one face.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceHit {
    pub(super) face: u32,
    /// Vertex, edge or face on which the minimum lies, to recognise shared ones.
    place: u64,
    /// Surface point of the face side, frame of the mesh.
    pub(super) point: Point3<f64>,
    /// Unit ∇φ, frame of the mesh: away from the distance side.
    pub(super) outward: Vector3<f64>,
    pub(super) gap: f64,
}

/// Where the minima were in the last step, by face.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct WarmStart {
    last: Vec<(u32, [f64; 3])>,
    next: Vec<(u32, [f64; 3])>,
}

impl WarmStart {
    pub(super) fn begin(&mut self) {
        self.next.clear();
    }

    pub(super) fn finish(&mut self) {
        self.next.sort_unstable_by_key(|e| e.0);
        std::mem::swap(&mut self.last, &mut self.next);
    }

    fn get(&self, face: u32) -> Option<[f64; 3]> {
        self.last
            .binary_search_by_key(&face, |e| e.0)
            .ok()
            .map(|i| self.last[i].1)
    }
}

/// Buffers.
#[derive(Debug, Default)]
pub(super) struct FaceScratch {
    pub(super) hits: Vec<FaceHit>,
}

/// Contacts of the faces (first) against the solid, in the frame of the faces.
pub(super) fn against_sdf(
    side: &FaceSide<'_>,
    sdf: &dyn Sdf,
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    warm: Option<&mut WarmStart>,
    scratch: &mut FaceScratch,
    out: &mut Vec<ShapeContact>,
) {
    minima(side, sdf, pose, settings, warm, scratch);
    out.extend(scratch.hits.iter().map(|hit| ShapeContact {
        feature: mix(u64::from(hit.face), 0xface),
        point: hit.point - hit.outward * (0.5 * hit.gap),
        normal: -hit.outward,
        gap: hit.gap,
    }));
}

/// Fills `scratch.hits` with one minimum per face within the margin, shared ones once.
pub(super) fn minima(
    side: &FaceSide<'_>,
    sdf: &dyn Sdf,
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    mut warm: Option<&mut WarmStart>,
    scratch: &mut FaceScratch,
) {
    scratch.hits.clear();
    let (margin, lipschitz) = (settings.margin, sdf.lipschitz());
    let (rotation, offset) = (pose.rotation.to_rotation_matrix(), pose.translation.vector);
    let to_solid = |p: &Point3<f64>| Point3::from(rotation.matrix().tr_mul(&(p.coords - offset)));
    let hits = &mut scratch.hits;
    side.mesh.bvh().visit(
        |_, center, radius| sdf.value(&to_solid(center)) <= lipschitz * radius + margin,
        |face| {
            let corners = side.mesh.triangle(face);
            let triangle = corners.map(|p| to_solid(&p));
            let found = search_face(sdf, &triangle, face, settings, warm.as_deref());
            let Some((weights, sample)) = found else {
                return;
            };
            // a mesh inside its curved surface is up to its sagitta away from it
            let slack = if side.surface.is_some() { margin } else { 0.0 };
            if sample.value > margin + slack {
                return;
            }
            if let Some(warm) = &mut warm {
                warm.next.push((face as u32, weights));
            }
            let p = Point3::from(
                corners[0].coords * weights[0]
                    + corners[1].coords * weights[1]
                    + corners[2].coords * weights[2],
            );
            let face_normal = side.mesh.normals()[face];
            let mut outward = rotation * sample.normal_or(rotation.inverse() * -face_normal);
            let (mut point, mut gap) = (p, sample.value);
            if let Some(surface) = side.surface {
                // carry the point from the mesh to the true surface and measure there
                let reach = 0.5 * longest_edge(&corners);
                if let Some(on_surface) = project(surface, &p, reach) {
                    let other = Other {
                        sdf,
                        rotation: &rotation,
                        offset: &offset,
                    };
                    let tolerance = settings.frank_wolfe.tolerance;
                    point = slide(surface, &other, on_surface, reach, tolerance);
                    let there = sdf.sample(&to_solid(&point));
                    outward = rotation * there.normal_or(rotation.inverse() * -face_normal);
                    gap = there.value;
                } else {
                    // off the surface by more than a chord's height: its neighbours speak for it
                    return;
                }
            } else if neighbour_is_closer(side.mesh, face, &weights, &outward) {
                return;
            }
            if gap <= margin {
                hits.push(FaceHit {
                    face: face as u32,
                    place: place(side.mesh.faces()[face], face, &weights),
                    point,
                    outward,
                    gap,
                });
            }
        },
    );
    // Faces that share the vertex or edge of their minimum report it once, by the smallest face.
    hits.sort_unstable_by_key(|h| (h.place, h.face));
    hits.dedup_by_key(|h| h.place);
    hits.sort_unstable_by_key(|h| h.face);
}

/// Closest surface point by Newton steps along the gradient (at a crease these become alternating
/// projections on its two sides); `None` if farther than `reach` or not reached.
fn project(surface: &dyn Sdf, from: &Point3<f64>, reach: f64) -> Option<Point3<f64>> {
    let mut p = *from;
    let mut best = (f64::INFINITY, p);
    for _ in 0..12 {
        let s = surface.sample(&p);
        if s.value.abs() < best.0 {
            best = (s.value.abs(), p);
        }
        let slope = s.gradient.norm_squared();
        if s.value.abs() < 1e-9 || slope < 0.25 {
            break;
        }
        p -= s.gradient * (s.value / slope);
    }
    // a point that did not arrive (between creases, or in a core without slope) is no surface point
    (best.0 < 1e-7 && (best.1 - from).norm() <= reach).then_some(best.1)
}

/// The distance side of a pair seen from the frame of the faces.
struct Other<'a> {
    sdf: &'a dyn Sdf,
    rotation: &'a Rotation3<f64>,
    offset: &'a Vector3<f64>,
}

impl Other<'_> {
    /// φ and ∇φ.
    fn at(&self, p: &Point3<f64>) -> (f64, Vector3<f64>) {
        let local = self.rotation.matrix().tr_mul(&(p.coords - self.offset));
        let s = self.sdf.sample(&Point3::from(local));
        (s.value, self.rotation * s.gradient)
    }
}

/// Slides a point along the true surface to where φ is smallest in the direction φ falls: the minimum
/// over a flat face is not where that of the curved surface is. Stays within `reach`, else stays put.
fn slide(
    surface: &dyn Sdf,
    other: &Other<'_>,
    from: Point3<f64>,
    reach: f64,
    tolerance: f64,
) -> Point3<f64> {
    let n = surface.sample(&from).normal_or(Vector3::z());
    let (value, g) = other.at(&from);
    let tangent = g - n * n.dot(&g);
    let steepness = tangent.norm();
    if steepness * reach < tolerance {
        return from;
    }
    let d = -tangent / steepness;
    let probe = |step: f64| {
        let p = project(surface, &(from + d * step), reach)?;
        let (value, g) = other.at(&p);
        let n = surface.sample(&p).normal_or(n);
        Some((p, value, (g - n * n.dot(&g)).dot(&d)))
    };
    let (mut low, mut slope_low) = (0.0, -steepness);
    let Some((_, _, mut slope_high)) = probe(reach) else {
        return from;
    };
    if slope_high <= 0.0 {
        return from;
    }
    let mut high = reach;
    let mut best = (value, from);
    for _ in 0..8 {
        let fraction = (slope_low / (slope_low - slope_high)).clamp(0.1, 0.9);
        let step = low + (high - low) * fraction;
        let Some((p, value, slope)) = probe(step) else {
            break;
        };
        if value < best.0 {
            best = (value, p);
        }
        if slope.abs() * (high - low) < 0.1 * tolerance {
            break;
        }
        if slope < 0.0 {
            (low, slope_low) = (step, slope);
        } else {
            (high, slope_high) = (step, slope);
        }
    }
    best.1
}

/// Weights and sample of the minimum, warm-started where the last step had one.
fn search_face(
    sdf: &dyn Sdf,
    triangle: &[Point3<f64>; 3],
    face: usize,
    settings: &NarrowSettings,
    warm: Option<&WarmStart>,
) -> Option<([f64; 3], crate::sdf::SdfSample)> {
    let small = settings.frank_wolfe.effort == SearchEffort::Local
        || longest_edge(triangle) <= sdf.feature_size();
    if !small {
        return minimize_on_face_splitting(
            sdf,
            triangle,
            2.0 * settings.margin.abs(),
            &settings.frank_wolfe,
        )
        .map(|m| (m.weights, m.sample));
    }
    let [a, b, c] = triangle;
    let center = Point3::from((a.coords + b.coords + c.coords) / 3.0);
    let radius = triangle
        .iter()
        .map(|v| (v - center).norm())
        .fold(0.0, f64::max);
    let value = sdf.value(&center);
    if value > sdf.lipschitz() * radius + settings.margin {
        return None;
    }
    if let Some(weights) = warm.and_then(|w| w.get(face as u32)) {
        let found = minimize_on_face(sdf, triangle, Some(weights), &settings.frank_wolfe);
        // a start that has become a poor local minimum shows against the centre
        if found.sample.value <= value {
            return Some((found.weights, found.sample));
        }
    }
    let found = minimize_on_face(sdf, triangle, None, &settings.frank_wolfe);
    Some((found.weights, found.sample))
}

/// Name of the vertex, edge or face the weights lie on.
fn place(corners: [u32; 3], face: usize, weights: &[f64; 3]) -> u64 {
    const ON: f64 = 1e-6;
    let mut used = [0_u64; 3];
    let mut n = 0;
    for i in 0..3 {
        if weights[i] > ON {
            used[n] = u64::from(corners[i]);
            n += 1;
        }
    }
    match n {
        1 => mix(1, used[0]),
        2 => mix(used[0].min(used[1]) + 2, used[0].max(used[1])),
        _ => mix(0, face as u64),
    }
}

/// Whether φ falls on across an edge into a neighbour that does not bend away: then that face has the
/// closer point and this one's would only be a contact on an edge nobody can feel.
fn neighbour_is_closer(
    mesh: &TriangleMesh,
    face: usize,
    weights: &[f64; 3],
    outward: &Vector3<f64>,
) -> bool {
    let corners = mesh.triangle(face);
    let normal = mesh.normals()[face];
    (0..3).any(|k| {
        // edge k runs from corner k to k + 1; the weight of the third corner is zero on it
        if weights[(k + 2) % 3] > 1e-9 {
            return false;
        }
        let Some(neighbour) = mesh.neighbour(face, k) else {
            return false;
        };
        let edge = corners[(k + 1) % 3] - corners[k];
        let across = edge.cross(&normal).normalize();
        let bends_away = mesh.normals()[neighbour].dot(&across) > 1e-6;
        !bends_away && outward.dot(&across) < -1e-3
    })
}
