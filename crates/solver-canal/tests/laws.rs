//! The answer obeys every law, checked by what the law says and not by a residual.

mod common;

use common::{canal, is_sound, of_every_generator, solve_cold};
use nalgebra::{Vector2, Vector3};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use stiction_constraints::{Constraint, JointRows, Law, Problem, Solution};
use stiction_generators::{
    MixedLawsParams, RandomSmallParams, certify_interior, mixed_laws, random_small,
};
use stiction_solver_canal::{Canal, SOLVERS};

/// Largest violation of a constraint's law, in m/s; impulses are taken as multiples of `mass`.
fn violation(
    constraint: &Constraint,
    e: &Vector3<f64>,
    z: &Vector3<f64>,
    lambda: &Vector3<f64>,
    mass: f64,
) -> f64 {
    let velocity = z + e;
    let complementary = |impulse: f64, gap: f64| (impulse / mass).min(gap).abs();
    let each = |law: &dyn Fn(f64, f64) -> f64| {
        (0..constraint.rows)
            .map(|row| law(lambda[row], velocity[row]))
            .fold(0.0, f64::max)
    };
    match constraint.law {
        Law::Unilateral => each(&complementary),
        Law::Equality => each(&|_, gap| gap.abs()),
        Law::Soft { stiffness, damping } => (0..constraint.rows)
            .map(|row| {
                let expected = -stiffness * e[row] - damping * z[row];
                (lambda[row] - expected).abs() / mass
            })
            .fold(0.0, f64::max),
        Law::JointFriction { bound } => each(&|impulse, slip| {
            let outside = (impulse.abs() - bound).max(0.0) / mass;
            // Where it moves, the impulse is the bound against the motion.
            let undecided = (impulse + bound * slip.signum()).abs() / mass;
            outside.max(undecided.min(slip.abs()))
        }),
        Law::JointLimit { lower, upper } => each(&|impulse, speed| {
            let outside = (lower - speed).max(speed - upper).max(0.0);
            let wrong = if impulse > 0.0 {
                (impulse / mass).min((speed - lower).abs())
            } else {
                (-impulse / mass).min((upper - speed).abs())
            };
            outside.max(wrong)
        }),
        Law::Contact { friction } => coulomb(&velocity, lambda, [friction; 2], mass),
        Law::AnisotropicContact { friction } => coulomb(&velocity, lambda, friction, mass),
        Law::CompliantContact {
            friction,
            tangential_compliance: t,
            normal_compliance: n,
        } => {
            let yielded = velocity + lambda.component_mul(&Vector3::new(t, t, n));
            coulomb(&yielded, lambda, friction, mass)
        }
        Law::Custom { .. } => unreachable!("none is drawn here"),
    }
}

/// Signorini, the cone, and slip by maximal dissipation: λ_t = −λ_n M² u_t / ‖M u_t‖ with
/// M = diag(μ1, μ2).
fn coulomb(u: &Vector3<f64>, lambda: &Vector3<f64>, friction: [f64; 2], mass: f64) -> f64 {
    let signorini = (lambda.z / mass).min(u.z).abs();
    let [a, b] = friction;
    let outside = if a == 0.0 || b == 0.0 {
        lambda.xy().norm()
    } else {
        ((lambda.x / a).hypot(lambda.y / b) - lambda.z).max(0.0) * a.max(b)
    };
    let slip = u.xy().norm();
    let spread = (a * u.x).hypot(b * u.y);
    let misdirected = if slip > 1e-7 && spread > 0.0 {
        let x = lambda.x + lambda.z * a * a * u.x / spread;
        let y = lambda.y + lambda.z * b * b * u.y / spread;
        x.hypot(y) / mass
    } else {
        0.0
    };
    // A slow slip in a slightly wrong direction is off the ray against the impulse by a small velocity.
    let against = Vector2::new(-lambda.x / (a * a), -lambda.y / (b * b));
    let along = u.xy().dot(&against) / against.norm_squared();
    let off_ray = if along > 0.0 {
        (u.xy() - against * along).norm()
    } else {
        slip
    };
    signorini.max(outside / mass).max(misdirected.min(off_ray))
}

fn worst_violation(problem: &Problem, solution: &Solution) -> (f64, &'static str) {
    let mut rows = JointRows::default();
    rows.update(problem);
    let mut z = vec![0.0; problem.row_count()];
    rows.mul(&solution.velocity, &mut z);
    let mut evaluator = stiction_constraints::ResidualEvaluator::default();
    evaluator.update(problem).expect("positive definite");
    let mut worst = (0.0, "nothing");
    for (constraint, &mass) in problem
        .constraints()
        .iter()
        .zip(evaluator.effective_masses())
    {
        let found = violation(
            constraint,
            &constraint.load(problem.errors()),
            &constraint.load(&z),
            &constraint.load(&solution.impulse),
            mass,
        );
        if found > worst.0 || found.is_nan() {
            worst = (found, constraint.law.kind());
        }
    }
    worst
}

#[test]
fn every_law_is_obeyed() {
    let mut problems = of_every_generator();
    for seed in 0..20 {
        problems.push((
            "mixed_laws",
            mixed_laws(&MixedLawsParams { seed }).expect("a valid problem"),
        ));
        let params = RandomSmallParams {
            seed,
            ..RandomSmallParams::default()
        };
        // A velocity without penetration is not enough for a solution with friction to exist; one strictly
        // inside all dual cones is.
        let mut problem = random_small(&params).expect("a valid problem");
        certify_interior(&mut ChaCha8Rng::seed_from_u64(seed), &mut problem)
            .expect("finite numbers");
        problems.push(("random_small", problem));
    }
    let mut seen = std::collections::BTreeSet::new();
    for (index, (name, problem)) in problems.iter().enumerate() {
        let (report, solution) = solve_cold(&mut canal(), problem, 1e-9);
        assert!(
            report.outcome.is_converged(),
            "{name} ({index}): {}, {:e} m/s",
            report.outcome,
            report.residuals.scaled
        );
        seen.extend(problem.constraints().iter().map(|c| c.law.kind()));
        let (worst, law) = worst_violation(problem, &solution);
        assert!(worst < 1e-7, "{name} ({index}): {law} by {worst:e} m/s");
    }
    assert_eq!(seen.len(), 8, "laws that occurred: {seen:?}");
}

/// The check itself must be able to fail.
#[test]
fn a_wrong_answer_violates_a_law() {
    for (name, problem) in of_every_generator() {
        let (_, mut solution) = solve_cold(&mut canal(), &problem, 1e-10);
        for value in &mut solution.velocity {
            *value += 0.01;
        }
        let (worst, _) = worst_violation(&problem, &solution);
        assert!(worst > 1e-5, "{name}: only {worst:e} m/s");
    }
}

#[test]
fn every_solver_survives_every_generator() {
    for (name, problem) in of_every_generator() {
        for (solver, _) in SOLVERS {
            let mut canal = Canal::named(solver).expect("a listed name");
            let (report, solution) = solve_cold(&mut canal, &problem, 1e-8);
            assert!(is_sound(&problem, &solution), "{solver} on {name}");
            assert!(report.residuals.dynamics < 1e-8, "{solver} on {name}");
            assert_eq!(
                report.outcome.is_converged(),
                report.residuals.scaled <= 1e-8,
                "{solver} on {name}"
            );
        }
    }
}
