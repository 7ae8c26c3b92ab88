//! Faces of a solid with a known surface against a signed distance.
//!
//! Every patch near the other side gets a cheap look first: φ at its middle and at its corners, the
//! latter shared with its neighbours. If the tangent planes there show that nothing lower is to be
//! found the lowest of the four is the minimum, and mostly it is; else Frank–Wolfe starts from it, or
//! from where the minimum was in the last step.

use nalgebra::{Isometry3, Point3, Vector3};

use super::faces::feature;
use super::patch::{Other, PatchPoint, PatchSearch};
use super::{NarrowSettings, Remembered};
use crate::contact::ShapeContact;
use crate::frank_wolfe::{SearchEffort, minimize_on_face_splitting};
use crate::reduce::{Outline, ReduceScratch, choose};
use crate::sdf::{Sdf, SdfSample};
use crate::shape::CurvedMesh;

/// The side of a pair that brings faces, and the surface they stand for.
pub(super) struct CurvedSide<'a> {
    pub(super) faces: &'a CurvedMesh,
    pub(super) surface: &'a dyn Sdf,
}

/// φ at a mesh vertex, computed once per call.
#[derive(Debug, Clone, Copy)]
struct VertexSample {
    /// Call in which it was computed.
    call: u64,
    /// Candidate whose minimum is this vertex, if any.
    owner: u32,
    sample: SdfSample,
}

const NOBODY: u32 = u32::MAX;

/// Lowest point of one patch within the margin.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    face: u32,
    lowest: PatchPoint,
}

/// Buffers; nothing is allocated once they are large enough.
#[derive(Debug, Default)]
pub(super) struct CurvedScratch {
    call: u64,
    vertices: Vec<VertexSample>,
    candidates: Vec<Candidate>,
    /// Contacts dropped by the reduction in the last call of the narrow phase.
    pub(super) n_dropped: usize,
}

impl CurvedScratch {
    fn begin(&mut self, n_vertices: usize) {
        self.call += 1;
        self.candidates.clear();
        if self.vertices.len() < n_vertices {
            let unknown = VertexSample {
                call: 0,
                owner: NOBODY,
                sample: SdfSample {
                    value: 0.0,
                    gradient: Vector3::zeros(),
                },
            };
            self.vertices.resize(n_vertices, unknown);
        }
    }

    fn vertex(&mut self, v: u32, p: &Point3<f64>, other: &Other<'_>) -> SdfSample {
        let entry = &mut self.vertices[v as usize];
        if entry.call != self.call {
            *entry = VertexSample {
                call: self.call,
                owner: NOBODY,
                sample: other.sample(p),
            };
        }
        entry.sample
    }

    /// Adds a candidate; of several whose minimum is one vertex, one stays: a known one, else that of
    /// the smallest face.
    fn add(&mut self, new: Candidate, vertex: Option<u32>, remembered: &Remembered<'_>) {
        let index = self.candidates.len() as u32;
        if let Some(v) = vertex {
            let owner = self.vertices[v as usize].owner;
            if let Some(old) = self.candidates.get_mut(owner as usize) {
                let rank = |c: &Candidate| (!remembered.knows(feature(c.face)), c.face);
                if rank(&new) < rank(old) {
                    *old = new;
                }
                return;
            }
            self.vertices[v as usize].owner = index;
        }
        self.candidates.push(new);
    }
}

/// Contacts of the patches (first) against the solid, in the frame of the patches, at most
/// `settings.reduce.max_contacts` of them.
pub(super) fn against_sdf(
    side: &CurvedSide<'_>,
    sdf: &dyn Sdf,
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    remembered: &mut Remembered<'_>,
    (scratch, reduce): (&mut CurvedScratch, &mut ReduceScratch),
    out: &mut Vec<ShapeContact>,
) {
    let other = Other {
        sdf,
        rotation: pose.rotation.to_rotation_matrix(),
        offset: pose.translation.vector,
    };
    collect(side, &other, settings, remembered, scratch);
    remember(remembered, &scratch.candidates);
    keep_few(settings, remembered, scratch, reduce);
    emit(&mut scratch.candidates, out);
}

/// Collects the lowest point of every patch within the margin.
fn collect(
    side: &CurvedSide<'_>,
    other: &Other<'_>,
    settings: &NarrowSettings,
    remembered: &Remembered<'_>,
    scratch: &mut CurvedScratch,
) {
    let mesh = side.faces.mesh();
    let (margin, lipschitz) = (settings.margin, other.sdf.lipschitz());
    let bulge = side.faces.bulge();
    scratch.begin(mesh.vertices().len());
    mesh.bvh().visit(
        |_, center, radius| other.value(center) <= lipschitz * (radius + bulge) + margin,
        |face| {
            let patch = side.faces.patch(face);
            let center = other.sample(&patch.center);
            if center.value > lipschitz * patch.radius + margin {
                return;
            }
            let (corners, triangle) = (mesh.faces()[face], mesh.triangle(face));
            let samples = [0, 1, 2].map(|k| scratch.vertex(corners[k], &triangle[k], other));
            let search = PatchSearch::new(side.surface, other, patch, triangle, samples, center);
            let warm = remembered.warm.as_ref().and_then(|w| w.get(face as u32));
            if let Some(lowest) = lowest_on(&search, settings, warm) {
                let face = face as u32;
                let vertex = (0..3)
                    .find(|&k| lowest.weights[k] == 1.0)
                    .map(|k| corners[k]);
                scratch.add(Candidate { face, lowest }, vertex, remembered);
            }
        },
    );
}

/// Lowest point of a patch, or `None` beyond the margin.
fn lowest_on(
    search: &PatchSearch<'_>,
    settings: &NarrowSettings,
    warm: Option<[f64; 3]>,
) -> Option<PatchPoint> {
    let (margin, fw) = (settings.margin, &settings.frank_wolfe);
    let mut lowest = search.lowest_known(0.1 * fw.tolerance);
    let lower = |a: PatchPoint, b: Option<PatchPoint>| match b {
        Some(b) if b.sample.value < a.sample.value => b,
        _ => a,
    };
    if fw.effort == SearchEffort::Thorough {
        let ceiling = 2.0 * margin.abs();
        let triangle = search.local_triangle();
        let flat = minimize_on_face_splitting(search.sdf(), &triangle, ceiling, fw);
        lowest = lower(lowest, flat.and_then(|found| search.at(found.weights)));
    }
    let possible_gain = lowest.sample.value - search.lower_bound();
    // twice the gain, because φ need not be quite convex along the patch
    if lowest.sample.value - 2.0 * possible_gain.max(0.0) > margin {
        return None;
    }
    if possible_gain > fw.tolerance {
        let start = lower(lowest, warm.and_then(|weights| search.at(weights)));
        lowest = search.descend(start, fw);
    }
    (lowest.sample.value <= margin).then_some(lowest)
}

/// Notes the minima that took a search.
fn remember(remembered: &mut Remembered<'_>, candidates: &[Candidate]) {
    let Some(warm) = &mut remembered.warm else {
        return;
    };
    for c in candidates {
        let weights = c.lowest.weights;
        // corners and middles are looked at anyway
        if weights[0] != weights[1] && weights.iter().all(|&w| w < 1.0) {
            warm.remember(c.face, weights);
        }
    }
}

/// Drops candidates until at most as many are left as contacts are wanted.
fn keep_few(
    settings: &NarrowSettings,
    remembered: &Remembered<'_>,
    scratch: &mut CurvedScratch,
    reduce: &mut ReduceScratch,
) {
    let n = scratch.candidates.len();
    let outlines = scratch.candidates.iter().map(|c| Outline {
        point: c.lowest.point,
        normal: c.lowest.sample.normal_or(-c.lowest.normal),
        gap: c.lowest.sample.value,
        known: remembered.knows(feature(c.face)),
    });
    if choose(outlines, &settings.reduce, reduce) {
        let mut kept = reduce.kept().iter();
        scratch.candidates.retain(|_| kept.next() == Some(&true));
        scratch.n_dropped += n - scratch.candidates.len();
    }
}

/// Writes the contacts in the order of the faces.
fn emit(candidates: &mut [Candidate], out: &mut Vec<ShapeContact>) {
    candidates.sort_unstable_by_key(|c| c.face);
    for c in candidates {
        let outward = c.lowest.sample.normal_or(-c.lowest.normal);
        let gap = c.lowest.sample.value;
        out.push(ShapeContact {
            feature: feature(c.face),
            point: c.lowest.point - outward * (0.5 * gap),
            normal: -outward,
            gap,
        });
    }
}
