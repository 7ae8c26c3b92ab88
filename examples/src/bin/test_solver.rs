//! Property-testing a solver on its own: `cargo run -p stiction-examples --bin test_solver`.
//!
//! No world, no robot: problems come from `stiction-generators`, and `stiction-conformance` has a judge
//! that shares no code with any solver. The tests below are how a solver of one's own would be tested;
//! the program shows how far a solver comes on each family of problems.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::{Context, Result};
use stiction_conformance::{Judge, Verdict};
use stiction_constraints::{Budget, Problem, ProblemError, Report, Solution, Solver};
use stiction_generators::{
    BoltNutParams, DishStackParams, QuadrupedsParams, RandomSmallParams, TowerParams, bolt_nut,
    dish_stack, quadrupeds, random_small, tower,
};
use stiction_solver_canal::Canal;

/// The solver under test.
type Subject = Canal;

const TOLERANCE: f64 = 1e-8;

fn solve(problem: &Problem) -> Result<(Report, Solution, Verdict)> {
    let mut solution = Solution::cold();
    let budget = Budget::with_tolerance(TOLERANCE);
    let report = Subject::default().solve(problem, &budget, &mut solution);
    let judge = Judge::new(problem).context("A is not positive definite")?;
    let verdict = judge.judge(&solution);
    Ok((report, solution, verdict))
}

/// A family of problems, one for each seed.
type Draw = fn(u64) -> Result<Problem, ProblemError>;

const FAMILIES: [(&str, Draw); 5] = [
    ("anything valid", |seed| {
        random_small(&RandomSmallParams {
            seed,
            ..Default::default()
        })
    }),
    ("nut on its bolt", |seed| {
        bolt_nut(&BoltNutParams {
            seed,
            ..Default::default()
        })
    }),
    ("dishes", |seed| {
        dish_stack(&DishStackParams {
            seed,
            ..Default::default()
        })
    }),
    ("quadrupeds", |seed| {
        quadrupeds(&QuadrupedsParams {
            seed,
            ..Default::default()
        })
    }),
    ("heavy on light", |seed| {
        tower(&TowerParams {
            seed,
            ..Default::default()
        })
    }),
];

fn main() -> Result<()> {
    println!("problems          converged   worst violation   falsely converged");
    for (name, draw) in FAMILIES {
        let (mut converged, mut falsely, mut worst) = (0, 0, 0.0_f64);
        for seed in 0..20 {
            let (report, _, verdict) = solve(&draw(seed)?)?;
            if report.outcome.is_converged() {
                converged += 1;
                worst = worst.max(verdict.violation);
                falsely += usize::from(!verdict.is_within(TOLERANCE));
            }
        }
        println!("{name:17} {converged:2} of 20    {worst:.1e} m/s       {falsely}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stiction_generators::transform::{permute_constraints, scale_mass, without_friction};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whatever is called converged is solved, by a judge that shares no code with the solver.
        #[test]
        fn converged_means_solved(seed: u64) {
            let problem = random_small(&RandomSmallParams { seed, ..Default::default() }).unwrap();
            let (report, _, verdict) = solve(&problem).unwrap();
            prop_assert!(!report.outcome.is_converged() || verdict.is_within(TOLERANCE));
        }

        /// A thousand times the mass is the same motion; another order of constraints too.
        #[test]
        fn units_and_order_do_not_matter(seed: u64) {
            let problem = random_small(&RandomSmallParams { seed, ..Default::default() }).unwrap();
            // Without friction the velocity is unique.
            let problem = without_friction(&problem).unwrap();
            let (report, solution, _) = solve(&problem).unwrap();
            prop_assume!(report.outcome.is_converged());
            for variant in [scale_mass(&problem, 1e3), permute_constraints(&problem, seed).map(|(variant, _)| variant)] {
                let (report, other, _) = solve(&variant.unwrap()).unwrap();
                prop_assert!(report.outcome.is_converged());
                for (a, b) in solution.velocity.iter().zip(&other.velocity) {
                    prop_assert!((a - b).abs() < 1e-5 * (1.0 + a.abs()), "{a} and {b}");
                }
            }
        }
    }

    /// And all the rest that the trait promises: bounded, interruptible, free of history, …
    #[test]
    fn the_solver_conforms() {
        let settings = stiction_conformance::Settings {
            count: 1,
            ..Default::default()
        };
        let report = stiction_conformance::run(&settings, Subject::default);
        assert!(report.is_passed(), "{report}");
    }
}
