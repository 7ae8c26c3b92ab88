//! Rows of a joint at a state: what they measure, how fast that changes by itself, how far it is off.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use stiction_modeling::ConnectionKind;
use stiction_modeling::contact::tangents;

/// Where a body is and how it moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyAt {
    /// Centre of mass, world, m.
    pub(crate) center: Vector3<f64>,
    pub(crate) rotation: UnitQuaternion<f64>,
    /// Of the centre of mass, world axes, m/s.
    pub(crate) velocity: Vector3<f64>,
    /// Body axes, rad/s.
    pub(crate) spin: Vector3<f64>,
}

/// An end of a joint or spring.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// On something that stands still: the anchor's pose in the world.
    Fixed(Isometry3<f64>),
    /// On a body: the anchor from its centre of mass, body axes.
    Body {
        body: usize,
        point: Vector3<f64>,
        rotation: UnitQuaternion<f64>,
    },
}

/// An end at a state, world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndAt {
    pub(super) point: Vector3<f64>,
    pub(super) velocity: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    spin: Vector3<f64>,
    /// Acceleration of the point while the velocities of its body stay, m/s².
    centripetal: Vector3<f64>,
}

impl End {
    pub(super) fn body(&self) -> Option<usize> {
        match *self {
            End::Fixed(_) => None,
            End::Body { body, .. } => Some(body),
        }
    }

    pub(super) fn at(&self, bodies: &[BodyAt]) -> EndAt {
        match *self {
            End::Fixed(pose) => EndAt {
                point: pose.translation.vector,
                velocity: Vector3::zeros(),
                rotation: pose.rotation,
                spin: Vector3::zeros(),
                centripetal: Vector3::zeros(),
            },
            End::Body {
                body,
                point,
                rotation,
            } => {
                let body = &bodies[body];
                let turning = body.spin.cross(&point);
                EndAt {
                    point: body.center + body.rotation * point,
                    velocity: body.velocity + body.rotation * turning,
                    rotation: body.rotation * rotation,
                    spin: body.rotation * body.spin,
                    centripetal: body.rotation * body.spin.cross(&turning),
                }
            }
        }
    }

    /// The row of a body that measures the velocity of the point along a direction.
    pub(super) fn along(&self, bodies: &[BodyAt], direction: &Vector3<f64>) -> [f64; 6] {
        match *self {
            End::Fixed(_) => [0.0; 6],
            End::Body { body, point, .. } => {
                let turned = point.cross(&(bodies[body].rotation.inverse() * direction));
                join(direction, &turned)
            }
        }
    }

    /// The row of a body that measures its angular velocity about a direction.
    fn about(&self, bodies: &[BodyAt], direction: &Vector3<f64>) -> [f64; 6] {
        match *self {
            End::Fixed(_) => [0.0; 6],
            End::Body { body, .. } => join(
                &Vector3::zeros(),
                &(bodies[body].rotation.inverse() * direction),
            ),
        }
    }
}

fn join(linear: &Vector3<f64>, angular: &Vector3<f64>) -> [f64; 6] {
    [
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
    ]
}

/// A connection that holds positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joint {
    /// Among the world's connections.
    pub(super) connection: usize,
    pub(super) kind: ConnectionKind,
    pub(super) ends: [End; 2],
    /// What distances are compared with, m.
    pub(super) size: f64,
}

/// Most rows of a joint.
pub(super) const MOST_ROWS: usize = 6;

/// What a row measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Points,
    Spin,
}

/// The rows of a joint at a state: second end minus first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    pub(super) count: usize,
    pub(super) measure: [Measure; MOST_ROWS],
    /// World axes.
    pub(super) direction: [Vector3<f64>; MOST_ROWS],
    /// Per end: how its body's velocities enter.
    pub(super) blocks: [[[f64; 6]; MOST_ROWS]; 2],
    /// J̇ v: m/s² or rad/s².
    pub(super) drift: [f64; MOST_ROWS],
    /// m or rad.
    pub(super) error: [f64; MOST_ROWS],
    /// Largest error: distances over the joint's size, and angles.
    pub(super) relative: f64,
}

impl Joint {
    /// Its number of rows.
    pub(super) fn row_count(&self) -> usize {
        self.kind.parts().iter().sum()
    }

    pub(super) fn rows(&self, bodies: &[BodyAt]) -> Rows {
        let [a, b] = self.ends.map(|end| end.at(bodies));
        let mut rows = Rows {
            count: 0,
            measure: [Measure::Points; MOST_ROWS],
            direction: [Vector3::zeros(); MOST_ROWS],
            blocks: [[[0.0; 6]; MOST_ROWS]; 2],
            drift: [0.0; MOST_ROWS],
            error: [0.0; MOST_ROWS],
            relative: 0.0,
        };
        let apart = b.point - a.point;
        let rate = b.velocity - a.velocity;
        let bend = b.centripetal - a.centripetal;
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        if let ConnectionKind::Distance { length } = self.kind {
            let distance = apart.norm();
            let along = apart / distance;
            let across = rate - along * along.dot(&rate);
            let drift = along.dot(&bend) + across.norm_squared() / distance;
            self.push(&mut rows, bodies, Measure::Points, along);
            rows.finish(drift, distance - length, self.size);
            return rows;
        }
        for axis in axes {
            self.push(&mut rows, bodies, Measure::Points, axis);
            rows.finish(axis.dot(&bend), axis.dot(&apart), self.size);
        }
        let spin = b.spin - a.spin;
        match self.kind {
            ConnectionKind::Hinge => {
                let [za, zb] = [a, b].map(|end| end.rotation * Vector3::z());
                let tilt = za.cross(&zb);
                // The other way round: as far off as can be.
                let tilt = if za.dot(&zb) < 0.0 {
                    tilt.try_normalize(0.0).unwrap_or(tangents(&za, None)[0])
                } else {
                    tilt
                };
                for across in tangents(&za, None) {
                    self.push(&mut rows, bodies, Measure::Spin, across);
                    let drift = a.spin.cross(&across).dot(&spin);
                    rows.finish(drift, across.dot(&tilt), 1.0);
                }
            }
            ConnectionKind::Weld => {
                let turn = (b.rotation * a.rotation.inverse()).scaled_axis();
                for axis in axes {
                    self.push(&mut rows, bodies, Measure::Spin, axis);
                    rows.finish(0.0, axis.dot(&turn), 1.0);
                }
            }
            _ => {}
        }
        rows
    }

    fn push(&self, rows: &mut Rows, bodies: &[BodyAt], measure: Measure, direction: Vector3<f64>) {
        let at = rows.count;
        rows.measure[at] = measure;
        rows.direction[at] = direction;
        for (end, sign) in [(0, -1.0), (1, 1.0)] {
            let row = match measure {
                Measure::Points => self.ends[end].along(bodies, &direction),
                Measure::Spin => self.ends[end].about(bodies, &direction),
            };
            rows.blocks[end][at] = row.map(|value| sign * value);
        }
    }
}

impl Rows {
    fn finish(&mut self, drift: f64, error: f64, size: f64) {
        self.drift[self.count] = drift;
        self.error[self.count] = error;
        self.relative = self.relative.max(error.abs() / size);
        self.count += 1;
    }
}
