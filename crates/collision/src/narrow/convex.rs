//! Convex against convex.

use nalgebra::{Isometry3, Point3, Vector3};

use super::line;
use super::manifold::{self, ManifoldScratch};
use super::separation::{SeparationScratch, separation};
use crate::contact::ShapeContact;
use crate::shape::{Convex, Core};

/// Contacts of two convex shapes in the frame of `a`.
pub(super) fn contacts(
    a: &Convex,
    b: &Convex,
    pose_ab: &Isometry3<f64>,
    margin: f64,
    scratch: (&mut SeparationScratch, &mut ManifoldScratch),
    out: &mut Vec<ShapeContact>,
) {
    match (&a.core, &b.core) {
        // point and segment cores: the other's exact distance decides, whatever the depth
        (Core::Point, Core::Point) => two_spheres(a, b, pose_ab, margin, out),
        (Core::Point, _) => sphere(a.radius, b, pose_ab, margin, out),
        (_, Core::Point) => {
            let start = out.len();
            sphere(b.radius, a, &pose_ab.inverse(), margin, out);
            flip(&mut out[start..], pose_ab);
        }
        (Core::Segment { half_length }, _)
            if line::capsule_against_convex(*half_length, a.radius, b, pose_ab, margin, out) => {}
        (_, Core::Segment { half_length }) if !matches!(a.core, Core::Segment { .. }) => {
            let start = out.len();
            let pose_ba = pose_ab.inverse();
            if line::capsule_against_convex(*half_length, b.radius, a, &pose_ba, margin, out) {
                flip(&mut out[start..], pose_ab);
            } else {
                by_axis(a, b, pose_ab, margin, scratch, out);
            }
        }
        _ => by_axis(a, b, pose_ab, margin, scratch, out),
    }
}

/// The general case: axis of largest separation, then the manifold across it.
fn by_axis(
    a: &Convex,
    b: &Convex,
    pose_ab: &Isometry3<f64>,
    margin: f64,
    (separate, clip): (&mut SeparationScratch, &mut ManifoldScratch),
    out: &mut Vec<ShapeContact>,
) {
    let limit = margin + a.radius + b.radius;
    if let Some(axis) = separation(a, b, pose_ab, limit, separate) {
        manifold::build(a, b, pose_ab, &axis, margin, clip, out);
    }
}

/// Turns contacts found with the shapes exchanged (frame of b) into the frame of a.
fn flip(contacts: &mut [ShapeContact], pose_ab: &Isometry3<f64>) {
    for contact in contacts {
        contact.point = pose_ab * contact.point;
        contact.normal = -(pose_ab.rotation * contact.normal);
    }
}

fn two_spheres(
    a: &Convex,
    b: &Convex,
    pose_ab: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) {
    let centers = pose_ab.translation.vector;
    let distance = centers.norm();
    let gap = distance - a.radius - b.radius;
    if gap <= margin {
        let normal = if distance > 1e-150 {
            centers / distance
        } else {
            Vector3::z()
        };
        out.push(ShapeContact {
            feature: 0,
            point: Point3::from(normal * (a.radius + 0.5 * gap)),
            normal,
            gap,
        });
    }
}

/// Sphere (first) against any convex shape.
fn sphere(
    radius: f64,
    other: &Convex,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) {
    let center = pose.inverse_transform_point(&Point3::origin());
    let s = other.core.signed_distance(&center);
    let gap = s.value - other.radius - radius;
    if gap <= margin {
        let normal = -(pose.rotation * s.gradient);
        out.push(ShapeContact {
            feature: 0,
            point: Point3::from(normal * (radius + 0.5 * gap)),
            normal,
            gap,
        });
    }
}
