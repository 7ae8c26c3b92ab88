//! Elastic materials and how they answer to principal stretches.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::error::FemError;

/// Which energy a material stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Linear elasticity in the frame that turns with the element:
    /// ψ = μ Σ(s − 1)² + λ/2 (Σs − 3)². Recovers from any inversion.
    #[default]
    Corotational,
    /// Stable neo-Hookean: ψ = μ/2 (Σs² − 3) − μ(J − 1) + (λ + μ)/2 (J − 1)², the same stiffness at
    /// rest. Steps are shortened where they overshoot.
    NeoHookean,
}

/// Rayleigh damping: D = α M + β H.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rayleigh {
    /// α, 1/s: takes from all motion, rigid motion too.
    pub mass: f64,
    /// β, s: takes from deformation alone.
    pub stiffness: f64,
}

/// An isotropic elastic material.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Energy.
    #[serde(default)]
    pub law: Law,
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio, between −1 and 1/2.
    pub poisson: f64,
    /// kg/m³.
    pub density: f64,
    /// Damping.
    #[serde(default)]
    pub damping: Rayleigh,
}

impl Material {
    /// A co-rotational material without damping: Young's modulus, Pa, Poisson's ratio, density, kg/m³.
    pub fn corotational(young: f64, poisson: f64, density: f64) -> Self {
        Self {
            law: Law::Corotational,
            young,
            poisson,
            density,
            damping: Rayleigh::default(),
        }
    }

    /// The same with the stable neo-Hookean energy.
    pub fn neo_hookean(young: f64, poisson: f64, density: f64) -> Self {
        Self {
            law: Law::NeoHookean,
            ..Self::corotational(young, poisson, density)
        }
    }

    /// The same with damping.
    #[must_use]
    pub fn damped(self, mass: f64, stiffness: f64) -> Self {
        Self {
            damping: Rayleigh { mass, stiffness },
            ..self
        }
    }

    /// Lamé's μ, Pa.
    pub fn shear_modulus(&self) -> f64 {
        self.young / (2.0 * (1.0 + self.poisson))
    }

    /// Lamé's λ, Pa.
    pub fn lame_lambda(&self) -> f64 {
        self.young * self.poisson / ((1.0 + self.poisson) * (1.0 - 2.0 * self.poisson))
    }

    /// Refuses numbers that make no material; `material` is its number, for the error.
    pub(super) fn check(&self, material: usize) -> Result<(), FemError> {
        let positive = "must be positive and finite";
        let not_negative = "must be finite and not negative";
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        let is_not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let Rayleigh { mass, stiffness } = self.damping;
        let moduli_are_finite = self.lame_lambda().is_finite() && self.shear_modulus().is_finite();
        let checks = [
            (
                "Young's modulus",
                self.young,
                is_positive(self.young),
                positive,
            ),
            (
                "Poisson's ratio",
                self.poisson,
                self.poisson > -1.0 && self.poisson < 0.5 && moduli_are_finite,
                "must be above -1 and below 1/2",
            ),
            ("density", self.density, is_positive(self.density), positive),
            ("mass damping", mass, is_not_negative(mass), not_negative),
            (
                "stiffness damping",
                stiffness,
                is_not_negative(stiffness),
                not_negative,
            ),
        ];
        match checks.into_iter().find(|check| !check.2) {
            Some((field, value, _, reason)) => Err(FemError::BadMaterial {
                material,
                field,
                value,
                reason,
            }),
            None => Ok(()),
        }
    }

    pub(super) fn moduli(&self) -> Moduli {
        Moduli {
            law: self.law,
            mu: self.shear_modulus(),
            lambda: self.lame_lambda(),
        }
    }
}

/// A law with its moduli, Pa.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moduli {
    pub(crate) law: Law,
    pub(crate) mu: f64,
    pub(crate) lambda: f64,
}

impl Moduli {
    /// Energy per volume at rest, J/m³, of signed principal stretches s.
    pub(crate) fn energy(&self, s: &Vector3<f64>) -> f64 {
        let Self { law, mu, lambda } = *self;
        match law {
            // From s − 1, not from ½ dᵀK d: no cancellation in a rotated body.
            Law::Corotational => {
                let stretch = s.add_scalar(-1.0);
                mu * stretch.norm_squared() + 0.5 * lambda * stretch.sum().powi(2)
            }
            Law::NeoHookean => {
                let e = s.add_scalar(-1.0);
                // J − 1 and (Σs² − 3)/2 − (J − 1) by s − 1: small strains do not cancel.
                let pairs = e[0] * e[1] + e[0] * e[2] + e[1] * e[2];
                let triple = e.product();
                let growth = e.sum() + pairs + triple;
                mu * (0.5 * e.norm_squared() - pairs - triple)
                    + 0.5 * (lambda + mu) * growth * growth
            }
        }
    }

    /// Principal stresses ∂ψ/∂s, Pa.
    pub(crate) fn stress(&self, s: &Vector3<f64>) -> Vector3<f64> {
        let Self { law, mu, lambda } = *self;
        match law {
            Law::Corotational => {
                let stretch = s.add_scalar(-1.0);
                stretch * (2.0 * mu) + Vector3::repeat(lambda * stretch.sum())
            }
            Law::NeoHookean => s * mu + areas(s) * self.pressure(s),
        }
    }

    /// ∂ψ/∂J of the neo-Hookean energy.
    pub(super) fn pressure(&self, s: &Vector3<f64>) -> f64 {
        (self.lambda + self.mu) * (s.product() - 1.0) - self.mu
    }
}

/// ∂J/∂s: the products of the other two stretches.
pub(super) fn areas(s: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(s[1] * s[2], s[0] * s[2], s[0] * s[1])
}
