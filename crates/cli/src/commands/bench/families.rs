//! Bolt–nut and dish problems, cold start: who gets how far in what time.

use std::io::Write;

use stiction_constraints::{Budget, Criterion, Problem, Report, Solution};
use stiction_generators::{BoltNutParams, DishStackParams, bolt_nut, dish_stack};

use super::timing::{self, fastest_of_each, microseconds, quantile};
use crate::arguments::BenchArguments;
use crate::progress::Progress;
use crate::solvers;

/// Solves of each problem.
const TURNS: usize = 10;

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
    // No solver follows itself, forwards or backwards.
    vec![
        Task {
            solver: "canal",
            what: "to 1e-7 m/s",
            budget: until(Criterion::Scaled, 1e-7),
        },
        Task {
            solver: "pgs",
            what: "20 sweeps",
            budget: sweeps(20),
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
            solver: "pgs",
            what: "500 sweeps",
            budget: sweeps(500),
        },
        Task {
            solver: "subadmm",
            what: "20 iterations",
            budget: sweeps(20),
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
        "Cold start, {} problems a family (fastest of {TURNS} solves each, in turns, microseconds)",
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
        table(out, family, problems)?;
    }
    writeln!(
        out,
        "`1e-8 & 1e-6`: problems with paper residual at most 1e-8 and scaled residual at most 1e-6 m/s"
    )?;
    Ok(())
}

/// What the solves of one task came to.
#[derive(Default)]
struct Line {
    times: Vec<f64>,
    iterations: Vec<f64>,
    paper: Vec<f64>,
    scaled: Vec<f64>,
    accurate: usize,
}

impl Line {
    fn add(&mut self, report: &Report) {
        let residuals = &report.residuals;
        self.times.push(microseconds(report));
        self.iterations.push(report.iterations as f64);
        self.paper.push(residuals.paper);
        self.scaled.push(residuals.scaled);
        self.accurate += usize::from(residuals.paper <= 1e-8 && residuals.scaled <= 1e-6);
    }
}

fn table(out: &mut dyn Write, family: &str, problems: &[Problem]) -> anyhow::Result<()> {
    let tasks = tasks();
    let mut solvers = tasks
        .iter()
        .map(|task| solvers::make(task.solver))
        .collect::<Result<Vec<_>, _>>()?;
    let mut lines: Vec<Line> = tasks.iter().map(|_| Line::default()).collect();
    let cold = Solution::cold();
    let timed: Vec<timing::Task> = problems
        .iter()
        .flat_map(|problem| {
            tasks.iter().enumerate().map(|(solver, task)| timing::Task {
                solver,
                problem,
                budget: &task.budget,
                start: &cold,
            })
        })
        .collect();
    let progress = Progress::start(TURNS);
    progress.show(family);
    let reports = fastest_of_each(&mut solvers, &timed, TURNS, || progress.advance(1));
    progress.finish();
    for (task, report) in timed.iter().zip(&reports) {
        lines[task.solver].add(report);
    }
    let mut rows: Vec<_> = tasks.iter().zip(lines).collect();
    rows.sort_by_key(|(task, _)| task.solver);
    for (task, mut line) in rows {
        writeln!(
            out,
            "{family:9} {:9} {:16} {:>11} {:>10.0} {:>10.0} {:>8.0} {:>11.1e} {:>11.1e}",
            task.solver,
            task.what,
            format!("{}/{}", line.accurate, problems.len()),
            quantile(&mut line.times, 0.5),
            quantile(&mut line.times, 0.9),
            quantile(&mut line.iterations, 0.5),
            quantile(&mut line.paper, 0.9),
            quantile(&mut line.scaled, 0.9),
        )?;
    }
    Ok(())
}
