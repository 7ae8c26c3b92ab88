//! Faces of a solid with a known surface against a signed distance.
//!
//! Every patch near the other side, and not known to be clear of it, gets a cheap look first: φ at its
//! middle and at its corners, the latter shared with its neighbours. If the tangent planes there show
//! that nothing lower is to be found the lowest of the four is the minimum, and mostly it is; else
//! Frank–Wolfe starts from it, or from where the minimum was in the last step. While the pair has
//! hardly moved since its contacts were chosen, only the chosen patches are looked at.

use nalgebra::{Isometry3, Vector3};

use super::choice::Choices;
use super::clearance::{Clearance, Clearances};
use super::faces::feature;
use super::patch::{Other, PatchPoint, PatchSearch};
use super::placement::Placement;
use super::{NarrowSettings, Remembered};
use crate::contact::ShapeContact;
use crate::frank_wolfe::{SearchEffort, minimize_on_face_splitting};
use crate::reduce::{Outline, ReduceScratch, choose};
use crate::sdf::{SampleBatch, Sdf, SdfSample};
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

/// A patch that is looked at, with φ at its middle.
#[derive(Debug, Clone, Copy)]
struct Near {
    face: u32,
    middle: SdfSample,
}

/// Buffers; nothing is allocated once they are large enough.
#[derive(Debug, Default)]
pub(super) struct CurvedScratch {
    call: u64,
    vertices: Vec<VertexSample>,
    candidates: Vec<Candidate>,
    /// Faces to be looked at, those near the other side, and the vertices of these.
    open: Vec<u32>,
    near: Vec<Near>,
    corners: Vec<u32>,
    batch: SampleBatch,
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
    let now = Placement {
        sdf,
        bounds: side.faces.bounds(),
        pose: pose.inverse(),
    };
    let Some((choices, clearances)) = remembered.many.take() else {
        return;
    };
    let look = Look {
        side,
        other: &other,
        now,
    };
    if look.at_chosen(settings, choices, remembered, scratch) {
        remember(remembered, &scratch.candidates);
    } else {
        look.at_all(settings, clearances, remembered, scratch);
        remember(remembered, &scratch.candidates);
        let n_dropped = keep_few(settings, remembered, scratch, reduce);
        let chosen = scratch.candidates.iter();
        let chosen = chosen.map(|c| (c.face, c.lowest.sample.value));
        let n_faces = side.faces.mesh().faces().len();
        choices.note(
            remembered.path,
            &look.now,
            n_faces,
            settings,
            chosen,
            n_dropped,
        );
    }
    emit(&mut scratch.candidates, out);
}

/// The two sides of a pair, where they are.
struct Look<'a> {
    side: &'a CurvedSide<'a>,
    other: &'a Other<'a>,
    now: Placement<'a>,
}

impl Look<'_> {
    /// Looks at the patches that were chosen, if the choice is still good.
    fn at_chosen(
        &self,
        settings: &NarrowSettings,
        choices: &Choices,
        remembered: &Remembered<'_>,
        scratch: &mut CurvedScratch,
    ) -> bool {
        let n_faces = self.side.faces.mesh().faces().len();
        let Some(choice) = choices.good(remembered.path, &self.now, n_faces, settings) else {
            return false;
        };
        scratch.open.clear();
        scratch.open.extend_from_slice(choice.faces());
        let settings = NarrowSettings {
            margin: choice.margin(settings),
            ..*settings
        };
        self.at_open(&settings, None, remembered, scratch);
        let is_enough = choice.is_served_by(scratch.candidates.len());
        if is_enough {
            scratch.n_dropped += choice.n_dropped;
        }
        is_enough
    }

    /// Looks at every patch that may be within the margin.
    fn at_all(
        &self,
        settings: &NarrowSettings,
        clearances: &mut Clearances,
        remembered: &Remembered<'_>,
        scratch: &mut CurvedScratch,
    ) {
        let margin = settings.margin;
        let clearance = clearances.of(remembered.path);
        clearance.advance(&self.now);
        if clearance.is_idle(margin) {
            scratch.candidates.clear();
            return;
        }
        if !clearance.covers(margin) {
            self.list(margin, clearance);
        }
        scratch.open.clear();
        clearance.open(margin, &mut scratch.open);
        self.at_open(settings, Some(&mut *clearance), remembered, scratch);
        clearance.finish(scratch.candidates.is_empty());
    }

    /// Lists the faces that come near in the next steps.
    fn list(&self, margin: f64, clearance: &mut Clearance) {
        let (faces, other) = (self.side.faces, self.other);
        let mesh = faces.mesh();
        let (lipschitz, bulge) = (other.sdf.lipschitz(), faces.bulge());
        let slack = lipschitz * bulge;
        let far = clearance.begin_list(mesh.faces().len(), faces.size(), margin, slack);
        mesh.bvh().visit(
            |_, center, radius| other.value(center) <= lipschitz * (radius + bulge) + far,
            |face| clearance.list(face),
        );
    }

    /// Whether the tree of the faces leads to this one at all.
    fn is_reached(&self, face: u32, margin: f64) -> bool {
        let (faces, other) = (self.side.faces, self.other);
        let (lipschitz, bulge) = (other.sdf.lipschitz(), faces.bulge());
        faces
            .mesh()
            .bvh()
            .reaches(face as usize, |_, center, radius| {
                other.value(center) <= lipschitz * (radius + bulge) + margin
            })
    }

    /// Collects the lowest point of every patch of `scratch.open` that is within the margin.
    fn at_open(
        &self,
        settings: &NarrowSettings,
        mut clearance: Option<&mut Clearance>,
        remembered: &Remembered<'_>,
        scratch: &mut CurvedScratch,
    ) {
        let (side, other) = (self.side, self.other);
        let (mesh, margin) = (side.faces.mesh(), settings.margin);
        scratch.begin(mesh.vertices().len());
        self.sample_middles(margin, clearance.as_deref_mut(), scratch);
        self.sample_corners(scratch);
        for k in 0..scratch.near.len() {
            let Near { face, middle } = scratch.near[k];
            let corners = mesh.faces()[face as usize];
            let samples = corners.map(|v| scratch.vertices[v as usize].sample);
            let patch = side.faces.patch(face as usize);
            let triangle = mesh.triangle(face as usize);
            let search = PatchSearch::new(side.surface, other, patch, triangle, samples, middle);
            let warm = remembered.warm.as_ref().and_then(|w| w.get(face));
            let found = match lowest_on(&search, settings, warm) {
                Found::Within(lowest) => Some(lowest),
                // What a search finds between points that are all beyond the margin counts where the
                // tree leads to the face, however the face came to be listed.
                Found::Between(lowest) => self.is_reached(face, margin).then_some(lowest),
                Found::Clear(distance) => {
                    if let Some(clearance) = &mut clearance {
                        clearance.note_all(face, distance);
                    }
                    continue;
                }
                Found::Nothing => None,
            };
            if let Some(clearance) = &mut clearance {
                clearance.note_near(face);
            }
            if let Some(lowest) = found {
                let vertex = (0..3)
                    .find(|&k| lowest.weights[k] == 1.0)
                    .map(|k| corners[k]);
                scratch.add(Candidate { face, lowest }, vertex, remembered);
            }
        }
    }

    /// Samples the middles of the open patches, and notes which of these are near.
    fn sample_middles(
        &self,
        margin: f64,
        mut clearance: Option<&mut Clearance>,
        scratch: &mut CurvedScratch,
    ) {
        let (faces, other) = (self.side.faces, self.other);
        let lipschitz = other.sdf.lipschitz();
        scratch.batch.clear();
        for &face in &scratch.open {
            let middle = other.local(&faces.patch(face as usize).center);
            scratch.batch.push(&middle);
        }
        other.sdf.sample_batch(&mut scratch.batch);
        scratch.near.clear();
        for (k, &face) in scratch.open.iter().enumerate() {
            let size = lipschitz * faces.patch(face as usize).radius;
            let value = scratch.batch.value(k);
            if value > size + margin {
                if let Some(clearance) = &mut clearance {
                    clearance.note_middle(face, value, size);
                }
                continue;
            }
            let middle = other.turned(scratch.batch.sample(k));
            scratch.near.push(Near { face, middle });
        }
    }

    /// Samples the corners of the near patches, each once.
    fn sample_corners(&self, scratch: &mut CurvedScratch) {
        let mesh = self.side.faces.mesh();
        scratch.batch.clear();
        scratch.corners.clear();
        for near in &scratch.near {
            for v in mesh.faces()[near.face as usize] {
                let entry = &mut scratch.vertices[v as usize];
                if entry.call != scratch.call {
                    (entry.call, entry.owner) = (scratch.call, NOBODY);
                    let corner = self.other.local(&mesh.vertices()[v as usize]);
                    scratch.batch.push(&corner);
                    scratch.corners.push(v);
                }
            }
        }
        self.other.sdf.sample_batch(&mut scratch.batch);
        for (k, &v) in scratch.corners.iter().enumerate() {
            scratch.vertices[v as usize].sample = self.other.turned(scratch.batch.sample(k));
        }
    }
}

/// What a look at a patch shows.
enum Found {
    /// Its lowest point, within the margin.
    Within(PatchPoint),
    /// The same, though its middle and corners are beyond the margin.
    Between(PatchPoint),
    /// It is farther away than the margin everywhere, by its tangent planes at least by this (m).
    Clear(f64),
    /// Nothing was found within the margin.
    Nothing,
}

/// Lowest point of a patch, as far as it is within the margin.
fn lowest_on(search: &PatchSearch<'_>, settings: &NarrowSettings, warm: Option<[f64; 3]>) -> Found {
    let (margin, fw) = (settings.margin, &settings.frank_wolfe);
    let mut lowest = search.lowest_known(0.1 * fw.tolerance);
    let known = lowest.sample.value;
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
    let value = lowest.sample.value;
    // The plane at the middle alone often decides as all four would, because their bound is no lower.
    let mut possible_gain = value - search.middle_bound();
    let decides = possible_gain <= fw.tolerance || value - 2.0 * possible_gain > margin;
    if !decides {
        possible_gain = value - search.lower_bound();
    }
    let possible_gain = possible_gain.max(0.0);
    // twice the gain, because φ need not be quite convex along the patch
    if value - 2.0 * possible_gain > margin {
        return match fw.effort {
            SearchEffort::Thorough => Found::Nothing,
            // and once more, because it has to be so in steps to come as well
            _ => Found::Clear(value - 3.0 * possible_gain),
        };
    }
    if possible_gain > fw.tolerance {
        let start = lower(lowest, warm.and_then(|weights| search.at(weights)));
        lowest = search.descend(start, fw);
    }
    if lowest.sample.value > margin {
        Found::Nothing
    } else if known > margin {
        Found::Between(lowest)
    } else {
        Found::Within(lowest)
    }
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

/// Drops candidates until at most as many are left as contacts are wanted; returns how many.
fn keep_few(
    settings: &NarrowSettings,
    remembered: &Remembered<'_>,
    scratch: &mut CurvedScratch,
    reduce: &mut ReduceScratch,
) -> usize {
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
    }
    let n_dropped = n - scratch.candidates.len();
    scratch.n_dropped += n_dropped;
    n_dropped
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
