//! For random input, the closed forms return impulses that obey their law.

use nalgebra::Vector3;
use proptest::prelude::*;
use stiction_constraints::{ConeOperator, Law, cone};

/// Relative size of what rounding may leave: a few hundred units in the last place, for up to
/// sixty Newton steps inside the elliptic operator.
const ROUNDING: f64 = 1e-12;

fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-size..size).prop_map(Vector3::from)
}

fn penalty() -> impl Strategy<Value = f64> {
    (-3.0..5.0_f64).prop_map(|exponent| 10.0_f64.powf(exponent))
}

fn friction() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 9 => 0.01..2.0]
}

fn contact_law() -> impl Strategy<Value = Law> {
    prop_oneof![
        friction().prop_map(|friction| Law::Contact { friction }),
        prop::array::uniform2(0.05..2.0).prop_map(|friction| Law::AnisotropicContact { friction }),
        (prop::array::uniform2(0.05..2.0), 0.0..2.0, 0.0..2.0).prop_map(
            |(friction, tangential, normal)| Law::CompliantContact {
                friction,
                tangential_compliance: tangential,
                normal_compliance: normal,
            }
        ),
        (friction(), 0.0..2.0, 0.0..2.0).prop_map(|(friction, tangential, normal)| {
            Law::CompliantContact {
                friction: [friction; 2],
                tangential_compliance: tangential,
                normal_compliance: normal,
            }
        }),
    ]
}

fn axes(law: &Law) -> [f64; 2] {
    law.friction().unwrap()
}

/// (D λ_t): the tangential part times the friction coefficients.
fn stretch(mu: [f64; 2], v: &Vector3<f64>) -> [f64; 2] {
    [mu[0] * v.x, mu[1] * v.y]
}

fn length(v: [f64; 2]) -> f64 {
    v[0].hypot(v[1])
}

/// How far a tangential impulse lies outside the section of its cone.
fn excess(mu: [f64; 2], lambda: &Vector3<f64>) -> f64 {
    if mu[0] == 0.0 {
        return length([lambda.x, lambda.y]);
    }
    mu[0].min(mu[1]) * (length([lambda.x / mu[0], lambda.y / mu[1]]) - lambda.z)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn contacts_side_by_side_are_projected_like_single_ones(
        contacts in prop::array::uniform4((vector(2.0), friction())),
    ) {
        let rows = std::array::from_fn(|row| contacts.map(|(s, _)| s[row]));
        let projected = cone::project_strict_side_by_side(&rows, &contacts.map(|(_, mu)| mu));
        for (k, (s, mu)) in contacts.iter().enumerate() {
            let own = Vector3::new(projected[0][k], projected[1][k], projected[2][k]);
            let single = cone::project_strict(s, *mu);
            prop_assert!((own - single).amax() <= f64::EPSILON * s.amax(), "{own} {single}");
        }
    }

    /// [AL, (5)] for all three contact laws; slip by maximal dissipation.
    #[test]
    fn strict_contact_obeys_signorini_and_coulomb(
        law in contact_law(), x_bar in vector(2.0), e in vector(1.0), beta in penalty(),
    ) {
        let lambda = law.impulse(3, &x_bar, &e, beta, ConeOperator::Strict);
        let z = x_bar + lambda / beta;
        let u = law.law_velocity(&z, &e, &lambda);
        let mu = axes(&law);
        // Sizes against which rounding is measured: of velocities and of impulses.
        let speed = x_bar.norm() + e.norm();
        let impulse = beta * speed;
        prop_assert!(lambda.z >= 0.0);
        prop_assert!(u.z >= -ROUNDING * speed, "penetrates: {}", u.z);
        prop_assert!(lambda.z * u.z <= ROUNDING * speed * impulse, "pulls: {} {}", lambda.z, u.z);
        prop_assert!(excess(mu, &lambda) <= ROUNDING * impulse, "leaves the cone: {:?}", lambda);
        // λ_t ‖D u_t‖ = −λ_n D² u_t: opposes slip on the boundary, and is anything when u_t = 0.
        let slip = length(stretch(mu, &u));
        for axis in 0..2 {
            let left = lambda[axis] * slip + lambda.z * mu[axis] * mu[axis] * u[axis];
            prop_assert!(left.abs() <= ROUNDING * speed * impulse, "does not oppose slip: {left}");
        }
        // Without slip in the boundary sense the condition above is empty only if u_t = 0.
        if excess(mu, &lambda) < -1e-9 * impulse {
            prop_assert!(length([u.x, u.y]) <= ROUNDING * speed, "slips inside the cone");
        }
    }

    /// The convex surrogate: K ∋ λ ⟂ u + p n ∈ K*.
    #[test]
    fn proximal_contact_solves_its_cone_complementarity(
        law in contact_law(), x_bar in vector(2.0), e in vector(1.0), beta in penalty(),
        shift in 0.0..1.0_f64,
    ) {
        let lambda = law.impulse(3, &x_bar, &e, beta, ConeOperator::Proximal { shift });
        let mut u = law.law_velocity(&(x_bar + lambda / beta), &e, &lambda);
        u.z += shift;
        let mu = axes(&law);
        let speed = x_bar.norm() + e.norm() + shift;
        let impulse = beta * speed;
        prop_assert!(lambda.z >= 0.0);
        prop_assert!(excess(mu, &lambda) <= ROUNDING * impulse);
        prop_assert!(u.z - length(stretch(mu, &u)) >= -ROUNDING * speed * (1.0 + mu[0] + mu[1]));
        prop_assert!(lambda.dot(&u).abs() <= ROUNDING * speed * impulse, "{}", lambda.dot(&u));
    }

    /// With the De Saxcé shift of a strict solution the proximal map returns that solution: a pair
    /// obeys Coulomb's law exactly when it solves its own convex surrogate.
    #[test]
    fn strict_solutions_are_fixed_points_of_the_surrogate(
        law in contact_law(), x_bar in vector(2.0), e in vector(1.0), beta in penalty(),
    ) {
        let strict = law.impulse(3, &x_bar, &e, beta, ConeOperator::Strict);
        let shift = law.normal_shift(&(x_bar + strict / beta), &e, &strict);
        let again = law.impulse(3, &x_bar, &e, beta, ConeOperator::Proximal { shift });
        let size = beta * (x_bar.norm() + e.norm()) * (1.0 + axes(&law)[0] + axes(&law)[1]);
        prop_assert!((strict - again).norm() <= ROUNDING * size, "{:?} {:?}", strict, again);
    }

    /// Moreau: s = Π_K(s) − Π_K*(−s), the parts orthogonal. The dual cone has slopes 1/μ.
    #[test]
    fn projections_split_space_into_cone_and_polar(
        s in vector(3.0), mu in prop::array::uniform2(0.05..3.0_f64),
    ) {
        let inverse = [1.0 / mu[0], 1.0 / mu[1]];
        let pairs = [
            (cone::project(&s, mu[0]), cone::project(&-s, inverse[0])),
            (cone::project_elliptic(&s, mu), cone::project_elliptic(&-s, inverse)),
        ];
        for (onto_cone, onto_dual) in pairs {
            let size = s.norm();
            prop_assert!((onto_cone - onto_dual - s).norm() <= 10.0 * ROUNDING * size);
            prop_assert!(onto_cone.dot(&onto_dual).abs() <= 10.0 * ROUNDING * size * size);
        }
    }

    /// No point of the cone is nearer than the projection; projecting twice changes nothing.
    #[test]
    fn projection_is_nearest_and_idempotent(
        s in vector(3.0), mu in prop::array::uniform2(0.05..3.0_f64),
        radius in 0.0..1.0_f64, angle in 0.0..std::f64::consts::TAU, height in 0.0..4.0_f64,
    ) {
        let other = |mu: [f64; 2]| {
            Vector3::new(
                mu[0] * height * radius * angle.cos(),
                mu[1] * height * radius * angle.sin(),
                height,
            )
        };
        let round = cone::project(&s, mu[0]);
        let elliptic = cone::project_elliptic(&s, mu);
        let slack = ROUNDING * (1.0 + s.norm());
        prop_assert!((s - round).norm() <= (s - other([mu[0]; 2])).norm() + slack);
        prop_assert!((s - elliptic).norm() <= (s - other(mu)).norm() + slack);
        prop_assert!((cone::project(&round, mu[0]) - round).norm() <= slack);
        prop_assert!((cone::project_elliptic(&elliptic, mu) - elliptic).norm() <= slack);
        let strict = cone::project_strict(&s, mu[0]);
        prop_assert!((cone::project_strict(&strict, mu[0]) - strict).norm() <= slack);
        let strict = cone::project_elliptic_strict(&s, mu);
        prop_assert!((cone::project_elliptic_strict(&strict, mu) - strict).norm() <= slack);
        prop_assert!(cone::distance(&elliptic, mu) <= slack);
        // A nearer point of the dual cone is as far as the distance says.
        let to_dual = cone::distance_to_dual(&s, mu);
        let dual = cone::project_elliptic(&s, [1.0 / mu[0], 1.0 / mu[1]]);
        prop_assert!((to_dual - (s - dual).norm()).abs() <= 10.0 * slack);
    }

    /// An ellipse with equal axes is the circle.
    #[test]
    fn elliptic_with_equal_axes_is_circular(s in vector(3.0), mu in 0.05..3.0_f64) {
        let slack = ROUNDING * (1.0 + s.norm());
        prop_assert!((cone::project(&s, mu) - cone::project_elliptic(&s, [mu; 2])).norm() <= slack);
        let strict = cone::project_strict(&s, mu) - cone::project_elliptic_strict(&s, [mu; 2]);
        prop_assert!(strict.norm() <= slack);
    }

    #[test]
    fn scalar_laws_obey_their_relations(
        x_bar in vector(2.0), e in vector(1.0), beta in penalty(), rows in 1..=3_usize,
        stiffness in 0.0..100.0_f64, damping in 0.01..10.0_f64, bound in 0.0..2.0_f64,
        limits in prop::array::uniform2(-1.0..1.0_f64),
    ) {
        let (lower, upper) = (limits[0].min(limits[1]), limits[0].max(limits[1]));
        let speed = x_bar.amax() + e.amax() + 1.0;
        let tiny = ROUNDING * speed;
        let small = ROUNDING * beta.max(1.0) * speed * 100.0;
        let at = |law: Law| {
            let lambda = law.impulse(rows, &x_bar, &e, beta, ConeOperator::Strict);
            (x_bar + lambda / beta, lambda)
        };
        let (z, lambda) = at(Law::Unilateral);
        for row in 0..rows {
            prop_assert!(lambda[row] >= 0.0 && z[row] + e[row] >= -tiny);
            prop_assert!((lambda[row] * (z[row] + e[row])).abs() <= small * speed);
        }
        let (z, _) = at(Law::Equality);
        for row in 0..rows {
            prop_assert!((z[row] + e[row]).abs() <= tiny);
        }
        let (z, lambda) = at(Law::Soft { stiffness, damping });
        for row in 0..rows {
            let force = -stiffness * e[row] - damping * z[row];
            prop_assert!((lambda[row] - force).abs() <= 1e-10 * (1.0 + stiffness + damping) * speed);
        }
        let (z, lambda) = at(Law::JointFriction { bound });
        for row in 0..rows {
            let u = z[row] + e[row];
            prop_assert!(lambda[row].abs() <= bound);
            // Moves only against the full bound.
            prop_assert!((lambda[row] * u + bound * u.abs()).abs() <= tiny * bound);
        }
        let (z, lambda) = at(Law::JointLimit { lower, upper });
        for row in 0..rows {
            let u = z[row] + e[row];
            prop_assert!((lower - tiny..=upper + tiny).contains(&u));
            let (push, pull) = (lambda[row].max(0.0), (-lambda[row]).max(0.0));
            prop_assert!(push * (u - lower) <= small * speed && pull * (upper - u) <= small * speed);
        }
        for law in [Law::Unilateral, Law::Equality, Law::JointFriction { bound }] {
            let (_, lambda) = at(law);
            for row in rows..3 {
                prop_assert_eq!(lambda[row], 0.0, "an unused row");
            }
        }
    }
}

/// Random input never hits the axis; problems whose frames follow the world axes do all the time.
#[test]
fn points_on_the_axis_of_the_cone() {
    let (above, below) = (Vector3::new(0.0, 0.0, 2.0), Vector3::new(0.0, 0.0, -2.0));
    for mu in [0.0, 1e-300, 0.5] {
        assert_eq!(cone::project(&above, mu), above);
        assert_eq!(cone::project(&below, mu), Vector3::zeros(), "μ = {mu}");
        assert_eq!(cone::project_strict(&above, mu), above);
        assert_eq!(cone::project_strict(&below, mu), Vector3::zeros());
        let (impulse, derivative) = cone::project_derivative(&below, mu);
        assert_eq!((impulse.norm(), derivative.norm()), (0.0, 0.0), "μ = {mu}");
        assert_eq!(cone::distance_to_dual(&above, [mu; 2]), 0.0, "μ = {mu}");
        assert_eq!(cone::distance_to_dual(&below, [mu; 2]), 2.0, "μ = {mu}");
    }
    // Without friction the cone is its axis.
    let beside = Vector3::new(3.0, 4.0, 1.0);
    assert_eq!(cone::project(&beside, 0.0), Vector3::new(0.0, 0.0, 1.0));
    assert_eq!(cone::project(&-beside, 0.0), Vector3::zeros());
}

/// The power that friction takes, maximised over the ellipse by angles: independent of the projection.
fn most_dissipating(slip: [f64; 2], mu: [f64; 2], normal: f64, weight: f64) -> [f64; 2] {
    // Least ½ λ²/weight + λ·slip over the ellipse: coarse over angles and radii, then refined.
    let cost = |radius: f64, angle: f64| {
        let at = [
            mu[0] * normal * radius * angle.cos(),
            mu[1] * normal * radius * angle.sin(),
        ];
        let square = at[0] * at[0] + at[1] * at[1];
        (
            0.5 * square / weight + at[0] * slip[0] + at[1] * slip[1],
            at,
        )
    };
    let (mut best, mut span) = ([0.5, 0.0], [0.5, std::f64::consts::PI]);
    for _ in 0..60 {
        let mut least = f64::INFINITY;
        let center = best;
        for i in -8..=8 {
            for j in -8..=8 {
                let radius = (center[0] + span[0] * f64::from(i) / 8.0).clamp(0.0, 1.0);
                let angle = center[1] + span[1] * f64::from(j) / 8.0;
                if cost(radius, angle).0 < least {
                    least = cost(radius, angle).0;
                    best = [radius, angle];
                }
            }
        }
        span = span.map(|span| 0.6 * span);
    }
    cost(best[0], best[1]).1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// [COND, Prop. 6]: with the normal impulse given by Signorini, friction is what dissipates most.
    #[test]
    fn strict_friction_is_maximally_dissipating(
        mu in prop::array::uniform2(0.05..2.0), x_bar in vector(2.0), beta in 0.1..10.0_f64,
        tangential in 0.0..1.0_f64, normal in 0.0..1.0_f64,
    ) {
        let law = Law::CompliantContact {
            friction: mu,
            tangential_compliance: tangential,
            normal_compliance: normal,
        };
        let lambda = law.impulse(3, &x_bar, &Vector3::zeros(), beta, ConeOperator::Strict);
        let weight = 1.0 / (1.0 / beta + tangential);
        let best = most_dissipating([x_bar.x, x_bar.y], mu, lambda.z, weight);
        let size = 1.0 + lambda.norm();
        prop_assert!((lambda.x - best[0]).hypot(lambda.y - best[1]) < 1e-5 * size, "{lambda} {best:?}");
    }

    /// [COND, (37)]: the impulse found forward is read off its velocity again, for either operator.
    #[test]
    fn compliant_impulses_are_found_again_from_their_velocity(
        mu in prop::array::uniform2(0.05..2.0), x_bar in vector(2.0), e in vector(1.0),
        beta in penalty(), tangential in 0.01..2.0_f64, normal in 0.01..2.0_f64, shift in 0.0..1.0_f64,
    ) {
        for friction in [mu, [mu[0]; 2], [0.0; 2]] {
            let law = Law::CompliantContact {
                friction,
                tangential_compliance: tangential,
                normal_compliance: normal,
            };
            for operator in [ConeOperator::Strict, ConeOperator::Proximal { shift }] {
                let forward = law.impulse(3, &x_bar, &e, beta, operator);
                let z = x_bar + forward / beta;
                let inverse = law.inverse_impulse(3, &z, &e, operator).unwrap();
                let size = (x_bar.norm() + e.norm() + shift) * (1.0 / tangential + 1.0 / normal);
                prop_assert!((forward - inverse).norm() <= 100.0 * ROUNDING * size, "{law:?} {forward} {inverse}");
            }
        }
    }
}
