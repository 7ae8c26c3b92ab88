//! `stiction bench motion`: energy and momentum of robots that nothing touches.

use std::io::Write;

use clap::Args;
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
}

pub(crate) fn run(out: &mut impl Write, arguments: &MotionArguments) -> anyhow::Result<Ending> {
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
