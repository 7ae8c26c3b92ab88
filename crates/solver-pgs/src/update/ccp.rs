//! The cone complementarity contact, [CMC, (15), Alg. 2]: K ∋ λ ⟂ u ∈ K*. Convex, and wrong for
//! sliding contacts, which it lifts off with u_n = μ‖u_t‖.

use nalgebra::Vector3;
use stiction_constraints::{Law, cone};

use crate::local::Local;

/// A gradient step of the length 1/λmax(G_ii + R), then the nearest point of the cone.
#[inline]
pub(super) fn update(local: &Local, z: &Vector3<f64>, impulse: &Vector3<f64>) -> Vector3<f64> {
    let target = impulse - local.law_velocity(z, impulse).component_mul(&local.step);
    match local.law {
        Law::AnisotropicContact { friction } => cone::project_elliptic(&target, friction),
        Law::CompliantContact { friction, .. } if friction[0] != friction[1] => {
            cone::project_elliptic(&target, friction)
        }
        _ => cone::project(&target, local.friction()[0]),
    }
}
