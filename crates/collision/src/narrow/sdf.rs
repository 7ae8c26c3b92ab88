//! Spheres, capsules and corners (first) against a signed distance.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::contact::{ShapeContact, mix};
use crate::sdf::{Sdf, SdfSample};
use crate::shape::Convex;

/// Contact of a ball of `radius` around `center` (frame of the first shape).
fn ball_contact(
    feature: u64,
    center: Vector3<f64>,
    radius: f64,
    s: &SdfSample,
    pose: &Isometry3<f64>,
) -> ShapeContact {
    let gap = s.value - radius;
    let normal = -(pose.rotation * s.normal_or(Vector3::z()));
    ShapeContact {
        feature,
        point: Point3::from(center + normal * (radius + 0.5 * gap)),
        normal,
        gap,
    }
}

/// One contact per part of the solid within reach, so that a ball in a crease rests on both sides.
pub(super) fn sphere(
    radius: f64,
    sdf: &dyn Sdf,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) {
    let center = pose.inverse_transform_point(&Point3::origin());
    sdf.branches(&center, &mut |branch, s| {
        if s.value - radius <= margin {
            out.push(ball_contact(branch, Vector3::zeros(), radius, &s, pose));
        }
    });
}

/// Local minima of φ along the segment, and its ends.
pub(super) fn capsule(
    half_length: f64,
    radius: f64,
    sdf: &dyn Sdf,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) {
    let inverse = pose.inverse();
    let axis = inverse.rotation * Vector3::z();
    let middle = inverse * Point3::origin();
    let sample = |z: f64| sdf.sample(&(middle + axis * z));
    // pieces no longer than a feature, on each of which φ has one minimum
    let wanted = (2.0 * half_length / sdf.feature_size()).ceil();
    let pieces = (wanted as usize).clamp(2, 64);
    let at = |k: usize| -half_length + 2.0 * half_length * k as f64 / pieces as f64;
    let mut emit = |feature: u64, z: f64| {
        let s = sample(z);
        if s.value - radius <= margin {
            out.push(ball_contact(feature, Vector3::z() * z, radius, &s, pose));
        }
    };
    emit(0, -half_length);
    emit(1, half_length);
    for k in 0..pieces {
        let (mut low, mut high) = (at(k), at(k + 1));
        let slope = |z: f64| sample(z).gradient.dot(&axis);
        if !(slope(low) < 0.0 && slope(high) > 0.0) {
            continue;
        }
        for _ in 0..50 {
            let z = 0.5 * (low + high);
            if slope(z) < 0.0 {
                low = z;
            } else {
                high = z;
            }
        }
        emit(mix(2, k as u64), 0.5 * (low + high));
    }
}

/// Corners of a convex shape.
pub(super) fn key_points(
    convex: &Convex,
    sdf: &dyn Sdf,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) {
    convex.core.key_points(|id, p| {
        let s = sdf.sample(&pose.inverse_transform_point(&Point3::from(p)));
        if s.value - convex.radius <= margin {
            out.push(ball_contact(
                mix(u64::from(id), 0xc0de),
                p,
                convex.radius,
                &s,
                pose,
            ));
        }
    });
}
