//! Stiffness K = −∂λ/∂x̄ against central differences, away from the kinks; symmetry and
//! definiteness where the text promises them.

mod common;

use common::laws::{law, vector};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use stiction_constraints::{ConeOperator, Law};

fn operator() -> impl Strategy<Value = ConeOperator> {
    prop_oneof![
        Just(ConeOperator::Strict),
        (0.0..1.0).prop_map(|shift| ConeOperator::Proximal { shift }),
    ]
}

/// Which branch of its law an impulse came from, row by row.
fn mode(law: &Law, lambda: &Vector3<f64>) -> [u8; 3] {
    let scalar = |value: f64| match *law {
        Law::JointFriction { bound } if value.abs() >= bound => 1,
        _ if value > 0.0 => 2,
        _ if value < 0.0 => 3,
        _ => 0,
    };
    match law.friction() {
        None => [scalar(lambda.x), scalar(lambda.y), scalar(lambda.z)],
        Some(_) if lambda.z == 0.0 => [0; 3],
        Some(mu) if mu[0] == 0.0 => [1; 3],
        Some(mu) => {
            let reach = (lambda.x / mu[0]).hypot(lambda.y / mu[1]);
            [if reach < lambda.z * (1.0 - 1e-9) {
                2
            } else {
                3
            }; 3]
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        max_global_rejects: 3000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn stiffness_is_minus_the_derivative(
        law in law(), operator in operator(), x_bar in vector(2.0), e in vector(1.0),
        exponent in -1.0..2.0_f64,
    ) {
        let beta = 10.0_f64.powf(exponent);
        let at = |x: &Vector3<f64>| law.impulse(3, x, &e, beta, operator);
        let response = law.response(3, &x_bar, &e, beta, operator);
        prop_assert!((response.impulse - at(&x_bar)).norm() <= 1e-13 * beta * 4.0);
        let step = 1e-5;
        let mut difference = Matrix3::zeros();
        for column in 0..3 {
            let mut side = Vector3::zeros();
            side[column] = step;
            for far in [10.0, -10.0] {
                let there = at(&(x_bar + far * side));
                prop_assume!(mode(&law, &there) == mode(&law, &response.impulse), "a kink is near");
            }
            let slope = (at(&(x_bar - side)) - at(&(x_bar + side))) / (2.0 * step);
            difference.set_column(column, &slope);
        }
        // Near the axis of the cone its curvature is that of a needle: differences say nothing.
        let tangential = (x_bar + e).xy().norm();
        prop_assume!(!law.is_contact() || tangential > 0.05);
        let error = (difference - response.stiffness).amax();
        prop_assert!(error <= 1e-5 * beta, "{error}: {difference} {}", response.stiffness);
    }

    #[test]
    fn proximal_stiffness_is_symmetric_and_positive_semidefinite(
        law in law(), x_bar in vector(2.0), e in vector(1.0), exponent in -3.0..5.0_f64,
        shift in 0.0..1.0_f64,
    ) {
        let beta = 10.0_f64.powf(exponent);
        let k = law.response(3, &x_bar, &e, beta, ConeOperator::Proximal { shift }).stiffness;
        prop_assert!((k - k.transpose()).amax() <= 1e-12 * beta, "{k}");
        let eigenvalues = k.symmetric_eigenvalues();
        prop_assert!(eigenvalues.min() >= -1e-12 * beta, "{eigenvalues}");
        prop_assert!(eigenvalues.max() <= beta * (1.0 + 1e-12), "stiffer than the penalty");
    }
}

#[test]
fn kinks_have_a_finite_element_of_the_derivative() {
    // Apex, axis and boundary of the cone.
    let places = [
        Vector3::zeros(),
        Vector3::new(0.0, 0.0, -1.0),
        Vector3::new(0.0, 0.0, 1.0),
        Vector3::new(-0.5, 0.0, -1.0),
        Vector3::new(0.0, -0.5, 0.25),
    ];
    let laws = [
        Law::Contact { friction: 0.5 },
        Law::Contact { friction: 0.0 },
        Law::AnisotropicContact {
            friction: [0.5, 0.25],
        },
        Law::CompliantContact {
            friction: [0.5; 2],
            tangential_compliance: 0.0,
            normal_compliance: 0.1,
        },
    ];
    for law in laws {
        for x_bar in places {
            for operator in [ConeOperator::Strict, ConeOperator::Proximal { shift: 0.0 }] {
                let response = law.response(3, &x_bar, &Vector3::zeros(), 1.0, operator);
                assert!(
                    response.impulse.iter().all(|x| x.is_finite()),
                    "{law:?} {x_bar}"
                );
                assert!(
                    response.stiffness.iter().all(|x| x.is_finite()),
                    "{law:?} {x_bar}"
                );
            }
        }
    }
}
