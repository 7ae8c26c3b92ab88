//! Free (six degrees of freedom) joint.

use nalgebra::Vector3;
use rand::Rng;

use super::spherical::{
    normalize_quaternion, quaternion_matrix, random_quaternion, read_quaternion, write_quaternion,
};
use super::{JointKernel, uniform_within};
use crate::spatial::lie::{exp_pose, log_pose, pose_rate};
use crate::spatial::{ArticulatedInertia, Force, Motion, Transform};

/// Unconstrained motion: q = position, then unit quaternion (x, y, z, w); v = linear then angular
/// velocity in body axes.
#[derive(Clone, Debug)]
pub(crate) struct Free;

fn read_twist(v: &[f64]) -> Motion {
    Motion::new(
        Vector3::new(v[0], v[1], v[2]),
        Vector3::new(v[3], v[4], v[5]),
    )
}

impl JointKernel for Free {
    const NQ: usize = 7;
    const NV: usize = 6;

    #[inline]
    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let position = Vector3::new(q[0], q[1], q[2]);
        placement.compose(&Transform::new(quaternion_matrix(&q[3..7]), position))
    }

    #[inline]
    fn column(&self, k: usize) -> Motion {
        match k {
            0..3 => Motion::new(Vector3::ith(k, 1.0), Vector3::zeros()),
            _ => Motion::new(Vector3::zeros(), Vector3::ith(k - 3, 1.0)),
        }
    }

    #[inline]
    fn velocity(&self, v: &[f64]) -> Motion {
        read_twist(v)
    }

    #[inline]
    fn project(&self, f: &Force, out: &mut [f64]) {
        out.copy_from_slice(&f.to_array());
    }

    #[inline]
    fn inertia_column(&self, i: &ArticulatedInertia, k: usize) -> Force {
        let (a, b, d) = (&i.linear, &i.coupling, &i.angular);
        match k {
            0 => Force::from_array([a.xx, a.xy, a.xz, b.m11, b.m12, b.m13]),
            1 => Force::from_array([a.xy, a.yy, a.yz, b.m21, b.m22, b.m23]),
            2 => Force::from_array([a.xz, a.yz, a.zz, b.m31, b.m32, b.m33]),
            3 => Force::from_array([b.m11, b.m21, b.m31, d.xx, d.xy, d.xz]),
            4 => Force::from_array([b.m12, b.m22, b.m32, d.xy, d.yy, d.yz]),
            _ => Force::from_array([b.m13, b.m23, b.m33, d.xz, d.yz, d.zz]),
        }
    }

    fn integrate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let (turn, step) = exp_pose(&read_twist(v));
        let start = read_quaternion(&q[3..7]);
        let position = Vector3::new(q[0], q[1], q[2]) + start * step;
        out[..3].copy_from_slice(position.as_slice());
        write_quaternion(&(start * turn), &mut out[3..7]);
    }

    fn exponential_rate(&self, u: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&pose_rate(&read_twist(u), &read_twist(v)).to_array());
    }

    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        let (start, end) = (read_quaternion(&from[3..7]), read_quaternion(&to[3..7]));
        let travel = Vector3::new(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
        let back = start.inverse();
        out.copy_from_slice(&log_pose(&(back * end), &(back * travel)).to_array());
    }

    fn neutral(&self, out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        for k in 0..3 {
            out[k] = uniform_within(rng, limits[k], 1.0);
        }
        random_quaternion(rng, &mut out[3..7]);
    }

    fn normalize(&self, q: &mut [f64]) -> bool {
        normalize_quaternion(&mut q[3..7])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inertia_columns_are_those_of_the_matrix() {
        let inertia = ArticulatedInertia {
            coupling: nalgebra::Matrix3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
            ..ArticulatedInertia::from(&crate::spatial::Inertia::solid_sphere(2.0, 0.3))
        };
        for k in 0..6 {
            let column = inertia.to_matrix().column(k).into_owned();
            assert_eq!(Free.inertia_column(&inertia, k).to_vector(), column);
        }
    }
}
