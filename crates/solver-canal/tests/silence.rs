//! What line searches rely on: who is silent at both ends of a step is silent between them.

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use stiction_constraints::{ConeOperator, Law, Response};

fn law(kind: usize, a: f64, b: f64) -> (Law, usize) {
    match kind {
        0 => (Law::Unilateral, 3),
        1 => (Law::Equality, 3),
        2 => (
            Law::Soft {
                stiffness: a,
                damping: 0.1 + b,
            },
            3,
        ),
        3 => (Law::Contact { friction: a }, 3),
        4 => (
            Law::AnisotropicContact {
                friction: [0.05 + a, 0.05 + b],
            },
            3,
        ),
        5 => (
            Law::CompliantContact {
                friction: [a; 2],
                tangential_compliance: b,
                normal_compliance: 0.5 * b,
            },
            3,
        ),
        6 => (Law::JointFriction { bound: a }, 1),
        _ => (
            Law::JointLimit {
                lower: -a,
                upper: b,
            },
            1,
        ),
    }
}

/// No impulse and no stiffness, up to rounding at the very edge.
fn is_silent(response: &Response, beta: f64, slack: f64) -> bool {
    response.impulse.amax() <= slack * beta
        && (slack > 0.0 || response.stiffness == Matrix3::zeros())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, max_global_rejects: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_silent_velocities_are_a_convex_set(
        kind in 0..8_usize,
        (a, b) in (0.0..1.5_f64, 0.0..1.5_f64),
        ends in prop::array::uniform6(-1.0..1.0_f64),
        error in prop::array::uniform3(-0.1..0.1_f64),
        lift in 0.0..1.5_f64,
        share in 0.0..1.0_f64,
        log_beta in -3.0..4.0_f64,
        shift in prop::option::of(0.0..0.5_f64),
    ) {
        let (law, rows) = law(kind, a, b);
        let beta = 10_f64.powf(log_beta);
        let operator = shift.map_or(ConeOperator::Strict, |shift| ConeOperator::Proximal { shift });
        let raised = Vector3::new(0.0, 0.0, lift);
        let first = Vector3::new(ends[0], ends[1], ends[2]) + raised;
        let last = Vector3::new(ends[3], ends[4], ends[5]) + raised;
        let respond = |x: Vector3<f64>| law.response(rows, &x, &Vector3::from(error), beta, operator);
        prop_assume!(is_silent(&respond(first), beta, 0.0) && is_silent(&respond(last), beta, 0.0));
        let between = respond(first + (last - first) * share);
        prop_assert!(is_silent(&between, beta, 1e-14), "{law:?}: {between:?}");
    }
}
