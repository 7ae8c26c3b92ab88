//! Symmetric 3×3 matrices in six numbers.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};
use serde::{Deserialize, Serialize};

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Symmetric3 {
    /// Entry (x, x).
    pub xx: f64,
    /// Entry (x, y).
    pub xy: f64,
    /// Entry (x, z).
    pub xz: f64,
    /// Entry (y, y).
    pub yy: f64,
    /// Entry (y, z).
    pub yz: f64,
    /// Entry (z, z).
    pub zz: f64,
}

impl Symmetric3 {
    /// A diagonal matrix.
    pub fn diagonal(x: f64, y: f64, z: f64) -> Self {
        Self {
            xx: x,
            yy: y,
            zz: z,
            ..Self::default()
        }
    }

    /// The symmetric part (M + Mᵀ)/2 of a matrix.
    pub fn from_matrix(m: &Matrix3<f64>) -> Self {
        Self {
            xx: m.m11,
            xy: 0.5 * (m.m12 + m.m21),
            xz: 0.5 * (m.m13 + m.m31),
            yy: m.m22,
            yz: 0.5 * (m.m23 + m.m32),
            zz: m.m33,
        }
    }

    /// The full matrix.
    pub fn to_matrix(&self) -> Matrix3<f64> {
        Matrix3::new(
            self.xx, self.xy, self.xz, self.xy, self.yy, self.yz, self.xz, self.yz, self.zz,
        )
    }

    /// −[a]×[b]× − [b]×[a]×, the symmetric matrix that moves second moments between points.
    #[inline]
    pub(crate) fn minus_skew_products(a: &Vector3<f64>, b: &Vector3<f64>) -> Self {
        // [a]×[b]× = b aᵀ − (a·b) 1
        let (x, y, z) = (a.x * b.x, a.y * b.y, a.z * b.z);
        Self {
            xx: 2.0 * (y + z),
            xy: -(a.x * b.y + a.y * b.x),
            xz: -(a.x * b.z + a.z * b.x),
            yy: 2.0 * (x + z),
            yz: -(a.y * b.z + a.z * b.y),
            zz: 2.0 * (x + y),
        }
    }

    /// Entries (a, a), (a, b) and (b, b) of the axes a and b that follow on x (0), y (1) or z (2), in turn.
    #[inline(always)]
    pub(crate) fn block_after<const AXIS: usize>(&self) -> (f64, f64, f64) {
        match AXIS {
            0 => (self.yy, self.yz, self.zz),
            1 => (self.zz, self.xz, self.xx),
            _ => (self.xx, self.xy, self.yy),
        }
    }

    /// Matrix times vector.
    #[inline(always)]
    pub fn mul(&self, x: &Vector3<f64>) -> Vector3<f64> {
        Vector3::new(
            self.xx * x.x + self.xy * x.y + self.xz * x.z,
            self.xy * x.x + self.yy * x.y + self.yz * x.z,
            self.xz * x.x + self.yz * x.y + self.zz * x.z,
        )
    }

    /// Sum of the diagonal.
    #[inline]
    pub fn trace(&self) -> f64 {
        self.xx + self.yy + self.zz
    }

    /// Eigenvalues in ascending order.
    pub fn eigenvalues(&self) -> [f64; 3] {
        let e = SymmetricEigen::new(self.to_matrix()).eigenvalues;
        let mut sorted = [e.x, e.y, e.z];
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// True when no entry is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        [self.xx, self.xy, self.xz, self.yy, self.yz, self.zz]
            .iter()
            .all(|x| x.is_finite())
    }

    /// self − s·a aᵀ
    #[inline(always)]
    pub(crate) fn minus_outer(&self, a: &Vector3<f64>, s: f64) -> Self {
        let b = a * s;
        Self {
            xx: self.xx - a.x * b.x,
            xy: self.xy - a.x * b.y,
            xz: self.xz - a.x * b.z,
            yy: self.yy - a.y * b.y,
            yz: self.yz - a.y * b.z,
            zz: self.zz - a.z * b.z,
        }
    }
}

impl std::ops::Add for Symmetric3 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yy: self.yy + o.yy,
            yz: self.yz + o.yz,
            zz: self.zz + o.zz,
        }
    }
}

impl std::ops::Mul<f64> for Symmetric3 {
    type Output = Self;
    #[inline]
    fn mul(self, s: f64) -> Self {
        Self {
            xx: self.xx * s,
            xy: self.xy * s,
            xz: self.xz * s,
            yy: self.yy * s,
            yz: self.yz * s,
            zz: self.zz * s,
        }
    }
}

impl std::ops::Sub for Symmetric3 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self + o * -1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::small::{congruence_symmetric, skew};
    use super::*;

    #[test]
    fn skew_products_match_the_full_matrices() {
        let (a, b) = (Vector3::new(1.0, -2.0, 0.5), Vector3::new(0.3, 0.8, -1.4));
        let full = -(skew(&a) * skew(&b) + skew(&b) * skew(&a));
        let packed = Symmetric3::minus_skew_products(&a, &b).to_matrix();
        assert!((full - packed).norm() < 1e-14);
    }

    #[test]
    fn congruence_matches_the_full_product() {
        let s = Symmetric3 {
            xx: 2.0,
            xy: 0.3,
            xz: -0.2,
            yy: 1.5,
            yz: 0.1,
            zz: 0.7,
        };
        let r = *nalgebra::Rotation3::from_euler_angles(0.4, -1.2, 2.2).matrix();
        let full = r * s.to_matrix() * r.transpose();
        assert!((full - congruence_symmetric(&r, &s).to_matrix()).norm() < 1e-14);
    }
}
