//! Pictures of several charts.

use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::report::Figure;

/// A chart over time (s).
pub(super) fn over_time(title: &str, y_label: &str, curves: Vec<Curve>) -> Chart {
    chart([title, "time (s)", y_label], Scale::Linear, curves)
}

/// A chart of its title and the labels of its axes.
pub(super) fn chart([title, x, y]: [&str; 3], scale: Scale, curves: Vec<Curve>) -> Chart {
    Chart {
        title: title.to_owned(),
        x_label: x.to_owned(),
        y_label: y.to_owned(),
        scale,
        legend: curves.len() > 1,
        curves,
    }
}

/// A line of a chart.
pub(super) fn curve(label: impl Into<String>, color: usize, points: Vec<(f64, f64)>) -> Curve {
    Curve {
        label: label.into(),
        color,
        points,
    }
}

/// Charts side by side, and what the paper's figure shows.
pub(super) fn figure(
    name: &str,
    caption: &str,
    charts: &[Chart],
    columns: usize,
    paper: &str,
) -> Result<Figure> {
    let rows = charts.len().div_ceil(columns) as u32;
    let size = (560 * columns as u32, 60 + 380 * rows);
    Ok(Figure {
        name: name.to_owned(),
        caption: caption.to_owned(),
        svg: grid(caption, charts, columns, size)?,
        paper: paper.to_owned(),
    })
}
