//! CANAL's inner solves over their tolerances and the growth of β, which the paper does not print.

use stiction_constraints::{Problem, Solution, Solver};
use stiction_solver_canal::{Canal, CanalSettings, InnerStop};

use super::single_step::{ACCURATE, budget};
use super::watched::median;
use crate::error::{ExperimentError, Result};
use crate::report::Table;
use crate::run::Run;

/// Tolerances of CANAL's inner solves, relative to ‖b‖ and ‖Jᵀλ‖, and κ of (28): the paper prints neither.
const INNER: [f64; 4] = [1e-10, 1e-8, 1e-6, 1e-4];
const GROWTH: [f64; 3] = [10.0, 2.0, 1.0];
/// Outer iterations in which they are watched.
const WATCHED: usize = 10;

/// CANAL as printed with an inner tolerance and a growth of β.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inner {
    pub(super) tolerance: f64,
    pub(super) growth: f64,
    /// Newton steps of each of ten outer iterations, mean.
    pub(super) each: [f64; WATCHED],
    /// Newton steps of an outer iteration of the second half, median.
    pub(super) late: f64,
    /// Problems at 1e-8 within them.
    pub(super) accurate: usize,
}

/// Newton steps of CANAL's outer iterations with each inner tolerance.
pub(super) fn inner_solves(run: &Run<'_>, problems: &[Problem]) -> Result<Vec<Inner>> {
    let mut out = Vec::new();
    let kinds = GROWTH.map(|growth| INNER.map(|tolerance| (tolerance, growth)));
    for (tolerance, growth) in kinds.into_iter().flatten() {
        let mut settings = CanalSettings::paper();
        settings.outer_loop.inner_stop = InnerStop::Relative(tolerance);
        settings.outer_loop.penalty_growth = growth;
        let mut solver = Canal::new(settings);
        let (mut late, mut each, mut accurate) = (Vec::new(), [0.0; WATCHED], 0);
        for problem in problems {
            if run.is_interrupted() {
                return Err(ExperimentError::Interrupted);
            }
            let (mut before, mut is_accurate) = (0, false);
            for (index, mean) in each.iter_mut().enumerate() {
                let mut solution = Solution::cold();
                let report = solver.solve(problem, &budget(index + 1), &mut solution);
                let steps = report.inner_iterations.saturating_sub(before) as f64;
                before = report.inner_iterations;
                *mean += steps / problems.len() as f64;
                if index >= WATCHED / 2 {
                    late.push(steps);
                }
                is_accurate |= report.residuals.paper <= ACCURATE;
            }
            accurate += usize::from(is_accurate);
        }
        out.push(Inner {
            tolerance,
            growth,
            each,
            late: median(&mut late),
            accurate,
        });
    }
    Ok(out)
}

/// As a table.
pub(super) fn inner_table(inner: &[Inner], problems: usize) -> Table {
    let mut table = Table::new(
        "canal-paper with other tolerances of its inner solves and other κ, ten outer iterations",
        [
            "inner tolerance, of ‖b‖ and ‖Jᵀλ‖",
            "κ",
            "at 1e-8 within them",
            "Newton steps of the first to the tenth, means",
            "all ten",
            "of one of the last five, median",
        ],
    );
    for one in inner {
        table.rows.push(vec![
            format!("{:.0e}", one.tolerance),
            format!("{}", one.growth),
            format!("{} of {problems}", one.accurate),
            one.each.map(|steps| format!("{steps:.1}")).join(", "),
            format!("{:.1}", one.each.iter().sum::<f64>()),
            format!("{:.1}", one.late),
        ]);
    }
    table
}
