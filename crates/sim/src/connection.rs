//! Joints between any two bodies, springs, and rolling: rows beside the kinematic trees.

use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};
use stiction_modeling::ConnectionKind;
use stiction_modeling::connection::Connector;

use crate::body::BodyHandle;
use crate::error::{Result, SimError, finite_vector, not_negative, positive};

/// A connection of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConnectionHandle(pub(crate) usize);

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

    /// What its rows are made from.
    pub(crate) fn connector(&self) -> Connector {
        Connector {
            kind: self.kind,
            frames: [self.body_a.0 as u32, self.body_b.0 as u32],
            anchors: [self.frame_a, self.frame_b],
        }
    }
}
