//! The pyramid, [CMC, Alg. 1]: |λ_t1| ≤ μ1 λ_n and |λ_t2| ≤ μ2 λ_n, each row by itself; or another polygon.

use nalgebra::{Vector2, Vector3};
use stiction_constraints::cone::Pyramid;

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
    if local.pyramid != Pyramid::default() {
        // A gradient step along the tangent plane, then the nearest point of the polygon.
        let target = Vector2::new(
            impulse.x - local.step.x * u.x,
            impulse.y - local.step.y * u.y,
        );
        let axes = friction.map(|friction| friction * out.z);
        let section = local.pyramid.project_section(target, axes);
        return Vector3::new(section.x, section.y, out.z);
    }
    for row in 0..2 {
        let bound = friction[row] * out.z;
        out[row] = clip(impulse[row] - local.step[row] * u[row], bound);
        u += local.block.column(row) * (out[row] - impulse[row]);
    }
    out
}
