//! The two operators onto the friction cone as maps: what is nonexpansive, what is monotone, what is
//! Lipschitz, and by which constant.

mod common;

use common::Numbers;
use common::laws::{contact_law, law, penalty, vector};
use nalgebra::Vector3;
use proptest::prelude::*;
use stiction_constraints::{ConeOperator, Law, cone};

/// Relative size of what rounding may leave: a few hundred units in the last place, for up to
/// sixty Newton steps inside the elliptic operator.
const ROUNDING: f64 = 1e-12;

/// Differences of two points, from far apart to nearly equal.
fn difference() -> impl Strategy<Value = Vector3<f64>> {
    (vector(3.0), -6.0..0.0_f64)
        .prop_map(|(direction, exponent)| direction * 10.0_f64.powf(exponent))
}

/// Slopes of a cone: circular, elliptic, needle or disc.
fn slopes() -> impl Strategy<Value = [f64; 2]> {
    prop_oneof![
        (0.01..3.0_f64).prop_map(|mu| [mu; 2]),
        prop::array::uniform2(0.01..3.0_f64),
    ]
}

/// Points near the kinks: the apex, the axis, the surface of the cone and of its polar, the plane
/// λ_n = 0; and points anywhere.
fn near_kinks(mu: f64) -> impl Strategy<Value = Vector3<f64>> {
    let angle = 0.0..std::f64::consts::TAU;
    let at = move |slope: f64, height: f64| {
        angle
            .clone()
            .prop_map(move |angle| Vector3::new(slope * angle.cos(), slope * angle.sin(), height))
    };
    let place = prop_oneof![
        Just(Vector3::zeros()),
        Just(Vector3::new(0.0, 0.0, 1.0)),
        at(mu, 1.0),
        at(1.0, -mu),
        at(1.0, 0.0),
        vector(3.0),
    ];
    (place, vector(1.0), -8.0..0.0_f64)
        .prop_map(|(place, off, exponent)| place + off * 10.0_f64.powf(exponent))
}

/// Nearest point by the circular formula where there is one, by the elliptic one else.
fn nearest(s: &Vector3<f64>, mu: [f64; 2]) -> Vector3<f64> {
    if mu[0] == mu[1] {
        cone::project(s, mu[0])
    } else {
        cone::project_elliptic(s, mu)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// The projection theorem: P(s) is the only point of the cone with ⟨s − P(s), y − P(s)⟩ ≤ 0 for
    /// all y of the cone.
    #[test]
    fn projection_solves_its_variational_inequality(
        s in vector(3.0), mu in slopes(), angle in 0.0..std::f64::consts::TAU,
        radius in 0.0..=1.0_f64, height in 0.0..4.0_f64,
    ) {
        let p = nearest(&s, mu);
        let y = Vector3::new(
            mu[0] * height * radius * angle.cos(),
            mu[1] * height * radius * angle.sin(),
            height,
        );
        let size = (s.norm() + y.norm()).powi(2);
        prop_assert!((s - p).dot(&(y - p)) <= ROUNDING * size);
        prop_assert!((nearest(&p, mu) - p).norm() <= ROUNDING * s.norm(), "not idempotent");
    }

    /// What follows from it: ‖P(a) − P(b)‖ ≤ ‖a − b‖.
    #[test]
    fn projection_is_nonexpansive(a in vector(3.0), apart in difference(), mu in slopes()) {
        let b = a + apart;
        let moved = (nearest(&a, mu) - nearest(&b, mu)).norm();
        let slack = ROUNDING * (a.norm() + b.norm());
        prop_assert!(moved <= (a - b).norm() + slack, "{moved:e} > {:e}", (a - b).norm());
    }

    /// [COND, Lemma 3]: (ξ_a − ξ_b)·(λ_a − λ_b) ≥ 0 for the proximal operator, ξ = s − λ being what
    /// the projection takes away.
    #[test]
    fn what_the_projection_takes_away_is_monotone(
        a in vector(3.0), apart in difference(), mu in slopes(),
    ) {
        let b = a + apart;
        let (kept_a, kept_b) = (nearest(&a, mu), nearest(&b, mu));
        let product = ((a - kept_a) - (b - kept_b)).dot(&(kept_a - kept_b));
        let slack = ROUNDING * (a.norm() + b.norm()) * apart.norm();
        prop_assert!(product >= -slack, "{product:e}");
    }

    /// [COND, Lemma 3] for the impulses of every law under the proximal operator: λ(x̄) opposes
    /// every change, ⟨Δλ, Δx̄⟩ ≤ −‖Δλ‖²/β, so that a surrogate has one solution.
    #[test]
    fn proximal_impulses_are_monotone(
        law in law(), a in vector(2.0), apart in difference(), e in vector(1.0), beta in penalty(),
        shift in 0.0..1.0_f64,
    ) {
        let b = a + apart;
        let operator = ConeOperator::Proximal { shift };
        let at = |x: &Vector3<f64>| law.impulse(3, x, &e, beta, operator);
        let change = at(&a) - at(&b);
        let product = change.dot(&(a - b)) + change.norm_squared() / beta;
        let size = at(&a).norm() + at(&b).norm() + beta * (a.norm() + b.norm() + 2.0);
        prop_assert!(product <= ROUNDING * size * apart.norm(), "{product:e}");
    }

    /// [COND, Lemma 2] with its constant: the strict operator is Lipschitz with √(1 + μ²).
    ///
    /// While it slips, its derivative has the columns (turn·P, 0) and (μh, 1) with turn ≤ 1: the
    /// largest singular value is √(1 + μ²). Elsewhere it is 1 or 0, and the pieces are continuous.
    #[test]
    fn strict_operator_is_lipschitz(
        (mu, a, b) in (0.0..3.0_f64).prop_flat_map(|mu| (Just(mu), near_kinks(mu), near_kinks(mu))),
    ) {
        let moved = (cone::project_strict(&a, mu) - cone::project_strict(&b, mu)).norm();
        let most = (1.0 + mu * mu).sqrt() * (a - b).norm();
        prop_assert!(moved <= most + ROUNDING * (a.norm() + b.norm()), "{moved:e} > {most:e}");
    }

    /// The same for all contact laws as functions of x̄: β√(1 + μ²), with the larger of two
    /// coefficients. A section of the elliptic cone grows by the larger at most, and compliance only
    /// lowers the penalty.
    #[test]
    fn strict_impulses_are_lipschitz(
        law in contact_law(), a in vector(2.0), apart in difference(), e in vector(1.0),
        beta in penalty(),
    ) {
        let b = a + apart;
        let at = |x: &Vector3<f64>| law.impulse(3, x, &e, beta, ConeOperator::Strict);
        let mu = law.friction().map_or(0.0, |[x, y]| x.max(y));
        let moved = (at(&a) - at(&b)).norm();
        let most = beta * (1.0 + mu * mu).sqrt() * (a - b).norm();
        let slack = ROUNDING * beta * (a.norm() + b.norm() + e.norm());
        prop_assert!(moved <= most + slack, "{moved:e} > {most:e}");
    }

    /// [AL, Prop. 2], [COND, Prop. 4]: the strict operator's answer is the only one. Whatever other
    /// λ of the cone obeys the law up to a gap V is within √(βV (1 + (1 + μ)²)) of it.
    ///
    /// Normal part: β(z_n + e_n) = λ_n − λ*_n, so that a wrong λ_n costs Δ_n² (where λ*_n ≤ 0 the
    /// answer is 0). Tangential part: the dissipation that a λ_t misses is at least its squared
    /// distance to the projection onto its own section, which is μ|Δ_n| away from the right one at
    /// most.
    #[test]
    fn strict_answer_is_unique(
        mu in 0.0..2.0_f64, x_bar in vector(2.0), e in vector(1.0), beta in penalty(),
        (other, exponent) in (vector(3.0), -5.0..0.0_f64),
    ) {
        let law = Law::Contact { friction: mu };
        let right = law.impulse(3, &x_bar, &e, beta, ConeOperator::Strict);
        let other = cone::project_strict(&(right + other * beta * 10.0_f64.powf(exponent)), mu);
        let u = x_bar + e + other / beta;
        let penetration = beta * u.z.min(0.0).powi(2);
        let idle = mu * other.z * u.xy().norm() + other.xy().dot(&u.xy());
        let gap = penetration.max(other.z * u.z).max(idle);
        let reach = (beta * gap.max(0.0) * (1.0 + (1.0 + mu) * (1.0 + mu))).sqrt();
        // Rounding of the gap, under the root.
        let slack = 1e-7 * beta * (x_bar.norm() + e.norm() + other.norm() / beta);
        let apart = (other - right).norm();
        prop_assert!(apart <= reach + slack, "{apart:e} away with a gap of {gap:e}");
    }
}

/// [COND, Lemma 2]: √(1 + μ²) is attained, by two sliding states that differ in pressure alone.
#[test]
fn lipschitz_constant_is_sharp() {
    for mu in [0.0, 0.1, 0.5, 1.0, 3.0] {
        let (a, b) = (Vector3::new(9.0, 0.0, 1.0), Vector3::new(9.0, 0.0, 2.0));
        let moved = (cone::project_strict(&a, mu) - cone::project_strict(&b, mu)).norm();
        assert!((moved - (1.0 + mu * mu).sqrt()).abs() < 1e-14, "μ = {mu}");
    }
}

/// Counter-example to [COND, Lemma 3] for the strict operator, as in its Fig. 5: of two sliding
/// states, the one that is pushed harder sideways and pressed less by μ/2 gets the smaller friction.
#[test]
fn strict_operator_is_not_monotone() {
    for mu in [0.01, 0.1, 0.5, 1.0] {
        let (a, b) = (
            Vector3::new(2.0, 0.0, 1.0),
            Vector3::new(3.0, 0.0, 1.0 - 0.5 * mu),
        );
        let (kept_a, kept_b) = (cone::project_strict(&a, mu), cone::project_strict(&b, mu));
        let (change, kept) = (a - b, kept_a - kept_b);
        // −μ·μ/2 of friction and (μ/2)² of pressure.
        let product = change.dot(&kept);
        assert!(
            (product + 0.25 * mu * mu).abs() < 1e-14,
            "μ = {mu}: {product}"
        );
        let taken = (change - kept).dot(&kept);
        assert!(taken < -0.49 * mu * mu, "μ = {mu}: {taken}");
        // The nearest points do not.
        let (kept_a, kept_b) = (cone::project(&a, mu), cone::project(&b, mu));
        assert!(change.dot(&(kept_a - kept_b)) >= 0.0, "μ = {mu}");
    }
}

/// A random search finds such pairs for every coefficient of friction and none without friction.
#[test]
fn strict_operator_is_monotone_without_friction_only() {
    let violations = |mu: f64, operator: fn(&Vector3<f64>, f64) -> Vector3<f64>| {
        let mut numbers = Numbers(7);
        let mut point = || Vector3::from_fn(|_, _| 3.0 * numbers.next());
        let pairs = (0..20_000).map(|_| (point(), point()));
        pairs
            .filter(|(a, b)| (a - b).dot(&(operator(a, mu) - operator(b, mu))) < -1e-9)
            .count()
    };
    assert_eq!(violations(0.0, cone::project_strict), 0);
    for mu in [0.1, 0.5, 1.0, 2.0] {
        let found = violations(mu, cone::project_strict);
        assert!(found > 0, "μ = {mu}: no pair found");
        assert_eq!(violations(mu, cone::project), 0, "μ = {mu}");
    }
}
