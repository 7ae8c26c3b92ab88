//! Performance profile: the share of problems that a solver solved within a multiple of the time
//! of the fastest solver of each problem (Dolan and Moré, Mathematical Programming 91, 2002).

use stiction_experiments::chart::{Chart, Curve, Scale, grid};

use crate::solve::Record;

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
    let lines = solvers.iter().zip(&curves).enumerate();
    let chart = Chart {
        title: String::new(),
        x_label: "time / best time".to_owned(),
        y_label: "share of problems".to_owned(),
        scale: Scale::LogarithmicX,
        curves: lines
            .map(|(color, (solver, curve))| {
                let share = curve.last().map_or(0.0, |point| point.1);
                Curve {
                    label: solver.clone(),
                    color,
                    points: steps(curve).chain([(right, share)]).collect(),
                }
            })
            .collect(),
        legend: true,
    };
    let title = "Problems solved within a multiple of the best time";
    Ok(grid(title, &[chart], 1, SIZE)?)
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
