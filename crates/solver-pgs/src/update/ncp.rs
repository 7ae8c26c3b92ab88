//! The Signorini–Coulomb contact, [CMC, Alg. 5]: normal part first, then a projected step of the
//! tangential part into the section of the cone at that normal impulse.

use nalgebra::Vector3;
use stiction_constraints::{Law, cone};

use crate::local::Local;

/// Lines 3–6: the tangential step sees the velocity after the normal one.
#[inline]
pub(super) fn update_in_turn(
    local: &Local,
    z: &Vector3<f64>,
    impulse: &Vector3<f64>,
) -> Vector3<f64> {
    let mut u = local.law_velocity(z, impulse);
    let normal = (impulse.z - local.step.z * u.z).max(0.0);
    let push = normal - impulse.z;
    u.x += local.block[(0, 2)] * push;
    u.y += local.block[(1, 2)] * push;
    into_section(local, &u, impulse, normal)
}

/// Both parts from the same velocity.
#[inline]
pub(super) fn update_at_once(
    local: &Local,
    z: &Vector3<f64>,
    impulse: &Vector3<f64>,
) -> Vector3<f64> {
    let u = local.law_velocity(z, impulse);
    let normal = (impulse.z - local.step.z * u.z).max(0.0);
    into_section(local, &u, impulse, normal)
}

/// λ_t − τ u_t, pulled into the disc or ellipse of the cone at λ_n.
#[inline]
fn into_section(
    local: &Local,
    u: &Vector3<f64>,
    impulse: &Vector3<f64>,
    normal: f64,
) -> Vector3<f64> {
    let target = Vector3::new(
        impulse.x - local.step.x * u.x,
        impulse.y - local.step.y * u.y,
        normal,
    );
    match local.law {
        Law::AnisotropicContact { friction } => cone::project_elliptic_strict(&target, friction),
        Law::CompliantContact { friction, .. } if friction[0] != friction[1] => {
            cone::project_elliptic_strict(&target, friction)
        }
        _ => cone::project_strict(&target, local.friction()[0]),
    }
}
