//! The half-space z ≤ 0 (first) against everything else.

use nalgebra::{Isometry3, Point3, Vector3};

use super::choice::Choices;
use super::manifold::ManifoldScratch;
use super::placement::Placement;
use super::{NarrowSettings, Remembered};
use crate::aabb::Aabb;
use crate::contact::ShapeContact;
use crate::sdf::{HalfSpaceSdf, Sdf};
use crate::shape::{Convex, TriangleMesh};

/// Feature name of the deepest point of a curved shape.
const DEEPEST: u64 = u64::MAX;

/// Corners of the feature facing the plane, and the deepest point if that is none of them.
pub(super) fn against_convex(
    convex: &Convex,
    pose: &Isometry3<f64>,
    margin: f64,
    scratch: &mut ManifoldScratch,
    out: &mut Vec<ShapeContact>,
) {
    let down = pose.rotation.inverse() * -Vector3::z();
    let lowest = convex.core.support(&down);
    let mut emit = |feature: u64, p: Vector3<f64>| -> f64 {
        let p = pose * Point3::from(p);
        let gap = p.z - convex.radius;
        if gap <= margin {
            out.push(ShapeContact {
                feature,
                point: Point3::new(p.x, p.y, 0.5 * gap),
                normal: Vector3::z(),
                gap,
            });
        }
        gap
    };
    let feature = &mut scratch.a;
    convex.core.feature(&down, feature);
    let mut closest = f64::INFINITY;
    for i in 0..feature.n {
        closest = closest.min(emit(u64::from(feature.ids[i]), feature.points[i]));
    }
    let deepest = (pose * Point3::from(lowest)).z - convex.radius;
    let size = lowest.norm().max(convex.radius);
    if deepest < closest - 1e-9 * size {
        emit(DEEPEST, lowest);
    }
}

/// What was looked at of a solid that is no part of a compound.
#[derive(Debug, Default)]
pub(super) enum FloorLook {
    /// Not such a pair.
    #[default]
    None,
    /// Chosen vertices, and how many others there were.
    AtChosen(usize),
    /// All vertices: the pair is to be remembered by what is kept of them.
    AtAll(Floor),
}

impl FloorLook {
    /// How many contacts were not looked at because they had not been chosen.
    pub(super) fn n_dropped(&self) -> usize {
        match self {
            Self::AtChosen(n_dropped) => *n_dropped,
            _ => 0,
        }
    }
}

/// Vertices above a half-space.
#[derive(Debug)]
pub(super) struct Floor {
    bounds: Aabb,
    n_vertices: usize,
    /// Of the mesh in the frame of the half-space.
    pose: Isometry3<f64>,
}

impl Floor {
    fn placement(&self) -> Placement<'_> {
        Placement {
            sdf: &HalfSpaceSdf,
            bounds: self.bounds,
            pose: self.pose,
        }
    }

    /// Notes which vertices were kept.
    pub(super) fn note(
        &self,
        settings: &NarrowSettings,
        kept: &[ShapeContact],
        n_dropped: usize,
        choices: &mut Choices,
    ) {
        let chosen = kept.iter().map(|c| (c.feature as u32, c.gap));
        let now = self.placement();
        choices.note(0, &now, self.n_vertices, settings, chosen, n_dropped);
    }
}

/// Vertices of a mesh within the margin; the lowest one is slid to the deepest point of the true
/// surface, which a mesh of a curved solid only approximates. While the pair has hardly moved since
/// its contacts were chosen, only the chosen vertices are looked at.
pub(super) fn against_sdf(
    (mesh, sdf): (&TriangleMesh, &dyn Sdf),
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    remembered: &Remembered<'_>,
    look: &mut FloorLook,
    out: &mut Vec<ShapeContact>,
) {
    let start = out.len();
    let lay = Lay::new(pose);
    if let (0, Some((choices, _))) = (remembered.path, &remembered.many) {
        let floor = Floor {
            bounds: mesh.bounds(),
            n_vertices: mesh.vertices().len(),
            pose: *pose,
        };
        let now = floor.placement();
        if let Some(choice) = choices.good(0, &now, floor.n_vertices, settings) {
            let margin = choice.margin(settings);
            for &v in choice.faces() {
                lay.look_at(mesh, v, margin, out);
            }
            if choice.is_served_by(out.len() - start) {
                *look = FloorLook::AtChosen(choice.n_dropped);
                lay.slide_lowest(mesh, sdf, &mut out[start..]);
                return;
            }
            out.truncate(start);
        }
        *look = FloorLook::AtAll(floor);
    }
    against_mesh(mesh, pose, settings.margin, out);
    lay.slide_lowest(mesh, sdf, &mut out[start..]);
}

/// Vertices within the margin.
pub(super) fn against_mesh(
    mesh: &TriangleMesh,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) {
    let start = out.len();
    let lay = Lay::new(pose);
    mesh.bvh().visit(
        |_, center, radius| lay.height(center) - radius <= margin,
        |face| {
            for v in mesh.faces()[face] {
                lay.look_at(mesh, v, margin, out);
            }
        },
    );
    out[start..].sort_unstable_by_key(|c| c.feature);
    let mut kept = start;
    for i in start..out.len() {
        if i == start || out[i].feature != out[kept - 1].feature {
            out[kept] = out[i];
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// How a mesh lies above the half-space.
struct Lay<'a> {
    pose: &'a Isometry3<f64>,
    /// Normal of the half-space in the frame of the mesh.
    up: Vector3<f64>,
}

impl<'a> Lay<'a> {
    fn new(pose: &'a Isometry3<f64>) -> Self {
        let up = pose.rotation.inverse() * Vector3::z();
        Self { pose, up }
    }

    fn height(&self, p: &Point3<f64>) -> f64 {
        self.up.dot(&p.coords) + self.pose.translation.vector.z
    }

    fn contact(&self, feature: u64, p: &Point3<f64>) -> ShapeContact {
        let q = self.pose * p;
        ShapeContact {
            feature,
            point: Point3::new(q.x, q.y, 0.5 * q.z),
            normal: Vector3::z(),
            gap: q.z,
        }
    }

    fn look_at(&self, mesh: &TriangleMesh, v: u32, margin: f64, out: &mut Vec<ShapeContact>) {
        let p = &mesh.vertices()[v as usize];
        if self.height(p) <= margin {
            out.push(self.contact(u64::from(v), p));
        }
    }

    /// Slides the lowest of the contacts down the surface.
    fn slide_lowest(&self, mesh: &TriangleMesh, sdf: &dyn Sdf, contacts: &mut [ShapeContact]) {
        let lowest = contacts.iter_mut().min_by(|a, b| a.gap.total_cmp(&b.gap));
        if let Some(lowest) = lowest {
            let from = mesh.vertices()[lowest.feature as usize];
            let deepest = self.contact(lowest.feature, &slide_down(sdf, from, &self.up));
            if deepest.gap < lowest.gap {
                *lowest = deepest;
            }
        }
    }
}

/// Descends along the surface φ = 0 against `up` by tangential steps with backtracking.
fn slide_down(sdf: &dyn Sdf, from: Point3<f64>, up: &Vector3<f64>) -> Point3<f64> {
    let mut p = from;
    let mut step = 0.1 * sdf.feature_size().min(1.0);
    for _ in 0..40 {
        let n = sdf.sample(&p).normal_or(-up);
        let tangent = up - n * n.dot(up);
        if tangent.norm() < 1e-9 {
            break;
        }
        let mut q = p - tangent * step;
        for _ in 0..3 {
            let s = sdf.sample(&q);
            q -= s.gradient * (s.value / s.gradient.norm_squared().max(1e-12));
        }
        if up.dot(&q.coords) < up.dot(&p.coords) && sdf.value(&q).abs() < 1e-9 {
            p = q;
            step *= 1.5;
        } else {
            step *= 0.3;
        }
    }
    p
}
