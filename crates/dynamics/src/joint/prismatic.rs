//! Prismatic joint.

use nalgebra::Vector3;
use rand::Rng;

use super::{JointKernel, uniform_within};
use crate::spatial::small::mul;
use crate::spatial::{Force, Motion, Transform};

/// Translation along a fixed unit axis.
#[derive(Clone, Debug)]
pub(crate) struct Prismatic {
    pub(crate) axis: Vector3<f64>,
}

impl JointKernel for Prismatic {
    const NQ: usize = 1;
    const NV: usize = 1;

    #[inline]
    fn transform(&self, placement: &Transform, q: &[f64]) -> Transform {
        let travel = mul(&placement.rotation, &(self.axis * q[0]));
        Transform::new(placement.rotation, placement.translation + travel)
    }

    #[inline]
    fn column(&self, _k: usize) -> Motion {
        Motion::new(self.axis, Vector3::zeros())
    }

    #[inline]
    fn project(&self, f: &Force, out: &mut [f64]) {
        out[0] = self.axis.dot(&f.linear);
    }

    fn random(&self, limits: &[(f64, f64)], rng: &mut dyn Rng, out: &mut [f64]) {
        out[0] = uniform_within(rng, limits[0], 1.0);
    }
}
