//! Every transformation: what it keeps and what it changes.

use proptest::prelude::*;
use stiction_constraints::{Law, Problem, ResidualEvaluator, Residuals};
use stiction_generators::transform::{
    densify, duplicate_contacts, permute_constraints, permute_subsystems, perturb_b, scale_mass,
    without_friction,
};
use stiction_generators::{MixedLawsParams, RandomSmallParams, mixed_laws, random_small};

fn measured(problem: &Problem, lambda: &[f64]) -> (Vec<f64>, Residuals) {
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).unwrap();
    let mut velocity = vec![0.0; problem.dof_count()];
    evaluator.velocity_of(problem, lambda, &mut velocity);
    let residuals = evaluator.residuals(problem, &velocity, lambda);
    (velocity, residuals)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs() + b.abs())
}

fn impulses(problem: &Problem, phase: f64) -> Vec<f64> {
    (0..problem.row_count())
        .map(|row| (phase + row as f64).sin())
        .collect()
}

fn any_problem() -> impl Strategy<Value = Problem> {
    any::<u64>().prop_map(|seed| {
        random_small(&RandomSmallParams {
            seed,
            ..Default::default()
        })
        .unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn scaling_the_mass_keeps_velocities_and_the_scaled_residual(
        problem in any_problem(),
        factor in prop::sample::select(vec![1e-3, 0.5, 7.0, 1e3]),
    ) {
        let scaled = scale_mass(&problem, factor).unwrap();
        let lambda = impulses(&problem, 0.3);
        let more: Vec<f64> = lambda.iter().map(|value| value * factor).collect();
        let (v, r) = measured(&problem, &lambda);
        let (w, s) = measured(&scaled, &more);
        for (a, b) in v.iter().zip(&w) {
            prop_assert!(close(*a, *b), "{} {}", a, b);
        }
        for (a, b) in [
            (r.scaled, s.scaled),
            (r.dual, s.dual),
            (r.balanced, s.balanced),
            (r.fischer_burmeister, s.fischer_burmeister),
            (factor * r.primal, s.primal),
            (factor * r.complementarity, s.complementarity),
        ] {
            prop_assert!(close(a, b), "{} {} of {:?} {:?}", a, b, r, s);
        }
        let free = vec![0.0; problem.row_count()];
        let (v, _) = measured(&problem, &free);
        let (w, _) = measured(&scaled, &free);
        for (a, b) in v.iter().zip(&w) {
            prop_assert!(close(*a, *b), "free velocity: {} {}", a, b);
        }
    }

    #[test]
    fn duplicated_contacts_share_the_impulse(problem in any_problem(), copies in 1_usize..4) {
        let doubled = duplicate_contacts(&problem, copies).unwrap();
        let contacts = problem.contact_count();
        prop_assert_eq!(doubled.contact_count(), copies * contacts);
        let lambda = impulses(&problem, 1.1);
        let mut shared = Vec::new();
        for constraint in problem.constraints() {
            let times = if constraint.law.is_contact() { copies } else { 1 };
            for _ in 0..times {
                shared.extend(lambda[constraint.row_range()].iter().map(|l| l / times as f64));
            }
        }
        let (v, _) = measured(&problem, &lambda);
        let (w, _) = measured(&doubled, &shared);
        for (a, b) in v.iter().zip(&w) {
            prop_assert!(close(*a, *b), "{} {}", a, b);
        }
    }

    #[test]
    fn order_and_names_do_not_matter(problem in any_problem(), seed in any::<u64>()) {
        let lambda = impulses(&problem, 0.7);
        let (v, r) = measured(&problem, &lambda);
        let (other, order) = permute_constraints(&problem, seed).unwrap();
        let moved: Vec<f64> = order
            .iter()
            .flat_map(|&old| lambda[problem.constraints()[old].row_range()].to_vec())
            .collect();
        let (w, s) = measured(&other, &moved);
        for (a, b) in v.iter().zip(&w) {
            prop_assert!(close(*a, *b));
        }
        prop_assert!(close(r.paper, s.paper) && close(r.natural, s.natural));
        prop_assert_eq!(permute_constraints(&problem, seed).unwrap().1, order);

        let (renamed, order) = permute_subsystems(&problem, seed).unwrap();
        let (w, s) = measured(&renamed, &lambda);
        for (new, &old) in order.iter().enumerate() {
            let (from, to) = (problem.dof_starts()[old], renamed.dof_starts()[new]);
            for dof in 0..problem.subsystems()[old].dof_count() {
                prop_assert!(close(v[from + dof], w[to + dof]));
            }
        }
        prop_assert!(close(r.paper, s.paper) && close(r.natural, s.natural));
    }

    #[test]
    fn densifying_twice_changes_nothing_more(problem in any_problem()) {
        let dense = densify(&problem).unwrap();
        prop_assert_eq!(&densify(&dense).unwrap(), &dense);
    }

    #[test]
    fn noise_is_as_large_as_asked(problem in any_problem(), seed in any::<u64>()) {
        prop_assert_eq!(&perturb_b(&problem, 0.0, seed).unwrap(), &problem);
        let noisy = perturb_b(&problem, 1e-3, seed).unwrap();
        prop_assert!(noisy.b() != problem.b());
        prop_assert_eq!(noisy.constraints(), problem.constraints());
        for pair in problem.dof_starts().windows(2) {
            let part = |b: &[f64]| b[pair[0]..pair[1]].to_vec();
            let (old, new) = (part(problem.b()), part(noisy.b()));
            let size = old.iter().map(|x| x * x).sum::<f64>().sqrt();
            let change = old.iter().zip(&new).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            // Nine standard deviations.
            prop_assert!(change <= 9e-3 * size, "{} of {}", change, size);
        }
    }
}

#[test]
fn without_friction_leaves_normal_laws_and_joints() {
    let problem = mixed_laws(&MixedLawsParams::default()).unwrap();
    let smooth = without_friction(&problem).unwrap();
    assert_eq!(smooth.contact_count(), problem.contact_count());
    for (before, after) in problem.constraints().iter().zip(smooth.constraints()) {
        match before.law {
            Law::Contact { .. } | Law::AnisotropicContact { .. } => {
                assert_eq!(after.law, Law::Contact { friction: 0.0 });
            }
            Law::CompliantContact {
                normal_compliance, ..
            } => {
                let Law::CompliantContact {
                    friction,
                    normal_compliance: kept,
                    ..
                } = after.law
                else {
                    panic!("{:?}", after.law);
                };
                assert_eq!((friction, kept), ([0.0; 2], normal_compliance));
            }
            other => assert_eq!(after.law, other),
        }
    }
}

#[test]
fn impossible_factors_are_refused() {
    let problem = mixed_laws(&MixedLawsParams::default()).unwrap();
    for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = scale_mass(&problem, factor).unwrap_err().to_string();
        assert!(error.contains("factor"), "{error}");
    }
    assert!(perturb_b(&problem, f64::NAN, 0).is_err());
}
