//! Capsules: the exact distance of the other shape, minimised along the capsule's segment. The
//! distance to a convex set is convex along a line, so the root of its slope is exact.

use nalgebra::{Isometry3, Point3, Vector3};

use super::root::increasing_root;
use crate::contact::ShapeContact;
use crate::sdf::SdfSample;
use crate::shape::Convex;

/// Points whose distance is within this fraction of the radius of the smallest one span the contact.
const FLAT: f64 = 0.01;
/// The contact counts as a line if those points cover this fraction of the segment.
const LINE: f64 = 0.2;

/// Capsule (first) against a convex shape. False, and nothing done, if the segment itself touches the
/// other's core: then the way out is not that of the segment's deepest point.
pub(super) fn capsule_against_convex(
    half_length: f64,
    radius: f64,
    other: &Convex,
    pose: &Isometry3<f64>,
    margin: f64,
    out: &mut Vec<ShapeContact>,
) -> bool {
    // in the other's frame, where its distance is
    let middle = pose.inverse_transform_point(&Point3::origin());
    let half = pose.rotation.inverse() * Vector3::z() * half_length;
    let sample = |t: f64| {
        let s = other.core.signed_distance(&(middle + half * t));
        SdfSample {
            value: s.value - other.radius - radius,
            gradient: s.gradient,
        }
    };
    let Some(lowest) = lowest_below(margin, |t| {
        let s = sample(t);
        (s.value, s.gradient.dot(&half))
    }) else {
        return true;
    };
    let best = sample(lowest);
    if best.value > margin {
        return true;
    }
    if best.value + other.radius + radius < 1e-9 * radius {
        return false;
    }
    let mut emit = |feature: u64, t: f64| {
        let s = sample(t);
        if s.value <= margin {
            let normal = -(pose.rotation * s.gradient);
            let center = Vector3::z() * (t * half_length);
            out.push(ShapeContact {
                feature,
                point: Point3::from(center + normal * (radius + 0.5 * s.value)),
                normal,
                gap: s.value,
            });
        }
    };
    // the part of the segment that is nearly as close
    let level = best.value + FLAT * radius;
    let below = |t: f64| level - sample(t).value;
    let above = |t: f64| sample(t).value - level;
    let low = increasing_root((-1.0, below(-1.0)), (lowest, FLAT * radius), below);
    let high = increasing_root((lowest, -FLAT * radius), (1.0, above(1.0)), above);
    if high - low < 2.0 * LINE {
        emit(0, lowest);
        return true;
    }
    emit(1, low);
    emit(2, high);
    let ends = sample(low).value.min(sample(high).value);
    if best.value < ends - 0.1 * FLAT * radius {
        emit(0, lowest);
    }
    true
}

/// Where in [−1, 1] a convex function, given with its slope, is smallest; `None` as soon as its
/// tangents show that it is above `limit` everywhere.
fn lowest_below(limit: f64, at: impl Fn(f64) -> (f64, f64)) -> Option<f64> {
    // Most pairs of shapes are apart, and the middle shows it.
    let (value, slope) = at(0.0);
    if value - slope.abs() > limit {
        return None;
    }
    let lowest = match slope > 0.0 {
        true => increasing_root((-1.0, at(-1.0).1), (0.0, slope), |t| at(t).1),
        false => increasing_root((0.0, slope), (1.0, at(1.0).1), |t| at(t).1),
    };
    Some(lowest)
}
