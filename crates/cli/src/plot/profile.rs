//! Performance profile: the share of problems that a solver solved within a multiple of the time
//! of the fastest solver of each problem (Dolan and Moré, Mathematical Programming 91, 2002).

use anyhow::anyhow;
use plotters::prelude::*;

use super::colour;
use crate::run::Record;

const SIZE: (u32, u32) = (800, 520);

pub(super) fn svg(records: &[Record], solvers: &[String]) -> anyhow::Result<String> {
    let results: Vec<Result3> = records
        .iter()
        .map(|record| Result3 {
            problem: &record.problem,
            solver: &record.solver,
            seconds: (record.report.outcome.is_converged())
                .then(|| record.report.time.as_secs_f64().max(1e-9)),
        })
        .collect();
    let curves: Vec<Vec<(f64, f64)>> = solvers.iter().map(|s| curve(&results, s)).collect();
    let last = curves.iter().flatten().map(|p| p.0).fold(1.0, f64::max);
    let right = (1.5 * last).max(2.0);
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        let fail = |error: DrawingAreaErrorKind<_>| anyhow!("{error:?}");
        root.fill(&WHITE).map_err(fail)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(
                "Problems solved within a multiple of the best time",
                ("sans-serif", 20),
            )
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(60)
            .build_cartesian_2d((1.0..right).log_scale(), 0.0..1.03)
            .map_err(fail)?;
        chart
            .configure_mesh()
            .x_desc("time / best time")
            .y_desc("share of problems")
            .light_line_style(WHITE)
            .draw()
            .map_err(fail)?;
        for (index, (solver, curve)) in solvers.iter().zip(&curves).enumerate() {
            let style = colour(index).stroke_width(2);
            let share = curve.last().map_or(0.0, |point| point.1);
            let steps = steps(curve).chain([(right, share)]);
            chart
                .draw_series(LineSeries::new(steps, style))
                .map_err(fail)?
                .label(solver)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK.mix(0.3))
            .draw()
            .map_err(fail)?;
        root.present().map_err(fail)?;
    }
    Ok(text)
}

/// Who solved what in which time; `None` when it was not solved.
struct Result3<'a> {
    problem: &'a str,
    solver: &'a str,
    seconds: Option<f64>,
}

/// Corners (ratio, share) of a solver's curve, ascending.
fn curve(results: &[Result3<'_>], solver: &str) -> Vec<(f64, f64)> {
    let own: Vec<&Result3<'_>> = results.iter().filter(|r| r.solver == solver).collect();
    let best = |problem: &str| {
        results
            .iter()
            .filter(|r| r.problem == problem)
            .filter_map(|r| r.seconds)
            .fold(f64::INFINITY, f64::min)
    };
    let mut ratios: Vec<f64> = own
        .iter()
        .filter_map(|r| Some(r.seconds? / best(r.problem)))
        .collect();
    ratios.sort_by(f64::total_cmp);
    let total = own.len().max(1) as f64;
    let corner = |(k, ratio): (usize, f64)| (ratio, (k + 1) as f64 / total);
    ratios.into_iter().enumerate().map(corner).collect()
}

/// The staircase through the corners, from share zero at ratio one.
fn steps(curve: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> + '_ {
    let before = std::iter::once(0.0).chain(curve.iter().map(|point| point.1));
    std::iter::once((1.0, 0.0)).chain(
        curve
            .iter()
            .zip(before)
            .flat_map(|(&(ratio, share), last)| [(ratio, last), (ratio, share)]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_two_solvers_by_hand() {
        let result = |problem, solver, seconds| Result3 {
            problem,
            solver,
            seconds,
        };
        let results = [
            result("p", "fast", Some(1.0)),
            result("p", "slow", Some(3.0)),
            result("q", "fast", None),
            result("q", "slow", Some(2.0)),
        ];
        assert_eq!(curve(&results, "fast"), [(1.0, 0.5)]);
        assert_eq!(curve(&results, "slow"), [(1.0, 0.5), (3.0, 1.0)]);
        let stairs: Vec<_> = steps(&curve(&results, "slow")).collect();
        assert_eq!(
            stairs,
            [(1.0, 0.0), (1.0, 0.0), (1.0, 0.5), (3.0, 0.5), (3.0, 1.0)]
        );
    }
}
