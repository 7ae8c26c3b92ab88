//! What random problems say about themselves is true.

use stiction_constraints::{JointRows, Law, ResidualEvaluator};
use stiction_generators::{
    Breadth, Certificate, LawKind, Oddity, RandomWideParams, SubsystemKind, WideProblem, families,
    random_wide,
};

fn draw(breadth: Breadth, seed: u64) -> WideProblem {
    random_wide(&RandomWideParams {
        breadth,
        seed,
        ..RandomWideParams::default()
    })
    .expect("valid parameters")
}

#[test]
fn drawn_solutions_solve_plain_problems() {
    let mut drawn_ones = 0;
    for seed in 0..300 {
        let drawn = draw(Breadth::Plain, seed);
        let Some(Certificate::Drawn(solution)) = &drawn.certificate else {
            continue;
        };
        drawn_ones += 1;
        let mut evaluator = ResidualEvaluator::default();
        evaluator.update(&drawn.problem).expect("positive definite");
        let residuals = evaluator.residuals(&drawn.problem, &solution.velocity, &solution.impulse);
        assert!(residuals.scaled < 1e-9, "{seed}: {residuals:?}");
        assert!(residuals.dynamics < 1e-12, "{seed}: {residuals:?}");
    }
    assert!(drawn_ones > 100);
}

#[test]
fn interior_velocities_are_strictly_inside() {
    for seed in 0..300 {
        let drawn = draw(Breadth::Certified, seed);
        let Some(Certificate::Interior { velocity }) = &drawn.certificate else {
            continue;
        };
        let mut rows = JointRows::default();
        rows.update(&drawn.problem);
        let mut reached = vec![0.0; drawn.problem.row_count()];
        rows.mul(velocity, &mut reached);
        for constraint in drawn.problem.constraints() {
            let u = constraint.load(&reached) + constraint.load(drawn.problem.errors());
            if let Some([a, b]) = constraint.law.friction() {
                assert!(u.z > (a * u.x).hypot(b * u.y) + 1e-3, "{seed}");
            }
            for row in 0..constraint.rows {
                match constraint.law {
                    Law::Unilateral => assert!(u[row] > 1e-3, "{seed}"),
                    Law::Equality => assert!(u[row].abs() < 1e-12, "{seed}"),
                    Law::JointLimit { lower, upper } => {
                        assert!(lower < u[row] && u[row] < upper, "{seed}");
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn the_breadth_is_there() {
    let all: Vec<_> = (0..400).map(|seed| draw(Breadth::Any, seed)).collect();
    for kind in LawKind::ALL {
        assert!(
            all.iter().any(|p| p.labels.laws.contains(&kind)),
            "{kind:?}"
        );
    }
    for kind in SubsystemKind::ALL {
        assert!(all.iter().any(|p| p.labels.subsystems.contains(&kind)));
    }
    for oddity in [
        Oddity::Duplicate,
        Oddity::ZeroRow,
        Oddity::NoiseRow,
        Oddity::Contradiction,
        Oddity::HugeB,
        Oddity::TinyB,
    ] {
        let with = |p: &&WideProblem| p.labels.oddities.contains(&oddity);
        assert!(all.iter().find(with).is_some(), "{oddity:?}");
        assert!(all.iter().filter(with).all(|p| !p.labels.is_plain));
    }
    assert!(all.iter().filter(|p| p.labels.is_plain).count() > 60);
    assert_eq!(draw(Breadth::Any, 7), draw(Breadth::Any, 7));
}

#[test]
fn every_family_can_be_drawn() {
    for family in families() {
        for seed in 0..20 {
            let params = RandomWideParams {
                seed,
                ..family.params.clone()
            };
            random_wide(&params).unwrap_or_else(|error| panic!("{}: {error}", family.name));
        }
    }
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let refused = |params: &RandomWideParams| random_wide(params).unwrap_err().to_string();
    let defaults = RandomWideParams::default();
    let no_law = RandomWideParams {
        laws: Vec::new(),
        ..defaults.clone()
    };
    assert!(refused(&no_law).contains("laws"));
    let no_mass = RandomWideParams {
        mass_spread: 0.0,
        ..defaults
    };
    assert!(refused(&no_mass).contains("mass_spread"));
}
