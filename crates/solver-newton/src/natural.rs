//! The natural map F = λ − T(z − λ/m; m) of a constraint, [AL, (14)] with its effective mass m for β.
//!
//! Contacts are projected by the nearest point of the cone, with the De Saxcé shift p = μ‖u_t‖ of the present
//! iterate [AL, (21)]: D = ∂T/∂s is symmetric then, and so is the matrix of the step. p is not differentiated:
//! sliding contacts converge linearly, by μ²/(1 + μ²) a step.

use nalgebra::{Matrix3, Vector3};
use stiction_constraints::{ConeOperator, Law};

use crate::linear_piece::LinearPiece;

/// Linearises (I − D) Δλ + m D J Δv̂ = −F, with `softness` added to I − D: where it is zero (a contact that
/// sticks, an equality) the relation says nothing of λ.
pub(crate) fn piece(
    law: &Law,
    rows: usize,
    z: &Vector3<f64>,
    e: &Vector3<f64>,
    impulse: &Vector3<f64>,
    mass: f64,
    softness: f64,
) -> LinearPiece {
    let shift = law.normal_shift(z, e, impulse);
    let operator = ConeOperator::Proximal { shift };
    let x_bar = z - impulse / mass;
    let response = law.response(rows, &x_bar, e, mass, operator);
    let map = impulse - response.impulse;
    let mut rigid = Matrix3::identity() * (1.0 + softness) - response.stiffness / mass;
    // Rows that are not there.
    for row in rows..3 {
        rigid[(row, row)] = 1.0;
    }
    let inverse = rigid.try_inverse().unwrap_or_else(Matrix3::zeros);
    let stiffness = inverse * response.stiffness;
    LinearPiece {
        // Both factors are functions of D and commute but for rounding.
        stiffness: (stiffness + stiffness.transpose()) * 0.5,
        force: inverse * map,
        error: map / mass,
    }
}
