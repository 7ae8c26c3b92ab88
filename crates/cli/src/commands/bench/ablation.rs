//! SubADMM against its ablations on heaps of robots, a fixed number of iterations
//! [AL, Table III].

use std::io::Write;

use stiction_constraints::{Budget, Problem, Solution, Solver};
use stiction_generators::{QuadrupedsParams, quadrupeds};
use stiction_solver_subadmm::{Adaptation, Splitting, SubAdmm, SubAdmmSettings};

use super::timing::{Task, fastest_of_each, microseconds, quantile};
use crate::arguments::BenchArguments;

const ITERATIONS: usize = 100;
/// Solves of each problem.
const TURNS: usize = 15;

/// The three splittings under the names of their solvers.
const SPLITTINGS: [(&str, Splitting); 3] = [
    ("subadmm", Splitting::Body),
    ("admm-full", Splitting::None),
    ("subadmm-no-body", Splitting::Subsystem),
];

/// Algorithm 2 as printed: (44) tested in every iteration, no acceleration. The paper leaves γ > 1
/// open; the nearer to 1, the more iterations refactorise, which is what splitting makes cheap.
fn printed(ratio: f64) -> SubAdmmSettings {
    SubAdmmSettings {
        adaptation: Adaptation::Printed { ratio, interval: 1 },
        ..SubAdmmSettings::paper()
    }
}

pub(super) fn print(out: &mut dyn Write, arguments: &BenchArguments) -> anyhow::Result<()> {
    let tables = [
        (8, "our settings", SubAdmmSettings::default()),
        (8, "as printed, γ = 10", printed(10.0)),
        (8, "as printed, γ = 2", printed(2.0)),
        (8, "as printed, γ = 1.2", printed(1.2)),
        (27, "our settings", SubAdmmSettings::default()),
        (27, "as printed, γ = 2", printed(2.0)),
    ];
    for (robots, what, settings) in &tables {
        table(out, arguments, *robots, what, settings)?;
    }
    writeln!(
        out,
        "`factoris.` counts matrices: one for each robot at a time, or one for all in admm-full"
    )?;
    Ok(())
}

/// Sums over the problems of one solver.
#[derive(Default)]
struct Line {
    times: Vec<f64>,
    set_ups: Vec<f64>,
    residuals: Vec<f64>,
    factorizations: Vec<f64>,
}

fn table(
    out: &mut dyn Write,
    arguments: &BenchArguments,
    robots: usize,
    what: &str,
    settings: &SubAdmmSettings,
) -> anyhow::Result<()> {
    let problems = (0..arguments.count.min(20))
        .map(|k| {
            quadrupeds(&QuadrupedsParams {
                robots,
                seed: arguments.seed + k,
                ..QuadrupedsParams::heap()
            })
        })
        .collect::<Result<Vec<Problem>, _>>()?;
    writeln!(
        out,
        "Heap of {robots} robots of 18 degrees of freedom, {} contacts, {ITERATIONS} iterations, {what} (median of {} problems)",
        problems
            .first()
            .map_or(0, |first| first.constraints().len()),
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
    let mut solvers = SPLITTINGS.map(|(name, splitting)| {
        let settings = SubAdmmSettings {
            splitting,
            ..settings.clone()
        };
        Box::new(SubAdmm::new(name, settings)) as Box<dyn Solver>
    });
    let mut lines: [Line; 3] = Default::default();
    let cold = Solution::cold();
    let budgets = [iterations(0), iterations(ITERATIONS)];
    // First all set-ups: they are the same work before every solve.
    let tasks: Vec<Task> = budgets
        .iter()
        .flat_map(|budget| problems.iter().map(move |problem| (budget, problem)))
        .flat_map(|(budget, problem)| {
            (0..SPLITTINGS.len()).map(move |solver| (budget, problem, solver))
        })
        .map(|(budget, problem, solver)| Task {
            solver,
            problem,
            budget,
            start: &cold,
        })
        .collect();
    let reports = fastest_of_each(&mut solvers, &tasks, TURNS, || {});
    let (set_ups, solves) = reports.split_at(reports.len() / 2);
    for ((task, set_up), report) in tasks.iter().zip(set_ups).zip(solves) {
        let line = &mut lines[task.solver];
        line.set_ups.push(microseconds(set_up));
        line.times.push(microseconds(report));
        line.residuals.push(report.residuals.paper);
        line.factorizations.push(report.factorizations as f64);
    }
    let mut first = None;
    for ((name, _), line) in SPLITTINGS.iter().zip(&mut lines) {
        let time = quantile(&mut line.times, 0.5);
        let set_up = quantile(&mut line.set_ups, 0.5);
        let reference = *first.get_or_insert(time);
        writeln!(
            out,
            "{name:16} {time:>10.0} {:>8.2} {set_up:>10.0} {:>12.2} {:>9.0} {:>12.1e}",
            time / reference,
            (time - set_up) / ITERATIONS as f64,
            quantile(&mut line.factorizations, 0.5),
            quantile(&mut line.residuals, 0.5),
        )?;
    }
    Ok(())
}
