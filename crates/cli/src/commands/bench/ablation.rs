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
        "{:16} {:>10} {:>8} {:>12}",
        "solver", "us", "ratio", "paper res."
    )?;
    let budget = Budget {
        tolerance: 0.0,
        max_iterations: Some(ITERATIONS),
        ..Budget::default()
    };
    let mut first = None;
    for name in ["subadmm", "admm-full", "subadmm-no-body"] {
        let mut solver = solvers::make(name)?;
        let (mut times, mut residuals) = (vec![], vec![]);
        for problem in &problems {
            let (report, _) = fastest(solver.as_mut(), problem, &budget, &Solution::cold());
            times.push(microseconds(&report));
            residuals.push(report.residuals.paper);
        }
        let time = quantile(&mut times, 0.5);
        let reference = *first.get_or_insert(time);
        let residual = quantile(&mut residuals, 0.5);
        writeln!(
            out,
            "{name:16} {time:>10.0} {:>8.2} {residual:>12.1e}",
            time / reference
        )?;
    }
    Ok(())
}
