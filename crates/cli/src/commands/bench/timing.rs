//! Times of one solve, and what to say about many.

use stiction_constraints::{Budget, Problem, Report, Solution, Solver};

/// What a solver is given, over and over.
pub(super) struct Task<'a> {
    /// Which of the solvers.
    pub(super) solver: usize,
    pub(super) problem: &'a Problem,
    pub(super) budget: &'a Budget,
    pub(super) start: &'a Solution,
}

/// The fastest report of each task in some turns: other work on the machine only ever adds time. All
/// tasks take turns: a machine that is slow for a while is slow for all of them, and, as in a
/// simulation, no solver meets what it has solved just now. Every other turn goes backwards: what
/// the task before leaves in the caches helps each of two neighbours as often as the other.
pub(super) fn fastest_of_each(
    solvers: &mut [Box<dyn Solver>],
    tasks: &[Task<'_>],
    turns: usize,
    mut advance: impl FnMut(),
) -> Vec<Report> {
    let mut best: Vec<Option<Report>> = tasks.iter().map(|_| None).collect();
    for turn in 0..turns {
        for step in 0..tasks.len() {
            let index = match turn % 2 {
                0 => step,
                _ => tasks.len() - 1 - step,
            };
            let task = &tasks[index];
            let solver = &mut solvers[task.solver];
            let report = solver.solve(task.problem, task.budget, &mut task.start.clone());
            let known = &mut best[index];
            if known.as_ref().is_none_or(|known| report.time < known.time) {
                *known = Some(report);
            }
        }
        advance();
    }
    best.into_iter().flatten().collect()
}

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
