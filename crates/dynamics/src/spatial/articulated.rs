//! Articulated-body inertia, [RBDA, section 7.1].

use nalgebra::{Matrix3, Matrix6, Vector3};

use super::small::columns_after;
use super::{Force, Inertia, Motion, Symmetric3};

/// A symmetric 6×6 inertia that need not be that of a rigid body,
/// `[linear coupling; couplingᵀ angular]` acting on (v, ω).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticulatedInertia {
    /// Force per linear acceleration (kg).
    pub linear: Symmetric3,
    /// Force per angular acceleration (kg·m).
    pub coupling: Matrix3<f64>,
    /// Moment per angular acceleration (kg·m²).
    pub angular: Symmetric3,
}

impl From<&Inertia> for ArticulatedInertia {
    #[inline]
    fn from(i: &Inertia) -> Self {
        let h = &i.first_moment;
        Self {
            linear: Symmetric3::diagonal(i.mass, i.mass, i.mass),
            coupling: Matrix3::new(0.0, h.z, -h.y, -h.z, 0.0, h.x, h.y, -h.x, 0.0),
            angular: i.rotational,
        }
    }
}

impl ArticulatedInertia {
    /// Force that gives `motion`.
    #[inline]
    pub fn mul(&self, motion: &Motion) -> Force {
        let (v, w) = (&motion.linear, &motion.angular);
        Force::new(
            self.linear.mul(v) + super::small::mul(&self.coupling, w),
            super::small::tr_mul(&self.coupling, v) + self.angular.mul(w),
        )
    }

    /// [`mul`](Self::mul) where neither `motion` nor what turns about x (0), y (1) or z (2) has anything along that
    /// axis, which is not looked at.
    #[inline(always)]
    pub(crate) fn freed_mul_across<const AXIS: usize>(&self, motion: &Motion) -> Force {
        let (a, b) = ((AXIS + 1) % 3, (AXIS + 2) % 3);
        let (v, w) = (&motion.linear, &motion.angular);
        let (va, vb, wa, wb) = (v[a], v[b], w[a], w[b]);
        let (la, lb) = columns_after::<AXIS>(&self.linear.to_matrix());
        let (ca, cb) = columns_after::<AXIS>(&self.coupling);
        let (aa, ab, bb) = self.angular.block_after::<AXIS>();
        let mut moment = Vector3::zeros();
        moment[a] = ca[a] * va + ca[b] * vb + aa * wa + ab * wb;
        moment[b] = cb[a] * va + cb[b] * vb + ab * wa + bb * wb;
        Force::new(la * va + lb * vb + ca * wa + cb * wb, moment)
    }

    /// self − u uᵀ · s, the inertia left after one degree of freedom is released.
    #[inline(always)]
    pub(crate) fn minus_outer(&self, u: &Force, s: f64) -> Self {
        let (f, n): (&Vector3<f64>, Vector3<f64>) = (&u.linear, u.angular * s);
        let c = &self.coupling;
        Self {
            linear: self.linear.minus_outer(f, s),
            coupling: Matrix3::new(
                c.m11 - f.x * n.x,
                c.m12 - f.x * n.y,
                c.m13 - f.x * n.z,
                c.m21 - f.y * n.x,
                c.m22 - f.y * n.y,
                c.m23 - f.y * n.z,
                c.m31 - f.z * n.x,
                c.m32 - f.z * n.y,
                c.m33 - f.z * n.z,
            ),
            angular: self.angular.minus_outer(&u.angular, s),
        }
    }

    /// The full 6×6 matrix, linear part first.
    pub fn to_matrix(&self) -> Matrix6<f64> {
        let mut m = Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0)
            .copy_from(&self.linear.to_matrix());
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.coupling);
        m.fixed_view_mut::<3, 3>(3, 0)
            .copy_from(&self.coupling.transpose());
        m.fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&self.angular.to_matrix());
        m
    }
}

impl std::ops::AddAssign for ArticulatedInertia {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.linear = self.linear + other.linear;
        self.coupling += other.coupling;
        self.angular = self.angular + other.angular;
    }
}
