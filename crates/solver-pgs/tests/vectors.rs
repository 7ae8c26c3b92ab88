//! Problems with known solutions: our own, and generated ones where they are beside the project.

mod common;

use std::path::Path;

use stiction_constraints::{
    Budget, Failure, Outcome, Problem, Report, ResidualEvaluator, Solution, Solver,
};
use stiction_problem_files::{self as problem_files, FullProblem, ProblemFile};
use stiction_solver_pgs::{Pgs, SOLVERS};
use stiction_test_support::{data, outside};

const TOLERANCE: f64 = 1e-8;

fn read(folder: &Path) -> Vec<FullProblem> {
    let files = data::files(folder, "json").into_iter();
    let read = files.map(|path| match problem_files::read(&path).unwrap() {
        ProblemFile::Full(full) => full,
        other => panic!("{} is not a full problem", other.name()),
    });
    read.collect()
}

fn solve(problem: &Problem, max_iterations: Option<usize>) -> (Report, Solution) {
    let mut solution = Solution::cold();
    let budget = Budget {
        max_iterations,
        ..Budget::with_tolerance(TOLERANCE)
    };
    let report = Pgs::named("pgs")
        .unwrap()
        .solve(problem, &budget, &mut solution);
    (report, solution)
}

/// What `pgs` promises on every problem: an outcome that an independent look at its answer confirms, the
/// known velocity where it converged, the best iterate where it did not. Returns the scaled residual.
fn keeps_its_promises(full: &FullProblem) -> f64 {
    let (name, problem) = (&full.name, &full.problem);
    let (report, solution) = solve(problem, None);
    let scaled = report.residuals.scaled;
    let mut evaluator = ResidualEvaluator::default();
    evaluator.update(problem).unwrap();
    let seen = evaluator.residuals(problem, &solution.velocity, &solution.impulse);
    assert!(seen.dynamics < 1e-9, "{name}: v̂ is not A⁻¹(b + Jᵀλ)");
    assert!(
        (seen.scaled - scaled).abs() <= 1e-12 + 1e-6 * scaled,
        "{name}: says {scaled:e}, but is {:e} m/s",
        seen.scaled
    );
    match report.outcome {
        Outcome::Converged => assert!(scaled <= TOLERANCE, "{name}: {scaled:e}"),
        Outcome::OutOfIterations | Outcome::Failed(Failure::Stalled(_)) => {
            assert!(scaled > TOLERANCE, "{name}: {scaled:e}");
        }
        other => panic!("{name}: {other}"),
    }
    match &full.solution {
        None => assert!(!report.outcome.is_converged(), "{name} has no solution"),
        Some(known) if report.outcome.is_converged() && known.velocity_is_unique == Some(true) => {
            let pairs = known.solution.velocity.iter().zip(&solution.velocity);
            let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 1e-6, "{name}: off by {off:e} m/s");
        }
        Some(_) => {}
    }
    // What comes back is the best iterate: more sweeps never make it worse.
    let mut before = f64::INFINITY;
    for sweeps in [1, 10, 100] {
        let now = solve(problem, Some(sweeps)).0.residuals.scaled;
        assert!(now <= before, "{name}: {before:e} to {now:e} m/s");
        before = now;
    }
    assert!(scaled <= before, "{name}: {before:e} to {scaled:e} m/s");
    scaled
}

#[test]
fn pgs_keeps_its_promises_on_own_problems() {
    for full in read(&data::folder("vectors")) {
        let scaled = keeps_its_promises(&full);
        // One body on a plane, chains and joints are within its reach, stacks of equal boxes too.
        if full.solution.is_some() && full.name != "tower_heavy_on_light" {
            assert!(scaled <= TOLERANCE, "{}: {scaled:e} m/s", full.name);
        }
    }
}

/// Where the README says that `pgs` ends above 1e-8 m/s in its 1000 sweeps: dense contact, long chains,
/// heavy on light. At most a tenth above the scaled residual (m/s) measured.
const SLOW: &[(&str, f64)] = &[
    ("boltnut_mu0", 3.0e-5),
    ("boltnut_mu0.1", 4.3e-5),
    ("boltnut_mu0.3", 1.5e-4),
    ("boltnut_mu1", 1.1e-4),
    ("cable16", 4.3e-3),
    ("dish", 1.4e-3),
    ("tower5_r1", 9.9e-5),
    ("tower5_r100", 3.6e-3),
];

#[test]
fn pgs_keeps_its_promises_on_generated_problems() {
    let Some(folder) = outside::shared("vectors") else {
        return;
    };
    for full in read(&folder) {
        let scaled = keeps_its_promises(&full);
        let slow = SLOW.iter().find(|(name, _)| *name == full.name);
        let bound = slow.map_or(TOLERANCE, |(_, bound)| *bound);
        if full.solution.is_some() {
            assert!(scaled <= bound, "{}: {scaled:e} m/s", full.name);
        }
    }
}

/// Every variant answers with finite numbers that obey the equations of motion, and is converged
/// exactly where its own model is solved.
fn every_variant_answers(folder: &Path) {
    for full in read(folder) {
        for (name, _) in SOLVERS {
            let mut solver = Pgs::named(name).unwrap();
            let mut solution = Solution::cold();
            let budget = Budget::with_tolerance(TOLERANCE);
            let report = solver.solve(&full.problem, &budget, &mut solution);
            let what = format!("{name} on {}", full.name);
            let mut numbers = solution.impulse.iter().chain(&solution.velocity);
            assert!(numbers.all(|value| value.is_finite()), "{what}");
            assert!(report.residuals.dynamics < 1e-8, "{what}");
            assert_eq!(
                report.outcome.is_converged(),
                solver.own_residual() <= TOLERANCE,
                "{what}"
            );
        }
    }
}

#[test]
fn every_variant_answers_own_problems() {
    every_variant_answers(&data::folder("vectors"));
}

#[test]
fn every_variant_answers_generated_problems() {
    if let Some(folder) = outside::shared("vectors") {
        every_variant_answers(&folder);
    }
}
