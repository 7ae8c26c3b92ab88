//! `stiction compare`: the same scene with several solvers.

use std::io::Write;
use std::path::Path;

use crate::arguments::CompareArguments;
use crate::commands::export::write_text;
use crate::commands::run::{options, set_threads};
use crate::simulate::{
    Curve, End, Interrupt, Series, check_length, draw, open, simulate, summary_json, tell_gain,
};
use crate::{Ending, complain, outputs, solvers};

/// One solver's run.
struct Run {
    solver: String,
    series: Series,
    end: End,
}

pub(crate) fn run(arguments: &CompareArguments) -> anyhow::Result<Ending> {
    set_threads(&arguments.scene)?;
    let names = solvers::choose(&arguments.solvers)?;
    if let Some(path) = &arguments.plot {
        outputs::check(&[Path::new(&arguments.scene.scene)], &[("--plot", path)])?;
    }
    let interrupt = Interrupt::listen_while_loading();
    let mut runs = Vec::new();
    for solver in names {
        let options = options(&arguments.scene, Some(&solver));
        let mut scene = open(&arguments.scene.scene, &options, &arguments.scene.model)?;
        check_length(&scene)?;
        interrupt.stopped();
        let mut series = Series::default();
        let end = simulate(&mut scene, &interrupt, |scene| {
            if let Some(gain) = series.take(&scene.world) {
                tell_gain(&solver, gain);
            }
            Ok(())
        })?;
        if let End::Failed(error) = &end {
            complain(&format!("{solver}: {error}"));
        }
        let is_interrupted = matches!(end, End::Interrupted);
        runs.push(Run {
            solver,
            series,
            end,
        });
        if is_interrupted {
            break;
        }
    }
    print(arguments, &runs)?;
    if let Some(path) = &arguments.plot {
        let curves: Vec<Curve<'_>> = runs
            .iter()
            .map(|run| Curve {
                label: &run.solver,
                series: &run.series,
            })
            .collect();
        let svg = draw(&arguments.scene.scene, &curves)?;
        write_text(path, &svg)?;
    }
    let is_failed = runs.iter().any(|run| matches!(run.end, End::Failed(_)));
    Ok(if is_failed {
        Ending::NotConverged
    } else {
        Ending::Fine
    })
}

fn print(arguments: &CompareArguments, runs: &[Run]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    if arguments.json {
        for run in runs {
            let series = &run.series;
            let value = summary_json(&arguments.scene.scene, &run.solver, series, word(&run.end));
            writeln!(out, "{value}")?;
        }
        return Ok(());
    }
    let width = runs
        .iter()
        .map(|run| run.solver.len())
        .max()
        .unwrap_or(0)
        .max(6);
    writeln!(
        out,
        "{:width$}  {:>10}  {:>10}  {:>10}  {:>10}  {:>12}  {:>12}  {:>12}  end",
        "solver",
        "ms/step",
        "iterations",
        "residual",
        "worst",
        "penetration",
        "energy (J)",
        "unconverged"
    )?;
    for run in runs {
        let series = &run.series;
        let [time, ..] = series.spread(|s| 1e3 * s.stages.total());
        let [iterations, ..] = series.spread(|s| s.iterations as f64);
        let [_, residual, _, worst] = series.spread(|s| s.residual);
        let [.., penetration] = series.spread(|s| s.penetration);
        let energy = series
            .last()
            .map_or(0.0, |s| s.kinetic_energy + s.potential_energy);
        writeln!(
            out,
            "{:width$}  {time:>10.3}  {iterations:>10.1}  {residual:>10.1e}  {worst:>10.1e}  \
             {penetration:>12.1e}  {energy:>12.4e}  {:>12}  {} at {:.2} s",
            run.solver,
            series.unconverged(),
            word(&run.end),
            series.last().map_or(0.0, |s| s.time)
        )?;
    }
    Ok(())
}

fn word(end: &End) -> &'static str {
    match end {
        End::Finished => "finished",
        End::Interrupted => "interrupted",
        End::Failed(_) => "failed",
    }
}
