//! Smoothed laws: the natural map with every projection replaced by a smooth one.
//!
//! A pair (velocity w = z + e, impulse λ) obeys a law exactly when λ = T(λ, w) with T the law's
//! natural map, for contacts Π_K(λ − β(w + μ‖w_t‖ n)) (De Saxcé). Smoothing every positive part by
//! τ turns the solutions into a smooth path that ends at the law for τ → 0, which a Newton method
//! can follow from far away.

use nalgebra::{Matrix3, Vector3};

use super::Law;
use crate::cone::{project_smoothed, smoothed_positive_part};

/// T(λ, w) of a smoothed law and its derivatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothedResponse {
    /// T.
    pub impulse: Vector3<f64>,
    /// ∂T/∂λ.
    pub by_impulse: Matrix3<f64>,
    /// −∂T/∂w, in kg.
    pub by_velocity: Matrix3<f64>,
    /// ∂T/∂log τ.
    pub by_log_smoothing: Vector3<f64>,
}

impl Law {
    /// The smoothed natural map at row velocity z with error term e and impulse λ, with weight β
    /// (kg) and smoothing τ ≥ 0 (an impulse, N·s).
    pub fn smoothed_response(
        &self,
        rows: usize,
        z: &Vector3<f64>,
        e: &Vector3<f64>,
        lambda: &Vector3<f64>,
        beta: f64,
        tau: f64,
    ) -> SmoothedResponse {
        let w = &(z + e);
        match *self {
            Law::Contact { friction } => contact(w, lambda, beta, friction, Vector3::zeros(), tau),
            Law::CompliantContact {
                friction,
                tangential_compliance,
                normal_compliance,
            } => {
                let tangential = tangential_compliance;
                let softness = Vector3::new(tangential, tangential, normal_compliance);
                match friction[0] == friction[1] {
                    true => contact(w, lambda, beta, friction[0], softness, tau),
                    false => anisotropic(w, lambda, beta, friction, softness, tau),
                }
            }
            Law::AnisotropicContact { friction } => {
                anisotropic(w, lambda, beta, friction, Vector3::zeros(), tau)
            }
            Law::Unilateral => each_row(rows, w, lambda, |w, lambda| {
                let s = lambda - beta * w;
                let (value, slope) = smoothed_positive_part(s, tau);
                (value, slope, beta * slope, value - slope * s)
            }),
            Law::Equality => each_row(rows, w, lambda, |w, lambda| {
                (lambda - beta * w, 1.0, beta, 0.0)
            }),
            // λ = −k e − c z has no kink to smooth: its closed form, with x̄ = z − λ/β.
            Law::Soft { stiffness, damping } => {
                let share = damping / (damping + beta);
                let mut out = each_row(rows, z, lambda, |z, lambda| {
                    (share * (lambda - beta * z), share, beta * share, 0.0)
                });
                out.impulse -= e * (stiffness * beta / (damping + beta));
                out
            }
            Law::JointFriction { bound } => each_row(rows, w, lambda, |w, lambda| {
                let s = lambda - beta * w;
                let (above, above_slope) = smoothed_positive_part(s + bound, tau);
                let (beyond, beyond_slope) = smoothed_positive_part(s - bound, tau);
                let slope = above_slope - beyond_slope;
                let by_tau =
                    (above - above_slope * (s + bound)) - (beyond - beyond_slope * (s - bound));
                (above - beyond - bound, slope, beta * slope, by_tau)
            }),
            Law::JointLimit { lower, upper } => each_row(rows, w, lambda, |w, lambda| {
                let mut out = (0.0, 0.0, 0.0, 0.0);
                for (sign, limit) in [(1.0, lower), (-1.0, upper)] {
                    if limit.is_finite() {
                        let s = sign * lambda - beta * sign * (w - limit);
                        let (value, slope) = smoothed_positive_part(s, tau);
                        out.0 += sign * value;
                        out.1 += slope;
                        out.2 += beta * slope;
                        out.3 += sign * (value - slope * s);
                    }
                }
                out
            }),
            // Its kinks are not known: its closed form as it is, with x̄ = z − λ/β.
            Law::Custom { law, parameters } => {
                let mut out = each_row(rows, z, lambda, |_, _| (0.0, 0.0, 0.0, 0.0));
                for row in 0..rows {
                    let x_bar = z[row] - lambda[row] / beta;
                    let (value, stiffness) = (law.response)(&parameters, x_bar, e[row], beta);
                    out.impulse[row] = value;
                    out.by_impulse[(row, row)] = stiffness / beta;
                    out.by_velocity[(row, row)] = stiffness;
                }
                out
            }
        }
    }
}

fn contact(
    w: &Vector3<f64>,
    lambda: &Vector3<f64>,
    beta: f64,
    friction: f64,
    softness: Vector3<f64>,
    tau: f64,
) -> SmoothedResponse {
    let velocity = w + softness.component_mul(lambda);
    // The slip speed is smoothed in step with the cone, and still zero when nothing slips.
    let width = tau / beta;
    let slip = (velocity.x * velocity.x + velocity.y * velocity.y + width * width).sqrt();
    let shift = friction * (slip - width);
    let lift = if slip > 0.0 { friction / slip } else { 0.0 };
    let s = Vector3::new(
        lambda.x - beta * velocity.x,
        lambda.y - beta * velocity.y,
        lambda.z - beta * (velocity.z + shift),
    );
    let (impulse, derivative) = project_smoothed(&s, friction, tau);
    // −∂T/∂w = β D (I + n ∂p/∂wᵀ).
    let mut by_velocity = derivative * beta;
    for row in 0..3 {
        let normal = by_velocity[(row, 2)];
        by_velocity[(row, 0)] += normal * lift * velocity.x;
        by_velocity[(row, 1)] += normal * lift * velocity.y;
    }
    let by_impulse = derivative - by_velocity * Matrix3::from_diagonal(&softness);
    // The projection is homogeneous in s and τ: what s does not explain of it τ does (Euler). The
    // smoothed slip speed changes s as well.
    let narrowing = beta * lift * width * (slip - width);
    let by_log_smoothing = impulse - derivative * (s - Vector3::z() * narrowing);
    SmoothedResponse {
        impulse,
        by_impulse,
        by_velocity,
        by_log_smoothing,
    }
}

/// Elliptic friction is circular with μ = 1 after dividing the tangential impulse by its
/// coefficients and multiplying the tangential velocity by them, which keeps ⟨λ, w⟩.
fn anisotropic(
    w: &Vector3<f64>,
    lambda: &Vector3<f64>,
    beta: f64,
    friction: [f64; 2],
    softness: Vector3<f64>,
    tau: f64,
) -> SmoothedResponse {
    let scale = Vector3::new(friction[0], friction[1], 1.0);
    let round = contact(
        &w.component_mul(&scale),
        &lambda.component_div(&scale),
        beta,
        1.0,
        softness.component_mul(&scale).component_mul(&scale),
        tau,
    );
    SmoothedResponse {
        impulse: round.impulse.component_mul(&scale),
        by_impulse: Matrix3::from_fn(|i, j| round.by_impulse[(i, j)] * scale[i] / scale[j]),
        by_velocity: Matrix3::from_fn(|i, j| round.by_velocity[(i, j)] * scale[i] * scale[j]),
        by_log_smoothing: round.by_log_smoothing.component_mul(&scale),
    }
}

/// Applies a scalar law row by row: `(T, ∂T/∂λ, −∂T/∂w, ∂T/∂log τ)`.
fn each_row(
    rows: usize,
    w: &Vector3<f64>,
    lambda: &Vector3<f64>,
    law: impl Fn(f64, f64) -> (f64, f64, f64, f64),
) -> SmoothedResponse {
    let mut out = SmoothedResponse {
        impulse: Vector3::zeros(),
        by_impulse: Matrix3::zeros(),
        by_velocity: Matrix3::zeros(),
        by_log_smoothing: Vector3::zeros(),
    };
    for row in 0..rows {
        let (value, by_impulse, by_velocity, by_log_smoothing) = law(w[row], lambda[row]);
        out.impulse[row] = value;
        out.by_impulse[(row, row)] = by_impulse;
        out.by_velocity[(row, row)] = by_velocity;
        out.by_log_smoothing[row] = by_log_smoothing;
    }
    out
}
