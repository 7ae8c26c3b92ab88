//! `stiction reproduce`: run an experiment of a paper and write its report.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stiction_experiments::{Experiment, Report, Run};

use crate::Ending;
use crate::arguments::ReproduceArguments;

pub(crate) fn run(arguments: &ReproduceArguments) -> anyhow::Result<Ending> {
    let mut out = std::io::stdout().lock();
    let Some(name) = &arguments.experiment else {
        for experiment in stiction_experiments::all() {
            writeln!(out, "{:<20} {}", experiment.name, experiment.summary)?;
        }
        return Ok(Ending::Fine);
    };
    let experiment = find(name)?;
    let folder = arguments.out.clone();
    let folder = folder.unwrap_or_else(|| PathBuf::from("reports").join(experiment.name));
    let bar = progress();
    let report = experiment.run(&mut Run {
        quick: arguments.quick,
        progress: &mut |share, what| {
            bar.set_position((1000.0 * share) as u64);
            bar.set_message(what.to_owned());
        },
    })?;
    bar.finish_and_clear();
    let written = report.write(&folder)?;
    print_statements(&mut out, &report)?;
    for path in written {
        writeln!(out, "wrote {}", path.display())?;
    }
    Ok(match report.holds() {
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
    for section in &report.sections {
        writeln!(out, "{}", section.heading)?;
        for statement in &section.statements {
            let mark = if statement.holds {
                "holds"
            } else {
                "DOES NOT HOLD"
            };
            writeln!(
                out,
                "  {}\n    {mark}: {}",
                statement.paper, statement.measured
            )?;
        }
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
