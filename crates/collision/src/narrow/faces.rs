//! Faces of plain meshes against a signed distance: culling, search, warm start.

use nalgebra::{Isometry3, Point3, Vector3};

use super::{NarrowSettings, Remembered, is_kept};
use crate::contact::{ShapeContact, mix};
use crate::frank_wolfe::{
    SearchEffort, longest_edge, minimize_on_face, minimize_on_face_splitting,
};
use crate::sdf::Sdf;
use crate::shape::TriangleMesh;

/// The side of a pair that brings faces: a mesh that is itself the surface.
pub(super) struct FaceSide<'a> {
    pub(super) mesh: &'a TriangleMesh,
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

    pub(super) fn remember(&mut self, face: u32, weights: [f64; 3]) {
        self.next.push((face, weights));
    }

    pub(super) fn get(&self, face: u32) -> Option<[f64; 3]> {
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

/// Name of the contact of a face.
pub(super) fn feature(face: u32) -> u64 {
    mix(u64::from(face), 0xface)
}

/// Contacts of the faces (first) against the solid, in the frame of the faces.
pub(super) fn against_sdf(
    side: &FaceSide<'_>,
    sdf: &dyn Sdf,
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    remembered: Remembered<'_>,
    scratch: &mut FaceScratch,
    out: &mut Vec<ShapeContact>,
) {
    let Remembered {
        warm, kept, path, ..
    } = remembered;
    let knows = |feature| is_kept(kept, path, feature);
    minima(side, sdf, pose, settings, warm, knows, scratch);
    out.extend(scratch.hits.iter().map(|hit| ShapeContact {
        feature: feature(hit.face),
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
    knows: impl Fn(u64) -> bool,
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
            if sample.value > margin {
                return;
            }
            if let Some(warm) = &mut warm {
                warm.remember(face as u32, weights);
            }
            let point = Point3::from(
                corners[0].coords * weights[0]
                    + corners[1].coords * weights[1]
                    + corners[2].coords * weights[2],
            );
            let face_normal = side.mesh.normals()[face];
            let outward = rotation * sample.normal_or(rotation.inverse() * -face_normal);
            if neighbour_is_closer(side.mesh, face, &weights, &outward) {
                return;
            }
            hits.push(FaceHit {
                face: face as u32,
                place: place(side.mesh.faces()[face], face, &weights),
                point,
                outward,
                gap: sample.value,
            });
        },
    );
    // Faces that share the vertex or edge of their minimum report it once, by one that was there in
    // the last step, else by the smallest.
    hits.sort_unstable_by_key(|h| (h.place, !knows(feature(h.face)), h.face));
    hits.dedup_by_key(|h| h.place);
    hits.sort_unstable_by_key(|h| h.face);
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
        return minimize_on_face_splitting(sdf, triangle, settings.margin, &settings.frank_wolfe)
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
