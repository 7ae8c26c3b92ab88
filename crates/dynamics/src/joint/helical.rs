//! Helical (screw) joint.

use nalgebra::Vector3;
use rand::Rng;

use super::revolute::rotation_about;
use super::{JointKernel, uniform_within};
use crate::spatial::{Motion, Transform};

/// Rotation about a unit axis with an advance along it of `pitch` metres per radian.
#[derive(Clone, Debug)]
pub(crate) struct Helical {
    pub(crate) axis: Vector3<f64>,
    pub(crate) pitch: f64,
}

impl JointKernel for Helical {
    const NQ: usize = 1;
    const NV: usize = 1;

    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let turned = rotation_about(&self.axis, q[0]);
        placement.compose(&Transform::new(turned, self.axis * (self.pitch * q[0])))
    }

    fn column(&self, _k: usize) -> Motion {
        Motion::new(self.axis * self.pitch, self.axis)
    }

    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        out[0] = uniform_within(rng, limits[0], std::f64::consts::PI);
    }
}
