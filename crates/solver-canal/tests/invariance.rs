//! The order of constraints and the names of subsystems do not matter.

mod common;

use common::{canal, difference, of_every_generator, solve_cold};
use stiction_generators::transform::{permute_constraints, permute_subsystems};

#[test]
fn another_order_of_constraints_gives_the_same_velocity() {
    for (name, problem) in of_every_generator() {
        let (_, solution) = solve_cold(&mut canal(), &problem, 1e-9);
        for seed in 0..3 {
            let (shuffled, _) = permute_constraints(&problem, seed).expect("a valid problem");
            let (report, other) = solve_cold(&mut canal(), &shuffled, 1e-9);
            assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
            let apart = difference(&solution.velocity, &other.velocity);
            assert!(apart < 1e-7, "{name}, order {seed}: {apart:e} m/s apart");
        }
    }
}

#[test]
fn another_order_of_subsystems_gives_the_same_velocity() {
    for (name, problem) in of_every_generator() {
        let (_, solution) = solve_cold(&mut canal(), &problem, 1e-9);
        let (renamed, order) = permute_subsystems(&problem, 1).expect("a valid problem");
        let (report, other) = solve_cold(&mut canal(), &renamed, 1e-9);
        assert!(report.outcome.is_converged(), "{name}: {}", report.outcome);
        for (new, &old) in order.iter().enumerate() {
            let here = renamed.dof_starts()[new]..renamed.dof_starts()[new + 1];
            let there = problem.dof_starts()[old]..problem.dof_starts()[old + 1];
            let apart = difference(&other.velocity[here], &solution.velocity[there]);
            assert!(apart < 1e-7, "{name}, subsystem {old}: {apart:e} m/s apart");
        }
    }
}
