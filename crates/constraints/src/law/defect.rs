//! T_strict(z − λ/β; β) − λ: zero exactly where (z, λ) obeys the law.
//!
//! Taken literally, z − λ/β loses z where |λ|/β is huge, and with it any violation: impulses of
//! contradicting constraints grow until nothing is left of velocities. Here λ is subtracted in closed
//! form, so that an active row contributes −β times its velocity whatever the size of λ.

use nalgebra::Vector3;

use super::Law;
use crate::cone;

impl Law {
    /// T_strict(z − λ/β; β) − λ in N·s, for β > 0.
    #[inline]
    pub fn strict_defect(
        &self,
        rows: usize,
        z: &Vector3<f64>,
        e: &Vector3<f64>,
        lambda: &Vector3<f64>,
        beta: f64,
    ) -> Vector3<f64> {
        match *self {
            Law::Contact { friction } => contact(&((z + e) * beta), lambda, friction),
            // With compliance the law's velocity is z + e + R λ, and the weights are 1/(1/β + R).
            Law::CompliantContact {
                friction,
                tangential_compliance,
                normal_compliance,
            } => {
                let velocity = self.law_velocity(z, e, lambda);
                let tangential = 1.0 / (1.0 / beta + tangential_compliance);
                let normal = 1.0 / (1.0 / beta + normal_compliance);
                let weights = Vector3::new(tangential, tangential, normal);
                let velocity = velocity.component_mul(&weights);
                match friction[0] == friction[1] {
                    true => contact(&velocity, lambda, friction[0]),
                    false => elliptic(&velocity, lambda, friction),
                }
            }
            Law::AnisotropicContact { friction } => elliptic(&((z + e) * beta), lambda, friction),
            Law::Unilateral => each_row(rows, z, e, lambda, |z, e, lambda| {
                (-beta * (z + e)).max(-lambda)
            }),
            Law::Equality => each_row(rows, z, e, lambda, |z, e, _| -beta * (z + e)),
            Law::Soft { stiffness, damping } => each_row(rows, z, e, lambda, |z, e, lambda| {
                let share = beta / (damping + beta);
                -share * (lambda + stiffness * e + damping * z)
            }),
            Law::JointFriction { bound } => each_row(rows, z, e, lambda, |z, e, lambda| {
                // Not `clamp`, which panics where λ is no number.
                (-beta * (z + e)).max(-bound - lambda).min(bound - lambda)
            }),
            Law::JointLimit { lower, upper } => each_row(rows, z, e, lambda, |z, e, lambda| {
                let (below, above) = (-beta * (z + e - lower), -beta * (z + e - upper));
                // Pushed up from the lower limit, down from the upper one, or not at all.
                if lambda + below > 0.0 {
                    below
                } else if lambda + above < 0.0 {
                    above
                } else {
                    -lambda
                }
            }),
            Law::Custom { law, parameters } => each_row(rows, z, e, lambda, |z, e, lambda| {
                (law.response)(&parameters, z - lambda / beta, e, beta).0 - lambda
            }),
        }
    }

    /// Whether the law weighs impulses against each other or against themselves at (z, λ), as sliding and
    /// springs do: what it says of them is known to the last digit of λ only. Where rows hold or are open,
    /// velocities decide alone.
    pub(crate) fn weighs_impulses(
        &self,
        z: &Vector3<f64>,
        e: &Vector3<f64>,
        lambda: &Vector3<f64>,
        beta: f64,
    ) -> bool {
        let target = lambda - (z + e) * beta;
        match *self {
            Law::Contact { friction } => {
                let radius = friction * target.z;
                target.z > 0.0 && target.xy().norm() >= (1.0 - LAST_DIGITS) * radius
            }
            Law::AnisotropicContact { friction } => {
                let inside = Vector3::new(
                    target.x / friction[0],
                    target.y / friction[1],
                    target.z * (1.0 - LAST_DIGITS),
                );
                // Without friction along an axis nothing sticks along it.
                target.z > 0.0 && !(inside.xy().norm() < inside.z)
            }
            Law::CompliantContact { .. } | Law::Soft { .. } | Law::Custom { .. } => true,
            Law::Unilateral
            | Law::Equality
            | Law::JointFriction { .. }
            | Law::JointLimit { .. } => false,
        }
    }
}

/// Impulses this close to the edge of the friction cone may be on either side of it.
const LAST_DIGITS: f64 = 4.0 * f64::EPSILON;

/// With `velocity` = β w and s = λ − velocity: the normal part is max(s_n, 0), the tangential part s_t
/// shortened by a factor, which is 1 where the contact sticks and 0 where it opens.
#[inline]
fn contact(velocity: &Vector3<f64>, lambda: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    let normal = (-velocity.z).max(-lambda.z);
    let (x, y) = (lambda.x - velocity.x, lambda.y - velocity.y);
    let size = (x * x + y * y).sqrt();
    let radius = friction * (lambda.z + normal);
    let factor = if size <= radius { 1.0 } else { radius / size };
    Vector3::new(
        (factor - 1.0) * lambda.x - factor * velocity.x,
        (factor - 1.0) * lambda.y - factor * velocity.y,
        normal,
    )
}

/// The same with elliptic friction.
fn elliptic(velocity: &Vector3<f64>, lambda: &Vector3<f64>, friction: [f64; 2]) -> Vector3<f64> {
    let step = -velocity;
    let target = lambda + step;
    let impulse = cone::project_elliptic_strict(&target, friction);
    if impulse == target {
        step
    } else if target.z > 0.0 {
        Vector3::new(impulse.x - lambda.x, impulse.y - lambda.y, step.z)
    } else {
        -lambda
    }
}

/// [`Law::strict_defect`] of four contacts with Coulomb friction at once: component by component,
/// `velocity` = β (z + e).
#[inline]
pub(crate) fn strict_defects_side_by_side(
    velocity: &[[f64; 4]; 3],
    lambda: &[[f64; 4]; 3],
    friction: &[f64; 4],
) -> [[f64; 4]; 3] {
    let mut out = [[0.0; 4]; 3];
    for k in 0..4 {
        let normal = (-velocity[2][k]).max(-lambda[2][k]);
        let (x, y) = (lambda[0][k] - velocity[0][k], lambda[1][k] - velocity[1][k]);
        let size = (x * x + y * y).sqrt();
        let radius = friction[k] * (lambda[2][k] + normal);
        let factor = if size <= radius { 1.0 } else { radius / size };
        out[0][k] = (factor - 1.0) * lambda[0][k] - factor * velocity[0][k];
        out[1][k] = (factor - 1.0) * lambda[1][k] - factor * velocity[1][k];
        out[2][k] = normal;
    }
    out
}

#[inline]
fn each_row(
    rows: usize,
    z: &Vector3<f64>,
    e: &Vector3<f64>,
    lambda: &Vector3<f64>,
    law: impl Fn(f64, f64, f64) -> f64,
) -> Vector3<f64> {
    let mut out = Vector3::zeros();
    for row in 0..rows {
        out[row] = law(z[row], e[row], lambda[row]);
    }
    out
}
