//! Derivatives of the smoothed laws against central differences.

mod common;

use common::laws::{law, vector};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

proptest! {
    #[test]
    fn derivatives_match_differences(
        law in law(),
        z in vector(2.0),
        e in vector(2.0),
        lambda in vector(2.0),
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
