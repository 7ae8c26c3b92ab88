//! Joints between any two frames, springs, and rolling: rows beside the kinematic trees.

use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_constraints::{Law, ProblemError};

use crate::averaged::origin_of;
use crate::contact::tangents;
use crate::places::Places;
use crate::scheme::Scheme;
use crate::site::Site;
use crate::stabilization::{equality_error, soft_coefficients};
use crate::writer::RowWriter;

/// How two bodies are connected. "A" and "B" are the anchor frames on the two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ConnectionKind {
    /// The origins of A and B coincide.
    Ball,
    /// The origins coincide and so do the z axes.
    Hinge,
    /// The frames coincide.
    Weld,
    /// The origins stay at a distance, m.
    Distance {
        /// The distance, m.
        length: f64,
    },
    /// A spring with a damper between the origins.
    Spring {
        /// N/m.
        stiffness: f64,
        /// N·s/m.
        damping: f64,
        /// Length without force, m.
        rest_length: f64,
    },
    /// A wheel or ball of body B, centred at B, rolls without slipping on the plane z = 0 of A.
    Rolling {
        /// Radius, m.
        radius: f64,
    },
    /// The origin of B does not move along the y axis of B, seen from the first body: a wheel or a
    /// skate that does not slip sideways.
    NoSideSlip,
}

impl ConnectionKind {
    /// Whether it holds positions; springs, rolling and skates do not.
    pub fn holds_positions(&self) -> bool {
        match self {
            ConnectionKind::Ball
            | ConnectionKind::Hinge
            | ConnectionKind::Weld
            | ConnectionKind::Distance { .. } => true,
            ConnectionKind::Spring { .. }
            | ConnectionKind::Rolling { .. }
            | ConnectionKind::NoSideSlip => false,
        }
    }

    /// Whether it is a spring.
    pub fn is_spring(&self) -> bool {
        matches!(self, ConnectionKind::Spring { .. })
    }

    /// Rows of each of the connection's constraints.
    pub fn parts(&self) -> &'static [usize] {
        match self {
            ConnectionKind::Ball => &[3],
            ConnectionKind::Hinge => &[3, 2],
            ConnectionKind::Weld => &[3, 3],
            ConnectionKind::Distance { .. }
            | ConnectionKind::Spring { .. }
            | ConnectionKind::NoSideSlip => &[1],
            ConnectionKind::Rolling { .. } => &[2],
        }
    }
}

/// A connection of two frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Connector {
    /// How they are connected.
    pub kind: ConnectionKind,
    /// The two frames.
    pub frames: [u32; 2],
    /// Anchors A and B, each in the frame that it is on.
    pub anchors: [Isometry3<f64>; 2],
}

/// What is known of a connection's rows once they are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConnectionRows {
    /// Directions that the rows measure, world axes.
    pub frame: [Vector3<f64>; 3],
    /// Part of J v̂ that driven frames contribute, m/s or rad/s.
    pub driven: [f64; 3],
}

/// How far a connection is from being closed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Opening {
    /// Between the two points, or from the length that it should have, m.
    pub distance: f64,
    /// Between the axes of a hinge or the frames of a weld, rad.
    pub angle: f64,
}

/// What the rows of one constraint measure, and by how much it is violated.
struct Part {
    directions: [Vector3<f64>; 3],
    count: usize,
    measure: Measure,
    violation: [f64; 3],
}

/// Velocity of points of the two frames, or their angular velocity.
#[derive(Clone, Copy)]
enum Measure {
    Points([Point3<f64>; 2]),
    Spin,
}

impl Connector {
    /// World poses of the anchors.
    pub fn world_anchors(&self, poses: &[Isometry3<f64>]) -> [Isometry3<f64>; 2] {
        [0, 1].map(|end| poses[self.frames[end] as usize] * self.anchors[end])
    }

    /// How far the connection is from being closed; `None` for one that does not
    /// [hold positions](ConnectionKind::holds_positions).
    pub fn opening(&self, poses: &[Isometry3<f64>]) -> Option<Opening> {
        let [a, b] = self.world_anchors(poses);
        let apart = (b.translation.vector - a.translation.vector).norm();
        let closed = |angle: f64| {
            Some(Opening {
                distance: apart,
                angle,
            })
        };
        match self.kind {
            ConnectionKind::Ball => closed(0.0),
            ConnectionKind::Hinge => {
                let [a, b] = [a, b].map(|anchor| anchor.rotation * Vector3::z());
                closed(a.cross(&b).norm().atan2(a.dot(&b)))
            }
            ConnectionKind::Weld => closed(a.rotation.angle_to(&b.rotation)),
            ConnectionKind::Distance { length } => Some(Opening {
                distance: (apart - length).abs(),
                angle: 0.0,
            }),
            ConnectionKind::Spring { .. }
            | ConnectionKind::Rolling { .. }
            | ConnectionKind::NoSideSlip => None,
        }
    }

    /// Energy stored in a spring, J.
    pub fn energy(&self, poses: &[Isometry3<f64>]) -> f64 {
        let ConnectionKind::Spring {
            stiffness,
            rest_length,
            ..
        } = self.kind
        else {
            return 0.0;
        };
        let [a, b] = self.world_anchors(poses);
        let stretch = (b.translation.vector - a.translation.vector).norm() - rest_length;
        0.5 * stiffness * stretch * stretch
    }

    /// Calls `visit` with every subsystem that moves one of the two frames.
    pub fn touches(&self, places: &Places, mut visit: impl FnMut(usize)) {
        for frame in self.frames {
            if let Some(subsystem) = places.frames.motion[frame as usize].subsystem() {
                visit(subsystem);
            }
        }
    }

    /// Directions of the rows of one of its parts in the first pass of a step, world axes.
    pub fn directions(&self, part: usize, places: &Places) -> [Vector3<f64>; 3] {
        self.part(part, places).directions
    }

    /// Writes one of the connection's [parts](ConnectionKind::parts): motion of the second frame minus
    /// that of the first.
    ///
    /// # Errors
    /// Numbers that make no constraint.
    pub fn write(
        &self,
        part: usize,
        scheme: &Scheme,
        mut row: RowWriter<'_>,
    ) -> Result<ConnectionRows, ProblemError> {
        let places = row.places();
        let part = match places.advance > 0.0 {
            false => self.part(part, places),
            true => self.averaged_part(part, places, scheme.dt),
        };
        let directions = &part.directions[..part.count];
        for (end, sign) in [(0, -1.0), (1, 1.0)] {
            let frame = self.frames[end];
            match part.measure {
                Measure::Points(points) => {
                    let at = points[end];
                    row.point(&Site::Frame { frame, at }, sign, directions);
                }
                Measure::Spin => row.spin(frame, sign, directions),
            }
        }
        let written = ConnectionRows {
            frame: part.directions,
            driven: [row.driven[0], row.driven[1], row.driven[2]],
        };
        if let ConnectionKind::Spring {
            stiffness, damping, ..
        } = self.kind
        {
            // The midpoint rule takes the mean of the lengths at both ends of the step.
            let weight = if scheme.is_midpoint() { 0.5 } else { 1.0 };
            let soft = soft_coefficients(stiffness, damping, scheme.dt, weight);
            // λ = −k φ − c (z + driven), with everything known in e and a stiffness of 1.
            let error = soft.stiffness * part.violation[0] + soft.damping * row.driven[0];
            let law = Law::Soft {
                stiffness: 1.0,
                damping: soft.damping,
            };
            row.finish(law, &[error])?;
            return Ok(written);
        }
        let beside = self.beside(&part, places);
        let mut error = [0.0; 3];
        for at in 0..part.count {
            let stabilized = equality_error(part.violation[at], scheme.dt, scheme.baumgarte);
            error[at] = row.driven[at] + stabilized + part.directions[at].dot(&beside);
        }
        row.finish(Law::Equality, &error[..part.count])?;
        Ok(written)
    }

    /// Rows of a later pass: arms and axes averaged over the step, violations of its start.
    fn averaged_part(&self, part: usize, places: &Places, dt: f64) -> Part {
        let points = [0, 1].map(|end| {
            places.point_over_step(self.frames[end], &origin_of(&self.anchors[end]), dt)
        });
        let apart = points[1].start - points[0].start;
        let at = points.map(|point| point.at);
        let axis = |end: usize, local: &Vector3<f64>| {
            let local = self.anchors[end].rotation * local;
            places.axis_over_step(self.frames[end], &local, dt)
        };
        // g = a·b of two axes changes by h (ω̂_b − ω̂_a)·(b̄ × ā).
        let right_angle =
            |a: [Vector3<f64>; 2], b: [Vector3<f64>; 2]| (b[1].cross(&a[1]), a[0].dot(&b[0]));
        match self.kind {
            ConnectionKind::Hinge if part == 1 => {
                // The same directions as in the first pass, so that impulses are found again.
                let anchor = &self.anchors[0].rotation;
                let [start, _] = axis(0, &Vector3::z());
                let [t1, t2] = tangents(&start, None);
                let turned = self.start_rotation(0, places) * anchor;
                let fixed = |direction: &Vector3<f64>| axis(0, &(turned.inverse() * direction));
                let b = axis(1, &Vector3::z());
                let rows = [right_angle(fixed(&-t2), b), right_angle(fixed(&t1), b)];
                Part::new(
                    &rows.map(|row| row.0),
                    Measure::Spin,
                    [rows[0].1, rows[1].1, 0.0],
                )
            }
            ConnectionKind::Weld if part == 1 => {
                let [x, y, z] = axes();
                let rows =
                    [(z, y), (x, z), (y, x)].map(|(a, b)| right_angle(axis(0, &a), axis(1, &b)));
                Part::new(&rows.map(|row| row.0), Measure::Spin, rows.map(|row| row.1))
            }
            ConnectionKind::Ball | ConnectionKind::Hinge | ConnectionKind::Weld => {
                Part::new(&axes(), Measure::Points(at), apart.into())
            }
            ConnectionKind::Distance {
                length: rest_length,
            }
            | ConnectionKind::Spring { rest_length, .. } => {
                let velocity = |end: usize| {
                    let frame = self.frames[end];
                    let guess = &places.frames.guess[frame as usize];
                    guess.at(places.origin(frame), &at[end])
                };
                let end = apart + (velocity(1) - velocity(0)) * dt;
                // (x + x⁺)/(|x| + |x⁺|) is the direction along which the length changes exactly.
                let lengths = apart.norm() + end.norm();
                let direction = match lengths > 0.0 {
                    true => (apart + end) / lengths,
                    false => direction_of(&apart).0,
                };
                let violation = [apart.norm() - rest_length, 0.0, 0.0];
                Part::new(&[direction], Measure::Points(at), violation)
            }
            ConnectionKind::Rolling { .. } | ConnectionKind::NoSideSlip => self.part(part, places),
        }
    }

    /// What the two frames turn by beside v̂ adds to what the rows measure.
    fn beside(&self, part: &Part, places: &Places) -> Vector3<f64> {
        let of = |end: usize| {
            let frame = self.frames[end] as usize;
            let turn = &places.frames.beside[frame];
            match (part.measure, places.frames.motion[frame].subsystem()) {
                (Measure::Spin, _) => *turn,
                (Measure::Points(points), Some(subsystem)) => {
                    turn.cross(&(points[end].coords - places.references[subsystem]))
                }
                (Measure::Points(_), None) => Vector3::zeros(),
            }
        };
        of(1) - of(0)
    }

    /// Orientation of one of the frames at the start of the step.
    fn start_rotation(&self, end: usize, places: &Places) -> nalgebra::UnitQuaternion<f64> {
        let frame = self.frames[end] as usize;
        match places.frames.is_averaged[frame] {
            true => places.frames.start[frame].rotation,
            false => places.frames.pose[frame].rotation,
        }
    }

    fn part(&self, part: usize, places: &Places) -> Part {
        let [a, b] = self.world_anchors(&places.frames.pose);
        let points = [a, b].map(|anchor| Point3::from(anchor.translation.vector));
        let apart = points[1] - points[0];
        match self.kind {
            ConnectionKind::Hinge if part == 1 => {
                let axis = a.rotation * Vector3::z();
                let tilt = axis.cross(&(b.rotation * Vector3::z()));
                let across = tangents(&axis, None);
                let violation = [across[0].dot(&tilt), across[1].dot(&tilt), 0.0];
                Part::new(&across, Measure::Spin, violation)
            }
            ConnectionKind::Weld if part == 1 => {
                let turn = (b.rotation * a.rotation.inverse()).scaled_axis();
                Part::new(&axes(), Measure::Spin, turn.into())
            }
            ConnectionKind::Ball | ConnectionKind::Hinge | ConnectionKind::Weld => {
                Part::new(&axes(), Measure::Points(points), apart.into())
            }
            ConnectionKind::Distance {
                length: rest_length,
            }
            | ConnectionKind::Spring { rest_length, .. } => {
                let (direction, distance) = direction_of(&apart);
                let violation = [distance - rest_length, 0.0, 0.0];
                Part::new(&[direction], Measure::Points(points), violation)
            }
            ConnectionKind::Rolling { radius } => {
                let normal = a.rotation * Vector3::z();
                let point = points[1] - normal * radius;
                Part::new(
                    &tangents(&normal, None),
                    Measure::Points([point; 2]),
                    [0.0; 3],
                )
            }
            ConnectionKind::NoSideSlip => {
                let side = b.rotation * Vector3::y();
                Part::new(&[side], Measure::Points([points[1]; 2]), [0.0; 3])
            }
        }
    }
}

impl Part {
    fn new(directions: &[Vector3<f64>], measure: Measure, violation: [f64; 3]) -> Self {
        let mut padded = [Vector3::zeros(); 3];
        padded[..directions.len()].copy_from_slice(directions);
        Self {
            directions: padded,
            count: directions.len(),
            measure,
            violation,
        }
    }
}

fn axes() -> [Vector3<f64>; 3] {
    [Vector3::x(), Vector3::y(), Vector3::z()]
}

/// Unit vector and length; some direction for a length of zero.
fn direction_of(apart: &Vector3<f64>) -> (Vector3<f64>, f64) {
    let distance = apart.norm();
    if distance > 0.0 {
        (apart / distance, distance)
    } else {
        (Vector3::z(), 0.0)
    }
}
