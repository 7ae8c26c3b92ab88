//! A small change of b, as from one time step to the next: cold start against warm start.

use std::io::Write;

use stiction_constraints::{Budget, Criterion, Problem, Solution};
use stiction_generators::transform::perturb_b;

use super::families::{bolt_nuts, dish_stacks};
use super::timing::{fastest, microseconds, quantile};
use crate::arguments::BenchArguments;
use crate::solvers;

/// Relative change of b.
const CHANGE: f64 = 1e-3;

pub(super) fn print(out: &mut dyn Write, arguments: &BenchArguments) -> anyhow::Result<()> {
    writeln!(
        out,
        "Warm start after a change of b by {CHANGE:e} (median microseconds)"
    )?;
    writeln!(
        out,
        "{:9} {:9} {:>10} {:>10} {:>8}",
        "family", "solver", "cold", "warm", "ratio"
    )?;
    let families = [
        ("bolt-nut", bolt_nuts(arguments.count, arguments.seed)?),
        ("dishes", dish_stacks(arguments.count, arguments.seed)?),
    ];
    let canal = Budget {
        tolerance: 1e-7,
        ..Budget::default()
    };
    let subadmm = Budget {
        criterion: Criterion::Paper,
        tolerance: 1e-4,
        ..Budget::default()
    };
    for (family, problems) in &families {
        for (name, budget) in [("canal", &canal), ("subadmm", &subadmm)] {
            let (cold, warm) = compare(name, problems, budget)?;
            writeln!(
                out,
                "{family:9} {name:9} {cold:>10.0} {warm:>10.0} {:>8.2}",
                cold / warm
            )?;
        }
    }
    Ok(())
}

fn compare(name: &str, problems: &[Problem], budget: &Budget) -> anyhow::Result<(f64, f64)> {
    let mut solver = solvers::make(name)?;
    let (mut cold, mut warm) = (vec![], vec![]);
    for (k, problem) in problems.iter().enumerate() {
        let next = perturb_b(problem, CHANGE, k as u64)?;
        let (_, previous) = fastest(solver.as_mut(), problem, budget, &Solution::cold());
        cold.push(microseconds(
            &fastest(solver.as_mut(), &next, budget, &Solution::cold()).0,
        ));
        warm.push(microseconds(
            &fastest(solver.as_mut(), &next, budget, &previous).0,
        ));
    }
    Ok((quantile(&mut cold, 0.5), quantile(&mut warm, 0.5)))
}
