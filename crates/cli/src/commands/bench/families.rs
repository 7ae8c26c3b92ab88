//! Bolt–nut and dish problems, cold start: who gets how far in what time.

use std::io::Write;

use stiction_constraints::{Budget, Criterion, Problem, Solution};
use stiction_generators::{BoltNutParams, DishStackParams, bolt_nut, dish_stack};

use super::timing::{fastest, microseconds, quantile};
use crate::arguments::BenchArguments;
use crate::progress::Progress;
use crate::solvers;

/// What one line of the table asks of a solver.
struct Task {
    solver: &'static str,
    what: &'static str,
    budget: Budget,
}

fn tasks() -> Vec<Task> {
    let until = |criterion, tolerance| Budget {
        criterion,
        tolerance,
        ..Budget::default()
    };
    let sweeps = |count| Budget {
        tolerance: 0.0,
        max_iterations: Some(count),
        ..Budget::default()
    };
    vec![
        Task {
            solver: "canal",
            what: "to 1e-7 m/s",
            budget: until(Criterion::Scaled, 1e-7),
        },
        Task {
            solver: "canal",
            what: "to 1e-4 (paper)",
            budget: until(Criterion::Paper, 1e-4),
        },
        Task {
            solver: "subadmm",
            what: "to 1e-4 (paper)",
            budget: until(Criterion::Paper, 1e-4),
        },
        Task {
            solver: "subadmm",
            what: "20 iterations",
            budget: sweeps(20),
        },
        Task {
            solver: "pgs",
            what: "20 sweeps",
            budget: sweeps(20),
        },
        Task {
            solver: "pgs",
            what: "500 sweeps",
            budget: sweeps(500),
        },
    ]
}

/// The problems of one family.
pub(super) fn bolt_nuts(count: u64, seed: u64) -> anyhow::Result<Vec<Problem>> {
    (0..count)
        .map(|k| {
            // Friction from 0.1 to 1, evenly.
            let friction = 0.1 + 0.9 * k as f64 / (count.max(2) - 1) as f64;
            Ok(bolt_nut(&BoltNutParams {
                friction,
                seed: seed + k,
                ..BoltNutParams::default()
            })?)
        })
        .collect()
}

/// See [`bolt_nuts`].
pub(super) fn dish_stacks(count: u64, seed: u64) -> anyhow::Result<Vec<Problem>> {
    (0..count)
        .map(|k| {
            Ok(dish_stack(&DishStackParams {
                seed: seed + k,
                ..DishStackParams::default()
            })?)
        })
        .collect()
}

pub(super) fn print(out: &mut dyn Write, arguments: &BenchArguments) -> anyhow::Result<()> {
    writeln!(
        out,
        "Cold start, {} problems a family (fastest of 3 solves each, microseconds)",
        arguments.count
    )?;
    writeln!(
        out,
        "{:9} {:9} {:16} {:>11} {:>10} {:>10} {:>8} {:>11} {:>11}",
        "family",
        "solver",
        "task",
        "1e-8 & 1e-6",
        "median",
        "90 %",
        "iter",
        "paper 90 %",
        "m/s 90 %"
    )?;
    let families = [
        ("bolt-nut", bolt_nuts(arguments.count, arguments.seed)?),
        ("dishes", dish_stacks(arguments.count, arguments.seed)?),
    ];
    for (family, problems) in &families {
        for task in tasks() {
            line(out, family, problems, &task)?;
        }
    }
    writeln!(
        out,
        "`1e-8 & 1e-6`: problems with paper residual at most 1e-8 and scaled residual at most 1e-6 m/s"
    )?;
    Ok(())
}

fn line(
    out: &mut dyn Write,
    family: &str,
    problems: &[Problem],
    task: &Task,
) -> anyhow::Result<()> {
    let mut solver = solvers::make(task.solver)?;
    let progress = Progress::start(problems.len());
    progress.show(&format!("{family}, {} {}", task.solver, task.what));
    let (mut times, mut iterations, mut paper, mut scaled) = (vec![], vec![], vec![], vec![]);
    let mut accurate = 0;
    for problem in problems {
        let (report, _) = fastest(solver.as_mut(), problem, &task.budget, &Solution::cold());
        times.push(microseconds(&report));
        iterations.push(report.iterations as f64);
        paper.push(report.residuals.paper);
        scaled.push(report.residuals.scaled);
        accurate += usize::from(report.residuals.paper <= 1e-8 && report.residuals.scaled <= 1e-6);
        progress.advance(1);
    }
    progress.finish();
    writeln!(
        out,
        "{family:9} {:9} {:16} {:>11} {:>10.0} {:>10.0} {:>8.0} {:>11.1e} {:>11.1e}",
        task.solver,
        task.what,
        format!("{accurate}/{}", problems.len()),
        quantile(&mut times, 0.5),
        quantile(&mut times, 0.9),
        quantile(&mut iterations, 0.5),
        quantile(&mut paper, 0.9),
        quantile(&mut scaled, 0.9),
    )?;
    Ok(())
}
