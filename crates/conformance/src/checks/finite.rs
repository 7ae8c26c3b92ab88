//! Sizes fit and numbers are finite, whatever the guess and the outcome; no guess makes a solver say
//! that it has converged where it has not.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_constraints::{Budget, Problem, Solution};

use super::honest;
use crate::attempt::{attempt, not_finite};
use crate::judge::Judge;
use crate::report::CheckReport;
use crate::subject::Subject;

/// Iterations from each guess: what a guess does, it does soon.
const ITERATIONS: usize = 10;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    subject.on_each_case("finite and honest, whatever the guess", |case| {
        let budget = Budget {
            max_iterations: Some(ITERATIONS),
            ..subject.budget()
        };
        let judge = Judge::new(case.problem());
        for (what, guess) in guesses(case.problem(), case.seed) {
            let mut solver = (subject.make)();
            let (report, solution) = attempt(solver.as_mut(), case.problem(), &budget, guess)
                .map_err(|message| format!("{what}: {message}"))?;
            if let Some(message) = not_finite(case.problem(), &solution) {
                return Err(format!("{what}: {message} ({})", report.outcome));
            }
            if let Some(judge) = judge.as_ref().filter(|_| report.outcome.is_converged()) {
                honest::converged(subject, &report, &judge.judge(&solution))
                    .map_err(|message| format!("{what}: {message}"))?;
            }
        }
        Ok(())
    })
}

/// Guesses of every kind, most of them garbage.
fn guesses(problem: &Problem, seed: u64) -> Vec<(&'static str, Solution)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (rows, dofs) = (problem.row_count(), problem.dof_count());
    let filled = |velocity: usize, impulse: usize, value: f64| Solution {
        velocity: vec![value; velocity],
        impulse: vec![value; impulse],
    };
    let bits: Vec<f64> = (0..rows).map(|_| f64::from_bits(rng.random())).collect();
    let finite = |value: &f64| if value.is_finite() { *value } else { 0.0 };
    vec![
        ("cold", Solution::cold()),
        ("guess of wrong size", filled(dofs + 1, rows + 3, 1.0)),
        ("guess of NaN", filled(dofs, rows, f64::NAN)),
        ("guess of infinity", filled(dofs, rows, f64::INFINITY)),
        ("guess of 1e300", filled(dofs, rows, 1e300)),
        ("guess of −1e300", filled(dofs, rows, -1e300)),
        (
            "guess of random bits",
            Solution {
                velocity: Vec::new(),
                impulse: bits.iter().map(finite).collect(),
            },
        ),
    ]
}
