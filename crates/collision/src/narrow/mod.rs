//! Narrow phase: two shapes in, contact points out.

mod boxes;
mod choice;
mod clearance;
mod convex;
mod curved;
mod faces;
mod half_space;
mod line;
mod manifold;
mod mesh;
mod patch;
mod placement;
mod root;
mod sdf;
mod separation;

use nalgebra::Isometry3;

use crate::contact::{ShapeContact, mix};
use crate::error::{CollisionError, Result};
use crate::frank_wolfe::{FrankWolfeSettings, SearchEffort};
use crate::reduce::{ReduceScratch, ReduceSettings, merge_duplicates, reduce};
use crate::shape::{Convex, Core, CurvedMesh, Form, SdfSolid, Shape};

use choice::Choices;
use clearance::Clearances;
use curved::{CurvedScratch, CurvedSide};
use faces::{FaceScratch, FaceSide, WarmStart};
use half_space::FloorLook;
use separation::SeparationScratch;

/// How pairs are tested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NarrowSettings {
    /// Contacts with a larger gap than this are not reported, m.
    pub margin: f64,
    /// Search of faces against signed distances.
    pub frank_wolfe: FrankWolfeSettings,
    /// Reduction of pairs with many points.
    pub reduce: ReduceSettings,
    /// Which contacts stand for a pair with many is chosen anew when a distance between its surfaces
    /// may have changed by this, m; points, normals and gaps are of every step. Then no contact is
    /// deeper by more than twice this than the deepest that is reported. 0 chooses in every step.
    pub reuse: f64,
}

impl NarrowSettings {
    /// The same with one descent per face: all that a convex distance needs, and all that pays where
    /// gradients jump everywhere, as those of a polyhedron's distance do.
    fn with_local_search(mut self) -> Self {
        self.frank_wolfe.effort = SearchEffort::Local;
        self
    }
}

impl Default for NarrowSettings {
    fn default() -> Self {
        Self {
            margin: 1e-3,
            frank_wolfe: FrankWolfeSettings::default(),
            reduce: ReduceSettings::default(),
            reuse: 1e-5,
        }
    }
}

/// What a pair remembers from its last step: which contacts were kept, and what faces were found to be.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct PairMemory {
    kept: Vec<u64>,
    /// Contacts found before reduction in the last call.
    n_raw: usize,
    /// Of pairs with many contacts alone: those of primitives stay small to move and to walk over.
    faces: Option<Box<FaceMemory>>,
}

/// What a pair with many contacts remembers of its faces.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
struct FaceMemory {
    /// Where the face minima were.
    warm: WarmStart,
    /// Which faces stand for the pair.
    choices: Choices,
    /// Which are clear of the other side.
    #[serde(skip)]
    clearances: Clearances,
}

impl PairMemory {
    /// Forgets everything. Small buffers stay, so that pairs of primitives come and go without
    /// allocating; large ones don't, or in time every slot would hold as much as the largest pair.
    pub(crate) fn clear(&mut self) {
        const SMALL: usize = 64;
        let mut kept = std::mem::take(&mut self.kept);
        *self = Self::default();
        if kept.capacity() <= SMALL {
            kept.clear();
            self.kept = kept;
        }
    }

    /// Whether there is nothing in it that bears on the next step.
    pub(crate) fn is_blank(&self) -> bool {
        let faces = self.faces.as_deref();
        self.kept.is_empty()
            && self.n_raw == 0
            && faces.is_none_or(|faces| *faces == FaceMemory::default())
    }

    /// Number of contacts found in the last call before merging and reduction.
    pub fn n_raw(&self) -> usize {
        self.n_raw
    }
}

/// What a part of a pair may use of the pair's memory.
struct Remembered<'a> {
    /// Faces are remembered by index, which is unique only outside compounds.
    warm: Option<&'a mut WarmStart>,
    /// Features kept in the last step, sorted.
    kept: &'a [u64],
    /// Name of the parts, 0 outside compounds.
    path: u64,
    /// What stands for the pair, and what is clear of the other side; not for plain meshes.
    many: Option<(&'a mut Choices, &'a mut Clearances)>,
}

impl<'a> Remembered<'a> {
    fn new(memory: &'a mut PairMemory, path: u64) -> Self {
        let PairMemory { kept, faces, .. } = memory;
        let (warm, many) = match faces.as_deref_mut() {
            Some(faces) => (
                (path == 0).then_some(&mut faces.warm),
                Some((&mut faces.choices, &mut faces.clearances)),
            ),
            None => (None, None),
        };
        Self {
            warm,
            kept,
            path,
            many,
        }
    }

    fn nothing() -> Self {
        Self {
            warm: None,
            kept: &[],
            path: 0,
            many: None,
        }
    }

    /// Whether a contact with this feature was kept in the last step.
    fn knows(&self, feature: u64) -> bool {
        is_kept(self.kept, self.path, feature)
    }
}

fn is_kept(kept: &[u64], path: u64, feature: u64) -> bool {
    !kept.is_empty() && kept.binary_search(&named(path, feature)).is_ok()
}

/// A feature of a part seen from outside its compound.
fn named(path: u64, feature: u64) -> u64 {
    if path == 0 {
        feature
    } else {
        mix(path, feature)
    }
}

/// Buffers of the narrow phase, one per thread; allocates nothing once warmed up.
#[derive(Default)]
pub struct NarrowScratch {
    separation: SeparationScratch,
    manifold: manifold::ManifoldScratch,
    faces: FaceScratch,
    curved: CurvedScratch,
    reduce: ReduceScratch,
    floor: FloorLook,
    found: Vec<ShapeContact>,
}

impl std::fmt::Debug for NarrowScratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NarrowScratch").finish_non_exhaustive()
    }
}

/// Contacts between `a` and `b`, appended to `out` in the frame of `a`, normals from a to b.
///
/// `pose_ab` is the pose of b in the frame of a. `memory` belongs to this pair.
pub fn contacts_between(
    a: &Shape,
    b: &Shape,
    pose_ab: &Isometry3<f64>,
    settings: &NarrowSettings,
    memory: &mut PairMemory,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ShapeContact>,
) -> Result<()> {
    if !crate::shape::pose_is_finite(pose_ab) {
        return Err(CollisionError::InvalidParameter {
            element: format!("{} and {}", a.name(), b.name()),
            field: "relative pose",
            value: f64::NAN,
            reason: "must be finite",
        });
    }
    let mut found = std::mem::take(&mut scratch.found);
    found.clear();
    let is_many = is_many_point_pair(a, b);
    if is_many {
        let faces = memory.faces.get_or_insert_default();
        if faces.clearances.belong_to(a, b) {
            faces.choices.clear();
        }
        faces.warm.begin();
    }
    scratch.curved.n_dropped = 0;
    scratch.floor = FloorLook::None;
    let result = dispatch(a, b, pose_ab, settings, memory, 0, scratch, &mut found);
    if let Some(faces) = &mut memory.faces {
        faces.warm.finish();
    }
    memory.n_raw = found.len() + scratch.curved.n_dropped + scratch.floor.n_dropped();
    if result.is_ok() {
        if is_many {
            let limits = settings.reduce;
            merge_duplicates(
                &mut found,
                limits.merge_distance,
                &memory.kept,
                &mut scratch.reduce,
            );
            reduce(&mut found, &limits, &memory.kept, &mut scratch.reduce);
            if let (FloorLook::AtAll(look), Some(faces)) = (&scratch.floor, &mut memory.faces) {
                let n_dropped = memory.n_raw - found.len();
                look.note(settings, &found, n_dropped, &mut faces.choices);
            }
        }
        memory.kept.clear();
        memory.kept.extend(found.iter().map(|c| c.feature));
        memory.kept.sort_unstable();
        out.extend_from_slice(&found);
    }
    scratch.found = found;
    result
}

/// Whether a pair may have so many contacts that they are merged and reduced: pairs of primitives
/// produce small manifolds.
pub(crate) fn is_many_point_pair(a: &Shape, b: &Shape) -> bool {
    let simple = |s: &Shape| matches!(s.form(), Form::Convex(_) | Form::HalfSpace);
    !(simple(a) && simple(b))
}

/// Tests one pair of parts; `path` names the parts of compounds.
#[expect(
    clippy::too_many_arguments,
    reason = "recursion over compounds carries the whole call"
)]
fn dispatch(
    a: &Shape,
    b: &Shape,
    pose_ab: &Isometry3<f64>,
    settings: &NarrowSettings,
    memory: &mut PairMemory,
    path: u64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ShapeContact>,
) -> Result<()> {
    // Two orders of one pair are the same test: the second flips the normals of the first.
    let flipped = rank(a) > rank(b);
    if flipped {
        let start = out.len();
        let pose_ba = pose_ab.inverse();
        dispatch(b, a, &pose_ba, settings, memory, path, scratch, out)?;
        seen_from(pose_ab, &mut out[start..]);
        return Ok(());
    }
    let margin = settings.margin;
    let start = out.len();
    let mut remembered = Remembered::new(memory, path);
    match (a.form(), b.form()) {
        (Form::Compound(parts), _) => {
            for (i, (pose, part)) in parts.iter().enumerate() {
                let from = out.len();
                let pose_pb = pose.inverse() * pose_ab;
                let near = part
                    .bounds()
                    .grown(margin)
                    .overlaps(&b.bounds().transformed(&pose_pb));
                if !near {
                    continue;
                }
                let name = mix(path, i as u64 + 1);
                dispatch(part, b, &pose_pb, settings, memory, name, scratch, out)?;
                for contact in &mut out[from..] {
                    contact.point = pose * contact.point;
                    contact.normal = pose.rotation * contact.normal;
                }
            }
            return Ok(());
        }
        (Form::HalfSpace, Form::HalfSpace) => {}
        (Form::HalfSpace, Form::Convex(convex)) => {
            half_space::against_convex(convex, pose_ab, margin, &mut scratch.manifold, out);
        }
        (Form::HalfSpace, Form::Mesh(mesh)) => {
            half_space::against_mesh(mesh, pose_ab, margin, out);
        }
        (Form::HalfSpace, Form::Sdf(solid)) => match &solid.faces {
            Some(faces) => {
                let side = (faces.mesh(), &*solid.sdf);
                let floor = &mut scratch.floor;
                half_space::against_sdf(side, pose_ab, settings, &remembered, floor, out);
            }
            None => return Err(unsupported(a, b)),
        },
        (Form::Convex(x), Form::Convex(y)) => {
            convex::contacts(x, y, pose_ab, margin, scratch_parts(scratch), out);
        }
        (Form::Convex(convex), Form::Mesh(mesh)) => {
            let (memory, faces) = (&remembered, &mut scratch.faces);
            mesh::against_convex(convex, mesh, pose_ab, settings, memory, faces, out);
        }
        (Form::Mesh(x), Form::Mesh(y)) => {
            mesh::against_mesh(x, y, pose_ab, settings, &mut scratch.faces, out);
        }
        (Form::Convex(convex), Form::Sdf(solid)) => match convex.core {
            Core::Point => sdf::sphere(convex.radius, &*solid.sdf, pose_ab, margin, out),
            Core::Segment { half_length } => {
                sdf::capsule(
                    half_length,
                    convex.radius,
                    &*solid.sdf,
                    pose_ab,
                    margin,
                    out,
                );
            }
            _ => {
                sdf::key_points(convex, &*solid.sdf, pose_ab, margin, out);
                let buffers = (&mut scratch.curved, &mut scratch.reduce);
                let memory = &mut remembered;
                against_convex(convex, solid, pose_ab, settings, memory, buffers, out);
            }
        },
        (Form::Mesh(mesh), Form::Sdf(solid)) => {
            let (side, faces) = (FaceSide { mesh }, &mut scratch.faces);
            faces::against_sdf(
                &side,
                &*solid.sdf,
                pose_ab,
                settings,
                remembered,
                faces,
                out,
            );
        }
        (Form::Sdf(x), Form::Sdf(y)) => {
            let from = out.len();
            let buffers = (&mut scratch.curved, &mut scratch.reduce);
            let memory = &mut remembered;
            if let Some(side) = face_side(x, y) {
                curved::against_sdf(&side, &*y.sdf, pose_ab, settings, memory, buffers, out);
            } else if let Some(side) = curved_side(y) {
                let pose_ba = pose_ab.inverse();
                curved::against_sdf(&side, &*x.sdf, &pose_ba, settings, memory, buffers, out);
                seen_from(pose_ab, &mut out[from..]);
            } else {
                return Err(unsupported(a, b));
            }
        }
        _ => return Err(unsupported(a, b)),
    }
    if path != 0 {
        for contact in &mut out[start..] {
            contact.feature = named(path, contact.feature);
        }
    }
    Ok(())
}

/// Contacts found with the shapes exchanged: into the frame of the first, normals turned round.
fn seen_from(pose: &Isometry3<f64>, contacts: &mut [ShapeContact]) {
    for contact in contacts {
        contact.point = pose * contact.point;
        contact.normal = pose.rotation * contact.normal;
        *contact = contact.flipped();
    }
}

/// Faces of the solid against the convex shape's exact distance, or, for an unbounded solid, the other
/// way round. Frame of the convex shape.
fn against_convex(
    convex: &Convex,
    solid: &SdfSolid,
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    memory: &mut Remembered<'_>,
    buffers: (&mut CurvedScratch, &mut ReduceScratch),
    out: &mut Vec<ShapeContact>,
) {
    let Some(side) = curved_side(solid) else {
        let side = CurvedSide {
            faces: convex.curved(),
            surface: convex,
        };
        // a convex shape has few faces, and large ones: several minima on one are likely
        let mut settings = *settings;
        if settings.frank_wolfe.effort == SearchEffort::Standard {
            settings.frank_wolfe.effort = SearchEffort::Thorough;
        }
        curved::against_sdf(&side, &*solid.sdf, pose, &settings, memory, buffers, out);
        return;
    };
    let start = out.len();
    let (inverse, settings) = (pose.inverse(), settings.with_local_search());
    curved::against_sdf(&side, convex, &inverse, &settings, memory, buffers, out);
    seen_from(pose, &mut out[start..]);
}

fn curved_side(solid: &SdfSolid) -> Option<CurvedSide<'_>> {
    let faces = solid.faces.as_ref()?;
    let surface = &*solid.sdf;
    Some(CurvedSide { faces, surface })
}

/// `x` if it is to be the face side against `y`: the solid with the smaller faces is, because it
/// samples the common surface more densely.
fn face_side<'a>(x: &'a SdfSolid, y: &SdfSolid) -> Option<CurvedSide<'a>> {
    let size = |s: &SdfSolid| {
        s.faces
            .as_ref()
            .map(CurvedMesh::mesh)
            .map_or(f64::INFINITY, |m| {
                m.bounds().half_extents().norm_squared() / m.faces().len() as f64
            })
    };
    if size(x) <= size(y) {
        curved_side(x)
    } else {
        None
    }
}

/// Order in which `dispatch` knows pairs.
fn rank(shape: &Shape) -> u8 {
    match shape.form() {
        Form::Compound(_) => 0,
        Form::HalfSpace => 1,
        Form::Convex(_) => 2,
        Form::Mesh(_) => 3,
        Form::Sdf(_) => 4,
        Form::Custom(_) => 5,
    }
}

fn unsupported(a: &Shape, b: &Shape) -> CollisionError {
    CollisionError::UnsupportedPair {
        shape_a: a.name().to_owned(),
        kind_a: a.kind(),
        shape_b: b.name().to_owned(),
        kind_b: b.kind(),
    }
}

fn scratch_parts(
    scratch: &mut NarrowScratch,
) -> (&mut SeparationScratch, &mut manifold::ManifoldScratch) {
    (&mut scratch.separation, &mut scratch.manifold)
}
