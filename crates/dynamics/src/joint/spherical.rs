//! Spherical (ball) joint, and the quaternion helpers shared with the free joint.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use rand::Rng;

use super::{JointKernel, uniform};
use crate::spatial::lie::{exp_rotation, log_rotation, rotation_rate};
use crate::spatial::small::mat_mul;
use crate::spatial::{Force, Motion, Transform};

/// Rotation about a point: q = unit quaternion (x, y, z, w), v = angular velocity in body axes.
#[derive(Clone, Debug)]
pub(crate) struct Spherical;

/// Rotation matrix of the unit quaternion (x, y, z, w).
#[inline]
pub(super) fn quaternion_matrix(q: &[f64]) -> Matrix3<f64> {
    let (x, y, z, w) = (q[0], q[1], q[2], q[3]);
    let (x2, y2, z2) = (2.0 * x, 2.0 * y, 2.0 * z);
    Matrix3::new(
        1.0 - (y2 * y + z2 * z),
        x2 * y - z2 * w,
        x2 * z + y2 * w,
        x2 * y + z2 * w,
        1.0 - (x2 * x + z2 * z),
        y2 * z - x2 * w,
        x2 * z - y2 * w,
        y2 * z + x2 * w,
        1.0 - (x2 * x + y2 * y),
    )
}

/// The stored quaternion, brought to unit length.
pub(super) fn read_quaternion(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(q[3], q[0], q[1], q[2]))
}

pub(super) fn write_quaternion(rotation: &UnitQuaternion<f64>, out: &mut [f64]) {
    let q = rotation.quaternion();
    out.copy_from_slice(&[q.i, q.j, q.k, q.w]);
}

/// Brings (x, y, z, w) to unit length; false when it has no direction.
pub(super) fn normalize_quaternion(q: &mut [f64]) -> bool {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !norm.is_finite() || norm < 1e-12 {
        return false;
    }
    q.iter_mut().for_each(|x| *x /= norm);
    true
}

/// A uniformly distributed rotation (Shoemake 1992).
pub(super) fn random_quaternion(rng: &mut dyn Rng, out: &mut [f64]) {
    use std::f64::consts::TAU;
    let (u, a, b) = (
        uniform(rng, 0.0, 1.0),
        uniform(rng, 0.0, TAU),
        uniform(rng, 0.0, TAU),
    );
    let (r, s) = ((1.0 - u).sqrt(), u.sqrt());
    out.copy_from_slice(&[r * a.sin(), r * a.cos(), s * b.sin(), s * b.cos()]);
}

impl JointKernel for Spherical {
    const NQ: usize = 4;
    const NV: usize = 3;

    #[inline]
    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let turned = quaternion_matrix(q);
        Transform::new(mat_mul(&placement.rotation, &turned), placement.translation)
    }

    #[inline]
    fn column(&self, k: usize) -> Motion {
        Motion::new(Vector3::zeros(), Vector3::ith(k, 1.0))
    }

    #[inline]
    fn velocity(&self, v: &[f64]) -> Motion {
        Motion::new(Vector3::zeros(), Vector3::new(v[0], v[1], v[2]))
    }

    #[inline]
    fn project(&self, f: &Force, out: &mut [f64]) {
        out.copy_from_slice(f.angular.as_slice());
    }

    fn integrate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let step = exp_rotation(&Vector3::new(v[0], v[1], v[2]));
        write_quaternion(&(read_quaternion(q) * step), out);
    }

    fn exponential_rate(&self, u: &[f64], v: &[f64], out: &mut [f64]) {
        let u = Vector3::new(u[0], u[1], u[2]);
        let rate = rotation_rate(&u, &Vector3::new(v[0], v[1], v[2]));
        out.copy_from_slice(rate.as_slice());
    }

    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        let turn = read_quaternion(from).inverse() * read_quaternion(to);
        out.copy_from_slice(log_rotation(&turn).as_slice());
    }

    fn neutral(&self, out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
    }

    fn random(&self, _limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        random_quaternion(rng, out);
    }

    fn normalize(&self, q: &mut [f64]) -> bool {
        normalize_quaternion(q)
    }
}
