//! The half-space z ≤ 0 (first) against everything else.

use nalgebra::{Isometry3, Point3, Vector3};

use super::manifold::ManifoldScratch;
use crate::contact::ShapeContact;
use crate::sdf::Sdf;
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

/// Vertices within the margin; with the true surface known, the lowest one is slid to the deepest
/// point of that surface, which a mesh of a curved solid only approximates.
pub(super) fn against_mesh(
    mesh: &TriangleMesh,
    surface: Option<&dyn Sdf>,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) {
    let start = out.len();
    let up = pose.rotation.inverse() * Vector3::z();
    let height = |p: &Point3<f64>| up.dot(&p.coords) + pose.translation.vector.z;
    let contact = |feature: u64, p: &Point3<f64>| {
        let q = pose * p;
        ShapeContact {
            feature,
            point: Point3::new(q.x, q.y, 0.5 * q.z),
            normal: Vector3::z(),
            gap: q.z,
        }
    };
    mesh.bvh().visit(
        |_, center, radius| height(center) - radius <= margin,
        |face| {
            for v in mesh.faces()[face] {
                let p = &mesh.vertices()[v as usize];
                if height(p) <= margin {
                    out.push(contact(u64::from(v), p));
                }
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
    let lowest = (start..out.len()).min_by(|&i, &j| out[i].gap.total_cmp(&out[j].gap));
    if let (Some(sdf), Some(i)) = (surface, lowest) {
        let from = mesh.vertices()[out[i].feature as usize];
        let deepest = contact(out[i].feature, &slide_down(sdf, from, &up));
        if deepest.gap < out[i].gap {
            out[i] = deepest;
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
