//! The answer of the last time step as a guess.

mod common;

use common::{canal, solve_cold};
use stiction_constraints::{Budget, Problem, Solver};
use stiction_generators::transform::perturb_b;
use stiction_generators::{BoltNutParams, DishStackParams, bolt_nut, dish_stack};

/// Change of b from one time step to the next, as in `stiction bench solvers`.
const CHANGE: f64 = 1e-3;

/// Newton steps of a cold and of a warm start on a problem that has changed a little.
fn steps(problem: &Problem, seed: u64) -> (usize, usize) {
    let mut solver = canal();
    let (_, mut last) = solve_cold(&mut solver, problem, 1e-8);
    let next = perturb_b(problem, CHANGE, seed).expect("a valid problem");
    let (cold, _) = solve_cold(&mut solver, &next, 1e-8);
    let warm = solver.solve(&next, &Budget::default(), &mut last);
    assert!(
        cold.outcome.is_converged() && warm.outcome.is_converged(),
        "seed {seed}: {} and {}",
        cold.outcome,
        warm.outcome
    );
    (cold.inner_iterations, warm.inner_iterations)
}

#[test]
fn a_warm_start_takes_half_the_newton_steps() {
    let mut all = Vec::new();
    for seed in 0..6 {
        let dishes = DishStackParams {
            seed,
            ..DishStackParams::default()
        };
        all.push(steps(&dish_stack(&dishes).expect("valid dishes"), seed));
        let nut = BoltNutParams {
            seed,
            ..BoltNutParams::default()
        };
        all.push(steps(&bolt_nut(&nut).expect("a valid nut"), seed));
    }
    let mut ratios: Vec<f64> = all
        .iter()
        .map(|&(cold, warm)| warm as f64 / cold.max(1) as f64)
        .collect();
    ratios.sort_by(f64::total_cmp);
    let median = 0.5 * (ratios[5] + ratios[6]);
    assert!(median <= 0.5, "median {median:.2} of (cold, warm) {all:?}");
}
