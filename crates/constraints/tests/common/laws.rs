//! Random laws and what they act on.

use nalgebra::Vector3;
use proptest::prelude::*;
use stiction_constraints::Law;

/// Three rows within ±`size`.
pub(crate) fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

/// Penalties over eight orders of magnitude.
pub(crate) fn penalty() -> impl Strategy<Value = f64> {
    (-3.0..5.0_f64).prop_map(|exponent| 10.0_f64.powf(exponent))
}

/// Any of the contact laws.
pub(crate) fn contact_law() -> impl Strategy<Value = Law> {
    prop_oneof![
        (0.0..2.0_f64).prop_map(|friction| Law::Contact { friction }),
        prop::array::uniform2(0.05..2.0).prop_map(|friction| Law::AnisotropicContact { friction }),
        (prop::array::uniform2(0.05..2.0), 0.0..2.0, 0.0..2.0).prop_map(
            |(friction, tangential, normal)| Law::CompliantContact {
                friction,
                tangential_compliance: tangential,
                normal_compliance: normal,
            }
        ),
        (0.0..2.0, 0.0..2.0, 0.0..2.0).prop_map(|(friction, tangential, normal)| {
            Law::CompliantContact {
                friction: [friction; 2],
                tangential_compliance: tangential,
                normal_compliance: normal,
            }
        }),
    ]
}

/// Any law.
pub(crate) fn law() -> impl Strategy<Value = Law> {
    prop_oneof![
        1 => Just(Law::Unilateral),
        1 => Just(Law::Equality),
        1 => (0.1..50.0, 0.1..10.0)
            .prop_map(|(stiffness, damping)| Law::Soft { stiffness, damping }),
        3 => contact_law(),
        1 => (0.0..2.0_f64).prop_map(|bound| Law::JointFriction { bound }),
        1 => (-1.0..0.0, 0.0..1.0).prop_map(|(lower, upper)| Law::JointLimit { lower, upper }),
    ]
}
