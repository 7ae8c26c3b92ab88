//! One constraint's new impulse, the others held fixed: one file per model.
//!
//! Every update takes the constraint, its velocity z = J_i v̂ under the present impulses and its
//! present impulse λ, and returns the new λ. Contacts are ordered (t1, t2, n).

mod ccp;
mod lcp;
mod ncp;
mod raisim;
mod rows;

use nalgebra::Vector3;

use crate::local::Local;
use crate::settings::Method;

/// Dispatches on the method.
#[inline]
pub(crate) fn update(
    method: Method,
    local: &Local,
    z: &Vector3<f64>,
    impulse: &Vector3<f64>,
) -> Vector3<f64> {
    if !local.law.is_contact() {
        return match method {
            Method::Jacobi => rows::update_at_once(local, z, impulse),
            _ => rows::update_in_turn(local, z, impulse),
        };
    }
    match method {
        Method::Ncp | Method::ConjugateGradient => ncp::update_in_turn(local, z, impulse),
        Method::Jacobi => ncp::update_at_once(local, z, impulse),
        Method::Ccp => ccp::update(local, z, impulse),
        Method::Lcp => lcp::update(local, z, impulse),
        Method::Raisim => raisim::update(local, z, impulse),
    }
}

/// Into [−bound, bound]. Unlike `clamp` it survives a bound that is not a number, which a diverging
/// iteration produces on its last sweep.
#[inline]
pub(crate) fn clip(value: f64, bound: f64) -> f64 {
    value.max(-bound).min(bound)
}
