//! The laws: which pairs (z, λ) of velocity and impulse a constraint admits.
//!
//! Every law is used through its closed form for the augmented Lagrangian [AL, (14)]: given
//! x̄ = J v̂ + u/β and the penalty β > 0, it returns the λ for which z = x̄ + λ/β and (z, λ) obey
//! the law, together with the stiffness K = −∂λ/∂x̄ that the Newton solvers need.

mod bound_in_file;
mod contact;
mod custom;
mod defect;
mod friction_in_file;
mod inverse;
mod joint_friction;
mod joint_limit;
mod smoothed;
mod soft;
mod unilateral;

pub use custom::{CustomLaw, CustomParameters};
pub(crate) use defect::strict_defects_side_by_side;
pub use smoothed::SmoothedResponse;

use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};

/// Which pairs (z, λ) a constraint admits. z is J v̂, e the constraint's error term.
///
/// The laws that are not contacts hold for each row by itself; [`row_counts`](Self::row_counts) says
/// how many a law takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "snake_case")]
pub enum Law {
    /// Hard unilateral constraint, 0 ≤ λ ⟂ z + e ≥ 0, [AL, (3)].
    Unilateral,
    /// Hard equality, z + e = 0, λ free.
    Equality,
    /// Spring and damper, λ = −k e − c z, [AL, (4)].
    Soft {
        /// k, impulse per unit of e.
        stiffness: f64,
        /// c > 0, in kg (kg·m² for angular rows).
        damping: f64,
    },
    /// Contact with isotropic Coulomb friction, [AL, (5)], rows (t1, t2, n).
    Contact {
        /// Friction coefficient μ ≥ 0.
        friction: f64,
    },
    /// Contact with elliptic friction: (λ_t1/μ1)² + (λ_t2/μ2)² ≤ λ_n², slip by maximal
    /// dissipation.
    AnisotropicContact {
        /// Friction coefficients along t1 and t2, both positive.
        friction: [f64; 2],
    },
    /// Contact with compliance R: the velocity that obeys (5) is z + e + R λ. This is the
    /// invertible model of soft simulators, with Coulomb friction kept exact.
    CompliantContact {
        /// Friction coefficients along t1 and t2: equal and not negative, or both positive. In files a
        /// number where they are equal.
        #[serde(with = "friction_in_file")]
        friction: [f64; 2],
        /// Tangential compliance in 1/kg, ≥ 0.
        tangential_compliance: f64,
        /// Normal compliance in 1/kg, ≥ 0.
        normal_compliance: f64,
    },
    /// Dry friction in a joint, |λ| ≤ m and λ = −m sign(z + e) when it moves, [JFL, (6)].
    JointFriction {
        /// Largest friction impulse m in N·s (N·m·s), that is friction force × time step.
        bound: f64,
    },
    /// Velocity interval lower ≤ z + e ≤ upper with λ pushing back inside, [JFL, (8)].
    JointLimit {
        /// Smallest velocity, m/s (rad/s); −∞ for no limit.
        #[serde(with = "bound_in_file")]
        lower: f64,
        /// Largest velocity, m/s (rad/s); +∞ for no limit.
        #[serde(with = "bound_in_file")]
        upper: f64,
    },
    /// A law of a user's own that holds for each row by itself. Not in files.
    #[serde(skip)]
    Custom {
        /// The law.
        law: &'static CustomLaw,
        /// What this constraint gives to it.
        parameters: CustomParameters,
    },
}

/// How a contact's impulse is projected onto its friction cone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ConeOperator {
    /// Normal part first, then the tangential part into the section of the cone, [AL, (18)]:
    /// solves the Signorini–Coulomb law (5) exactly.
    Strict,
    /// Nearest point of the cone after the normal error was raised by `shift` = μ‖z_t + e_t‖ of
    /// the last outer iterate, [AL, (21)–(22)]: the gradient of a convex function.
    Proximal {
        /// p ≥ 0 in m/s.
        shift: f64,
    },
}

/// Closed-form impulse and its stiffness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// λ, padded with zeros beyond the constraint's rows.
    pub impulse: Vector3<f64>,
    /// K = −∂λ/∂x̄. Symmetric positive semidefinite for all laws under
    /// [`ConeOperator::Proximal`].
    pub stiffness: Matrix3<f64>,
}

impl Law {
    /// Whether the law is one of the contact laws (three rows, friction cone).
    pub fn is_contact(&self) -> bool {
        matches!(
            self,
            Law::Contact { .. } | Law::AnisotropicContact { .. } | Law::CompliantContact { .. }
        )
    }

    /// How many rows a constraint of this law may have.
    pub fn row_counts(&self) -> std::ops::RangeInclusive<usize> {
        if self.is_contact() { 3..=3 } else { 1..=3 }
    }

    /// Every kind of law that comes along; custom laws have kinds of their own.
    pub const KINDS: [&'static str; 8] = [
        "unilateral",
        "equality",
        "soft",
        "contact",
        "anisotropic contact",
        "compliant contact",
        "joint friction",
        "joint limit",
    ];

    /// One word for reports and error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Law::Unilateral => "unilateral",
            Law::Equality => "equality",
            Law::Soft { .. } => "soft",
            Law::Contact { .. } => "contact",
            Law::AnisotropicContact { .. } => "anisotropic contact",
            Law::CompliantContact { .. } => "compliant contact",
            Law::JointFriction { .. } => "joint friction",
            Law::JointLimit { .. } => "joint limit",
            Law::Custom { law, .. } => law.kind,
        }
    }

    /// λ with z = x̄ + λ/β and (z, λ) obeying the law.
    #[inline]
    pub fn impulse(
        &self,
        rows: usize,
        x_bar: &Vector3<f64>,
        e: &Vector3<f64>,
        beta: f64,
        operator: ConeOperator,
    ) -> Vector3<f64> {
        match *self {
            Law::Contact { friction } => contact::isotropic(x_bar, e, beta, friction, operator),
            Law::AnisotropicContact { friction } => {
                contact::anisotropic(x_bar, e, beta, friction, operator)
            }
            Law::CompliantContact {
                friction,
                tangential_compliance,
                normal_compliance,
            } => {
                let compliance = [tangential_compliance, normal_compliance];
                contact::compliant(x_bar, e, beta, friction, compliance, operator)
            }
            Law::Unilateral => each_row(rows, x_bar, e, |x, e| unilateral::hard(x, e, beta).0),
            Law::Equality => each_row(rows, x_bar, e, |x, e| -beta * (x + e)),
            Law::Soft { stiffness, damping } => each_row(rows, x_bar, e, |x, e| {
                soft::soft(x, e, beta, stiffness, damping).0
            }),
            Law::JointFriction { bound } => each_row(rows, x_bar, e, |x, e| {
                joint_friction::dry(x + e, beta, bound).0
            }),
            Law::JointLimit { lower, upper } => each_row(rows, x_bar, e, |x, e| {
                joint_limit::interval(x + e, beta, lower, upper).0
            }),
            Law::Custom { law, parameters } => each_row(rows, x_bar, e, |x, e| {
                (law.response)(&parameters, x, e, beta).0
            }),
        }
    }

    /// [`impulse`](Self::impulse) and its stiffness K = −∂λ/∂x̄.
    #[inline]
    pub fn response(
        &self,
        rows: usize,
        x_bar: &Vector3<f64>,
        e: &Vector3<f64>,
        beta: f64,
        operator: ConeOperator,
    ) -> Response {
        match *self {
            Law::Contact { friction } => {
                contact::isotropic_response(x_bar, e, beta, friction, operator)
            }
            Law::AnisotropicContact { friction } => {
                contact::anisotropic_response(x_bar, e, beta, friction, operator)
            }
            Law::CompliantContact {
                friction,
                tangential_compliance,
                normal_compliance,
            } => {
                let compliance = [tangential_compliance, normal_compliance];
                contact::compliant_response(x_bar, e, beta, friction, compliance, operator)
            }
            Law::Unilateral => {
                each_row_response(rows, x_bar, e, |x, e| unilateral::hard(x, e, beta))
            }
            Law::Equality => each_row_response(rows, x_bar, e, |x, e| (-beta * (x + e), beta)),
            Law::Soft { stiffness, damping } => each_row_response(rows, x_bar, e, |x, e| {
                soft::soft(x, e, beta, stiffness, damping)
            }),
            Law::JointFriction { bound } => each_row_response(rows, x_bar, e, |x, e| {
                joint_friction::dry(x + e, beta, bound)
            }),
            Law::JointLimit { lower, upper } => each_row_response(rows, x_bar, e, |x, e| {
                joint_limit::interval(x + e, beta, lower, upper)
            }),
            Law::Custom { law, parameters } => each_row_response(rows, x_bar, e, |x, e| {
                (law.response)(&parameters, x, e, beta)
            }),
        }
    }

    /// The shift p of the normal error for the proximal operator, [AL, (21)]: μ‖z_t + e_t‖ (with
    /// the compliance's part where there is one). Zero for laws without a cone.
    pub fn normal_shift(&self, z: &Vector3<f64>, e: &Vector3<f64>, lambda: &Vector3<f64>) -> f64 {
        let slip = [z.x + e.x, z.y + e.y];
        match *self {
            Law::Contact { friction } => friction * (slip[0] * slip[0] + slip[1] * slip[1]).sqrt(),
            Law::AnisotropicContact { friction } => {
                (friction[0] * slip[0]).hypot(friction[1] * slip[1])
            }
            Law::CompliantContact {
                friction,
                tangential_compliance,
                ..
            } => {
                let softness = [
                    tangential_compliance * lambda.x,
                    tangential_compliance * lambda.y,
                ];
                let [along, across] = friction;
                if along == across {
                    along * (slip[0] + softness[0]).hypot(slip[1] + softness[1])
                } else {
                    let slip = [slip[0] + softness[0], slip[1] + softness[1]];
                    (along * slip[0]).hypot(across * slip[1])
                }
            }
            _ => 0.0,
        }
    }

    /// The law's velocity: what the law's conditions are about, z + e (+ R λ for a compliant
    /// contact).
    pub fn law_velocity(
        &self,
        z: &Vector3<f64>,
        e: &Vector3<f64>,
        lambda: &Vector3<f64>,
    ) -> Vector3<f64> {
        let mut out = z + e;
        if let Law::CompliantContact {
            tangential_compliance,
            normal_compliance,
            ..
        } = *self
        {
            out.x += tangential_compliance * lambda.x;
            out.y += tangential_compliance * lambda.y;
            out.z += normal_compliance * lambda.z;
        }
        out
    }

    /// Friction coefficients along t1 and t2 of a contact law, `None` for the others.
    pub fn friction(&self) -> Option<[f64; 2]> {
        match *self {
            Law::Contact { friction } => Some([friction; 2]),
            Law::AnisotropicContact { friction } | Law::CompliantContact { friction, .. } => {
                Some(friction)
            }
            _ => None,
        }
    }

    /// Refuses parameters that make no sense: `(field, value, reason)`.
    pub(crate) fn check(&self, rows: usize) -> Result<(), (&'static str, f64, &'static str)> {
        if !self.row_counts().contains(&rows) {
            let reason = if self.is_contact() {
                "a contact has three rows (t1, t2, n)"
            } else {
                "a constraint of this law has one to three rows"
            };
            return Err(("rows", rows as f64, reason));
        }
        let not_negative = |field, value: f64| {
            if value.is_finite() && value >= 0.0 {
                Ok(())
            } else {
                Err((field, value, "must be finite and not negative"))
            }
        };
        match *self {
            Law::Unilateral | Law::Equality => Ok(()),
            Law::Soft { stiffness, damping } => {
                not_negative("stiffness", stiffness)?;
                if damping.is_finite() && damping > 0.0 {
                    Ok(())
                } else {
                    Err(("damping", damping, "must be finite and positive"))
                }
            }
            Law::Contact { friction } => not_negative("friction", friction),
            Law::AnisotropicContact { friction } => check_axes(friction),
            Law::CompliantContact {
                friction,
                tangential_compliance,
                normal_compliance,
            } => {
                if friction[0] == friction[1] {
                    not_negative("friction", friction[0])?;
                } else {
                    check_axes(friction)?;
                }
                not_negative("tangential_compliance", tangential_compliance)?;
                not_negative("normal_compliance", normal_compliance)
            }
            Law::JointFriction { bound } => not_negative("bound", bound),
            Law::JointLimit { lower, upper } => {
                if lower.is_nan() || lower == f64::INFINITY {
                    return Err(("lower", lower, "must be a number below infinity"));
                }
                if upper.is_nan() || upper == f64::NEG_INFINITY {
                    return Err(("upper", upper, "must be a number above minus infinity"));
                }
                if lower > upper {
                    return Err(("lower", lower, "is above the upper limit"));
                }
                Ok(())
            }
            Law::Custom { law, parameters } => {
                if let Some(&value) = parameters.iter().find(|value| !value.is_finite()) {
                    return Err(("parameters", value, "must be finite"));
                }
                (law.check)(&parameters).map_err(|reason| ("parameters", parameters[0], reason))
            }
        }
    }
}

/// An ellipse needs two axes.
fn check_axes(friction: [f64; 2]) -> Result<(), (&'static str, f64, &'static str)> {
    let is_axis = |value: &f64| value.is_finite() && *value > 0.0;
    match friction.iter().find(|value| !is_axis(value)) {
        Some(&value) => Err((
            "friction",
            value,
            "must be finite and positive in both directions",
        )),
        None => Ok(()),
    }
}

/// Applies a scalar law row by row.
#[inline]
fn each_row(
    rows: usize,
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    law: impl Fn(f64, f64) -> f64,
) -> Vector3<f64> {
    let mut out = Vector3::zeros();
    for row in 0..rows {
        out[row] = law(x_bar[row], e[row]);
    }
    out
}

/// Applies a scalar law row by row; the stiffness is diagonal.
#[inline]
fn each_row_response(
    rows: usize,
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    law: impl Fn(f64, f64) -> (f64, f64),
) -> Response {
    let mut out = Response {
        impulse: Vector3::zeros(),
        stiffness: Matrix3::zeros(),
    };
    for row in 0..rows {
        (out.impulse[row], out.stiffness[(row, row)]) = law(x_bar[row], e[row]);
    }
    out
}
