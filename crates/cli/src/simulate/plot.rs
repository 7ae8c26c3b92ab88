//! Time, residual, penetration, joint errors and energy of runs over simulated time, as SVG.

use stiction_experiments::chart::{self, Chart, Scale};

use super::series::{Sample, Series};

const SIZE: (u32, u32) = (1200, 1200);
type Quantity = (&'static str, Scale, fn(&Sample) -> f64);

/// What is drawn: label, scale, value.
const PANELS: [Quantity; 6] = [
    ("step time (ms)", Scale::LogarithmicY, |s| {
        1e3 * s.stages.total()
    }),
    ("residual (m/s)", Scale::LogarithmicY, |s| s.residual),
    ("penetration (m)", Scale::LogarithmicY, |s| s.penetration),
    ("energy (J)", Scale::Linear, |s| {
        s.kinetic_energy + s.potential_energy
    }),
    ("joint error (m)", Scale::LogarithmicY, |s| s.joint_distance),
    ("energy nobody put in (J)", Scale::Linear, |s| s.gained),
];

/// One run in a plot.
pub(crate) struct Curve<'a> {
    pub(crate) label: &'a str,
    pub(crate) series: &'a Series,
}

/// Draws runs side by side and returns the SVG.
pub(crate) fn draw(title: &str, curves: &[Curve<'_>]) -> anyhow::Result<String> {
    let panel = |(index, (label, scale, value)): (usize, Quantity)| {
        let line = |(color, curve): (usize, &Curve<'_>)| {
            let samples = curve.series.samples.iter();
            chart::Curve {
                label: curve.label.to_owned(),
                color,
                points: samples.map(|sample| (sample.time, value(sample))).collect(),
            }
        };
        Chart {
            title: String::new(),
            x_label: "simulated time (s)".to_owned(),
            y_label: label.to_owned(),
            scale,
            curves: curves.iter().enumerate().map(line).collect(),
            legend: index == 0 && curves.len() > 1,
        }
    };
    let charts: Vec<Chart> = PANELS.into_iter().enumerate().map(panel).collect();
    Ok(chart::grid(title, &charts, 2, SIZE)?)
}
