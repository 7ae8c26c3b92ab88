//! Every generator: valid, of the promised size, reproducible; exact answers where there are any.

use stiction_constraints::{Law, Problem, ProblemError, ResidualEvaluator, RowBlock, Subsystem};
use stiction_generators::transform::densify;
use stiction_generators::*;

type Generator = Box<dyn Fn(u64) -> Result<Problem, ProblemError>>;

/// Every generator that has a seed, at a size that suits a test.
fn seeded_generators() -> Vec<(&'static str, Generator)> {
    vec![
        (
            "tower",
            Box::new(|seed| {
                tower(&TowerParams {
                    seed,
                    ..Default::default()
                })
            }),
        ),
        (
            "bolt_nut",
            Box::new(|seed| {
                bolt_nut(&BoltNutParams {
                    seed,
                    ..Default::default()
                })
            }),
        ),
        (
            "dish_stack",
            Box::new(|seed| {
                dish_stack(&DishStackParams {
                    seed,
                    ..Default::default()
                })
            }),
        ),
        (
            "quadrupeds",
            Box::new(|seed| {
                quadrupeds(&QuadrupedsParams {
                    seed,
                    ..Default::default()
                })
            }),
        ),
        (
            "cable",
            Box::new(|seed| {
                cable(&CableParams {
                    seed,
                    ..Default::default()
                })
            }),
        ),
        (
            "lattice",
            Box::new(|seed| {
                lattice(&LatticeParams {
                    nodes: [7, 3, 3],
                    pieces: 3,
                    seed,
                    ..Default::default()
                })
            }),
        ),
        (
            "sphere_pile",
            Box::new(|seed| {
                sphere_pile(&SpherePileParams {
                    bodies: 60,
                    seed,
                    ..Default::default()
                })
            }),
        ),
        (
            "mixed_laws",
            Box::new(|seed| mixed_laws(&MixedLawsParams { seed })),
        ),
        (
            "random_small",
            Box::new(|seed| {
                random_small(&RandomSmallParams {
                    seed,
                    ..Default::default()
                })
            }),
        ),
    ]
}

/// Impulses that are neither zero nor admissible: residuals of all parts are exercised.
fn some_impulses(count: usize) -> Vec<f64> {
    (0..count)
        .map(|row| 0.05 * (1.0 + row as f64).sin())
        .collect()
}

#[test]
fn same_seed_same_problem_other_seed_other_problem() {
    for (name, generate) in seeded_generators() {
        let first = generate(3).unwrap();
        assert_eq!(first, generate(3).unwrap(), "{name}");
        assert_ne!(first, generate(4).unwrap(), "{name}");
    }
}

#[test]
fn structured_and_densified_problem_have_the_same_residuals() {
    for (name, generate) in seeded_generators() {
        for seed in 0..4 {
            let problem = generate(seed).unwrap();
            let dense = densify(&problem).unwrap();
            assert!(
                dense
                    .subsystems()
                    .iter()
                    .all(|s| matches!(s, Subsystem::Dense(_)))
            );
            let lambda = some_impulses(problem.row_count());
            let [(v, r), (w, s)] = [&problem, &dense].map(|problem| {
                let mut evaluator = ResidualEvaluator::default();
                evaluator.update(problem).unwrap();
                let mut velocity = vec![0.0; problem.dof_count()];
                evaluator.velocity_of(problem, &lambda, &mut velocity);
                let residuals = evaluator.residuals(problem, &velocity, &lambda);
                (velocity, residuals)
            });
            for (a, b) in v.iter().zip(&w) {
                assert!(
                    (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
                    "{name} {seed}: {a} {b}"
                );
            }
            for (a, b) in [
                (r.paper, s.paper),
                (r.scaled, s.scaled),
                (r.primal, s.primal),
                (r.dual, s.dual),
                (r.complementarity, s.complementarity),
                (r.natural, s.natural),
                (r.balanced, s.balanced),
                (r.fischer_burmeister, s.fischer_burmeister),
            ] {
                assert!(
                    (a - b).abs() <= 1e-9 * (1.0 + a.abs()),
                    "{name} {seed}: {a} {b}"
                );
            }
            assert!(r.dynamics < 1e-9 && s.dynamics < 1e-9, "{name} {seed}");
        }
    }
}

#[test]
fn the_block_does_what_its_mode_says() {
    for mode in BlockMode::ALL {
        for friction in [0.0, 0.2, 0.5, 1.0] {
            for mass in [1e-3, 1.0, 1e3] {
                let params = BlockParams {
                    mode,
                    friction,
                    mass,
                    ..Default::default()
                };
                let block = block(&params).unwrap();
                let mut evaluator = ResidualEvaluator::default();
                evaluator.update(&block.problem).unwrap();
                let r = evaluator.residuals(&block.problem, &block.velocity, &block.impulse);
                assert!(r.scaled < 1e-13, "{params:?}: {r:?}");
                assert!(r.dynamics < 1e-13, "{params:?}: {r:?}");
                assert!(r.eps_abs() < 1e-12 * mass.max(1.0), "{params:?}: {r:?}");
                let mut velocity = [0.0; 6];
                evaluator.velocity_of(&block.problem, &block.impulse, &mut velocity);
                for (got, want) in velocity.iter().zip(&block.velocity) {
                    assert!((got - want).abs() < 1e-13, "{params:?}");
                }
            }
        }
    }
}

#[test]
fn tower_is_heavier_on_top() {
    let params = TowerParams {
        cubes: 4,
        top_ratio: 100.0,
        mass: 2.0,
        ..Default::default()
    };
    let problem = tower(&params).unwrap();
    assert_eq!((problem.dof_count(), problem.contact_count()), (24, 16));
    let masses: Vec<f64> = problem
        .subsystems()
        .iter()
        .map(|subsystem| match subsystem {
            Subsystem::FreeBody(inertia) => inertia[(0, 0)],
            other => panic!("{}", other.kind()),
        })
        .collect();
    assert_eq!(masses, [2.0, 2.0, 2.0, 200.0]);
    // The lowest storey stands on the ground, all others on the one below.
    for contact in 0..16 {
        let bodies: Vec<usize> = problem
            .terms(contact)
            .map(|(subsystem, _)| subsystem)
            .collect();
        let storey = contact / 4;
        let expected = if storey == 0 {
            vec![0]
        } else {
            vec![storey, storey - 1]
        };
        assert_eq!(bodies, expected);
    }
}

#[test]
fn bolt_nut_is_held_on_both_flanks() {
    let problem = bolt_nut(&BoltNutParams::default()).unwrap();
    assert_eq!((problem.dof_count(), problem.contact_count()), (6, 120));
    let upward = (0..120).filter(|&contact| {
        problem.terms(contact).all(|(_, block)| match block {
            RowBlock::Body { values, .. } => values[2 * 6 + 2] > 0.0,
            _ => false,
        })
    });
    assert_eq!(upward.count(), 60);
    assert!((0..60).all(|index| problem.error(index)[2] >= 0.0));
    let params = BoltNutParams {
        penetration: 0.5,
        ..Default::default()
    };
    let pressed = bolt_nut(&params).unwrap();
    assert!((0..60).all(|index| pressed.error(index)[2] <= 0.0));
}

#[test]
fn dish_stack_has_its_size() {
    let problem = dish_stack(&DishStackParams::default()).unwrap();
    assert_eq!((problem.dof_count(), problem.contact_count()), (24, 200));
    assert_eq!(problem.constraints().len(), 200);
}

#[test]
fn a_heap_of_robots_touches_in_all_directions() {
    let problem = quadrupeds(&QuadrupedsParams::heap()).unwrap();
    assert_eq!((problem.dof_count(), problem.contact_count()), (144, 88));
    assert_eq!(problem.constraints().len(), 88);
    let mut pairs = std::collections::BTreeSet::new();
    let mut on_ground = std::collections::BTreeSet::new();
    for index in 0..problem.constraints().len() {
        let trees: Vec<usize> = problem.terms(index).map(|(tree, _)| tree).collect();
        match trees[..] {
            [a] => {
                on_ground.insert(a);
            }
            [a, b] if a != b => {
                pairs.insert((b, a));
            }
            _ => {}
        }
    }
    // The twelve edges of a cube, standing on one of its faces.
    let edges = [1, 2, 4].map(|step| {
        let from = (0..8usize).filter(move |robot| robot & step == 0);
        from.map(move |robot| (robot, robot + step))
    });
    assert_eq!(pairs, edges.into_iter().flatten().collect());
    assert_eq!(on_ground, (0..4).collect());
}

#[test]
fn quadrupeds_are_trees_with_contacts_between_and_within_them() {
    let problem = quadrupeds(&QuadrupedsParams::default()).unwrap();
    assert_eq!((problem.dof_count(), problem.contact_count()), (144, 88));
    let (mut within, mut between) = (0, 0);
    for index in 0..problem.constraints().len() {
        let trees: Vec<usize> = problem
            .terms(index)
            .map(|(subsystem, _)| subsystem)
            .collect();
        if let [a, b] = trees[..] {
            if a == b {
                within += 1;
            } else {
                between += 1;
            }
        }
    }
    assert_eq!((within, between), (8, 14));
    let count = |wanted: fn(&Law) -> bool| {
        problem
            .constraints()
            .iter()
            .filter(|c| wanted(&c.law))
            .count()
    };
    assert_eq!(count(|law| matches!(law, Law::JointFriction { .. })), 32);
    assert_eq!(count(|law| matches!(law, Law::JointLimit { .. })), 32);
    // The base's translation moves the whole robot.
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(&problem).unwrap();
    evaluator
        .matrices()
        .0
        .for_each_lower_entry(|row, column, value| {
            if row == column && row % 18 < 3 {
                assert!((value - 20.8).abs() < 1e-12, "{row}: {value}");
            }
        });
}

#[test]
fn cable_holds_neighbours_by_two_springs() {
    let problem = cable(&CableParams {
        links: 10,
        ..Default::default()
    })
    .unwrap();
    assert_eq!((problem.dof_count(), problem.contact_count()), (60, 10));
    let soft = problem
        .constraints()
        .iter()
        .filter(|c| matches!(c.law, Law::Soft { .. }) && c.rows == 3)
        .count();
    assert_eq!(soft, 18);
}

#[test]
fn lattice_in_pieces_adds_up_to_the_whole() {
    let whole = LatticeParams {
        nodes: [7, 3, 2],
        ..Default::default()
    };
    let one = lattice(&whole).unwrap();
    let cut = lattice(&LatticeParams { pieces: 3, ..whole }).unwrap();
    assert_eq!((one.dof_count(), one.contact_count()), (126, 21));
    // Two cuts of six nodes each.
    assert_eq!((cut.dof_count(), cut.contact_count()), (126 + 36, 21));
    assert_eq!(cut.constraints().len(), 21 + 12);
    // vᵀAv and vᵀb of any velocity field that both copies of a node share.
    let field = |place: usize, axis: usize| ((place * 3 + axis) as f64 * 0.7).sin();
    let energies =
        [(&one, vec![(0, 7)]), (&cut, vec![(0, 3), (2, 5), (4, 7)])].map(|(problem, planes)| {
            let v: Vec<f64> = planes
                .into_iter()
                .flat_map(|(start, end)| start * 6..end * 6)
                .flat_map(|node| (0..3).map(move |axis| field(node, axis)))
                .collect();
            assert_eq!(v.len(), problem.dof_count());
            let mut evaluator = ResidualEvaluator::default();
            evaluator.update(problem).unwrap();
            let mut product = vec![0.0; v.len()];
            evaluator.matrices().0.mul(&v, &mut product);
            let dot = |x: &[f64]| x.iter().zip(&v).map(|(a, b)| a * b).sum::<f64>();
            (dot(&product), dot(problem.b()))
        });
    assert!(
        (energies[0].0 / energies[1].0 - 1.0).abs() < 1e-12,
        "{energies:?}"
    );
    assert!(
        (energies[0].1 / energies[1].1 - 1.0).abs() < 1e-12,
        "{energies:?}"
    );
}

#[test]
fn sphere_pile_scales_to_ten_thousand_bodies() {
    for bodies in [0, 1, 7, 10_000] {
        let problem = sphere_pile(&SpherePileParams {
            bodies,
            ..Default::default()
        })
        .unwrap();
        assert_eq!(problem.subsystems().len(), bodies);
        assert!(problem.contact_count() <= 3 * bodies);
    }
    let problem = sphere_pile(&SpherePileParams {
        bodies: 10_000,
        ..Default::default()
    })
    .unwrap();
    assert!(
        problem.contact_count() > 15_000,
        "{}",
        problem.contact_count()
    );
    let mut touching = vec![0; 10_000];
    for index in 0..problem.constraints().len() {
        for (body, _) in problem.terms(index) {
            touching[body] += 1;
        }
    }
    assert!(touching.iter().all(|&count| count <= 6));
}

#[test]
fn mixed_laws_has_every_law_once_and_every_kind_of_subsystem() {
    let problem = mixed_laws(&MixedLawsParams::default()).unwrap();
    let mut laws: Vec<_> = problem.constraints().iter().map(|c| c.law.kind()).collect();
    laws.sort_unstable();
    assert_eq!(
        laws,
        [
            "anisotropic contact",
            "compliant contact",
            "contact",
            "equality",
            "joint friction",
            "joint limit",
            "soft",
            "unilateral"
        ]
    );
    for kind in ["free body", "tree", "sparse", "dense"] {
        assert!(
            problem.subsystems().iter().any(|s| s.kind() == kind),
            "{kind}"
        );
    }
}

#[test]
fn random_small_covers_everything_within_its_limits() {
    let mut laws = std::collections::BTreeSet::new();
    let mut kinds = std::collections::BTreeSet::new();
    let mut blocks = std::collections::BTreeSet::new();
    let mut evaluator = ResidualEvaluator::default();
    for seed in 0..300 {
        let feasibility = if seed % 2 == 0 {
            Feasibility::Guaranteed
        } else {
            Feasibility::Arbitrary
        };
        let params = RandomSmallParams {
            seed,
            feasibility,
            mass_spread: 1e3,
            ..Default::default()
        };
        let problem = random_small(&params).unwrap();
        assert!((1..=5).contains(&problem.subsystems().len()));
        assert!(problem.constraints().len() <= 12);
        evaluator
            .update(&problem)
            .unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
        laws.extend(problem.constraints().iter().map(|c| c.law.kind()));
        kinds.extend(problem.subsystems().iter().map(Subsystem::kind));
        for index in 0..problem.constraints().len() {
            blocks.extend(problem.terms(index).map(|(_, block)| match block {
                RowBlock::Body { .. } => "body",
                RowBlock::Dofs { .. } => "dofs",
                RowBlock::Nodes { .. } => "nodes",
            }));
        }
    }
    assert_eq!((laws.len(), kinds.len(), blocks.len()), (8, 4, 3));
}

#[test]
fn parameters_that_make_no_sense_are_refused_and_named() {
    let text = |result: Result<Problem, ProblemError>| result.unwrap_err().to_string();
    let heavy = text(tower(&TowerParams {
        mass: -1.0,
        ..Default::default()
    }));
    assert!(
        heavy.contains("subsystem 0") && heavy.contains("not positive"),
        "{heavy}"
    );
    let rough = text(bolt_nut(&BoltNutParams {
        friction: -0.1,
        ..Default::default()
    }));
    assert!(rough.contains("friction = -0.1"), "{rough}");
    let small = text(sphere_pile(&SpherePileParams {
        radius: 0.0,
        ..Default::default()
    }));
    assert!(small.contains("radius = 0"), "{small}");
    let pieces = text(lattice(&LatticeParams {
        pieces: 0,
        ..Default::default()
    }));
    assert!(pieces.contains("pieces = 0"), "{pieces}");
    let pieces = text(lattice(&LatticeParams {
        nodes: [3, 2, 2],
        pieces: 3,
        ..Default::default()
    }));
    assert!(pieces.contains("pieces = 3"), "{pieces}");
    let empty = text(lattice(&LatticeParams {
        nodes: [3, 0, 2],
        ..Default::default()
    }));
    assert!(empty.contains("nodes = 0"), "{empty}");
    let spread = text(random_small(&RandomSmallParams {
        mass_spread: 0.0,
        ..Default::default()
    }));
    assert!(spread.contains("mass_spread = 0"), "{spread}");
}
