//! The same velocity in another order, under other names and in another unit of mass, where only one
//! velocity solves the problem: without friction it is the minimiser of a strictly convex function.

use stiction_constraints::{Budget, Problem, ProblemError, Solution};
use stiction_generators::transform::{
    permute_constraints, permute_subsystems, scale_mass, without_friction,
};
use stiction_generators::{Breadth, RandomWideParams, random_wide};

use crate::report::CheckReport;
use crate::subject::{Subject, is_supported};

/// Tolerance of these solves relative to the usual one: a residual is no distance to the solution.
const SHARPER: f64 = 1e-2;
/// How far velocities may be apart, in usual tolerances, for velocities of about 1 m/s.
const APART: f64 = 1e3;

pub(super) fn run(subject: &Subject<'_>) -> CheckReport {
    let mut out = CheckReport::new("same answer in any order, naming and unit of mass");
    for index in 0..2 * subject.settings.count as u64 {
        let seed = subject.settings.seed.wrapping_mul(7919).wrapping_add(index);
        let Some(problem) = draw(seed).filter(|one| is_supported(&subject.declaration, one)) else {
            continue;
        };
        match compare(subject, &problem, seed) {
            Ok(compared) => out.cases += compared,
            Err(message) => {
                out.cases += 1;
                let failed =
                    subject.failed(out.name, "plain, no friction", seed, &problem, message);
                out.failures.push(failed);
            }
        }
    }
    if out.cases == 0 {
        out.not_checked = Some("none of the problems was solved".to_owned());
    }
    out
}

/// A plain problem without friction at contacts and of moderate mass ratio.
fn draw(seed: u64) -> Option<Problem> {
    let params = RandomWideParams {
        breadth: Breadth::Plain,
        max_subsystems: 4,
        max_constraints: 8,
        mass_spread: 3.0,
        seed,
        ..RandomWideParams::default()
    };
    without_friction(&random_wide(&params).ok()?.problem).ok()
}

/// How many variants were compared.
fn compare(subject: &Subject<'_>, problem: &Problem, seed: u64) -> Result<usize, String> {
    let tolerance = SHARPER * subject.settings.tolerance;
    let budget = Budget {
        max_iterations: Some(10 * subject.settings.max_iterations),
        ..Budget::with_tolerance(tolerance)
    };
    let (report, original) = subject.solve(problem, &budget)?;
    if !report.outcome.is_converged() {
        return Ok(0);
    }
    let mut compared = 0;
    for (what, variant, velocity_of) in variants(problem, seed).map_err(|e| e.to_string())? {
        let (report, solution) = subject.solve(&variant, &budget)?;
        if !report.outcome.is_converged() {
            continue;
        }
        compared += 1;
        let velocity = velocity_of(&solution);
        for (dof, (one, other)) in original.velocity.iter().zip(&velocity).enumerate() {
            let apart = (one - other).abs();
            if !(apart <= APART * subject.settings.tolerance * (1.0 + one.abs())) {
                return Err(format!("{what}: velocity {dof} is {one:e}, was {other:e}"));
            }
        }
    }
    Ok(compared)
}

/// What was changed, the changed problem, and how to read the original's velocity from its answer.
type Variant = (&'static str, Problem, Box<dyn Fn(&Solution) -> Vec<f64>>);

fn variants(problem: &Problem, seed: u64) -> Result<Vec<Variant>, ProblemError> {
    let as_it_is = || Box::new(|solution: &Solution| solution.velocity.clone());
    let (renamed, order) = permute_subsystems(problem, seed)?;
    let (starts, new_starts) = (problem.dof_starts().to_vec(), renamed.dof_starts().to_vec());
    let back = move |solution: &Solution| {
        let mut out = vec![0.0; solution.velocity.len()];
        for (new, &old) in order.iter().enumerate() {
            let count = starts[old + 1] - starts[old];
            out[starts[old]..starts[old] + count]
                .copy_from_slice(&solution.velocity[new_starts[new]..new_starts[new] + count]);
        }
        out
    };
    Ok(vec![
        (
            "another order",
            permute_constraints(problem, seed)?.0,
            as_it_is(),
        ),
        ("other names", renamed, Box::new(back)),
        ("grams", scale_mass(problem, 1e3)?, as_it_is()),
        ("tonnes", scale_mass(problem, 1e-3)?, as_it_is()),
    ])
}
