//! How the force of a moving body changes with a velocity added to it and to its coordinates.

use nalgebra::{Matrix3, Vector3};

use crate::data::Data;
use crate::model::Model;
use crate::spatial::small::{cross, from_columns, mul, skew_mul, tr_mul};
use crate::spatial::{Force, Inertia, Motion};

/// The operator B x = I (x × v) + x ×* (I v) + v ×* (I x) of a body with inertia I and velocity v,
/// or its sum over a subtree. By the Jacobi identity it vanishes on translations, and its force part on a
/// rotation η is 2 η × p with p the linear momentum, so twelve numbers describe it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct VelocityInertia {
    /// Twice the linear momentum.
    momentum: Vector3<f64>,
    /// Moment for a given rotation.
    angular: Matrix3<f64>,
}

impl VelocityInertia {
    /// B of one body moving with velocity `v`.
    pub(crate) fn new(inertia: &Inertia, v: &Motion) -> Self {
        let (h, w) = (&inertia.first_moment, &v.angular);
        let momentum = v.linear * inertia.mass + cross(w, h);
        // 2 [ω]× (Ī − ½ tr Ī) − 2 [h]× [v]×
        let mut gyro = inertia.rotational.to_matrix();
        let half_trace = 0.5 * inertia.rotational.trace();
        gyro.m11 -= half_trace;
        gyro.m22 -= half_trace;
        gyro.m33 -= half_trace;
        let l = &v.linear;
        // [h]×[v]× = v hᵀ − (h·v) 1
        let (a, d) = (skew_mul(w, &gyro), l.dot(h));
        let angular = from_columns(
            &(Vector3::new(a.m11 + d, a.m21, a.m31) - l * h.x),
            &(Vector3::new(a.m12, a.m22 + d, a.m32) - l * h.y),
            &(Vector3::new(a.m13, a.m23, a.m33 + d) - l * h.z),
        );
        Self {
            momentum: momentum * 2.0,
            angular: angular * 2.0,
        }
    }

    /// B x
    #[inline]
    pub(crate) fn mul(&self, x: &Motion) -> Force {
        Force::new(
            cross(&x.angular, &self.momentum),
            mul(&self.angular, &x.angular),
        )
    }

    /// Bᵀ x: only its angular part differs from zero.
    #[inline]
    pub(crate) fn tr_mul(&self, x: &Motion) -> Vector3<f64> {
        cross(&self.momentum, &x.linear) + tr_mul(&self.angular, &x.angular)
    }
}

impl std::ops::AddAssign for VelocityInertia {
    fn add_assign(&mut self, other: Self) {
        self.momentum += other.momentum;
        self.angular += other.angular;
    }
}

/// Sums `data.velocity_inertia` from the leaves up, tree by tree.
pub(crate) fn accumulate_velocity_inertias(model: &Model, data: &mut Data) {
    for (k, link) in model.links.iter().enumerate().rev() {
        if link.parent != 0 {
            let b = data.velocity_inertia[k + 1];
            data.velocity_inertia[link.parent] += b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Symmetric3;

    #[test]
    fn twelve_numbers_equal_the_definition() {
        let about_com = Symmetric3 {
            xx: 0.4,
            xy: 0.01,
            xz: -0.02,
            yy: 0.3,
            yz: 0.03,
            zz: 0.2,
        };
        let inertia = Inertia::from_com(2.5, Vector3::new(0.1, -0.3, 0.7), about_com);
        let v = Motion::from_array([0.3, -1.0, 2.0, 0.7, 0.1, -0.4]);
        let b = VelocityInertia::new(&inertia, &v);
        for k in 0..6 {
            let mut e = [0.0; 6];
            e[k] = 1.0;
            let x = Motion::from_array(e);
            let expected = inertia.mul(&x.cross(&v))
                + x.cross_force(&inertia.mul(&v))
                + v.cross_force(&inertia.mul(&x));
            assert!(
                (b.mul(&x) - expected).to_vector().norm() < 1e-14,
                "column {k}"
            );
            let y = Motion::from_array([0.5, 0.2, -0.9, 1.1, -0.3, 0.8]);
            let transposed = Motion::new(Vector3::zeros(), x.angular)
                .angular
                .dot(&b.tr_mul(&y));
            assert!((transposed - y.dot(&expected)).abs() < 1e-14, "row {k}");
        }
    }
}
