//! `stiction scenes`: what can be run without a file.

use std::io::Write;

use crate::Ending;

pub(crate) fn run() -> anyhow::Result<Ending> {
    let mut out = std::io::stdout().lock();
    let scenes = stiction_scenes::all();
    let width = scenes.iter().map(|info| info.name.len()).max().unwrap_or(0);
    for info in scenes {
        writeln!(out, "{:width$}  {}", info.name, info.summary)?;
    }
    Ok(Ending::Fine)
}
