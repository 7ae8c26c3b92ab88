//! Derivatives of the smoothed laws against central differences.

use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use stiction_constraints::Law;

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-2.0..2.0_f64).prop_map(Vector3::from)
}

fn law() -> impl Strategy<Value = Law> {
    prop_oneof![
        Just(Law::Unilateral),
        Just(Law::Equality),
        (0.1..50.0, 0.1..10.0).prop_map(|(stiffness, damping)| Law::Soft { stiffness, damping }),
        (0.0..2.0_f64).prop_map(|friction| Law::Contact { friction }),
        prop::array::uniform2(0.05..2.0).prop_map(|friction| Law::AnisotropicContact { friction }),
        (0.0..2.0, 0.0..2.0, 0.0..2.0).prop_map(|(friction, tangential, normal)| {
            Law::CompliantContact {
                friction,
                tangential_compliance: tangential,
                normal_compliance: normal,
            }
        }),
        (0.0..2.0_f64).prop_map(|bound| Law::JointFriction { bound }),
        (-1.0..0.0, 0.0..1.0).prop_map(|(lower, upper)| Law::JointLimit { lower, upper }),
    ]
}

proptest! {
    #[test]
    fn derivatives_match_differences(
        law in law(),
        z in vector(),
        e in vector(),
        lambda in vector(),
        beta in 0.2..5.0_f64,
        tau in 0.05..3.0_f64,
    ) {
        let h = 1e-5;
        let at = |z: &Vector3<f64>, lambda: &Vector3<f64>, tau: f64| {
            law.smoothed_response(3, z, &e, lambda, beta, tau)
        };
        let here = at(&z, &lambda, tau);
        let close = |a: Vector3<f64>, b: Vector3<f64>| (a - b).amax() < 1e-6 * (1.0 + a.amax());
        let axes = Matrix3::<f64>::identity() * h;
        for (row, axis) in axes.column_iter().enumerate() {
            let axis: Vector3<f64> = axis.into();
            let difference = |up: Vector3<f64>, down: Vector3<f64>| (up - down) / (2.0 * h);
            let by_impulse = difference(
                at(&z, &(lambda + axis), tau).impulse,
                at(&z, &(lambda - axis), tau).impulse,
            );
            prop_assert!(close(here.by_impulse.column(row).into(), by_impulse));
            let by_velocity = difference(
                at(&(z - axis), &lambda, tau).impulse,
                at(&(z + axis), &lambda, tau).impulse,
            );
            prop_assert!(close(here.by_velocity.column(row).into(), by_velocity));
        }
        let up = at(&z, &lambda, tau * h.exp()).impulse;
        let down = at(&z, &lambda, tau / h.exp()).impulse;
        prop_assert!(close(here.by_log_smoothing, (up - down) / (2.0 * h)));
    }
}
