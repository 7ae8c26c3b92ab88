//! Cost of a SubADMM iteration against the number of subsystems, with the fit of a line.

use std::io::Write;

use stiction_constraints::{Budget, Solution, Solver};
use stiction_generators::{SpherePileParams, sphere_pile};
use stiction_solver_subadmm::{SubAdmm, SubAdmmSettings};

use super::timing::microseconds;

const ITERATIONS: usize = 20;

/// Solves of each size, of which the fastest counts.
const TURNS: usize = 15;

pub(super) fn print(out: &mut dyn Write) -> anyhow::Result<()> {
    writeln!(
        out,
        "subadmm on a pile of spheres, {ITERATIONS} iterations, one thread"
    )?;
    writeln!(out, "{:>10} {:>12} {:>12}", "bodies", "us", "us a body")?;
    let budget = Budget {
        tolerance: 0.0,
        max_iterations: Some(ITERATIONS),
        ..Budget::default()
    };
    let sizes = [500, 1000, 2000, 4000, 7000, 10_000];
    let problems = sizes
        .iter()
        .map(|&bodies| {
            sphere_pile(&SpherePileParams {
                bodies,
                ..SpherePileParams::default()
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    // All sizes in turn, so that other work on the machine meets all of them, and each with a
    // solver of its own, so that its memory is laid out once. One thread: two wait for each other
    // when the machine has something else to do.
    let settings = SubAdmmSettings {
        parallel_from_terms: usize::MAX,
        ..SubAdmmSettings::default()
    };
    let mut solvers = sizes.map(|_| SubAdmm::new("subadmm", settings.clone()));
    let mut times = vec![f64::INFINITY; sizes.len()];
    for _ in 0..TURNS {
        for ((solver, problem), time) in solvers.iter_mut().zip(&problems).zip(&mut times) {
            let report = solver.solve(problem, &budget, &mut Solution::cold());
            *time = time.min(microseconds(&report));
        }
    }
    for (count, time) in sizes.iter().zip(&times) {
        writeln!(
            out,
            "{count:>10} {time:>12.0} {:>12.3}",
            time / *count as f64
        )?;
    }
    let bodies = sizes.map(|count| count as f64);
    writeln!(out, "linear fit: R² = {:.4}", r_squared(&bodies, &times))?;
    Ok(())
}

/// Coefficient of determination of the least-squares line.
pub(super) fn r_squared(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        xx += (x - mean_x) * (x - mean_x);
        xy += (x - mean_x) * (y - mean_y);
        yy += (y - mean_y) * (y - mean_y);
    }
    xy * xy / (xx * yy)
}

#[cfg(test)]
mod tests {
    use super::r_squared;

    #[test]
    fn a_line_fits_a_line() {
        assert!((r_squared(&[1.0, 2.0, 4.0], &[3.0, 5.0, 9.0]) - 1.0).abs() < 1e-12);
        assert!(r_squared(&[1.0, 2.0, 3.0], &[1.0, -1.0, 1.0]) < 0.1);
    }
}
