//! A law of a kind, with random parameters.

use rand::{Rng, RngExt};
use stiction_constraints::Law;

use crate::kinds::LawKind;
use crate::sampling::{log_uniform, uniform};

/// A law of a kind; `mass` in kg is the size of the matrices that it acts on, `max_friction` the
/// largest μ.
pub(super) fn random_law(
    rng: &mut impl Rng,
    kind: LawKind,
    mass: f64,
    max_friction: f64,
    is_plain: bool,
) -> Law {
    // Springs and bounds of any size where anything goes.
    let size = if is_plain {
        mass
    } else {
        mass * log_uniform(rng, 1e-3, 1e3)
    };
    let friction = if rng.random_bool(0.1) {
        0.0
    } else {
        uniform(rng, 0.0, max_friction)
    };
    match kind {
        LawKind::Unilateral => Law::Unilateral,
        LawKind::Equality => Law::Equality,
        LawKind::Soft => Law::Soft {
            stiffness: size * log_uniform(rng, 0.1, 1e3),
            damping: size * log_uniform(rng, 0.01, 10.0),
        },
        LawKind::Contact => Law::Contact { friction },
        LawKind::AnisotropicContact => {
            let low = max_friction.min(0.05);
            let mut axis = || uniform(rng, low, max_friction).max(1e-3);
            Law::AnisotropicContact {
                friction: [axis(), axis()],
            }
        }
        LawKind::CompliantContact => Law::CompliantContact {
            friction: [friction; 2],
            tangential_compliance: uniform(rng, 0.0, 0.3) / size,
            normal_compliance: uniform(rng, 0.0, 0.3) / size,
        },
        LawKind::JointFriction => Law::JointFriction {
            bound: size * uniform(rng, 0.0, 1.0),
        },
        LawKind::JointLimit => {
            let (below, above) = (uniform(rng, 0.05, 0.5), uniform(rng, 0.05, 0.5));
            let open = if is_plain { 0 } else { rng.random_range(0..6) };
            Law::JointLimit {
                lower: if open == 1 { f64::NEG_INFINITY } else { -below },
                upper: if open == 2 { f64::INFINITY } else { above },
            }
        }
    }
}
