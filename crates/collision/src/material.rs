//! Surface materials, and how the materials of two touching bodies combine.

use std::cmp::Ordering;

use nalgebra::{Unit, Vector3};

use crate::error::{CollisionError, Result, non_negative};

/// Coulomb friction of one surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Friction {
    /// One coefficient for every direction.
    Isotropic(f64),
    /// Two coefficients: along `direction` and across it.
    TwoAxis {
        /// Coefficient along `direction`.
        along: f64,
        /// Coefficient across `direction`.
        across: f64,
        /// Direction in the collider's frame; only its part tangent to the surface counts.
        direction: Unit<Vector3<f64>>,
    },
}

impl Friction {
    /// Coefficients (along, across); equal if isotropic.
    pub fn coefficients(&self) -> (f64, f64) {
        match *self {
            Self::Isotropic(mu) => (mu, mu),
            Self::TwoAxis { along, across, .. } => (along, across),
        }
    }
}

/// How one number of two materials becomes the number of their contact. When the two ask for
/// different rules the later of this list wins, so the outcome does not depend on who is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum CombineRule {
    /// Arithmetic mean.
    Mean,
    /// Geometric mean √(ab), the usual choice for friction.
    #[default]
    GeometricMean,
    /// The smaller.
    Min,
    /// The product.
    Product,
    /// The larger.
    Max,
}

impl CombineRule {
    /// Combines two numbers of the two materials.
    pub fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Mean => 0.5 * (a + b),
            Self::GeometricMean => (a * b).sqrt(),
            Self::Min => a.min(b),
            Self::Product => a * b,
            Self::Max => a.max(b),
        }
    }
}

/// What a surface is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Coulomb friction.
    pub friction: Friction,
    /// Newton restitution, 0 to 1.
    pub restitution: f64,
    /// Normal compliance, m/N; zero is rigid. Two surfaces in series: compliances add.
    pub compliance: f64,
    /// Tangential compliance, m/(N·s): the speed at which a contact that sticks creeps for each newton of
    /// friction; zero sticks. Two surfaces in series: compliances add.
    pub tangential_compliance: f64,
    /// How friction combines.
    pub friction_rule: CombineRule,
    /// How restitution combines.
    pub restitution_rule: CombineRule,
    /// Of two surfaces the one of higher priority decides friction alone.
    pub priority: i32,
    /// Whether two such surfaces touch without friction; the coefficient counts against a surface that is
    /// not so, as between MuJoCo's geoms of `condim` 1 and 3.
    pub frictionless: bool,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: Friction::Isotropic(0.5),
            restitution: 0.0,
            compliance: 0.0,
            tangential_compliance: 0.0,
            friction_rule: CombineRule::GeometricMean,
            restitution_rule: CombineRule::Max,
            priority: 0,
            frictionless: false,
        }
    }
}

impl Material {
    /// Rigid, inelastic material with one coefficient of friction.
    pub fn with_friction(mu: f64) -> Self {
        Self {
            friction: Friction::Isotropic(mu),
            ..Self::default()
        }
    }

    /// Refuses negative or non-finite numbers; `name` is put in the error.
    pub fn validate(&self, name: &str) -> Result<()> {
        let (along, across) = self.friction.coefficients();
        non_negative(name, "friction", along)?;
        non_negative(name, "friction across", across)?;
        if let Friction::TwoAxis { direction, .. } = &self.friction
            && (direction.norm().is_nan() || (direction.norm() - 1.0).abs() > 1e-6)
        {
            return Err(CollisionError::InvalidParameter {
                element: name.to_owned(),
                field: "friction direction norm",
                value: direction.norm(),
                reason: "must be 1",
            });
        }
        non_negative(name, "compliance", self.compliance)?;
        non_negative(name, "tangential_compliance", self.tangential_compliance)?;
        non_negative(name, "restitution", self.restitution)?;
        if self.restitution > 1.0 {
            return Err(CollisionError::InvalidParameter {
                element: name.to_owned(),
                field: "restitution",
                value: self.restitution,
                reason: "must not exceed 1",
            });
        }
        Ok(())
    }

    /// The material of the contact between `self` and `other`.
    ///
    /// `direction_self` and `direction_other` are the world directions of two-axis friction, used
    /// only where the friction is two-axis. With one two-axis surface its axes are kept and each
    /// coefficient combined with the other's. With two, the axes of the surface with the larger
    /// along/across contrast are kept (ties: the first), and the other's coefficients enter by
    /// their value along those axes, √((μₐ cos)² + (μ_c sin)²) inverse-quadratically, that is the
    /// radius of its friction ellipse.
    pub fn combine(&self, other: &Self, directions: [Option<Vector3<f64>>; 2]) -> ContactMaterial {
        let (friction_along, friction_across, direction) = self.combine_friction(other, directions);
        ContactMaterial {
            friction_along,
            friction_across,
            direction,
            restitution: self
                .restitution_rule
                .max(other.restitution_rule)
                .apply(self.restitution, other.restitution),
            compliance: self.compliance + other.compliance,
            tangential_compliance: self.tangential_compliance + other.tangential_compliance,
        }
    }

    /// Coefficients along and across a direction.
    fn combine_friction(
        &self,
        other: &Self,
        directions: [Option<Vector3<f64>>; 2],
    ) -> (f64, f64, Option<Vector3<f64>>) {
        let decides = match self.priority.cmp(&other.priority) {
            Ordering::Greater => Some((self, directions[0])),
            Ordering::Less => Some((other, directions[1])),
            Ordering::Equal => None,
        };
        let frictionless = decides
            .map_or(self.frictionless && other.frictionless, |(material, _)| {
                material.frictionless
            });
        if frictionless {
            return (0.0, 0.0, None);
        }
        if let Some((material, direction)) = decides {
            let (along, across) = material.friction.coefficients();
            return (along, across, direction);
        }
        let rule = self.friction_rule.max(other.friction_rule);
        match directions {
            [None, None] => {
                let mu = rule.apply(
                    self.friction.coefficients().0,
                    other.friction.coefficients().0,
                );
                (mu, mu, None)
            }
            [Some(d), None] => combine_axes(rule, &self.friction, d, &other.friction, None),
            [None, Some(d)] => combine_axes(rule, &other.friction, d, &self.friction, None),
            [Some(d), Some(e)] => {
                if contrast(&self.friction) >= contrast(&other.friction) {
                    combine_axes(rule, &self.friction, d, &other.friction, Some(e))
                } else {
                    combine_axes(rule, &other.friction, e, &self.friction, Some(d))
                }
            }
        }
    }
}

/// |ln(along/across)|, how far a friction is from isotropic.
fn contrast(friction: &Friction) -> f64 {
    let (along, across) = friction.coefficients();
    if along == across {
        0.0
    } else {
        (along.max(f64::MIN_POSITIVE) / across.max(f64::MIN_POSITIVE))
            .ln()
            .abs()
    }
}

/// Keeps the axes of `kept` (direction `d`), and reads `other` along them.
fn combine_axes(
    rule: CombineRule,
    kept: &Friction,
    d: Vector3<f64>,
    other: &Friction,
    other_direction: Option<Vector3<f64>>,
) -> (f64, f64, Option<Vector3<f64>>) {
    let (along, across) = kept.coefficients();
    let (other_along, other_across) = other.coefficients();
    let cosine = other_direction.map_or(1.0, |e| d.dot(&e).clamp(-1.0, 1.0));
    let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
    // radius of the ellipse with half axes (other_along, other_across) in the direction (c, s)
    let radius = |c: f64, s: f64| {
        let q = (c * other_across).hypot(s * other_along);
        if other_along == other_across {
            other_along
        } else if q > 0.0 {
            other_along * other_across / q
        } else {
            other_along.max(other_across)
        }
    };
    (
        rule.apply(along, radius(cosine, sine)),
        rule.apply(across, radius(sine, cosine)),
        Some(d),
    )
}

/// The combined material at a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactMaterial {
    /// Friction coefficient along `direction` (or in every direction).
    pub friction_along: f64,
    /// Friction coefficient across `direction`.
    pub friction_across: f64,
    /// World direction of the first friction axis, not yet projected on the tangent plane;
    /// `None` if isotropic.
    pub direction: Option<Vector3<f64>>,
    /// Restitution, 0 to 1.
    pub restitution: f64,
    /// Compliance of both surfaces in series, m/N.
    pub compliance: f64,
    /// Tangential compliance of both surfaces in series, m/(N·s).
    pub tangential_compliance: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combination_does_not_depend_on_order() {
        let a = Material {
            friction: Friction::TwoAxis {
                along: 0.9,
                across: 0.1,
                direction: Vector3::x_axis(),
            },
            compliance: 1e-6,
            restitution: 0.3,
            ..Material::default()
        };
        let b = Material {
            friction_rule: CombineRule::Min,
            ..Material::with_friction(0.4)
        };
        let d = Some(Vector3::x());
        let ab = a.combine(&b, [d, None]);
        let ba = b.combine(&a, [None, d]);
        assert_eq!(ab, ba);
        assert_eq!((ab.friction_along, ab.friction_across), (0.4, 0.1));
        assert_eq!((ab.restitution, ab.compliance), (0.3, 1e-6));
    }

    #[test]
    fn two_anisotropic_surfaces_crossed_at_a_right_angle_swap_axes() {
        let make = |along, across| Material {
            friction: Friction::TwoAxis {
                along,
                across,
                direction: Vector3::x_axis(),
            },
            friction_rule: CombineRule::Min,
            ..Material::default()
        };
        let combined =
            make(0.8, 0.2).combine(&make(0.5, 0.3), [Some(Vector3::x()), Some(Vector3::y())]);
        assert!((combined.friction_along - 0.3).abs() < 1e-12);
        assert!((combined.friction_across - 0.2).abs() < 1e-12);
    }

    #[test]
    fn the_surface_of_higher_priority_decides_friction_in_either_order() {
        let make = |mu, priority, frictionless| Material {
            friction_rule: CombineRule::Max,
            priority,
            frictionless,
            ..Material::with_friction(mu)
        };
        let both = |a: Material, b: Material| {
            let [ab, ba] = [a.combine(&b, [None; 2]), b.combine(&a, [None; 2])];
            assert_eq!(ab, ba);
            ab.friction_along
        };
        // The values of MuJoCo 4.0.0 for geoms of these friction, priority and condim (3 or 1).
        assert_eq!(both(make(1.0, 0, false), make(0.1, 1, false)), 0.1);
        assert_eq!(both(make(0.5, -1, false), make(0.2, 0, false)), 0.2);
        assert_eq!(both(make(0.5, 0, false), make(1.0, 0, true)), 1.0);
        assert_eq!(both(make(0.5, 0, true), make(0.9, 0, true)), 0.0);
        assert_eq!(both(make(0.5, 1, false), make(1.0, 0, true)), 0.5);
        assert_eq!(both(make(0.5, 0, false), make(1.0, 2, true)), 0.0);
    }

    #[test]
    fn bad_numbers_are_refused_by_name() {
        let error = Material::with_friction(-0.3).validate("ice").unwrap_err();
        assert!(error.to_string().contains("ice") && error.to_string().contains("-0.3"));
        let bouncy = Material {
            restitution: 1.5,
            ..Material::default()
        };
        assert!(bouncy.validate("gum").is_err());
        let soft = Material {
            compliance: f64::NAN,
            ..Material::default()
        };
        assert!(soft.validate("gel").is_err());
    }
}
