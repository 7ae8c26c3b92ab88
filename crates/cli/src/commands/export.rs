//! `stiction export`: recordings for other programs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use stiction_recording::{Recording, export, write_atomically};

use crate::arguments::ExportArguments;
use crate::{Ending, complain};

pub(crate) fn run(arguments: &ExportArguments) -> anyhow::Result<Ending> {
    let path = &arguments.recording;
    let loaded = Recording::read(path)
        .with_context(|| format!("the recording {} cannot be read", path.display()))?;
    let recording = &loaded.recording;
    if loaded.truncated() {
        complain(&format!(
            "{} was cut off: its {} whole frames are exported",
            path.display(),
            recording.frames.len()
        ));
    }
    let named = [
        &arguments.csv,
        &arguments.npz,
        &arguments.json,
        &arguments.html,
    ];
    let is_any_named = named.iter().any(|target| target.is_some());
    let target = |named: &Option<PathBuf>, ending: &str| match named {
        Some(target) => Some(target.clone()),
        None if is_any_named => None,
        None => Some(path.with_extension(ending)),
    };
    if let Some(target) = target(&arguments.csv, "csv") {
        export::csv(recording, &target).with_context(|| unwritable(&target))?;
    }
    if let Some(target) = target(&arguments.npz, "npz") {
        export::npz(recording, &target).with_context(|| unwritable(&target))?;
    }
    if let Some(target) = target(&arguments.json, "json") {
        export::json(recording, &target).with_context(|| unwritable(&target))?;
    }
    if let Some(target) = &arguments.html {
        write_page(recording, target)?;
    }
    Ok(Ending::Fine)
}

/// Writes the page of a recording, whole or not at all.
pub(crate) fn write_page(recording: &Recording, target: &Path) -> anyhow::Result<()> {
    let page = stiction_viewer::page(recording)?;
    write_atomically(target, |sink| {
        sink.write_all(page.as_bytes())?;
        Ok(())
    })
    .with_context(|| unwritable(target))
}

pub(crate) fn unwritable(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}
