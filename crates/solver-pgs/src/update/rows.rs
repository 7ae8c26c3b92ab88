//! Laws that hold row by row: equality, unilateral, soft, joint friction, joint limit.
//!
//! With β = 1/G_rr the law's closed form is the exact solution of one row: x̄ = z − G_rr λ is the
//! velocity without the row's own impulse. For a soft row, λ = −(x̄ + k e/c)/(G_rr + 1/c): an
//! equality with the compliance 1/c and the error k e/c, so springs that no fold into A has
//! removed cost nothing extra in the dual.

use nalgebra::Vector3;
use stiction_constraints::ConeOperator;

use crate::local::Local;

/// The new impulse of one row. β = ω/G_rr makes it a relaxed proximal step.
#[inline]
fn update_row(local: &Local, row: usize, z: f64, impulse: f64) -> f64 {
    let beta = local.step[row];
    local
        .law
        .impulse(
            1,
            &Vector3::new(z - impulse / beta, 0.0, 0.0),
            &Vector3::new(local.error[row], 0.0, 0.0),
            beta,
            ConeOperator::Strict,
        )
        .x
}

/// Gauss–Seidel among the rows of one constraint.
#[inline]
pub(super) fn update_in_turn(
    local: &Local,
    z: &Vector3<f64>,
    impulse: &Vector3<f64>,
) -> Vector3<f64> {
    let (mut z, mut out) = (*z, *impulse);
    for row in 0..local.rows {
        out[row] = update_row(local, row, z[row], impulse[row]);
        z += local.block.column(row) * (out[row] - impulse[row]);
    }
    out
}

/// All rows from the same velocity.
#[inline]
pub(super) fn update_at_once(
    local: &Local,
    z: &Vector3<f64>,
    impulse: &Vector3<f64>,
) -> Vector3<f64> {
    let mut out = Vector3::zeros();
    for row in 0..local.rows {
        out[row] = update_row(local, row, z[row], impulse[row]);
    }
    out
}
