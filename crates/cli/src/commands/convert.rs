//! `stiction convert`: the same scene in another format, as far as it can say it.

use std::path::Path;

use anyhow::Context;
use stiction_io::scene_file::{Ignored, SceneDescription, to_toml};

use crate::arguments::ConvertArguments;
use crate::commands::export::unwritable;
use crate::model_arguments::warn_of_ignored;
use crate::{Ending, complain};

pub(crate) fn run(arguments: &ConvertArguments) -> anyhow::Result<Ending> {
    let file = arguments.model.read(&arguments.input)?;
    warn_of_ignored(&file);
    // What cannot be simulated is not worth writing down.
    arguments.model.build(&file, &Default::default())?;
    let (text, lost) = write(&file.scene, file.folder(), &arguments.output)?;
    if !lost.is_empty() {
        let list: Vec<String> = lost
            .iter()
            .map(|lost| format!("  {}: {}", lost.what, lost.reason))
            .collect();
        anyhow::ensure!(
            !arguments.model.strict,
            "--strict: these cannot be said there:\n{}",
            list.join("\n")
        );
        complain("the new format cannot say (--strict makes this an error):");
        list.iter().for_each(|line| complain(line));
    }
    std::fs::write(&arguments.output, text).with_context(|| unwritable(&arguments.output))?;
    Ok(Ending::Fine)
}

/// The text of the new file, and what it cannot say.
fn write(
    scene: &SceneDescription,
    folder: &Path,
    output: &Path,
) -> anyhow::Result<(String, Vec<Ignored>)> {
    let ending = output
        .extension()
        .map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    Ok(match ending.as_deref() {
        Some("toml") => (to_toml(scene), Vec::new()),
        _ => anyhow::bail!(
            "{}: the new file must end in .toml, .urdf, .xml or .mjcf",
            output.display()
        ),
    })
}
