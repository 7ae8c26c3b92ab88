//! Residual over iterations and over time, logarithmic, one line per solver.

use stiction_constraints::{Budget, HistoryEntry};
use stiction_experiments::chart::{Chart, Curve, Scale, grid};

use crate::json_lines::criterion_word;
use crate::solve::Record;

const SIZE: (u32, u32) = (1100, 480);

pub(super) fn svg(records: &[Record], budget: &Budget) -> anyhow::Result<String> {
    let residual = criterion_word(records[0].criterion);
    let title = format!("{}: {residual} residual", records[0].problem);
    let panels = [
        panel(records, budget, "iterations", |e| e.iteration as f64),
        panel(records, budget, "time (ms)", |e| 1e3 * e.seconds),
    ];
    Ok(grid(&title, &panels, 2, SIZE)?)
}

/// One line for each solver, and one for the tolerance.
fn panel(
    records: &[Record],
    budget: &Budget,
    label: &str,
    x: impl Fn(&HistoryEntry) -> f64,
) -> Chart {
    let histories = || records.iter().map(|record| &record.report.history);
    let right = histories().flatten().map(&x).fold(0.0, f64::max).max(1e-3);
    let solvers = records.iter().map(|record| record.solver.clone());
    let lines = histories().map(|history| {
        history
            .iter()
            .map(|e| (x(e), e.residual))
            .collect::<Vec<_>>()
    });
    let tolerance = vec![(0.0, budget.tolerance), (right, budget.tolerance)];
    let named = solvers
        .zip(lines)
        .chain([("tolerance".to_owned(), tolerance)]);
    Chart {
        title: String::new(),
        x_label: label.to_owned(),
        y_label: String::new(),
        scale: Scale::LogarithmicY,
        curves: named
            .enumerate()
            .map(|(color, (label, points))| Curve {
                label,
                color,
                points,
            })
            .collect(),
        legend: true,
    }
}
