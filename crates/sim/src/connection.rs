//! Joints between any two bodies, springs, and rolling: rows beside the kinematic trees.

use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_constraints::Law;
use stiction_constraints::stabilization::{equality_error, soft_coefficients};

use crate::body::{Body, BodyHandle};
use crate::error::{Result, SimError, finite_vector, not_negative, positive};
use crate::placement::{Pair, Placement, tangents};
use crate::rows::{BodyTerm, Key, RowBuffer};
use crate::settings::Settings;

/// A connection of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConnectionHandle(pub(crate) usize);

/// How two bodies are connected. "A" and "B" are the anchor frames on the two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
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

/// A connection of two bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Connection {
    /// Unique name.
    pub name: String,
    /// How they are connected.
    pub kind: ConnectionKind,
    /// First body.
    pub body_a: BodyHandle,
    /// Second body.
    pub body_b: BodyHandle,
    /// Anchor A in the first body's frame.
    pub frame_a: Isometry3<f64>,
    /// Anchor B in the second body's frame.
    pub frame_b: Isometry3<f64>,
    /// Whether the two bodies may touch each other.
    pub collide: bool,
}

impl Connection {
    /// A connection with both anchors at the bodies' origins.
    pub fn new(name: &str, kind: ConnectionKind, body_a: BodyHandle, body_b: BodyHandle) -> Self {
        let collide = !matches!(
            kind,
            ConnectionKind::Ball | ConnectionKind::Hinge | ConnectionKind::Weld
        );
        Self {
            name: name.to_owned(),
            kind,
            body_a,
            body_b,
            frame_a: Isometry3::identity(),
            frame_b: Isometry3::identity(),
            collide,
        }
    }

    /// Sets the anchors in the frames of the two bodies.
    #[must_use]
    pub fn anchored(mut self, frame_a: Isometry3<f64>, frame_b: Isometry3<f64>) -> Self {
        self.frame_a = frame_a;
        self.frame_b = frame_b;
        self
    }

    /// Refuses numbers that make no sense.
    pub(crate) fn validate(&self) -> Result<()> {
        let name = &self.name;
        for frame in [&self.frame_a, &self.frame_b] {
            let position = frame.translation.vector.iter();
            finite_vector(name, "anchor", position.chain(frame.rotation.coords.iter()))?;
        }
        if self.body_a == self.body_b {
            return Err(SimError::NotPossible {
                element: name.clone(),
                reason: "connects a body with itself".to_owned(),
            });
        }
        match self.kind {
            ConnectionKind::Ball
            | ConnectionKind::Hinge
            | ConnectionKind::Weld
            | ConnectionKind::NoSideSlip => Ok(()),
            ConnectionKind::Distance { length } => positive(name, "length", length),
            ConnectionKind::Rolling { radius } => positive(name, "radius", radius),
            ConnectionKind::Spring {
                stiffness,
                damping,
                rest_length,
            } => {
                not_negative(name, "stiffness", stiffness)?;
                not_negative(name, "damping", damping)?;
                not_negative(name, "rest_length", rest_length)?;
                positive(name, "stiffness + damping", stiffness + damping)
            }
        }
    }

    /// World poses of the anchors.
    pub(crate) fn anchors(&self, poses: &[Isometry3<f64>]) -> [Isometry3<f64>; 2] {
        [
            poses[self.body_a.0] * self.frame_a,
            poses[self.body_b.0] * self.frame_b,
        ]
    }

    /// Energy stored in a spring, J.
    pub(crate) fn energy(&self, poses: &[Isometry3<f64>]) -> f64 {
        let ConnectionKind::Spring {
            stiffness,
            rest_length,
            ..
        } = self.kind
        else {
            return 0.0;
        };
        let [a, b] = self.anchors(poses);
        let stretch = (b.translation.vector - a.translation.vector).norm() - rest_length;
        0.5 * stiffness * stretch * stretch
    }

    /// Adds the connection's rows.
    pub(crate) fn push_rows(
        &self,
        index: usize,
        placement: &Placement,
        bodies: &[Body],
        settings: &Settings,
        rows: &mut RowBuffer,
    ) {
        let [a, b] = self.anchors(&placement.poses);
        let (at_a, at_b) = (
            Point3::from(a.translation.vector),
            Point3::from(b.translation.vector),
        );
        let mut writer = Writer {
            pair: Pair {
                placement,
                bodies,
                first: self.body_a.0,
                second: self.body_b.0,
            },
            settings,
            rows,
            index,
            part: 0,
        };
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let apart = at_b - at_a;
        match self.kind {
            ConnectionKind::Ball => writer.linear([&at_a, &at_b], &axes, apart.into()),
            ConnectionKind::Hinge => {
                writer.linear([&at_a, &at_b], &axes, apart.into());
                let axis = a.rotation * Vector3::z();
                let tilt = axis.cross(&(b.rotation * Vector3::z()));
                let across = tangents(&axis, None);
                writer.angular(&across, [across[0].dot(&tilt), across[1].dot(&tilt), 0.0]);
            }
            ConnectionKind::Weld => {
                writer.linear([&at_a, &at_b], &axes, apart.into());
                let turn = (b.rotation * a.rotation.inverse()).scaled_axis();
                writer.angular(&axes, turn.into());
            }
            ConnectionKind::Distance { length } => {
                let (direction, distance) = direction_of(&apart);
                writer.linear([&at_a, &at_b], &[direction], [distance - length, 0.0, 0.0]);
            }
            ConnectionKind::Spring {
                stiffness,
                damping,
                rest_length,
            } => {
                let (direction, distance) = direction_of(&apart);
                writer.spring(
                    [&at_a, &at_b],
                    &direction,
                    [stiffness, damping],
                    distance - rest_length,
                );
            }
            ConnectionKind::Rolling { radius } => {
                let normal = a.rotation * Vector3::z();
                let point = at_b - normal * radius;
                writer.linear([&point, &point], &tangents(&normal, None), [0.0; 3]);
            }
            ConnectionKind::NoSideSlip => {
                let side = b.rotation * Vector3::y();
                writer.linear([&at_b, &at_b], &[side], [0.0; 3]);
            }
        }
    }
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

/// Writes the constraints of one connection, numbered by part.
struct Writer<'a> {
    pair: Pair<'a>,
    settings: &'a Settings,
    rows: &'a mut RowBuffer,
    index: usize,
    part: usize,
}

impl Writer<'_> {
    fn linear(
        &mut self,
        points: [&Point3<f64>; 2],
        directions: &[Vector3<f64>],
        violation: [f64; 3],
    ) {
        let motion = self.pair.linear(points, directions);
        self.equality(directions, &motion, violation);
    }

    fn angular(&mut self, directions: &[Vector3<f64>], violation: [f64; 3]) {
        let motion = self.pair.angular(directions);
        self.equality(directions, &motion, violation);
    }

    fn equality(
        &mut self,
        directions: &[Vector3<f64>],
        motion: &crate::placement::PairRows,
        violation: [f64; 3],
    ) {
        let count = directions.len();
        // A later pass sees the curvature that the first one missed, and takes all of it out.
        let share = if self.pair.placement.advance > 0.0 {
            1.0
        } else {
            self.settings.baumgarte
        };
        let mut error = [0.0; 3];
        for row in 0..count {
            let violation = violation[row] - self.pair.placement.advance * motion.guess[row];
            error[row] =
                motion.driven[row] + equality_error(violation, self.settings.time_step, share);
        }
        self.push(Law::Equality, directions, &error[..count], &motion.terms);
    }

    fn spring(
        &mut self,
        points: [&Point3<f64>; 2],
        direction: &Vector3<f64>,
        [stiffness, damping]: [f64; 2],
        stretch: f64,
    ) {
        let dt = self.settings.time_step;
        let motion = self.pair.linear(points, &[*direction]);
        let soft = soft_coefficients(stiffness, damping, dt, 1.0);
        // λ = −k φ − c (z + driven), with everything known in e and a stiffness of 1.
        let stretch = stretch - self.pair.placement.advance * motion.guess[0];
        let error = soft.stiffness * stretch + soft.damping * motion.driven[0];
        let law = Law::Soft {
            stiffness: 1.0,
            damping: soft.damping,
        };
        self.push(law, &[*direction], &[error], &motion.terms);
    }

    fn push(
        &mut self,
        law: Law,
        directions: &[Vector3<f64>],
        error: &[f64],
        terms: &[Option<BodyTerm>; 2],
    ) {
        let mut frame = [Vector3::zeros(); 3];
        frame[..directions.len()].copy_from_slice(directions);
        let key = Key::connection(self.index, self.part);
        self.part += 1;
        self.rows.push_bodies(key, law, error, frame, terms);
    }
}
