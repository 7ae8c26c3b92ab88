//! Everything that changes when a world is stepped and that the next step depends on.

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

/// Where a rigid body is and how it moves, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct BodyState {
    /// Position of the centre of mass, m.
    pub(crate) center: Vector3<f64>,
    /// Orientation of the body's frame.
    pub(crate) rotation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass, m/s.
    pub(crate) velocity: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub(crate) angular_velocity: Vector3<f64>,
}

impl BodyState {
    /// Pose of the body's frame; `center` is its centre of mass in that frame.
    pub(crate) fn pose(&self, center: &Vector3<f64>) -> Isometry3<f64> {
        let origin = self.center - self.rotation * center;
        Isometry3::from_parts(Translation3::from(origin), self.rotation)
    }

    pub(crate) fn is_finite(&self) -> bool {
        let vectors = [&self.center, &self.velocity, &self.angular_velocity];
        vectors.iter().all(|vector| are_finite(vector.as_slice()))
            && are_finite(self.rotation.coords.as_slice())
    }
}

/// Whether all values are finite, without a branch for each.
fn are_finite(values: &[f64]) -> bool {
    values
        .iter()
        .fold(true, |so_far, value| so_far & value.is_finite())
}

/// Coordinates of a robot, as in `stiction_dynamics`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct RobotState {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
}

impl RobotState {
    pub(crate) fn is_finite(&self) -> bool {
        are_finite(&self.q) && are_finite(&self.v)
    }
}

/// Everything that changes when a world is stepped.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// Simulated time, s.
    pub(crate) time: f64,
    /// Steps made.
    pub(crate) step: u64,
    /// One per body of the world; that of a robot's link follows from the robot.
    pub(crate) bodies: Vec<BodyState>,
    pub(crate) robots: Vec<RobotState>,
}

impl State {
    /// Takes over another state without allocating, if it is of the same world.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        self.step = other.step;
        self.bodies.clone_from(&other.bodies);
        self.robots
            .resize_with(other.robots.len(), RobotState::default);
        for (to, from) in self.robots.iter_mut().zip(&other.robots) {
            to.q.clone_from(&from.q);
            to.v.clone_from(&from.v);
        }
    }
}

/// Velocity of a rigid body, world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Twist {
    /// Velocity of the body's origin, m/s.
    pub linear: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<f64>,
}

impl Twist {
    /// Velocity of the material point at `point`, for a body whose origin is at `origin`, m/s.
    pub fn at(&self, origin: &Vector3<f64>, point: &Point3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(point.coords - origin))
    }
}
