//! Residual over iterations and over time, logarithmic, one line per solver.

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;
use stiction_constraints::{Budget, HistoryEntry};

use super::colour;
use crate::json_lines::criterion_word;
use crate::run::Record;

const SIZE: (u32, u32) = (1100, 480);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) fn svg(records: &[Record], budget: &Budget) -> anyhow::Result<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        draw(&root, records, budget).map_err(|error| anyhow!("{error}"))?;
        root.present().map_err(|error| anyhow!("{error}"))?;
    }
    Ok(text)
}

fn draw(root: &Area<'_>, records: &[Record], budget: &Budget) -> Result<(), anyhow::Error> {
    let fail = |error: DrawingAreaErrorKind<_>| anyhow!("{error:?}");
    root.fill(&WHITE).map_err(fail)?;
    let residual = criterion_word(records[0].criterion);
    let title = format!("{}: {residual} residual", records[0].problem);
    let body = root.titled(&title, ("sans-serif", 20)).map_err(fail)?;
    let (left, right) = body.split_horizontally(SIZE.0 / 2);
    panel(&left, records, budget, "iterations", |e| e.iteration as f64)?;
    panel(&right, records, budget, "time (ms)", |e| 1e3 * e.seconds)
}

fn panel(
    area: &Area<'_>,
    records: &[Record],
    budget: &Budget,
    label: &str,
    x: impl Fn(&HistoryEntry) -> f64 + Copy,
) -> Result<(), anyhow::Error> {
    let fail = |error: DrawingAreaErrorKind<_>| anyhow!("{error:?}");
    let points = |record: &Record| -> Vec<(f64, f64)> {
        let drawable = |e: &&HistoryEntry| e.residual.is_finite();
        // A residual of exactly zero has no logarithm; it is drawn below everything else.
        let point = |e: &HistoryEntry| (x(e), e.residual.max(1e-20));
        record
            .report
            .history
            .iter()
            .filter(drawable)
            .map(point)
            .collect()
    };
    let all: Vec<(f64, f64)> = records.iter().flat_map(points).collect();
    let right = all.iter().map(|p| p.0).fold(0.0, f64::max).max(1e-3);
    let low = all.iter().map(|p| p.1).fold(budget.tolerance, f64::min) / 3.0;
    let high = all.iter().map(|p| p.1).fold(budget.tolerance, f64::max) * 3.0;
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..1.02 * right, (low..high).log_scale())
        .map_err(fail)?;
    chart
        .configure_mesh()
        .x_desc(label)
        .y_label_formatter(&|value| format!("{value:.0e}"))
        .light_line_style(WHITE)
        .draw()
        .map_err(fail)?;
    let tolerance = [(0.0, budget.tolerance), (1.02 * right, budget.tolerance)];
    chart
        .draw_series(LineSeries::new(tolerance, BLACK.mix(0.4)))
        .map_err(fail)?;
    for (index, record) in records.iter().enumerate() {
        let style = colour(index).stroke_width(2);
        chart
            .draw_series(LineSeries::new(points(record), style).point_size(2))
            .map_err(fail)?
            .label(&record.solver)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK.mix(0.3))
        .draw()
        .map_err(fail)?;
    Ok(())
}
