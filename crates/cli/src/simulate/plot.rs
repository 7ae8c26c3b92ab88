//! Time, residual, penetration and energy of runs over simulated time, as SVG.

use anyhow::anyhow;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::series::{Sample, Series};

const SIZE: (u32, u32) = (1200, 800);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Quantity = (&'static str, bool, fn(&Sample) -> f64);

/// What is drawn: label, logarithmic or not, value.
const PANELS: [Quantity; 4] = [
    ("step time (ms)", true, |s| 1e3 * s.stages.total()),
    ("residual (m/s)", true, |s| s.residual),
    ("penetration (m)", true, |s| s.penetration),
    ("energy (J)", false, |s| {
        s.kinetic_energy + s.potential_energy
    }),
];

/// One run in a plot.
pub(crate) struct Curve<'a> {
    pub(crate) label: &'a str,
    pub(crate) series: &'a Series,
}

/// Draws runs side by side and returns the SVG.
pub(crate) fn draw(title: &str, curves: &[Curve<'_>]) -> anyhow::Result<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let fail = |error: DrawingAreaErrorKind<_>| anyhow!("{error:?}");
        root.fill(&WHITE).map_err(fail)?;
        let body = root.titled(title, ("sans-serif", 20)).map_err(fail)?;
        let areas = body.split_evenly((2, 2));
        for (index, (area, panel)) in areas.iter().zip(PANELS).enumerate() {
            draw_panel(area, panel, curves, index == 0)?;
        }
        root.present().map_err(|error| anyhow!("{error}"))?;
    }
    Ok(text)
}

fn draw_panel(
    area: &Area<'_>,
    (label, is_logarithmic, value): Quantity,
    curves: &[Curve<'_>],
    with_legend: bool,
) -> anyhow::Result<()> {
    /// Values below this are drawn at it: zero has no logarithm.
    const FLOOR: f64 = 1e-16;
    let fail = |error: DrawingAreaErrorKind<_>| anyhow!("{error:?}");
    let points = |curve: &Curve<'_>| -> Vec<(f64, f64)> {
        let samples = curve.series.samples.iter();
        // A thousand points are as many as the picture can show.
        let stride = curve.series.samples.len().div_ceil(1000).max(1);
        samples
            .step_by(stride)
            .map(|s| (s.time, value(s)))
            .filter(|point| point.1.is_finite())
            .map(|(x, y)| (x, if is_logarithmic { y.max(FLOOR) } else { y }))
            .collect()
    };
    let all: Vec<(f64, f64)> = curves.iter().flat_map(points).collect();
    let right = all.iter().map(|p| p.0).fold(0.0, f64::max).max(1e-9);
    let low = all.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
    let high = all.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
    let mut builder = ChartBuilder::on(area);
    builder
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(70);
    macro_rules! series {
        ($chart:expr, $format:expr) => {{
            let mut chart = $chart.map_err(fail)?;
            chart
                .configure_mesh()
                .x_desc("simulated time (s)")
                .y_desc(label)
                .y_label_formatter(&$format)
                .light_line_style(WHITE)
                .draw()
                .map_err(fail)?;
            for (index, curve) in curves.iter().enumerate() {
                let color = crate::plot::colour(index);
                chart
                    .draw_series(LineSeries::new(points(curve), color.stroke_width(2)))
                    .map_err(fail)?
                    .label(curve.label)
                    .legend(move |(x, y)| {
                        PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2))
                    });
            }
            if with_legend && curves.len() > 1 {
                chart
                    .configure_series_labels()
                    .background_style(WHITE.mix(0.8))
                    .border_style(BLACK.mix(0.3))
                    .draw()
                    .map_err(fail)?;
            }
        }};
    }
    if is_logarithmic {
        let (low, high) = if low.is_finite() {
            (low / 2.0, high * 2.0)
        } else {
            (1e-9, 1.0)
        };
        series!(
            builder.build_cartesian_2d(0.0..right, (low..high).log_scale()),
            |value: &f64| format!("{value:.0e}")
        );
    } else {
        let (low, high) = if low.is_finite() {
            (low, high)
        } else {
            (0.0, 1.0)
        };
        let pad = 0.05 * (high - low).max(1e-9);
        series!(
            builder.build_cartesian_2d(0.0..right, (low - pad)..(high + pad)),
            |value: &f64| format!("{value:.3}")
        );
    }
    Ok(())
}
