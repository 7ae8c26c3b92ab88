//! `stiction reproduce`: run an experiment of a paper and write its report.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stiction_experiments::{Experiment, Options, Report, Statement};

use crate::Ending;
use crate::arguments::ReproduceArguments;
use crate::simulate::Interrupt;

pub(crate) fn run(arguments: &ReproduceArguments) -> anyhow::Result<Ending> {
    let mut out = std::io::stdout().lock();
    let Some(name) = &arguments.experiment else {
        for experiment in stiction_experiments::all() {
            writeln!(out, "{:<20} {}", experiment.name, experiment.summary)?;
            let parts: Vec<&str> = experiment.parts.iter().map(|part| part.name).collect();
            writeln!(out, "{:<20} parts: {}", "", parts.join(", "))?;
        }
        return Ok(Ending::Fine);
    };
    let experiment = find(name)?;
    let folder = arguments.out.clone();
    let folder = folder.unwrap_or_else(|| PathBuf::from("reports").join(experiment.name));
    let bar = progress();
    let options = Options {
        quick: arguments.quick,
        trials: arguments.trials,
        only: arguments.only.clone(),
        data: arguments.data.clone(),
        stop: Interrupt::listen().flag(),
    };
    // Written after every part: whatever ends the program later, what is done is there.
    let mut written = Vec::new();
    let report = experiment.run(
        &options,
        &mut |share, what| {
            bar.set_position((1000.0 * share) as u64);
            bar.set_message(what.to_owned());
        },
        &mut |report| {
            written = report.write(&folder)?;
            Ok(())
        },
    )?;
    bar.finish_and_clear();
    if arguments.json {
        writeln!(out, "{:#}", report.to_json())?;
    } else {
        print_statements(&mut out, &report)?;
        for path in written {
            writeln!(out, "wrote {}", path.display())?;
        }
    }
    Ok(match report.holds() && !report.is_interrupted {
        true => Ending::Fine,
        false => Ending::NotConverged,
    })
}

fn find(name: &str) -> anyhow::Result<&'static Experiment> {
    let all = stiction_experiments::all();
    all.iter().find(|known| known.name == name).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|known| known.name).collect();
        anyhow::anyhow!(
            "there is no experiment \"{name}\"; known: {}",
            names.join(", ")
        )
    })
}

fn print_statements(out: &mut impl Write, report: &Report) -> std::io::Result<()> {
    for line in report.statements().map(Statement::line) {
        writeln!(out, "{line}")?;
    }
    if report.is_interrupted {
        writeln!(out, "interrupted: the report has what was done until then")?;
    }
    Ok(())
}

fn progress() -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(1000), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}  {eta} left") {
        bar.set_style(style);
    }
    bar
}
