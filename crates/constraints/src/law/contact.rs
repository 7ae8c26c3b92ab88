//! Signorini–Coulomb contact: isotropic, elliptic, compliant.

use nalgebra::{Matrix3, Vector3};

use super::{ConeOperator, Response};
use crate::cone;

/// λ* = −β(x̄ + e), with the normal error raised by p under the proximal operator, [AL, (21)].
#[inline]
fn target(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    operator: ConeOperator,
) -> Vector3<f64> {
    let mut s = (x_bar + e) * -beta;
    if let ConeOperator::Proximal { shift } = operator {
        s.z -= beta * shift;
    }
    s
}

#[inline]
pub(super) fn isotropic(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    friction: f64,
    operator: ConeOperator,
) -> Vector3<f64> {
    let s = target(x_bar, e, beta, operator);
    match operator {
        ConeOperator::Strict => cone::project_strict(&s, friction),
        ConeOperator::Proximal { .. } => cone::project(&s, friction),
    }
}

#[inline]
pub(super) fn isotropic_response(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    friction: f64,
    operator: ConeOperator,
) -> Response {
    let s = target(x_bar, e, beta, operator);
    let (impulse, derivative) = match operator {
        ConeOperator::Strict => cone::project_strict_derivative(&s, friction),
        ConeOperator::Proximal { .. } => cone::project_derivative(&s, friction),
    };
    Response {
        impulse,
        stiffness: derivative * beta,
    }
}

pub(super) fn anisotropic(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    friction: [f64; 2],
    operator: ConeOperator,
) -> Vector3<f64> {
    let s = target(x_bar, e, beta, operator);
    match operator {
        ConeOperator::Strict => cone::project_elliptic_strict(&s, friction),
        ConeOperator::Proximal { .. } => cone::project_elliptic(&s, friction),
    }
}

pub(super) fn anisotropic_response(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    friction: [f64; 2],
    operator: ConeOperator,
) -> Response {
    let s = target(x_bar, e, beta, operator);
    let (impulse, derivative) = match operator {
        ConeOperator::Strict => cone::project_elliptic_strict_derivative(&s, friction),
        ConeOperator::Proximal { .. } => cone::project_elliptic_derivative(&s, friction),
    };
    Response {
        impulse,
        stiffness: derivative * beta,
    }
}

/// With compliance the law's velocity is x̄ + e + (1/β + R) λ: the penalty of each direction drops
/// to 1/(1/β + R).
fn penalties(beta: f64, compliance: [f64; 2]) -> [f64; 2] {
    compliance.map(|compliance| 1.0 / (1.0 / beta + compliance))
}

/// λ* with one penalty for the tangent plane and one for the normal.
fn compliant_target(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    penalty: [f64; 2],
    operator: ConeOperator,
) -> Vector3<f64> {
    let shift = match operator {
        ConeOperator::Strict => 0.0,
        ConeOperator::Proximal { shift } => shift,
    };
    Vector3::new(
        -penalty[0] * (x_bar.x + e.x),
        -penalty[0] * (x_bar.y + e.y),
        -penalty[1] * (x_bar.z + e.z + shift),
    )
}

pub(super) fn compliant(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    friction: [f64; 2],
    compliance: [f64; 2],
    operator: ConeOperator,
) -> Vector3<f64> {
    let penalty = penalties(beta, compliance);
    let s = compliant_target(x_bar, e, penalty, operator);
    let is_isotropic = friction[0] == friction[1];
    match operator {
        ConeOperator::Strict if is_isotropic => cone::project_strict(&s, friction[0]),
        // One penalty in the tangent plane: the nearest point of the ellipse dissipates most.
        ConeOperator::Strict => cone::project_elliptic_strict(&s, friction),
        ConeOperator::Proximal { .. } => {
            // Nearest in the metric 1/penalty: scale to the Euclidean one, where the cone is
            // steeper by the ratio of the scales.
            let (tangent, normal) = (penalty[0].sqrt(), penalty[1].sqrt());
            let scaled = Vector3::new(s.x / tangent, s.y / tangent, s.z / normal);
            let steeper = friction.map(|friction| friction * normal / tangent);
            let nearest = match is_isotropic {
                true => cone::project(&scaled, steeper[0]),
                false => cone::project_elliptic(&scaled, steeper),
            };
            Vector3::new(nearest.x * tangent, nearest.y * tangent, nearest.z * normal)
        }
    }
}

pub(super) fn compliant_response(
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    friction: [f64; 2],
    compliance: [f64; 2],
    operator: ConeOperator,
) -> Response {
    let penalty = penalties(beta, compliance);
    let s = compliant_target(x_bar, e, penalty, operator);
    let is_isotropic = friction[0] == friction[1];
    match operator {
        ConeOperator::Strict => {
            let (impulse, derivative) = match is_isotropic {
                true => cone::project_strict_derivative(&s, friction[0]),
                false => cone::project_elliptic_strict_derivative(&s, friction),
            };
            let gains = Matrix3::from_diagonal(&Vector3::new(penalty[0], penalty[0], penalty[1]));
            Response {
                impulse,
                stiffness: derivative * gains,
            }
        }
        ConeOperator::Proximal { .. } => {
            let (tangent, normal) = (penalty[0].sqrt(), penalty[1].sqrt());
            let scaled = Vector3::new(s.x / tangent, s.y / tangent, s.z / normal);
            let steeper = friction.map(|friction| friction * normal / tangent);
            let (nearest, derivative) = match is_isotropic {
                true => cone::project_derivative(&scaled, steeper[0]),
                false => cone::project_elliptic_derivative(&scaled, steeper),
            };
            let scale = Vector3::new(tangent, tangent, normal);
            let impulse = nearest.component_mul(&scale);
            let stiffness = Matrix3::from_fn(|i, j| derivative[(i, j)] * scale[i] * scale[j]);
            Response { impulse, stiffness }
        }
    }
}
