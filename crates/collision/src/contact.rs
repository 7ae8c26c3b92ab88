//! What detection returns.

use nalgebra::{Point3, Vector3};

use crate::material::ContactMaterial;
use crate::support::Support;

/// Name of a contact that stays the same from step to step while the same features touch. Made from
/// the names of the two colliders and the touching features, so it does not depend on the order in
/// which colliders were added, nor on threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId(pub u64);

/// One contact point between two colliders, in world coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactPoint {
    /// Persistent name.
    pub id: ContactId,
    /// Indices of the two colliders A and B; equal where something touches itself.
    pub colliders: [u32; 2],
    /// What carries the surface points of A and of B.
    pub on: [Support; 2],
    /// Midpoint of the two surface points, m.
    pub point: Point3<f64>,
    /// Unit normal from A to B.
    pub normal: Vector3<f64>,
    /// Signed distance along the normal, m; negative when penetrating.
    pub gap: f64,
    /// Combined material.
    pub material: ContactMaterial,
}

impl ContactPoint {
    /// The frames of both sides, where each stands on one alone, as between rigid shapes.
    pub fn frames(&self) -> Option<[u32; 2]> {
        Some([self.on[0].frame()?, self.on[1].frame()?])
    }

    /// Surface point of A.
    pub fn point_a(&self) -> Point3<f64> {
        self.point - self.normal * (0.5 * self.gap)
    }

    /// Surface point of B.
    pub fn point_b(&self) -> Point3<f64> {
        self.point + self.normal * (0.5 * self.gap)
    }
}

/// A contact between two shapes before it is given to bodies: the frame is that of the first shape
/// unless a function says otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeContact {
    /// Which features touch; unique within the pair and stable while they keep touching.
    pub feature: u64,
    /// Midpoint of the two surface points, m.
    pub point: Point3<f64>,
    /// Unit normal from the first shape to the second.
    pub normal: Vector3<f64>,
    /// Signed distance along the normal, m.
    pub gap: f64,
}

impl ShapeContact {
    /// The same contact seen with the shapes exchanged.
    pub(crate) fn flipped(self) -> Self {
        Self {
            normal: -self.normal,
            ..self
        }
    }
}

/// Mixes two numbers into one, well spread over 64 bits (the finaliser of splitmix64).
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut x = a
        .rotate_left(32)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(b)
        .wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// 64-bit FNV-1a of a name, then mixed: the same on every machine and in every run.
pub(crate) fn name_key(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mix(hash, name.len() as u64)
}

/// Some unit vector orthogonal to `n`, a continuous choice on each half of the sphere.
pub(crate) fn any_orthogonal(n: &Vector3<f64>) -> Vector3<f64> {
    // Duff et al. 2017, "Building an Orthonormal Basis, Revisited"
    let sign = 1.0_f64.copysign(n.z);
    let a = -1.0 / (sign + n.z);
    Vector3::new(
        1.0 + sign * n.x * n.x * a,
        sign * n.x * n.y * a,
        -sign * n.x,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orthogonal_vector_is_unit_and_orthogonal() {
        for n in [
            Vector3::new(0.0, 0.0, 1.0),
            Vector3::new(0.0, 0.0, -1.0),
            Vector3::new(1.0, 2.0, -3.0).normalize(),
        ] {
            let t = any_orthogonal(&n);
            assert!(t.dot(&n).abs() < 1e-15 && (t.norm() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn keys_differ() {
        assert_ne!(name_key("a"), name_key("b"));
        assert_ne!(mix(1, 2), mix(2, 1));
    }
}
