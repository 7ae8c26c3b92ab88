//! Cylindrical joint.

use nalgebra::Vector3;
use rand::Rng;

use super::revolute::rotation_about;
use super::{JointKernel, uniform_within};
use crate::spatial::{Motion, Transform};

/// Travel along (first coordinate, m) and rotation about (second, rad) the same unit axis.
#[derive(Clone, Debug)]
pub(crate) struct Cylindrical {
    pub(crate) axis: Vector3<f64>,
}

impl JointKernel for Cylindrical {
    const NQ: usize = 2;
    const NV: usize = 2;

    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let turned = rotation_about(&self.axis, q[1]);
        placement.compose(&Transform::new(turned, self.axis * q[0]))
    }

    fn column(&self, k: usize) -> Motion {
        match k {
            0 => Motion::new(self.axis, Vector3::zeros()),
            _ => Motion::new(Vector3::zeros(), self.axis),
        }
    }

    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        out[0] = uniform_within(rng, limits[0], 1.0);
        out[1] = uniform_within(rng, limits[1], std::f64::consts::PI);
    }
}
