//! Where the links of a rod are: straight, along points, along a curve.

use std::ops::Range;

use nalgebra::{Isometry3, Matrix3, Rotation3, Translation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::error::{RodError, positive, same_length};

/// Poses of links and the lengths of the joints between them.
///
/// A link stands at a point of the rod's axis; its third axis d3 is the tangent. Frames follow by
/// rotation-minimizing transport: from link to link they turn by the smallest rotation that takes one
/// tangent into the next, so that a curve by itself has no twist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RodShape {
    /// Centres and orientations of the links, world.
    pub poses: Vec<Isometry3<f64>>,
    /// Length of the rod between each link and the next, m.
    pub lengths: Vec<f64>,
}

impl RodShape {
    /// `links` links, evenly on the way from `start` to `end`, m.
    ///
    /// # Errors
    /// Fewer than two links; points that coincide or are not finite.
    pub fn straight(
        start: Vector3<f64>,
        end: Vector3<f64>,
        links: usize,
    ) -> Result<Self, RodError> {
        if links < 2 {
            return Err(RodError::TooFewLinks { links });
        }
        let share = |link: usize| link as f64 / (links - 1) as f64;
        let points: Vec<_> = (0..links)
            .map(|link| start + (end - start) * share(link))
            .collect();
        Self::along_points(&points)
    }

    /// One link at each point, m; joints are as long as points are apart.
    ///
    /// # Errors
    /// Fewer than two points; points that coincide, turn back or are not finite.
    pub fn along_points(points: &[Vector3<f64>]) -> Result<Self, RodError> {
        let tangents = tangents(points)?;
        let lengths = points.windows(2).map(|pair| (pair[1] - pair[0]).norm());
        let first = frame_of(&tangents[0]);
        Ok(Self {
            lengths: lengths.collect(),
            poses: transport(points, &tangents, first),
        })
    }

    /// `links` links at equal lengths along a curve, m, of a parameter in `range`; joints are as long
    /// as the curve between them.
    ///
    /// # Errors
    /// Fewer than two links; a curve that stands still, turns back or is not finite.
    pub fn along_curve(
        curve: impl Fn(f64) -> Vector3<f64>,
        range: Range<f64>,
        links: usize,
    ) -> Result<Self, RodError> {
        if links < 2 {
            return Err(RodError::TooFewLinks { links });
        }
        // Length as a function of the parameter, measured along a fine polygon; its error falls with
        // the square of this number.
        const SAMPLES_PER_JOINT: usize = 200;
        let samples = SAMPLES_PER_JOINT * (links - 1);
        let parameter = |at: usize| {
            let share = at as f64 / samples as f64;
            range.start * (1.0 - share) + range.end * share
        };
        let mut along = vec![0.0; samples + 1];
        let mut last = curve(parameter(0));
        for at in 1..=samples {
            let next = curve(parameter(at));
            along[at] = along[at - 1] + (next - last).norm();
            last = next;
        }
        let total = along[samples];
        positive("the length of the curve, m", total)?;
        let spacing = total / (links - 1) as f64;
        let points = (0..links).map(|link| {
            let wanted = spacing * link as f64;
            let after = along.partition_point(|&length| length < wanted);
            let after = after.clamp(1, samples);
            let step = along[after] - along[after - 1];
            let share = match step > 0.0 {
                true => ((wanted - along[after - 1]) / step).clamp(0.0, 1.0),
                false => 0.0,
            };
            let [low, high] = [parameter(after - 1), parameter(after)];
            curve(low + share * (high - low))
        });
        let points: Vec<_> = points.collect();
        let mut shape = Self::along_points(&points)?;
        shape.lengths.fill(spacing);
        Ok(shape)
    }

    /// The same shape with all links turned about their tangents, so that d1 of the first link lies
    /// as near to `normal` as it can.
    ///
    /// # Errors
    /// A normal that is not finite or lies along the first tangent.
    pub fn with_normal(mut self, normal: Vector3<f64>) -> Result<Self, RodError> {
        let Some(first) = self.poses.first() else {
            return Ok(self);
        };
        let local = first.rotation.inverse() * normal;
        let across = local.x.hypot(local.y);
        if !(across > 1e-9 * local.norm()) || !across.is_finite() {
            return Err(RodError::BadVector {
                what: "the normal of the first link, across its tangent,",
                value: normal.into(),
                nonzero: true,
            });
        }
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), local.y.atan2(local.x));
        for pose in &mut self.poses {
            pose.rotation *= turn;
        }
        Ok(self)
    }

    /// The same shape with its links turned about their tangents by `rate` rad per metre, from zero at
    /// the first link on.
    #[must_use]
    pub fn twisted(mut self, rate: f64) -> Self {
        let mut along = 0.0;
        for (link, pose) in self.poses.iter_mut().enumerate() {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), rate * along);
            pose.rotation *= turn;
            along += self.lengths.get(link).copied().unwrap_or(0.0);
        }
        self
    }

    /// Length of the rod, m.
    pub fn length(&self) -> f64 {
        self.lengths.iter().sum()
    }

    pub(super) fn check(&self) -> Result<(), RodError> {
        let links = self.poses.len();
        if links < 2 {
            return Err(RodError::TooFewLinks { links });
        }
        same_length("lengths of joints", links - 1, self.lengths.len())?;
        check_poses(&self.poses)?;
        self.lengths
            .iter()
            .try_for_each(|&length| positive("the length of a joint, m", length))
    }
}

/// Whether poses are finite.
pub(super) fn check_poses(poses: &[Isometry3<f64>]) -> Result<(), RodError> {
    for (link, pose) in poses.iter().enumerate() {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let what = match (
            finite(pose.translation.vector.as_slice()),
            finite(pose.rotation.coords.as_slice()),
        ) {
            (true, true) => continue,
            (false, _) => "the position",
            (true, false) => "the orientation",
        };
        return Err(RodError::LinkNotFinite { what, link });
    }
    Ok(())
}

/// Unit tangents at points: half-way between the neighbouring segments. At an end the neighbour's
/// tangent is mirrored at the segment, which is exact for straight lines and circles.
fn tangents(points: &[Vector3<f64>]) -> Result<Vec<Vector3<f64>>, RodError> {
    let links = points.len();
    if links < 2 {
        return Err(RodError::TooFewLinks { links });
    }
    let finite = |point: &&Vector3<f64>| !point.iter().all(|value| value.is_finite());
    if let Some(link) = points.iter().position(|point| finite(&point)) {
        let what = "the position";
        return Err(RodError::LinkNotFinite { what, link });
    }
    let mut segments = Vec::with_capacity(links - 1);
    for first in 0..links - 1 {
        let apart = points[first + 1] - points[first];
        let segment = apart.try_normalize(0.0);
        segments.push(segment.ok_or(RodError::PointsCoincide { first })?);
    }
    let mut tangents = vec![segments[0]; links];
    for point in 1..links - 1 {
        let sum: Vector3<f64> = segments[point - 1] + segments[point];
        let tangent = sum.try_normalize(1e-6);
        tangents[point] = tangent.ok_or(RodError::NoTangent { point })?;
    }
    if links > 2 {
        let mirrored = |segment: &Vector3<f64>, tangent: &Vector3<f64>| {
            (segment * (2.0 * segment.dot(tangent)) - tangent).normalize()
        };
        tangents[0] = mirrored(&segments[0], &tangents[1]);
        tangents[links - 1] = mirrored(&segments[links - 2], &tangents[links - 2]);
    }
    Ok(tangents)
}

/// Some orientation whose third axis is the tangent.
fn frame_of(tangent: &Vector3<f64>) -> UnitQuaternion<f64> {
    // The axis of the world that lies most across.
    let across = match tangent.iamin() {
        0 => Vector3::x(),
        1 => Vector3::y(),
        _ => Vector3::z(),
    };
    let first = (across - tangent * tangent.dot(&across)).normalize();
    let axes = Matrix3::from_columns(&[first, tangent.cross(&first), *tangent]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// Poses at points, the first with this orientation.
fn transport(
    points: &[Vector3<f64>],
    tangents: &[Vector3<f64>],
    first: UnitQuaternion<f64>,
) -> Vec<Isometry3<f64>> {
    let mut rotation = first;
    let mut poses = Vec::with_capacity(points.len());
    for (point, tangent) in points.iter().zip(tangents) {
        let last = rotation * Vector3::z();
        // Neighbouring tangents are never opposite: each lies within a right angle of the segment.
        let least = UnitQuaternion::rotation_between(&last, tangent);
        rotation = least.unwrap_or_default() * rotation;
        rotation.renormalize();
        poses.push(Isometry3::from_parts(Translation3::from(*point), rotation));
    }
    poses
}
