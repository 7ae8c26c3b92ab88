//! What a rod is made of: cross-section, material, and the stiffness and inertia that follow.

use serde::{Deserialize, Serialize};

use super::error::{RodError, not_negative, positive};

/// A homogeneous isotropic material.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RodMaterial {
    /// Young's modulus E, Pa.
    pub young: f64,
    /// Poisson's ratio ν; the shear modulus is G = E/(2(1 + ν)).
    pub poisson: f64,
    /// kg/m³.
    pub density: f64,
}

/// A cross-section. Its axes d1, d2 are those of a link; d3 is the rod's tangent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// A, m².
    pub area: f64,
    /// Second moments of area I1, I2 that resist bending *about* d1 and d2, m⁴.
    pub second_moments: [f64; 2],
    /// Torsion constant J, m⁴.
    pub torsion: f64,
    /// Shear factor k of kGA.
    pub shear_factor: f64,
}

impl Section {
    /// A disc; its shear factor after Cowper, 6(1 + ν)/(7 + 6ν).
    pub fn circle(radius: f64, poisson: f64) -> Self {
        Self::tube(radius, 0.0, poisson)
    }

    /// A ring between two radii, m; its shear factor after Cowper.
    pub fn tube(outer: f64, inner: f64, poisson: f64) -> Self {
        let second = std::f64::consts::FRAC_PI_4 * (outer.powi(4) - inner.powi(4));
        let ratio = (inner / outer).powi(2);
        let whole = (1.0 + ratio).powi(2);
        Self {
            area: std::f64::consts::PI * (outer.powi(2) - inner.powi(2)),
            second_moments: [second; 2],
            torsion: 2.0 * second,
            shear_factor: 6.0 * (1.0 + poisson) * whole
                / ((7.0 + 6.0 * poisson) * whole + (20.0 + 12.0 * poisson) * ratio),
        }
    }

    /// A rectangle with sides along d1 and d2, m; torsion after Roark (within 0.5 %), shear after Cowper.
    pub fn rectangle(along_1: f64, along_2: f64, poisson: f64) -> Self {
        let (long, short) = (along_1.max(along_2), along_1.min(along_2));
        let slim = short / long;
        let torsion =
            long * short.powi(3) * (1.0 / 3.0 - 0.21 * slim * (1.0 - slim.powi(4) / 12.0));
        Self {
            area: along_1 * along_2,
            second_moments: [
                along_1 * along_2.powi(3) / 12.0,
                along_2 * along_1.powi(3) / 12.0,
            ],
            torsion,
            shear_factor: 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson),
        }
    }

    fn check(&self) -> Result<(), RodError> {
        positive("the section's area, m²", self.area)?;
        positive("the section's second moment I1, m⁴", self.second_moments[0])?;
        positive("the section's second moment I2, m⁴", self.second_moments[1])?;
        positive("the section's torsion constant J, m⁴", self.torsion)?;
        positive("the section's shear factor", self.shear_factor)
    }
}

/// Stiffness of a rod, C = diag(kGA, kGA, EA, EI1, EI2, GJ). Each may be set apart from the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stiffness {
    /// Against shear along d1 and d2, kGA, N.
    pub shear: [f64; 2],
    /// Against stretch, EA, N.
    pub stretch: f64,
    /// Against bending about d1 and d2, EI, N·m².
    pub bend: [f64; 2],
    /// Against twist, GJ, N·m².
    pub twist: f64,
}

impl Stiffness {
    /// In the order of the strains: shear 1, shear 2, stretch, bend 1, bend 2, twist.
    pub fn diagonal(&self) -> [f64; 6] {
        let Self {
            shear,
            stretch,
            bend,
            twist,
        } = *self;
        [shear[0], shear[1], stretch, bend[0], bend[1], twist]
    }

    /// What acts in a joint of this length, m, if bending flexibility left over by one point of
    /// evaluation per joint is added to shear: 1/(1/kGA + ℓ²/(12 EI)).
    pub(super) fn with_residual_bending(&self, length: f64) -> Self {
        let soften = |shear: f64, bend: f64| 1.0 / (1.0 / shear + length * length / (12.0 * bend));
        // Shear along d1 goes with bending about d2.
        Self {
            shear: [
                soften(self.shear[0], self.bend[1]),
                soften(self.shear[1], self.bend[0]),
            ],
            ..*self
        }
    }
}

/// Stiffness and inertia of a rod per length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// C.
    pub stiffness: Stiffness,
    /// ρA, kg/m.
    pub mass_per_length: f64,
    /// ρI1, ρI2, kg·m: rotational inertia about d1 and d2 per length; about d3 it is their sum.
    pub rotary_inertia: [f64; 2],
}

impl Profile {
    /// Of a section and a material.
    ///
    /// # Errors
    /// Values that no section or material has.
    pub fn new(section: &Section, material: &RodMaterial) -> Result<Self, RodError> {
        if !(material.poisson > -1.0 && material.poisson <= 0.5) {
            let value = material.poisson;
            return Err(RodError::PoissonRatio { value });
        }
        section.check()?;
        positive("Young's modulus, Pa", material.young)?;
        positive("the density, kg/m³", material.density)?;
        let shear_modulus = 0.5 * material.young / (1.0 + material.poisson);
        Ok(Self {
            stiffness: Stiffness {
                shear: [section.shear_factor * shear_modulus * section.area; 2],
                stretch: material.young * section.area,
                bend: section.second_moments.map(|second| material.young * second),
                twist: shear_modulus * section.torsion,
            },
            mass_per_length: material.density * section.area,
            rotary_inertia: section
                .second_moments
                .map(|second| material.density * second),
        })
    }

    /// Of a solid round rod, radius in m.
    ///
    /// # Errors
    /// Values that no section or material has.
    pub fn round(radius: f64, material: &RodMaterial) -> Result<Self, RodError> {
        positive("the radius, m", radius)?;
        Self::new(&Section::circle(radius, material.poisson), material)
    }

    pub(super) fn check(&self) -> Result<(), RodError> {
        let Stiffness {
            shear,
            stretch,
            bend,
            twist,
        } = self.stiffness;
        positive("the shear stiffness along d1, N", shear[0])?;
        positive("the shear stiffness along d2, N", shear[1])?;
        positive("the stretch stiffness, N", stretch)?;
        positive("the bending stiffness about d1, N·m²", bend[0])?;
        positive("the bending stiffness about d2, N·m²", bend[1])?;
        positive("the twist stiffness, N·m²", twist)?;
        positive("the mass per length, kg/m", self.mass_per_length)?;
        positive("the rotary inertia about d1, kg·m", self.rotary_inertia[0])?;
        positive("the rotary inertia about d2, kg·m", self.rotary_inertia[1])
    }
}

/// Damping of a rod. All of it is implicit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Damping {
    /// Rayleigh's α, 1/s: D = α M, against motion as a whole.
    pub mass: f64,
    /// Rayleigh's β, s: D = β ℓ Jᵀ C J, against every strain rate alike. Turning as a rigid body is not
    /// damped: the geometric part of the Hessian takes no part.
    pub stiffness: f64,
    /// Retardation time of each strain, s, added to β: shear 1, shear 2, stretch, bend 1, bend 2, twist.
    pub strain: [f64; 6],
}

impl Damping {
    pub(super) fn check(&self) -> Result<(), RodError> {
        not_negative("the damping of mass, 1/s", self.mass)?;
        not_negative("the damping of stiffness, s", self.stiffness)?;
        self.strain
            .iter()
            .try_for_each(|&time| not_negative("the damping of a strain, s", time))
    }

    /// Retardation time of each strain, s.
    pub(super) fn times(&self) -> [f64; 6] {
        self.strain.map(|time| time + self.stiffness)
    }
}
