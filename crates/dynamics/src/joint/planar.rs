//! Planar joint.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use rand::Rng;

use super::revolute::rotation_about;
use super::{JointKernel, uniform_within};
use crate::spatial::lie::{exp_pose, log_pose, pose_rate, wrap_angle};
use crate::spatial::{Motion, Transform};

/// Motion in a plane: q = (x, y, θ), v = (vx, vy, ω) in the axes of the moved body.
#[derive(Clone, Debug)]
pub(crate) struct Planar {
    /// Columns: the plane's x and y directions and its normal, in the joint frame.
    basis: Matrix3<f64>,
}

impl Planar {
    /// A plane with the given unit normal. Its x direction is the joint's x axis turned by the
    /// shortest rotation that takes z to the normal.
    pub(crate) fn new(normal: Vector3<f64>) -> Self {
        let turn = UnitQuaternion::rotation_between(&Vector3::z(), &normal)
            // the normal is −z: half a turn about x
            .unwrap_or_else(|| {
                UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
            });
        Self {
            basis: *turn.to_rotation_matrix().matrix(),
        }
    }
}

/// Rotation about z by θ as a quaternion.
fn turn(theta: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), theta)
}

impl JointKernel for Planar {
    const NQ: usize = 3;
    const NV: usize = 3;

    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let normal = self.basis.column(2).into_owned();
        let travel = self.basis.column(0) * q[0] + self.basis.column(1) * q[1];
        placement.compose(&Transform::new(rotation_about(&normal, q[2]), travel))
    }

    fn column(&self, k: usize) -> Motion {
        let direction = self.basis.column(k).into_owned();
        match k {
            2 => Motion::new(Vector3::zeros(), direction),
            _ => Motion::new(direction, Vector3::zeros()),
        }
    }

    fn integrate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let twist = Motion::from_array([v[0], v[1], 0.0, 0.0, 0.0, v[2]]);
        let (_, step) = exp_pose(&twist);
        let (s, c) = q[2].sin_cos();
        out[0] = q[0] + c * step.x - s * step.y;
        out[1] = q[1] + s * step.x + c * step.y;
        out[2] = q[2] + v[2];
    }

    fn exponential_rate(&self, u: &[f64], v: &[f64], out: &mut [f64]) {
        let in_space = |v: &[f64]| Motion::from_array([v[0], v[1], 0.0, 0.0, 0.0, v[2]]);
        let rate = pose_rate(&in_space(u), &in_space(v));
        out.copy_from_slice(&[rate.linear.x, rate.linear.y, rate.angular.z]);
    }

    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        let (s, c) = from[2].sin_cos();
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        let theta = wrap_angle(to[2] - from[2]);
        let step = Vector3::new(c * dx + s * dy, -s * dx + c * dy, 0.0);
        let twist = log_pose(&turn(theta), &step);
        out.copy_from_slice(&[twist.linear.x, twist.linear.y, theta]);
    }

    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        out[0] = uniform_within(rng, limits[0], 1.0);
        out[1] = uniform_within(rng, limits[1], 1.0);
        out[2] = uniform_within(rng, limits[2], std::f64::consts::PI);
    }
}
