//! Scenes with an answer on paper.

mod common;

use common::{canal, difference, solve_cold};
use nalgebra::DMatrix;
use stiction_constraints::{Law, Problem, RowBlock};
use stiction_generators::{
    BlockMode, BlockParams, GRAVITY, TIME_STEP, TowerParams, block, tower, transform,
};

const ALL_ROWS: [f64; 9] = [1., 0., 0., 0., 1., 0., 0., 0., 1.];

/// A point of `mass` on a floor, pushed by the impulse b.
fn point(mass: f64, b: [f64; 3], friction: f64) -> Problem {
    let mut problem = Problem::new();
    let body = problem
        .push_dense(DMatrix::from_diagonal_element(3, 3, mass), &b)
        .expect("a valid subsystem");
    let rows = RowBlock::Dofs {
        dofs: &[0, 1, 2],
        values: &ALL_ROWS,
    };
    problem
        .push_constraint(Law::Contact { friction }, &[0.0; 3], &[(body, rows)])
        .expect("a valid contact");
    problem
}

#[test]
fn a_block_sticks_slips_opens_and_bounces() {
    for mode in BlockMode::ALL {
        for mass in [1e-3, 1.0, 1e3] {
            for friction in [0.1, 0.5, 1.0] {
                let params = BlockParams {
                    mode,
                    mass,
                    friction,
                    ..BlockParams::default()
                };
                let block = block(&params).expect("a valid block");
                let (report, solution) = solve_cold(&mut canal(), &block.problem, 1e-11);
                let error = difference(&solution.velocity, &block.velocity);
                assert!(
                    report.outcome.is_converged() && error < 1e-9,
                    "{mode:?}, {mass} kg, μ = {friction}: {} with {error:e} m/s",
                    report.outcome
                );
                // The impulses sum up to what the velocity needs.
                let normal: f64 = solution.impulse.iter().skip(2).step_by(3).sum();
                assert!((normal - block.total_impulse[2]).abs() < 1e-8 * mass);
            }
        }
    }
}

/// Pushed exactly as hard as friction can hold: no motion, the impulse on the edge of the cone;
/// a little harder: slides by the excess.
#[test]
fn a_point_at_the_edge_of_sliding() {
    let (mass, normal, friction) = (2.0, 3.0, 0.5);
    for (push, expected) in [(1.5, 0.0), (1.5 + 1e-6, 0.5e-6), (1.5 - 1e-6, 0.0)] {
        let problem = point(mass, [push, 0.0, -normal], friction);
        let (report, solution) = solve_cold(&mut canal(), &problem, 1e-12);
        assert!(report.outcome.is_converged(), "{push}: {}", report.outcome);
        assert!(
            (solution.velocity[0] - expected).abs() < 1e-9,
            "{push}: {:e}",
            solution.velocity[0]
        );
        assert!((solution.impulse[2] - normal).abs() < 1e-9);
        assert!((solution.impulse[0] + push.min(friction * normal)).abs() < 1e-9);
    }
}

/// Neither falls nor presses.
#[test]
fn a_point_that_just_touches() {
    let problem = point(1.0, [0.3, -0.4, 0.0], 0.7);
    let (report, solution) = solve_cold(&mut canal(), &problem, 1e-12);
    assert!(report.outcome.is_converged());
    assert!(difference(&solution.velocity, &[0.3, -0.4, 0.0]) < 1e-9);
}

#[test]
fn without_constraints_the_answer_is_the_free_motion_at_once() {
    let mut problem = point(4.0, [2.0, 0.0, -1.0], 0.5);
    problem.clear_constraints();
    let (report, solution) = solve_cold(&mut canal(), &problem, 1e-12);
    assert!(report.outcome.is_converged());
    assert_eq!((report.iterations, report.inner_iterations), (0, 0));
    assert!(difference(&solution.velocity, &[0.5, 0.0, -0.25]) < 1e-15);
}

#[test]
fn an_empty_problem_is_solved() {
    let (report, solution) = solve_cold(&mut canal(), &Problem::new(), 1e-12);
    assert!(report.outcome.is_converged());
    assert!(solution.velocity.is_empty() && solution.impulse.is_empty());
}

#[test]
fn without_friction_nothing_slows_the_block() {
    let params = BlockParams {
        mode: BlockMode::Slip,
        ..BlockParams::default()
    };
    let block = block(&params).expect("a valid block");
    let problem = transform::without_friction(&block.problem).expect("a valid problem");
    let (report, solution) = solve_cold(&mut canal(), &problem, 1e-11);
    assert!(report.outcome.is_converged());
    let speed = 1.0 + params.friction * GRAVITY * TIME_STEP;
    let expected = [0.6 * speed, 0.8 * speed, 0.0, 0.0, 0.0, 0.0];
    assert!(difference(&solution.velocity, &expected) < 1e-9);
}

/// A tower at rest stays: the lowest contacts carry the weight of all.
#[test]
fn a_tower_at_rest_stays() {
    for top_ratio in [1.0, 100.0, 1e4] {
        for cubes in [1, 3, 8] {
            let params = TowerParams {
                cubes,
                top_ratio,
                kick: 0.0,
                ..TowerParams::default()
            };
            let problem = tower(&params).expect("a valid tower");
            let (report, solution) = solve_cold(&mut canal(), &problem, 1e-11);
            let what = format!("{cubes} cubes, top {top_ratio}: {}", report.outcome);
            assert!(report.outcome.is_converged(), "{what}");
            let worst = solution
                .velocity
                .iter()
                .fold(0.0, |worst: f64, v| worst.max(v.abs()));
            assert!(worst < 1e-9, "{what}: moves with {worst:e} m/s");
            let weight = (cubes as f64 - 1.0 + top_ratio) * GRAVITY * TIME_STEP;
            let carried: f64 = solution.impulse[..12].iter().skip(2).step_by(3).sum();
            assert!(
                (carried - weight).abs() < 1e-8 * weight,
                "{what}: {carried} instead of {weight}"
            );
        }
    }
}
