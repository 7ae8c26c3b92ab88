//! Figure 2: the time of 60 iterations of SubADMM over the number of grains and of links.

use super::scenario::{SUBADMM, options, samples, solve_time};
use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::Result;
use crate::fit::Line;
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};
use crate::timing::{on_one_thread, smallest_in_turns};

const GRAINS: [usize; 6] = [54, 108, 162, 216, 324, 432];
const LINKS: [usize; 6] = [160, 320, 480, 640, 800, 960];
const ITERATIONS: usize = 60;
const LINKS_PER_PIECE: usize = 5;
/// Steps until the grains lie, and those that are sampled after it.
const SETTLED: usize = 80;

pub(super) fn section(run: &mut Run<'_>) -> Result<Section> {
    let chosen = |all: [usize; 6]| match run.is_quick() {
        true => vec![all[0], all[2], all[4]],
        false => all.to_vec(),
    };
    let (grains, links) = (chosen(GRAINS), chosen(LINKS));
    let steps = run.or_quick(20, 2);
    let mut problems = Vec::new();
    for (index, &count) in grains.iter().enumerate() {
        let share = 0.4 * index as f64 / grains.len() as f64;
        run.tell(share, &format!("{count} grains"))?;
        let mut scene = stiction_scenes::stirring(&options(), count)?;
        let skip = run.or_quick(SETTLED, SETTLED / 2);
        problems.push(samples(run, &mut scene, (skip, steps, steps))?);
    }
    for (index, &count) in links.iter().enumerate() {
        let share = 0.4 + 0.4 * index as f64 / links.len() as f64;
        run.tell(share, &format!("{count} links"))?;
        let mut scene = stiction_scenes::cable_vehicles(&options(), count, LINKS_PER_PIECE)?;
        problems.push(samples(run, &mut scene, (2, steps, steps))?);
    }
    run.tell(0.8, "times")?;
    let times = on_one_thread(|| {
        let mut solver = SUBADMM.make()?;
        let mut sums = vec![0.0; problems.len()];
        for step in 0..steps {
            let smallest = smallest_in_turns(problems.len(), |size| {
                let Some(sampled) = problems[size].get(step) else {
                    return Ok(f64::NAN);
                };
                Ok(solve_time(solver.as_mut(), ITERATIONS, sampled))
            })?;
            for (sum, time) in sums.iter_mut().zip(smallest) {
                *sum += time / steps as f64;
            }
        }
        Ok(sums)
    })?;
    let (of_grains, of_links) = times.split_at(grains.len());
    let mut out = Section {
        heading: "Figure 2: time over the size of the problem".to_owned(),
        text: format!(
            "{ITERATIONS} iterations of SubADMM on {steps} steps of `stirring` with more and fewer grains, and of \
             `cable-vehicles` with the same cable in more and fewer links, {} to a subsystem; processor time of one thread, smallest \
             of five interleaved solves, mean over the steps.",
            LINKS_PER_PIECE - 1
        ),
        ..Section::default()
    };
    let mut charts = Vec::new();
    for (what, sizes, times, paper) in [
        ("grains", &grains, of_grains, 0.9993),
        ("links", &links, of_links, 0.9998),
    ] {
        let points: Vec<(f64, f64)> = (sizes.iter().zip(times))
            .map(|(&size, time)| (size as f64, 1e3 * time))
            .collect();
        let line = Line::fit(&points);
        let r_squared = line.map_or(f64::NAN, |line| line.r_squared);
        let mut table = Table::new("", [what, "time (ms)"]);
        for (size, time) in &points {
            table
                .rows
                .push(vec![format!("{size}"), format!("{time:.3}")]);
        }
        out.tables.push(table);
        out.statements.push(Statement::judged(
            format!("figure 2: the time is linear in the number of {what}, R² at least 0.99 (the paper: {paper})"),
            &How::new(
                "subadmm-per-subsystem",
                "processor time of the thread, smallest of five interleaved solves",
                format!("{ITERATIONS} iterations"),
            ),
            format!(
                "R² = {r_squared:.4}, {:.2} µs for each of the {what}",
                line.map_or(f64::NAN, |line| 1e3 * line.slope)
            ),
            r_squared >= 0.99,
        ));
        let fitted = line.map(|line| points.iter().map(|&(x, _)| (x, line.at(x))).collect());
        charts.push(Chart {
            title: what.to_owned(),
            x_label: format!("number of {what}"),
            y_label: "time (ms)".to_owned(),
            scale: Scale::Linear,
            curves: vec![
                Curve {
                    label: "measured".to_owned(),
                    color: 0,
                    points,
                },
                Curve {
                    label: "least squares".to_owned(),
                    color: 1,
                    points: fitted.unwrap_or_default(),
                },
            ],
            legend: true,
        });
    }
    out.figures.push(Figure {
        name: "scalability".to_owned(),
        caption: "Time of 60 iterations of SubADMM".to_owned(),
        svg: grid("Scalability", &charts, 2, (1100, 420))?,
        paper: "figure 2: straight lines over the number of spheres and of segments, R² 0.9993 and 0.9998".to_owned(),
    });
    Ok(out)
}
