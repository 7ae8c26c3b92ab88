//! Rigid-body inertia in ten parameters.

use nalgebra::{Matrix3, Matrix6, Vector3};
use serde::{Deserialize, Serialize};

use super::small::{cross, skew};
use super::{Force, Motion, Symmetric3};

/// The spatial inertia of a rigid body: mass, first moment and rotational inertia about the
/// **origin of the frame it is expressed in**. In these ten numbers the inertia of a composite is
/// the plain sum of its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inertia {
    /// Mass (kg).
    pub mass: f64,
    /// Mass times position of the centre of mass (kg·m).
    pub first_moment: Vector3<f64>,
    /// Rotational inertia about the frame's origin (kg·m²).
    pub rotational: Symmetric3,
}

impl Inertia {
    /// From mass (kg), centre of mass (m) and rotational inertia about it (kg·m²), all in the
    /// axes of the body frame.
    pub fn from_com(mass: f64, com: Vector3<f64>, about_com: Symmetric3) -> Self {
        let first_moment = com * mass;
        let shift = Symmetric3::minus_skew_products(&com, &first_moment) * 0.5;
        Self {
            mass,
            first_moment,
            rotational: about_com + shift,
        }
    }

    /// From the integrals of density over a body: ∫ ρ (kg), ∫ ρ x (kg·m) and ∫ ρ x xᵀ (kg·m²).
    pub fn from_moments(mass: f64, first: Vector3<f64>, second: &Matrix3<f64>) -> Self {
        let rotational = Matrix3::identity() * second.trace() - second;
        Self {
            mass,
            first_moment: first,
            rotational: Symmetric3::from_matrix(&rotational),
        }
    }

    /// A solid sphere centred at the origin: mass (kg), radius (m).
    pub fn solid_sphere(mass: f64, radius: f64) -> Self {
        let i = 0.4 * mass * radius * radius;
        Self::from_com(mass, Vector3::zeros(), Symmetric3::diagonal(i, i, i))
    }

    /// A solid box centred at the origin: mass (kg), full side lengths (m).
    pub fn solid_box(mass: f64, sides: Vector3<f64>) -> Self {
        let s = sides.component_mul(&sides) * (mass / 12.0);
        Self::from_com(
            mass,
            Vector3::zeros(),
            Symmetric3::diagonal(s.y + s.z, s.x + s.z, s.x + s.y),
        )
    }

    /// Centre of mass (m); the origin when the mass is zero.
    pub fn com(&self) -> Vector3<f64> {
        if self.mass == 0.0 {
            Vector3::zeros()
        } else {
            self.first_moment / self.mass
        }
    }

    /// Rotational inertia about the centre of mass (kg·m²).
    pub fn about_com(&self) -> Symmetric3 {
        self.rotational - Symmetric3::minus_skew_products(&self.com(), &self.first_moment) * 0.5
    }

    /// Momentum of a body with this inertia moving with `velocity`.
    #[inline(always)]
    pub fn mul(&self, velocity: &Motion) -> Force {
        let (v, w, h) = (&velocity.linear, &velocity.angular, &self.first_moment);
        Force::new(
            v * self.mass + cross(w, h),
            self.rotational.mul(w) + cross(h, v),
        )
    }

    /// Kinetic energy (J) at `velocity`.
    #[inline]
    pub fn kinetic_energy(&self, velocity: &Motion) -> f64 {
        0.5 * velocity.dot(&self.mul(velocity))
    }

    /// The 6×6 matrix, linear part first.
    pub fn to_matrix(&self) -> Matrix6<f64> {
        let mut m = Matrix6::zeros();
        let h = skew(&self.first_moment);
        m.fixed_view_mut::<3, 3>(0, 0)
            .copy_from(&(Matrix3::identity() * self.mass));
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&-h);
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&h);
        m.fixed_view_mut::<3, 3>(3, 3)
            .copy_from(&self.rotational.to_matrix());
        m
    }

    /// Ten parameters: mass, first moment x y z, rotational xx xy xz yy yz zz.
    pub fn to_array(&self) -> [f64; 10] {
        let (h, r) = (&self.first_moment, &self.rotational);
        [self.mass, h.x, h.y, h.z, r.xx, r.xy, r.xz, r.yy, r.yz, r.zz]
    }

    /// True when no parameter is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        self.to_array().iter().all(|x| x.is_finite())
    }
}

impl std::ops::Add for Inertia {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first_moment: self.first_moment + other.first_moment,
            rotational: self.rotational + other.rotational,
        }
    }
}

impl std::ops::AddAssign for Inertia {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Inertia {
        let about_com = Symmetric3 {
            xx: 0.4,
            xy: 0.01,
            xz: -0.02,
            yy: 0.3,
            yz: 0.03,
            zz: 0.2,
        };
        Inertia::from_com(2.5, Vector3::new(0.1, -0.3, 0.7), about_com)
    }

    #[test]
    fn centre_of_mass_form_round_trips() {
        let i = sample();
        let back = Inertia::from_com(i.mass, i.com(), i.about_com());
        for (a, b) in i.to_array().iter().zip(back.to_array()) {
            assert!((a - b).abs() < 1e-14);
        }
    }

    #[test]
    fn product_matches_the_matrix() {
        let (i, v) = (
            sample(),
            Motion::from_array([0.3, 1.0, -0.4, 0.9, -2.0, 0.6]),
        );
        assert!((i.to_matrix() * v.to_vector() - i.mul(&v).to_vector()).norm() < 1e-14);
    }

    #[test]
    fn box_about_its_edge_has_the_textbook_inertia() {
        // a slab of sides a, b, c turned about one z edge: m (a² + b²) / 3
        let slab = Inertia::solid_box(3.0, Vector3::new(2.0, 4.0, 0.1));
        let at_edge = Inertia::from_com(3.0, Vector3::new(1.0, 2.0, 0.0), slab.about_com());
        assert!((at_edge.rotational.zz - 3.0 * (4.0 + 16.0) / 3.0).abs() < 1e-13);
    }
}
