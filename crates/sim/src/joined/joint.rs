//! Rows of what holds a mechanism together, at a state: what they measure, how fast that changes by itself, how
//! far it is off.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use stiction_modeling::ConnectionKind;
use stiction_modeling::contact::tangents;

use super::member::FrameAt;

/// An end of a joint or spring.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    /// On something that stands still: the anchor's pose in the world.
    Fixed(Isometry3<f64>),
    /// On a frame of the mechanism, by its number: the anchor from the frame's position, its axes.
    Moving {
        frame: usize,
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
    /// Accelerations while the velocities of the mechanism stay, m/s² and rad/s².
    bias: Vector3<f64>,
    angular_bias: Vector3<f64>,
}

impl End {
    pub(super) fn frame(&self) -> Option<usize> {
        match *self {
            End::Fixed(_) => None,
            End::Moving { frame, .. } => Some(frame),
        }
    }

    pub(super) fn at(&self, frames: &[FrameAt]) -> EndAt {
        match *self {
            End::Fixed(pose) => EndAt {
                point: pose.translation.vector,
                velocity: Vector3::zeros(),
                rotation: pose.rotation,
                spin: Vector3::zeros(),
                bias: Vector3::zeros(),
                angular_bias: Vector3::zeros(),
            },
            End::Moving {
                frame,
                point,
                rotation,
            } => {
                let on = &frames[frame];
                let arm = on.rotation * point;
                let turning = on.spin.cross(&arm);
                EndAt {
                    point: on.position + arm,
                    velocity: on.velocity + turning,
                    rotation: on.rotation * rotation,
                    spin: on.spin,
                    bias: on.bias + on.angular_bias.cross(&arm) + on.spin.cross(&turning),
                    angular_bias: on.angular_bias,
                }
            }
        }
    }
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

/// Coordinates of a robot that a linear equation holds together.
#[derive(Debug, Clone)]
pub(super) struct Coupling {
    /// Among the world's robots, and among the robot's couplings.
    pub(super) robot: usize,
    pub(super) number: usize,
    /// Position and velocity among those of the mechanism, and how they enter.
    pub(super) terms: Vec<(usize, usize, f64)>,
    pub(super) offset: f64,
}

/// What holds a mechanism together.
#[derive(Debug, Clone)]
pub(super) enum Holding {
    Joint(Joint),
    Coupling(Coupling),
}

/// Most rows of a joint.
pub(super) const MOST_ROWS: usize = 6;

/// What a row measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Measure {
    #[default]
    /// Along a direction, how fast the points move apart.
    Points,
    /// About a direction, how fast the bodies turn apart.
    Spin,
    /// A sum of coordinates.
    Sum,
}

/// Rows at a state: second end minus first.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pub(super) count: usize,
    pub(super) measure: [Measure; MOST_ROWS],
    /// World axes.
    pub(super) direction: [Vector3<f64>; MOST_ROWS],
    /// The ends' points, m.
    pub(super) points: [Vector3<f64>; 2],
    /// J̇ v: m/s² or rad/s².
    pub(super) drift: [f64; MOST_ROWS],
    /// m or rad.
    pub(super) error: [f64; MOST_ROWS],
    /// Largest error: distances over the joint's size, and angles.
    pub(super) relative: f64,
}

impl Holding {
    /// Its number of rows.
    pub(super) fn row_count(&self) -> usize {
        match self {
            Self::Joint(joint) => joint.kind.parts().iter().sum(),
            Self::Coupling(_) => 1,
        }
    }

    /// Writes its rows.
    pub(super) fn write(&self, frames: &[FrameAt], q: &[f64], rows: &mut Rows) {
        match self {
            Self::Joint(joint) => joint.write(frames, rows),
            Self::Coupling(coupling) => {
                rows.begin([Vector3::zeros(); 2]);
                let terms = coupling.terms.iter();
                let sum: f64 = terms.map(|(at, _, factor)| factor * q[*at]).sum();
                rows.push(
                    (Measure::Sum, Vector3::x()),
                    0.0,
                    sum - coupling.offset,
                    1.0,
                );
            }
        }
    }
}

impl Joint {
    fn write(&self, frames: &[FrameAt], rows: &mut Rows) {
        let [a, b] = [self.ends[0].at(frames), self.ends[1].at(frames)];
        rows.begin([a.point, b.point]);
        let apart = b.point - a.point;
        let rate = b.velocity - a.velocity;
        let bend = b.bias - a.bias;
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        if let ConnectionKind::Distance { length } = self.kind {
            let distance = apart.norm();
            let along = apart / distance;
            let across = rate - along * along.dot(&rate);
            let drift = along.dot(&bend) + across.norm_squared() / distance;
            let error = distance - length;
            rows.push((Measure::Points, along), drift, error, self.size);
            return;
        }
        for axis in axes {
            let (drift, error) = (axis.dot(&bend), axis.dot(&apart));
            rows.push((Measure::Points, axis), drift, error, self.size);
        }
        let spin = b.spin - a.spin;
        let turning = b.angular_bias - a.angular_bias;
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
                    let drift = a.spin.cross(&across).dot(&spin) + across.dot(&turning);
                    rows.push((Measure::Spin, across), drift, across.dot(&tilt), 1.0);
                }
            }
            ConnectionKind::Weld => {
                let turn = (b.rotation * a.rotation.inverse()).scaled_axis();
                for axis in axes {
                    let drift = axis.dot(&turning);
                    rows.push((Measure::Spin, axis), drift, axis.dot(&turn), 1.0);
                }
            }
            _ => {}
        }
    }
}

impl Rows {
    fn begin(&mut self, points: [Vector3<f64>; 2]) {
        (self.count, self.points, self.relative) = (0, points, 0.0);
    }

    fn push(
        &mut self,
        (measure, direction): (Measure, Vector3<f64>),
        drift: f64,
        error: f64,
        size: f64,
    ) {
        self.measure[self.count] = measure;
        self.direction[self.count] = direction;
        self.drift[self.count] = drift;
        self.error[self.count] = error;
        // What is not a number is worse than anything.
        let relative = error.abs() / size;
        self.relative = match relative.is_nan() {
            true => f64::INFINITY,
            false => self.relative.max(relative),
        };
        self.count += 1;
    }
}
