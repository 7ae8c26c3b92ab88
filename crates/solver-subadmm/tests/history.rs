//! A used solver answers with the bits of a fresh one.

mod common;

use stiction_constraints::{Budget, Criterion, Problem, Report, Solution, Solver};
use stiction_generators::{RandomWideParams, random_wide};
use stiction_solver_subadmm::{SOLVERS, SubAdmm};

fn problems(seed: u64) -> Vec<Problem> {
    let mut out: Vec<Problem> = (0..12)
        .filter_map(|k| {
            let params = RandomWideParams {
                seed: seed + k,
                ..RandomWideParams::default()
            };
            random_wide(&params).ok()
        })
        .map(|drawn| drawn.problem)
        .collect();
    out.insert(3, common::dishes(20, 1.0, seed));
    out.insert(7, common::quadruped::robots(2, 12, 0.5, seed).0);
    out.insert(9, common::bolt_nut(0.3, 40, 1.0, seed));
    out
}

/// Everything but the clock.
fn bits(report: &Report, solution: &Solution) -> (String, usize, usize, Vec<u64>) {
    let numbers = solution.velocity.iter().chain(&solution.impulse);
    (
        report.outcome.to_string(),
        report.iterations,
        report.factorizations,
        numbers.map(|value| value.to_bits()).collect(),
    )
}

#[test]
fn what_was_solved_before_makes_no_difference() {
    for (name, _) in SOLVERS {
        let mut used = SubAdmm::named(name).expect("a listed name");
        for seed in [100, 200] {
            for (index, problem) in problems(seed).iter().enumerate() {
                let budget = Budget {
                    criterion: match index % 4 {
                        0 => Criterion::Paper,
                        1 => Criterion::PrimalDual,
                        _ => Criterion::Scaled,
                    },
                    max_iterations: Some([150, 3, 300][index % 3]),
                    ..Budget::with_tolerance(1e-6)
                };
                let mut solution = Solution::cold();
                let report = used.solve(problem, &budget, &mut solution);
                let after_others = bits(&report, &solution);
                let mut solution = Solution::cold();
                let mut fresh = SubAdmm::named(name).expect("a listed name");
                let report = fresh.solve(problem, &budget, &mut solution);
                assert!(
                    after_others == bits(&report, &solution),
                    "{name}: problem {index} of {seed}"
                );
            }
        }
    }
}
