//! SubADMM against its ablations on eight robots, a fixed number of iterations [AL, Table III].

use std::io::Write;

use stiction_constraints::{Budget, Solution};
use stiction_generators::{QuadrupedsParams, quadrupeds};

use super::timing::{fastest, microseconds, quantile};
use crate::arguments::BenchArguments;
use crate::solvers;

const ITERATIONS: usize = 100;

pub(super) fn print(out: &mut dyn Write, arguments: &BenchArguments) -> anyhow::Result<()> {
    let problems = (0..arguments.count.min(20))
        .map(|k| {
            quadrupeds(&QuadrupedsParams {
                seed: arguments.seed + k,
                ..QuadrupedsParams::default()
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    writeln!(
        out,
        "Eight robots of 18 degrees of freedom, {ITERATIONS} iterations (median of {} problems)",
        problems.len()
    )?;
    writeln!(
        out,
        "{:16} {:>10} {:>8} {:>10} {:>12} {:>9} {:>12}",
        "solver", "us", "ratio", "set-up us", "us an iter.", "factoris.", "paper res."
    )?;
    let iterations = |count| Budget {
        tolerance: 0.0,
        max_iterations: Some(count),
        ..Budget::default()
    };
    let mut first = None;
    for name in ["subadmm", "admm-full", "subadmm-no-body"] {
        let mut solver = solvers::make(name)?;
        let (mut times, mut set_ups, mut residuals) = (vec![], vec![], vec![]);
        let mut factorizations = vec![];
        for problem in &problems {
            let mut run = |count| {
                fastest(
                    solver.as_mut(),
                    problem,
                    &iterations(count),
                    &Solution::cold(),
                )
                .0
            };
            set_ups.push(microseconds(&run(0)));
            let report = run(ITERATIONS);
            times.push(microseconds(&report));
            residuals.push(report.residuals.paper);
            factorizations.push(report.factorizations as f64);
        }
        let (time, set_up) = (quantile(&mut times, 0.5), quantile(&mut set_ups, 0.5));
        let reference = *first.get_or_insert(time);
        writeln!(
            out,
            "{name:16} {time:>10.0} {:>8.2} {set_up:>10.0} {:>12.2} {:>9.0} {:>12.1e}",
            time / reference,
            (time - set_up) / ITERATIONS as f64,
            quantile(&mut factorizations, 0.5),
            quantile(&mut residuals, 0.5),
        )?;
    }
    writeln!(
        out,
        "`factoris.` counts matrices: one for each robot at a time, or one for all in admm-full"
    )?;
    Ok(())
}
