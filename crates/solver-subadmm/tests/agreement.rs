//! The same problem in other words, or by another variant, has the same answer.

mod common;

use common::quadruped::{dense_matrix, robots};
use nalgebra::Vector3;
use stiction_constraints::{Budget, Law, Problem, Report, RowBlock, Solution, Solver};
use stiction_solver_subadmm::{SOLVERS, Splitting, SubAdmm, SubAdmmSettings, TreeMethod};

fn run(settings: &SubAdmmSettings, problem: &Problem, budget: &Budget) -> (Report, Solution) {
    let mut solution = Solution::cold();
    let report = SubAdmm::new("test", settings.clone()).solve(problem, budget, &mut solution);
    (report, solution)
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

/// Robots without friction at contacts: a convex problem, so that v̂ is unique.
fn robot_problem() -> Problem {
    robots(2, 5, 0.0, 4).0
}

#[test]
fn all_variants_find_the_same_velocity() {
    let problem = robot_problem();
    let budget = Budget {
        max_iterations: Some(20_000),
        ..Budget::with_tolerance(1e-8)
    };
    let mut reference: Option<Vec<f64>> = None;
    for (name, _) in SOLVERS {
        let mut solution = Solution::cold();
        let mut solver = SubAdmm::named(name).expect("a listed name");
        if !solver.declaration().is_exact() {
            continue;
        }
        let report = solver.solve(&problem, &budget, &mut solution);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        let first = reference.get_or_insert_with(|| solution.velocity.clone());
        let difference = largest_difference(first, &solution.velocity);
        assert!(difference < 1e-5, "{name}: {difference:e} m/s apart");
    }
}

/// Splitting changes the iterates but not the fixed point; without constraints inside a tree the
/// iterates of body and subsystem splitting are the same too.
#[test]
fn body_and_subsystem_splitting_iterate_alike_where_no_constraint_is_inside_a_tree() {
    let problem = {
        let (full, robots) = robots(2, 5, 0.5, 4);
        let mut problem = Problem::new();
        for index in 0..2 {
            let b = &full.b()[18 * index..18 * index + 18];
            problem
                .push_tree(robots[index].tree.clone(), b)
                .expect("a valid tree");
            for body in [3, 6, 9] {
                let point = robots[index].centers[body] - 0.1 * Vector3::z();
                let values = common::contact_rows(&point, &Vector3::z(), 1.0);
                let rows = RowBlock::Body {
                    body,
                    values: &values,
                };
                problem
                    .push_constraint(Law::Contact { friction: 0.4 }, &[0.0; 3], &[(index, rows)])
                    .expect("a valid contact");
            }
        }
        problem
    };
    let budget = Budget {
        max_iterations: Some(30),
        ..Budget::with_tolerance(1e-14)
    };
    let (_, body) = run(&SubAdmmSettings::default(), &problem, &budget);
    let (_, subsystem) = run(&SubAdmmSettings::no_body_splitting(), &problem, &budget);
    let (_, full) = run(
        &SubAdmmSettings::no_subsystem_splitting(),
        &problem,
        &budget,
    );
    assert!(largest_difference(&body.velocity, &subsystem.velocity) < 1e-9);
    // All terms lie in one subsystem each, so that the unsplit system falls apart into the same
    // blocks; only β, which counts all terms of the one block, is another.
    assert!(largest_difference(&body.velocity, &full.velocity) < 1e-3);
}

#[test]
fn all_ways_of_solving_with_a_tree_are_the_same() {
    let problem = robots(3, 12, 0.6, 7).0;
    let budget = Budget {
        max_iterations: Some(40),
        ..Budget::with_tolerance(0.0)
    };
    for memory in [0, 10] {
        let factorised = SubAdmmSettings {
            anderson_memory: memory,
            ..SubAdmmSettings::default()
        };
        let (_, a) = run(&factorised, &problem, &budget);
        let scale = a.impulse.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for tree_method in [
            TreeMethod::ArticulatedBody,
            TreeMethod::CompactFactorization,
        ] {
            let other = SubAdmmSettings {
                tree_method,
                ..factorised.clone()
            };
            let (_, b) = run(&other, &problem, &budget);
            let difference = largest_difference(&a.impulse, &b.impulse) / scale;
            // Rounding only; extrapolation amplifies it.
            let allowed = if memory == 0 { 1e-10 } else { 1e-6 };
            assert!(
                difference < allowed,
                "{tree_method:?}, memory {memory}: {difference:e}"
            );
        }
    }
}

/// The tree's rows on bodies, written out for the same system given as a dense matrix.
#[test]
fn a_tree_equals_the_same_system_given_densely() {
    let (problem, robots) = robots(2, 8, 0.5, 11);
    let mut dense = Problem::new();
    for (index, robot) in robots.iter().enumerate() {
        let b = &problem.b()[18 * index..18 * index + 18];
        dense
            .push_dense(dense_matrix(&robot.tree), b)
            .expect("a valid matrix");
    }
    let all: Vec<usize> = (0..18).collect();
    for (index, constraint) in problem.constraints().iter().enumerate() {
        let terms: Vec<(usize, Vec<f64>)> = problem
            .terms(index)
            .map(|(subsystem, block)| {
                let mut values = vec![0.0; 18 * constraint.rows];
                match block {
                    RowBlock::Body { body, values: rows } => {
                        let tree = &robots[subsystem].tree;
                        for dof in tree.path(tree.body_dof(body)) {
                            for row in 0..constraint.rows {
                                values[18 * row + dof] = rows[6 * row..6 * row + 6]
                                    .iter()
                                    .zip(tree.columns()[dof].iter())
                                    .map(|(a, b)| a * b)
                                    .sum();
                            }
                        }
                    }
                    RowBlock::Dofs { dofs, values: rows } => values[dofs[0]] = rows[0],
                    RowBlock::Nodes { .. } => unreachable!("robots have no nodes"),
                }
                (subsystem, values)
            })
            .collect();
        let blocks: Vec<_> = terms
            .iter()
            .map(|(subsystem, values)| (*subsystem, RowBlock::Dofs { dofs: &all, values }))
            .collect();
        let error = problem.error(index);
        dense
            .push_constraint(constraint.law, error, &blocks)
            .expect("a valid constraint");
    }
    let budget = Budget {
        max_iterations: Some(40),
        ..Budget::with_tolerance(0.0)
    };
    let settings = SubAdmmSettings {
        anderson_memory: 0,
        ..SubAdmmSettings::default()
    };
    let (_, a) = run(&settings, &problem, &budget);
    let (_, b) = run(&settings, &dense, &budget);
    let difference = largest_difference(&a.velocity, &b.velocity);
    assert!(difference < 1e-9, "{difference:e} m/s");
}

#[test]
fn grouping_bodies_leads_to_the_same_motion_in_fewer_iterations() {
    let problem = common::tower(4, 10.0, 1.0, 2);
    let budget = Budget::with_tolerance(1e-6);
    let apart = SubAdmmSettings {
        group_up_to: 0,
        ..SubAdmmSettings::default()
    };
    let (apart, a) = run(&apart, &problem, &budget);
    let (grouped, b) = run(&SubAdmmSettings::default(), &problem, &budget);
    assert!(apart.outcome.is_converged() && grouped.outcome.is_converged());
    assert!(2 * grouped.iterations < apart.iterations);
    let difference = largest_difference(&a.velocity, &b.velocity);
    assert!(difference < 1e-4, "{difference:e} m/s");
}

#[test]
fn mass_does_not_change_the_number_of_iterations() {
    for make in [
        |scale| common::dishes(30, scale, 2),
        |scale| common::bolt_nut(0.3, 60, scale, 2),
        |scale| common::tower(4, 10.0, scale, 2),
    ] {
        let count = |scale| {
            let budget = Budget::with_tolerance(1e-3);
            let (report, _) = run(&SubAdmmSettings::default(), &make(scale), &budget);
            assert!(report.outcome.is_converged());
            report.iterations
        };
        // Powers of two scale without rounding: all iterates are the same.
        assert_eq!(count(1.0), count(1024.0));
        assert_eq!(count(1.0), count(1.0 / 1024.0));
    }
}

#[test]
fn the_order_of_contacts_does_not_matter() {
    let problem = common::dishes(10, 1.0, 9);
    let mut reversed = Problem::new();
    for (index, subsystem) in problem.subsystems().iter().enumerate() {
        let b = &problem.b()[6 * index..6 * index + 6];
        reversed
            .push_subsystem(subsystem.clone(), b)
            .expect("a valid subsystem");
    }
    for index in (0..problem.constraints().len()).rev() {
        let constraint = &problem.constraints()[index];
        let blocks: Vec<_> = problem.terms(index).collect();
        reversed
            .push_constraint(constraint.law, problem.error(index), &blocks)
            .expect("a valid contact");
    }
    let budget = Budget {
        max_iterations: Some(25),
        ..Budget::with_tolerance(0.0)
    };
    let settings = SubAdmmSettings {
        anderson_memory: 0,
        ..SubAdmmSettings::default()
    };
    let (_, a) = run(&settings, &problem, &budget);
    let (_, b) = run(&settings, &reversed, &budget);
    assert!(largest_difference(&a.velocity, &b.velocity) < 1e-10);
}

/// Springs on a free body, on a tree's body, on one joint, on two joints of a tree, between two
/// bodies of a tree: folded or not, the answer is the same.
#[test]
fn folded_springs_answer_as_springs_that_iterate() {
    for couple_joints in [false, true] {
        let (mut problem, robots) = robots(1, 5, 0.5, 3);
        let half = Vector3::new(0.1, 0.1, 0.1);
        common::push_box(&mut problem, 1.0, &half, &[0.1; 6], &[0.0; 6]);
        let law = Law::Soft {
            stiffness: 5.0,
            damping: 0.8,
        };
        let rows = common::contact_rows(&robots[0].centers[3], &Vector3::z(), 1.0);
        let mut push = |error: &[f64], blocks: &[(usize, RowBlock<'_>)]| {
            problem
                .push_constraint(law, error, blocks)
                .expect("a valid spring");
        };
        push(
            &[0.01, 0.0, -0.02],
            &[(
                1,
                RowBlock::Body {
                    body: 0,
                    values: &rows,
                },
            )],
        );
        push(
            &[0.01, 0.0, -0.02],
            &[(
                0,
                RowBlock::Body {
                    body: 3,
                    values: &rows,
                },
            )],
        );
        push(
            &[0.03],
            &[(
                0,
                RowBlock::Dofs {
                    dofs: &[7],
                    values: &[1.0],
                },
            )],
        );
        let opposite: Vec<f64> = rows.iter().map(|value| -value).collect();
        push(
            &[0.0, 0.01, 0.0],
            &[
                (
                    0,
                    RowBlock::Body {
                        body: 3,
                        values: &rows,
                    },
                ),
                (
                    0,
                    RowBlock::Body {
                        body: 6,
                        values: &opposite,
                    },
                ),
            ],
        );
        if couple_joints {
            push(
                &[0.02],
                &[(
                    0,
                    RowBlock::Dofs {
                        dofs: &[7, 10],
                        values: &[1.0, -1.0],
                    },
                )],
            );
        }
        let budget = Budget {
            max_iterations: Some(20_000),
            ..Budget::with_tolerance(1e-9)
        };
        for splitting in [Splitting::Body, Splitting::Subsystem, Splitting::None] {
            let folded = SubAdmmSettings {
                splitting,
                ..SubAdmmSettings::default()
            };
            let iterated = SubAdmmSettings {
                fold_soft: false,
                ..folded.clone()
            };
            let (report, a) = run(&folded, &problem, &budget);
            assert!(
                report.outcome.is_converged(),
                "{splitting:?}: {}",
                report.outcome
            );
            assert!(report.residuals.dynamics < 1e-9);
            let (report, b) = run(&iterated, &problem, &budget);
            assert!(
                report.outcome.is_converged(),
                "{splitting:?}: {}",
                report.outcome
            );
            let difference = largest_difference(&a.velocity, &b.velocity);
            assert!(difference < 1e-6, "{splitting:?}: {difference:e} m/s");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    let mut problem = Problem::new();
    for seed in 0..12 {
        common::append(&mut problem, &common::dishes(40, 1.0, seed));
    }
    common::append(&mut problem, &robots(6, 12, 0.5, 1).0);
    let budget = Budget {
        max_iterations: Some(40),
        ..Budget::with_tolerance(1e-12)
    };
    let settings = SubAdmmSettings {
        parallel_from_terms: 0,
        ..SubAdmmSettings::default()
    };
    let bits = |threads: usize, settings: &SubAdmmSettings| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        let (_, solution) = pool.install(|| run(settings, &problem, &budget));
        solution
            .impulse
            .iter()
            .map(|x| x.to_bits())
            .collect::<Vec<_>>()
    };
    let one = bits(1, &settings);
    assert_eq!(one, bits(2, &settings));
    assert_eq!(one, bits(8, &settings));
    let sequential = SubAdmmSettings {
        parallel_from_terms: usize::MAX,
        ..settings
    };
    assert_eq!(one, bits(1, &sequential));
}
