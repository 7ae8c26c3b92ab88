//! Where else a ball may touch a shape with grooves, beside where it is nearest: the other flank of a thread,
//! the other wall of a corner.
//!
//! A foot is a point of the surface whose distance from the ball's middle is smallest nearby. Those on other
//! sides than the nearest one are looked for from points around the middle: to the surface, then along it as
//! long as the distance shrinks.

use nalgebra::{Point3, Vector3};

use crate::sdf::SdfSample;
use crate::shape::{Form, Shape};

/// Directions in the shape's frame in which it is looked, both ways.
const AXES: [Vector3<f64>; 3] = [
    Vector3::new(1.0, 0.0, 0.0),
    Vector3::new(0.0, 1.0, 0.0),
    Vector3::new(0.0, 0.0, 1.0),
];
const STEPS: usize = 10;
/// Shortest share of a step along the surface.
const SHORTEST: f64 = 0.1;
/// A foot is found when what is left to go along the surface is this share of the distance.
const CLOSE: f64 = 1e-3;
/// Cosine beyond which two normals push alike.
const ALIKE: f64 = 0.9;
/// Most feet of one ball, the nearest one with them.
const MOST: usize = 4;

/// Size below which a shape may have grooves, m; `None` where it is convex and has none.
pub(super) fn groove_size(shape: &Shape) -> Option<f64> {
    match shape.form() {
        Form::Convex(_) | Form::HalfSpace | Form::Custom(_) => None,
        Form::Sdf(solid) => Some(solid.sdf.feature_size()),
        Form::Mesh(_) | Form::Compound(_) => Some(f64::INFINITY),
    }
}

/// Calls `found` for each foot of `p` within `reach` that pushes another way than `nearest` and those before it,
/// with a number that tells where it was looked for. All in the shape's frame.
pub(super) fn other_feet(
    shape: &Shape,
    (p, nearest): (&Point3<f64>, &SdfSample),
    (groove, reach): (f64, f64),
    mut found: impl FnMut(u64, &SdfSample),
) {
    if nearest.value <= 0.0 {
        return;
    }
    let mut normals = [nearest.gradient; MOST];
    let mut count = 1;
    let step = groove.min(reach);
    let directions = AXES.iter().flat_map(|axis| [*axis, -axis]);
    for (number, direction) in (0..).zip(directions) {
        let Some(foot) = descend(shape, p, p + direction * step) else {
            continue;
        };
        let away = p - foot;
        let distance = away.norm();
        // Farther than the nearest, or it is that one again.
        if !(distance <= reach && distance > nearest.value) || count == MOST {
            continue;
        }
        let normal = away / distance;
        let is_new = normals[..count].iter().all(|one| one.dot(&normal) < ALIKE);
        if is_new && is_in_sight(shape, &foot, &away) {
            normals[count] = normal;
            count += 1;
            let sample = SdfSample {
                value: distance,
                gradient: normal,
            };
            found(number, &sample);
        }
    }
}

/// From `start` to the surface, and along it as long as it comes nearer to `p`.
fn descend(shape: &Shape, p: &Point3<f64>, start: Point3<f64>) -> Option<Point3<f64>> {
    let (mut foot, mut normal) = foot_of(shape, &start)?;
    for _ in 0..STEPS {
        let away = p - foot;
        let aside = away - normal * away.dot(&normal);
        if aside.norm() <= CLOSE * away.norm() {
            break;
        }
        let mut share = 1.0;
        let nearer = loop {
            let next = foot_of(shape, &(foot + aside * share))?;
            if (p - next.0).norm() < (1.0 - 1e-6) * away.norm() {
                break Some(next);
            }
            share *= 0.5;
            if share < SHORTEST {
                break None;
            }
        };
        let Some(next) = nearer else { break };
        (foot, normal) = next;
    }
    Some(foot)
}

/// The surface point under a point, and the normal there.
fn foot_of(shape: &Shape, at: &Point3<f64>) -> Option<(Point3<f64>, Vector3<f64>)> {
    let sample = shape.signed_distance(at)?;
    Some((at - sample.gradient * sample.value, sample.gradient))
}

/// Whether nothing of the shape is between a foot and what it is the foot of.
fn is_in_sight(shape: &Shape, foot: &Point3<f64>, away: &Vector3<f64>) -> bool {
    [0.25, 0.5, 0.75].iter().all(|share| {
        let sample = shape.signed_distance(&(foot + away * *share));
        sample.is_some_and(|sample| sample.value > 0.0)
    })
}
