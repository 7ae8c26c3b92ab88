//! Generated problems with known solutions, where they are at hand.

mod common;

use std::fmt::Write;

use stiction_constraints::{Budget, Solution, Solver};
use stiction_solver_pgs::{Pgs, SOLVERS};

/// Where `pgs` does not reach 1e-8 within its 1000 sweeps: dense contact, long chains, heavy on
/// light, and contradicting contacts. With ten times the scaled residual (m/s) measured.
const SLOW: &[(&str, f64)] = &[
    ("boltnut_infeasible", 0.73),
    ("boltnut_mu0", 2.7e-4),
    ("boltnut_mu0.1", 3.9e-4),
    ("boltnut_mu0.3", 1.4e-3),
    ("boltnut_mu1", 9.9e-4),
    ("cable16", 3.9e-2),
    ("dish", 1.3e-2),
    ("tower5_r1", 9.0e-4),
    ("tower5_r100", 3.3e-2),
];

#[test]
fn pgs_reaches_the_stored_velocities_or_says_that_it_did_not() {
    let mut table = String::new();
    let mut is_good = true;
    for vector in common::vectors() {
        let mut solver = Pgs::named("pgs").unwrap();
        let mut solution = Solution::cold();
        let report = solver.solve(
            &vector.problem,
            &Budget::with_tolerance(1e-8),
            &mut solution,
        );
        let difference = vector.velocity.as_ref().map_or(0.0, |stored| {
            let pairs = stored.iter().zip(&solution.velocity);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        });
        let slow = SLOW.iter().find(|(name, _)| *name == vector.name);
        is_good &= match slow {
            Some((_, bound)) => !report.outcome.is_converged() && report.residuals.scaled < *bound,
            None => report.outcome.is_converged() && difference < 1e-6,
        };
        writeln!(
            table,
            "{:28} {:6} sweeps, scaled {:.1e}, off by {difference:.1e} m/s, {}",
            vector.name, report.iterations, report.residuals.scaled, report.outcome
        )
        .unwrap();
    }
    assert!(is_good, "{table}");
}

#[test]
fn no_variant_returns_nan_on_any() {
    for vector in common::vectors() {
        for (name, _) in SOLVERS {
            let mut solver = Pgs::named(name).unwrap();
            let mut solution = Solution::cold();
            let report = solver.solve(&vector.problem, &Budget::default(), &mut solution);
            let what = format!("{name} on {}", vector.name);
            assert!(
                solution.impulse.iter().all(|value| value.is_finite()),
                "{what}"
            );
            assert!(
                solution.velocity.iter().all(|value| value.is_finite()),
                "{what}"
            );
            assert!(report.residuals.dynamics < 1e-8, "{what}");
            assert_eq!(
                report.outcome.is_converged(),
                solver.own_residual() <= 1e-8,
                "{what}"
            );
        }
    }
}
