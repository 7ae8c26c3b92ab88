//! The convex surrogate of a step, [AL, Prop. 3]: the impulses of all laws under the proximal
//! operator are minus the gradient of a convex function φ of x̄, with β for the Lipschitz constant.
//!
//! [AL, (23)] gives φ = ‖λ‖²/(2β), which is right for cones; springs, compliant contacts and dry
//! friction need forms of their own.

mod common;

use common::laws::{contact_law, law, penalty, vector};
use nalgebra::Vector3;
use proptest::prelude::*;
use stiction_constraints::{ConeOperator, Law};

/// Relative size of what rounding may leave in a potential.
const ROUNDING: f64 = 1e-12;

/// φ(x̄) with ∇φ = −λ.
fn potential(
    law: &Law,
    x_bar: &Vector3<f64>,
    e: &Vector3<f64>,
    beta: f64,
    operator: ConeOperator,
) -> f64 {
    let lambda = law.impulse(3, x_bar, e, beta, operator);
    match *law {
        Law::Soft { damping, .. } => 0.5 * (1.0 / beta + 1.0 / damping) * lambda.norm_squared(),
        Law::CompliantContact {
            tangential_compliance,
            normal_compliance,
            ..
        } => {
            let tangential = (1.0 / beta + tangential_compliance) * lambda.xy().norm_squared();
            let normal = (1.0 / beta + normal_compliance) * lambda.z * lambda.z;
            0.5 * (tangential + normal)
        }
        // Huber's function: a parabola that goes on as a line where the friction is at its bound.
        Law::JointFriction { .. } => {
            let s = (x_bar + e) * -beta;
            (s.norm_squared() - (s - lambda).norm_squared()) / (2.0 * beta)
        }
        Law::Unilateral
        | Law::Equality
        | Law::Contact { .. }
        | Law::AnisotropicContact { .. }
        | Law::JointLimit { .. } => lambda.norm_squared() / (2.0 * beta),
        Law::Custom { .. } => unreachable!("none is drawn here"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// [AL, Prop. 3]: ∇φ = −λ, by central differences. A gradient with Lipschitz constant β keeps
    /// the difference within βh/2, at kinks too.
    #[test]
    fn gradient_of_the_potential_is_minus_the_impulse(
        law in law(), x_bar in vector(2.0), e in vector(1.0), beta in penalty(),
        shift in 0.0..1.0_f64,
    ) {
        let operator = ConeOperator::Proximal { shift };
        let lambda = law.impulse(3, &x_bar, &e, beta, operator);
        let at = |x: &Vector3<f64>| potential(&law, x, &e, beta, operator);
        let h = 1e-5;
        for row in 0..3 {
            let mut side = Vector3::zeros();
            side[row] = h;
            let slope = (at(&(x_bar + side)) - at(&(x_bar - side))) / (2.0 * h);
            let rounding = ROUNDING * at(&x_bar).max(beta) / h;
            let error = (slope + lambda[row]).abs();
            prop_assert!(error <= 0.5 * beta * h + rounding, "row {row}: {error:e}");
        }
    }

    /// [AL, Prop. 3]: φ is convex, and β bounds its curvature. Between any two points φ lies above
    /// the tangent by ‖Δλ‖²/(2β) at least and β‖Δx̄‖²/2 at most; only a convex function whose
    /// gradient is −λ does so everywhere.
    #[test]
    fn potential_is_convex_and_smooth(
        law in law(), x_bar in vector(2.0), direction in vector(1.0), exponent in -4.0..1.0_f64,
        e in vector(1.0), beta in penalty(), shift in 0.0..1.0_f64,
    ) {
        let operator = ConeOperator::Proximal { shift };
        let impulse = |x: &Vector3<f64>| law.impulse(3, x, &e, beta, operator);
        let phi = |x: &Vector3<f64>| potential(&law, x, &e, beta, operator);
        let step = direction * 10.0_f64.powf(exponent);
        let there = x_bar + step;
        let (here, rise) = (impulse(&x_bar), phi(&there) - phi(&x_bar));
        let above_tangent = rise + here.dot(&step);
        let slack = ROUNDING * (phi(&x_bar) + phi(&there) + beta);
        let change = (impulse(&there) - here).norm_squared() / (2.0 * beta);
        prop_assert!(above_tangent >= change - slack, "{above_tangent:e} < {change:e}");
        let most = 0.5 * beta * step.norm_squared();
        prop_assert!(above_tangent <= most + slack, "{above_tangent:e} > {most:e}");
    }

    /// [AL, (24)–(25)] with the off-diagonal blocks the right way round: the Hessian of φ is
    /// symmetric, as that of any function is.
    #[test]
    fn hessian_of_the_potential_is_symmetric(
        law in contact_law(), x_bar in vector(2.0), e in vector(1.0), beta in penalty(),
        shift in 0.0..1.0_f64,
    ) {
        let k = law.response(3, &x_bar, &e, beta, ConeOperator::Proximal { shift }).stiffness;
        prop_assert!((k - k.transpose()).amax() <= ROUNDING * beta, "{k}");
    }
}

/// The strict operator has no potential, which is why [AL, Prop. 3] speaks of the proximal one: on a
/// closed loop of sliding states its impulses do work.
#[test]
fn strict_impulses_do_work_on_a_loop() {
    let law = Law::Contact { friction: 0.5 };
    let corners = [
        Vector3::new(-2.0, 0.0, -1.0),
        Vector3::new(-3.0, 0.0, -1.0),
        Vector3::new(-3.0, 0.0, -1.5),
        Vector3::new(-2.0, 0.0, -1.5),
    ];
    // The impulse is linear along every side: the trapezium rule is exact.
    let work = |operator| {
        let at = |x: &Vector3<f64>| law.impulse(3, x, &Vector3::zeros(), 1.0, operator);
        let sides = (0..4).map(|k| (corners[k], corners[(k + 1) % 4]));
        sides
            .map(|(a, b)| 0.5 * (at(&a) + at(&b)).dot(&(b - a)))
            .sum::<f64>()
    };
    // μ times the area of the loop; nothing for the operator that has a potential.
    assert!((work(ConeOperator::Strict) - 0.25).abs() < 1e-12);
    assert!(work(ConeOperator::Proximal { shift: 0.0 }).abs() < 1e-12);
}
