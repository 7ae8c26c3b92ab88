//! Times of one solve, and what to say about many.

use stiction_constraints::{Budget, Problem, Report, Solution, Solver};

/// The report of the fastest of a few equal solves: other work on the machine only ever adds time.
pub(super) fn fastest(
    solver: &mut dyn Solver,
    problem: &Problem,
    budget: &Budget,
    start: &Solution,
) -> (Report, Solution) {
    let mut best: Option<(Report, Solution)> = None;
    for _ in 0..REPEATS {
        let mut solution = start.clone();
        let report = solver.solve(problem, budget, &mut solution);
        if best
            .as_ref()
            .is_none_or(|(known, _)| report.time < known.time)
        {
            best = Some((report, solution));
        }
    }
    best.unwrap_or_else(|| unreachable!("there is at least one repeat"))
}

/// The fastest report of each of several solvers, each with its own budget. They take turns: a
/// machine that is slow for a while is slow for all of them.
pub(super) fn fastest_of_each(
    solvers: &mut [Box<dyn Solver>],
    problem: &Problem,
    budgets: &[Budget],
    start: &Solution,
) -> Vec<Report> {
    let mut best: Vec<Report> = Vec::new();
    for turn in 0..TURNS {
        for (index, (solver, budget)) in solvers.iter_mut().zip(budgets).enumerate() {
            let report = solver.solve(problem, budget, &mut start.clone());
            if turn == 0 {
                best.push(report);
            } else if report.time < best[index].time {
                best[index] = report;
            }
        }
    }
    best
}

const REPEATS: usize = 3;

/// Solves of each solver in [`fastest_of_each`].
pub(super) const TURNS: usize = 5;

/// The value below which a share of the values lies.
pub(super) fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n => values[((n - 1) as f64 * share).round() as usize],
    }
}

/// Microseconds of a report.
pub(super) fn microseconds(report: &Report) -> f64 {
    report.time.as_secs_f64() * 1e6
}
