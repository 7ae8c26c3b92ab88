//! The pyramid, [CMC, Alg. 1]: |λ_t1| ≤ μ1 λ_n and |λ_t2| ≤ μ2 λ_n, each row by itself.

use nalgebra::Vector3;

use super::clip;
use crate::local::Local;

/// Row by row, each solved exactly for the others. The paper steps both tangential rows at once
/// by one length; a box needs no common length, so every row has its own.
#[inline]
pub(super) fn update(local: &Local, z: &Vector3<f64>, impulse: &Vector3<f64>) -> Vector3<f64> {
    let mut u = local.law_velocity(z, impulse);
    let mut out = *impulse;
    out.z = (impulse.z - local.step.z * u.z).max(0.0);
    u += local.block.column(2) * (out.z - impulse.z);
    let friction = local.friction();
    for row in 0..2 {
        let bound = friction[row] * out.z;
        out[row] = clip(impulse[row] - local.step[row] * u[row], bound);
        u += local.block.column(row) * (out[row] - impulse[row]);
    }
    out
}
