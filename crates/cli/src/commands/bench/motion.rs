//! `stiction bench motion`: energy and momentum of robots that nothing touches.

use std::io::Write;

use clap::Args;
use stiction_experiments::motion::contact::{
    LIMITS, MODELS, SCENES, measure_in_contact, measure_scene, with_limit,
};
use stiction_experiments::motion::{all_models, measure};

use crate::Ending;
use crate::arguments::positive;

#[derive(Debug, Args)]
pub(crate) struct MotionArguments {
    /// Simulated time, s
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = positive)]
    pub(crate) seconds: f64,

    /// Only models whose name contains this
    #[arg(long, value_name = "WORDS")]
    pub(crate) model: Option<String>,

    /// Robots that something touches instead, also those of built-in scenes, with each limit of their motion times
    /// 1/4, 1 and 4
    #[arg(long)]
    pub(crate) contact: bool,
}

pub(crate) fn run(out: &mut impl Write, arguments: &MotionArguments) -> anyhow::Result<Ending> {
    if arguments.contact {
        return sweep(out, arguments);
    }
    writeln!(
        out,
        "{} s at 240 Hz; energy as a share of the motion's; tolerance and most substeps as given",
        arguments.seconds
    )?;
    writeln!(
        out,
        "{:46} {:>9} {:>4} {:>9} {:>9} {:>9} {:>9} {:>9} {:>10}",
        "model", "tolerance", "most", "gain", "loss", "taken", "momentum", "substeps", "time"
    )?;
    let words = arguments.model.as_deref().unwrap_or("");
    for (model, settings) in all_models()? {
        if !model.name.contains(words) {
            continue;
        }
        let found = measure(&model, &settings, arguments.seconds)?;
        let momentum = found
            .momentum
            .map_or("-".to_owned(), |change| format!("{change:.1e}"));
        writeln!(
            out,
            "{:46} {:>9.0e} {:>4} {:>9.1e} {:>9.1e} {:>9.1e} {:>9} {:>9.2} {:>7.1} µs",
            found.name,
            settings.integration_tolerance,
            settings.max_substeps,
            found.gain,
            found.loss,
            found.taken,
            momentum,
            found.substeps,
            1e6 * found.step_time
        )?;
    }
    Ok(Ending::Fine)
}

/// What each limit of the motion of robots in contact is worth.
fn sweep(out: &mut impl Write, arguments: &MotionArguments) -> anyhow::Result<Ending> {
    writeln!(
        out,
        "{} s; energy that nobody put in as a share of the largest kinetic energy; staged: trees with more than one evaluation in a step",
        arguments.seconds
    )?;
    writeln!(
        out,
        "{:22} {:>12} {:>6} {:>9} {:>9} {:>9} {:>9} {:>10}",
        "model", "limit", "times", "gain", "change", "taken", "staged", "time"
    )?;
    let words = arguments.model.as_deref().unwrap_or("");
    let models = MODELS.into_iter().map(|model| (model.0, Some(model)));
    let scenes = SCENES.into_iter().map(|name| (name, None));
    for (name, model) in models
        .chain(scenes)
        .filter(|(name, _)| name.contains(words))
    {
        let trials = (0..LIMITS.len()).flat_map(|limit| [(limit, 0.25), (limit, 4.0)]);
        for (limit, factor) in std::iter::once((0, 1.0)).chain(trials) {
            let limits = with_limit(limit, factor);
            let found = match model {
                Some(model) => measure_in_contact(model, limits, arguments.seconds)?,
                None => measure_scene(name, limits, arguments.seconds)?,
            };
            let changed = if factor == 1.0 { "-" } else { LIMITS[limit] };
            writeln!(
                out,
                "{:22} {changed:>12} {factor:>6} {:>9.1e} {:>9.1e} {:>9.1e} {:>9.3} {:>7.1} µs",
                found.name,
                found.gain,
                found.change,
                found.taken,
                found.staged,
                1e6 * found.step_time
            )?;
        }
    }
    Ok(Ending::Fine)
}
