//! The evaluator: zero at exact solutions, the same at any mass, honest about garbage.

mod common;

use common::{Numbers, dense_matrices, evaluator, everything};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use proptest::prelude::*;
use stiction_constraints::{ConeOperator, Criterion, Law, Problem, Residuals, RowBlock};

/// Three velocities with mass matrix `a`, held by one constraint of three rows J = 1.
fn held(a: &Matrix3<f64>, law: Law, b: &Vector3<f64>, e: &Vector3<f64>) -> Problem {
    let mut problem = Problem::new();
    let matrix = DMatrix::from_column_slice(3, 3, a.as_slice());
    problem.push_dense(matrix, b.as_slice()).unwrap();
    let identity = Matrix3::<f64>::identity();
    let block = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: identity.as_slice(),
    };
    problem
        .push_constraint(law, e.as_slice(), &[(0, block)])
        .unwrap();
    problem
}

fn largest(r: &Residuals) -> f64 {
    [
        r.paper,
        r.scaled,
        r.primal,
        r.dual,
        r.complementarity,
        r.natural,
        r.balanced,
        r.fischer_burmeister,
        r.dynamics,
    ]
    .into_iter()
    .fold(0.0, f64::max)
}

fn law() -> impl Strategy<Value = Law> {
    prop_oneof![
        Just(Law::Unilateral),
        Just(Law::Equality),
        (0.0..5.0, 0.1..5.0).prop_map(|(stiffness, damping)| Law::Soft { stiffness, damping }),
        (0.0..1.5_f64).prop_map(|friction| Law::Contact { friction }),
        prop::array::uniform2(0.1..1.5).prop_map(|friction| Law::AnisotropicContact { friction }),
        (0.0..1.5, 0.0..1.0, 0.0..1.0).prop_map(|(friction, tangential, normal)| {
            Law::CompliantContact {
                friction: [friction; 2],
                tangential_compliance: tangential,
                normal_compliance: normal,
            }
        }),
        (0.0..1.0_f64).prop_map(|bound| Law::JointFriction { bound }),
        (-1.0..0.0, 0.0..1.0).prop_map(|(lower, upper)| Law::JointLimit { lower, upper }),
    ]
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0_f64).prop_map(Vector3::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Any pair (z, λ) that obeys the law is a solution once b is chosen for it, and every residual
    /// says so; moved away from it, the strict and the natural map both say that it is none.
    #[test]
    fn all_residuals_vanish_at_solutions_and_only_there(
        law in law(), x_bar in vector(), e in vector(), away in vector(),
        entries in prop::array::uniform9(-1.0..1.0_f64),
    ) {
        let root = Matrix3::from_column_slice(&entries);
        let square = root * root.transpose() + Matrix3::identity();
        let a = 0.5 * (square + square.transpose());
        let lambda = law.impulse(3, &x_bar, &e, 1.3, ConeOperator::Strict);
        let z = x_bar + lambda / 1.3;
        let b = a * z - lambda;
        let problem = held(&a, law, &b, &e);
        let mut evaluator = evaluator(&problem);
        let r = evaluator.residuals(&problem, z.as_slice(), lambda.as_slice());
        prop_assert!(largest(&r) < 1e-11, "{:?} {:?}", law, r);
        prop_assume!(away.norm() > 0.1);
        let wrong = lambda + away;
        let r = evaluator.residuals(&problem, z.as_slice(), wrong.as_slice());
        prop_assert!(r.dynamics > 1e-3);
        // Solutions of one contact are unique in λ when A is positive definite and μ is small
        // enough; where the moved point happens to be one, both maps must agree on it.
        prop_assert_eq!(r.scaled < 1e-9, r.natural < 1e-9, "{:?} {:?}", law, r);
        prop_assert_eq!(r.paper < 1e-9, r.balanced < 1e-9, "{:?} {:?}", law, r);
        if !law.is_contact() {
            prop_assert!(r.scaled > 1e-4, "{:?} {:?}", law, r);
        }
    }

    /// What the residuals leave out obeys its law at any weight.
    #[test]
    fn a_free_contact_obeys_its_law(law in law(), z in vector(), e in vector(), beta in 0.01..100.0) {
        let a = Matrix3::identity();
        let problem = held(&a, law, &Vector3::zeros(), &e);
        let constraint = &problem.constraints()[0];
        let is_free = constraint.is_free(problem.errors(), z.as_slice(), &[0.0; 3]);
        prop_assert_eq!(is_free, law.is_contact() && z.z + e.z > 0.0);
        prop_assert!(!constraint.is_free(problem.errors(), z.as_slice(), &[0.0, 1e-300, 0.0]));
        if is_free {
            for operator in [
                ConeOperator::Strict,
                ConeOperator::Proximal { shift: law.normal_shift(&z, &e, &Vector3::zeros()) },
            ] {
                prop_assert_eq!(law.impulse(3, &z, &e, beta, operator), Vector3::zeros());
            }
        }
        for row in 0..3 {
            let mut unknown = z;
            unknown[row] = f64::NAN;
            prop_assert!(!constraint.is_free(problem.errors(), unknown.as_slice(), &[0.0; 3]));
        }
    }
}

#[test]
fn a_mass_on_a_spring_and_damper() {
    // m v = b + λ and λ = −k e − c v give v = (b − k e)/(m + c).
    let (m, k, c, b, e) = (2.0, 30.0, 0.5, 1.0, 0.1);
    let law = Law::Soft {
        stiffness: k,
        damping: c,
    };
    let problem = held(
        &(Matrix3::identity() * m),
        law,
        &Vector3::repeat(b),
        &Vector3::repeat(e),
    );
    let v = (b - k * e) / (m + c);
    let lambda = [-k * e - c * v; 3];
    let r = evaluator(&problem).residuals(&problem, &[v; 3], &lambda);
    assert!(largest(&r) < 1e-14, "{r:?}");
}

#[test]
fn a_sliding_mass_loses_what_friction_takes() {
    // Pressed by 4 N·s, sliding at (3, 4)/2 m/s, μ = 0.5: friction takes 2 N·s along the velocity.
    let (m, friction) = (2.0, 0.5);
    let b = Vector3::new(3.0, 4.0, -4.0);
    let problem = held(
        &(Matrix3::identity() * m),
        Law::Contact { friction },
        &b,
        &Vector3::zeros(),
    );
    let lambda = [-2.0 * 0.6, -2.0 * 0.8, 4.0];
    let v = [0.9, 1.2, 0.0];
    let mut evaluator = evaluator(&problem);
    let r = evaluator.residuals(&problem, &v, &lambda);
    assert!(largest(&r) < 1e-14, "{r:?}");
    // Without the tangential part: velocity off by friction/m = 1 m/s, and the scaled residual
    // (β = m) is the impulse that is missing over m.
    let r = evaluator.residuals(&problem, &v, &[0.0, 0.0, 4.0]);
    assert!((r.scaled - 0.8).abs() < 1e-14, "{r:?}");
    assert!((r.paper - 2.0).abs() < 1e-14, "{r:?}");
    // ⟨λ, u + μ‖u_t‖n⟩ = 4 · 0.5 · 2.5.
    assert!((r.complementarity - 5.0).abs() < 1e-14, "{r:?}");
    assert_eq!((r.primal, r.dual), (0.0, 0.0));
    assert_eq!(r.eps_abs(), r.complementarity);
}

#[test]
fn fischer_burmeister_is_zero_exactly_on_the_corner() {
    let problem = held(
        &Matrix3::identity(),
        Law::Unilateral,
        &Vector3::new(-1.0, 1.0, 0.0),
        &Vector3::zeros(),
    );
    let mut evaluator = evaluator(&problem);
    let r = evaluator.residuals(&problem, &[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0]);
    assert!(r.fischer_burmeister < 1e-15, "{r:?}");
    // λ = 0: the first row moves at −1, a + b − √(a² + b²) = −2.
    let r = evaluator.residuals(&problem, &[-1.0, 1.0, 0.0], &[0.0; 3]);
    assert!((r.fischer_burmeister - 2.0).abs() < 1e-15, "{r:?}");
}

#[test]
fn the_scaled_residual_does_not_know_the_unit_of_mass() {
    for (m, law) in [
        (1e-6, Law::Contact { friction: 0.4 }),
        (1e6, Law::Contact { friction: 0.4 }),
        (
            1e6,
            Law::AnisotropicContact {
                friction: [0.2, 0.9],
            },
        ),
        (1e-6, Law::Unilateral),
    ] {
        let [one, other] = [1.0, m].map(|m| {
            let b = m * Vector3::new(1.0, -0.5, -2.0);
            let problem = held(&(Matrix3::identity() * m), law, &b, &Vector3::zeros());
            let lambda = [-0.2 * m, 0.3 * m, 1.7 * m];
            evaluator(&problem).residuals(&problem, &[0.0; 3], &lambda)
        });
        assert!(one.scaled > 0.01);
        assert!(
            (one.scaled / other.scaled - 1.0).abs() < 1e-12,
            "{one:?} {other:?}"
        );
        assert!(
            (one.balanced / other.balanced - 1.0).abs() < 1e-12,
            "{one:?} {other:?}"
        );
        assert!(
            (one.paper / other.paper - 1.0).abs() > 0.1,
            "the paper's residual does"
        );
    }
}

#[test]
fn garbage_is_infinitely_wrong() {
    let problem = everything(1);
    let mut evaluator = evaluator(&problem);
    let v = vec![0.0; problem.dof_count()];
    for garbage in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
        for row in 0..problem.row_count() {
            let mut lambda = vec![0.0; problem.row_count()];
            lambda[row] = garbage;
            for criterion in [Criterion::Scaled, Criterion::Paper, Criterion::Natural] {
                let value = evaluator.measure(&problem, &lambda, criterion);
                assert!(
                    value > 1e100,
                    "row {row} = {garbage}, {criterion:?}: {value}"
                );
                let all = evaluator.residuals(&problem, &v, &lambda);
                assert!(all.of(criterion) > 1e100, "row {row} = {garbage}: {all:?}");
            }
            let all = evaluator.residuals(&problem, &v, &lambda);
            let values = [all.eps_abs(), all.fischer_burmeister, all.dynamics];
            assert!(values.iter().all(|value| !value.is_nan()), "{all:?}");
            if !garbage.is_finite() {
                assert!(all.eps_abs() > 1e100, "row {row} = {garbage}: {all:?}");
            }
        }
    }
}

#[test]
fn asking_again_and_in_between_changes_no_answer() {
    let problem = everything(2);
    let first = Numbers(3).take(problem.row_count());
    let second = Numbers(4).take(problem.row_count());
    let cold = vec![0.0; problem.row_count()];
    let mut asked = evaluator(&problem);
    let mut v = vec![0.0; problem.dof_count()];
    for lambda in [&first, &first, &cold, &second, &cold, &first] {
        let mut fresh = evaluator(&problem);
        let mut expected = v.clone();
        fresh.velocity_of(&problem, lambda, &mut expected);
        asked.velocity_of(&problem, lambda, &mut v);
        assert_eq!(v, expected);
        for criterion in [Criterion::Scaled, Criterion::Paper, Criterion::Natural] {
            let value = asked.measure(&problem, lambda, criterion);
            assert_eq!(value, fresh.measure(&problem, lambda, criterion));
            assert_eq!(Residuals::only(criterion, value).of(criterion), value);
        }
        let all = asked.residuals(&problem, &v, lambda);
        assert_eq!(all, fresh.residuals(&problem, &v, lambda));
    }
}

#[test]
fn velocity_and_effective_mass_equal_the_dense_formulas() {
    for seed in 0..5 {
        let problem = everything(seed);
        let (a, j) = dense_matrices(&problem);
        let inverse = a.try_inverse().unwrap();
        let lambda = Numbers(seed + 7).take(problem.row_count());
        let b = DVector::from_column_slice(problem.b());
        let expected = &inverse * (&b + j.transpose() * DVector::from_column_slice(&lambda));
        let mut evaluator = evaluator(&problem);
        let mut v = vec![0.0; problem.dof_count()];
        evaluator.velocity_of(&problem, &lambda, &mut v);
        for (got, want) in v.iter().zip(&expected) {
            assert!((got - want).abs() < 1e-9, "{got} {want}");
        }
        let delassus = &j * &inverse * j.transpose();
        for (index, constraint) in problem.constraints().iter().enumerate() {
            let mean = constraint
                .row_range()
                .map(|row| delassus[(row, row)])
                .sum::<f64>()
                / constraint.rows as f64;
            let mass = evaluator.effective_masses()[index];
            assert!((mass * mean - 1.0).abs() < 1e-9, "{index}: {mass} {mean}");
        }
        let mean = delassus.trace() / problem.row_count() as f64;
        assert!((evaluator.mean_diagonal() / mean - 1.0).abs() < 1e-9);
        let free = &j * &inverse * b;
        for (got, want) in evaluator.free_row_velocity().iter().zip(&free) {
            assert!((got - want).abs() < 1e-9, "{got} {want}");
        }
        let r = evaluator.residuals(&problem, &v, &lambda);
        assert!(r.dynamics < 1e-12, "{r:?}");
        v[0] += 1.0;
        assert!(evaluator.residuals(&problem, &v, &lambda).dynamics > 1e-3);
        assert_eq!(
            evaluator.residuals(&problem, &[], &lambda).dynamics,
            f64::INFINITY
        );
    }
}

#[test]
fn an_empty_problem_has_nothing_wrong_with_it() {
    let mut problem = Problem::new();
    let r = evaluator(&problem).residuals(&problem, &[], &[]);
    assert_eq!(largest(&r), 0.0);
    problem.push_dense(DMatrix::identity(1, 1), &[2.0]).unwrap();
    let r = evaluator(&problem).residuals(&problem, &[2.0], &[]);
    assert_eq!(largest(&r), 0.0);
}
