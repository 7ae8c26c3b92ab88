//! Line charts as SVG.

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::error::{ExperimentError, Result};

/// Values below this are drawn at it in a logarithmic chart: zero has no logarithm.
const FLOOR: f64 = 1e-16;
/// As many points as a picture can show.
const MOST_POINTS: usize = 1000;
/// Lines of up to as many points show them.
const DOTTED: usize = 100;

/// Which axis of a chart is logarithmic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// None.
    Linear,
    /// The horizontal one.
    LogarithmicX,
    /// The vertical one.
    LogarithmicY,
}

/// A chart of lines over a common axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Heading; may be empty.
    pub title: String,
    /// What the horizontal axis is, with its unit.
    pub x_label: String,
    /// What the vertical axis is, with its unit.
    pub y_label: String,
    /// Which axis is logarithmic.
    pub scale: Scale,
    /// The lines.
    pub curves: Vec<Curve>,
    /// Whether to name the lines.
    pub legend: bool,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name.
    pub label: String,
    /// Which of the colours.
    pub color: usize,
    /// Its points; those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A colour for each line.
fn color(index: usize) -> RGBColor {
    let (r, g, b) = Palette99::COLORS[index % Palette99::COLORS.len()];
    RGBColor(r, g, b)
}

/// Draws charts in rows of `columns` into one picture of `size` pixels.
///
/// # Errors
/// Whatever keeps the picture from being drawn.
pub fn grid(title: &str, charts: &[Chart], columns: usize, size: (u32, u32)) -> Result<String> {
    let mut svg = String::new();
    draw(&mut svg, title, charts, columns.max(1), size).map_err(|problem| {
        ExperimentError::Figure {
            figure: title.to_owned(),
            problem,
        }
    })?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    title: &str,
    charts: &[Chart],
    columns: usize,
    size: (u32, u32),
) -> std::result::Result<(), String> {
    let root = SVGBackend::with_string(svg, size).into_drawing_area();
    root.fill(&WHITE).map_err(text)?;
    let body = root.titled(title, ("sans-serif", 20)).map_err(text)?;
    let areas = body.split_evenly((charts.len().div_ceil(columns).max(1), columns));
    for (area, chart) in areas.iter().zip(charts) {
        panel(area, chart)?;
    }
    root.present().map_err(text)
}

fn text(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

fn panel(area: &Area<'_>, chart: &Chart) -> std::result::Result<(), String> {
    let points = |curve: &Curve| -> Vec<(f64, f64)> {
        let stride = curve.points.len().div_ceil(MOST_POINTS).max(1);
        let drawn = curve.points.iter().step_by(stride).copied();
        drawn
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|(x, y)| match chart.scale {
                Scale::Linear => (x, y),
                Scale::LogarithmicX => (x.max(FLOOR), y),
                Scale::LogarithmicY => (x, y.max(FLOOR)),
            })
            .collect()
    };
    let all: Vec<(f64, f64)> = chart.curves.iter().flat_map(points).collect();
    let range = |value: fn(&(f64, f64)) -> f64| {
        let low = all.iter().map(value).fold(f64::INFINITY, f64::min);
        let high = all.iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        if low.is_finite() {
            (low, high)
        } else {
            (0.0, 1.0)
        }
    };
    let ((left, right), (low, high)) = (range(|p| p.0), range(|p| p.1));
    let right = right.max(left + 1e-9);
    let mut builder = ChartBuilder::on(area);
    builder
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(70);
    if !chart.title.is_empty() {
        builder.caption(&chart.title, ("sans-serif", 16));
    }
    macro_rules! lines {
        ($built:expr, $format:expr) => {{
            let mut built = $built.map_err(text)?;
            built
                .configure_mesh()
                .x_desc(&chart.x_label)
                .y_desc(&chart.y_label)
                .y_label_formatter(&$format)
                .light_line_style(WHITE)
                .draw()
                .map_err(text)?;
            for curve in &chart.curves {
                let color = color(curve.color);
                let points = points(curve);
                let size = if points.len() <= DOTTED { 2 } else { 0 };
                let line = LineSeries::new(points, color.stroke_width(2)).point_size(size);
                built
                    .draw_series(line)
                    .map_err(text)?
                    .label(&curve.label)
                    .legend(move |(x, y)| {
                        PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2))
                    });
            }
            if chart.legend {
                built
                    .configure_series_labels()
                    .background_style(WHITE.mix(0.8))
                    .border_style(BLACK.mix(0.3))
                    .draw()
                    .map_err(text)?;
            }
        }};
    }
    let pad = 0.05 * (high - low).max(1e-9);
    let padded = (low - pad)..(high + pad);
    match chart.scale {
        Scale::Linear => lines!(
            builder.build_cartesian_2d(left..right, padded),
            |value: &f64| format!("{value:.3}")
        ),
        Scale::LogarithmicX => {
            let (left, right) = (left.max(FLOOR), right.max(2.0 * FLOOR));
            lines!(
                builder.build_cartesian_2d((left..right).log_scale(), padded),
                |value: &f64| format!("{value:.3}")
            );
        }
        Scale::LogarithmicY => {
            let (low, high) = (low.max(FLOOR) / 2.0, high.max(FLOOR) * 2.0);
            lines!(
                builder.build_cartesian_2d(left..right, (low..high).log_scale()),
                |value: &f64| format!("{value:.0e}")
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_drawn_even_when_there_is_nothing_to_see() {
        let chart = |scale, points| Chart {
            title: "t".to_owned(),
            x_label: "x".to_owned(),
            y_label: "y".to_owned(),
            scale,
            curves: vec![Curve {
                label: "a curve".to_owned(),
                color: 0,
                points,
            }],
            legend: true,
        };
        let charts = [
            chart(
                Scale::LogarithmicY,
                vec![(0.0, 0.0), (1.0, 1e-3), (2.0, f64::NAN)],
            ),
            chart(Scale::LogarithmicX, vec![(1.0, 0.0), (30.0, 1.0)]),
            chart(Scale::LogarithmicX, vec![]),
            chart(Scale::Linear, vec![]),
            chart(Scale::Linear, vec![(1.0, 1.0)]),
        ];
        let svg = grid("title", &charts, 2, (800, 600)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("a curve"));
    }
}
