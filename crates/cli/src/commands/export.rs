//! `stiction export`: recordings for other programs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use stiction_problem_files::{self as problem_files, ProblemFile};
use stiction_recording::{Error, Loaded, Recording, export, write_atomically};

use crate::arguments::ExportArguments;
use crate::simulate::Interrupt;
use crate::{Ending, complain, outputs};

pub(crate) fn run(arguments: &ExportArguments) -> anyhow::Result<Ending> {
    Interrupt::end_at_once();
    let path = &arguments.recording;
    let loaded = read_recording(path)?;
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
    let csv = target(&arguments.csv, "csv");
    let npz = target(&arguments.npz, "npz");
    let json = target(&arguments.json, "json");
    let named = [
        ("--csv", &csv),
        ("--npz", &npz),
        ("--json", &json),
        ("--html", &arguments.html),
    ];
    let writes = named
        .iter()
        .filter_map(|(word, path)| Some((*word, path.as_deref()?)));
    outputs::check(&[path], &writes.collect::<Vec<_>>())?;
    if let Some(target) = csv {
        writable(&target, export::csv(recording, &target))?;
    }
    if let Some(target) = npz {
        writable(&target, export::npz(recording, &target))?;
    }
    if let Some(target) = json {
        writable(&target, export::json(recording, &target))?;
    }
    if let Some(target) = &arguments.html {
        write_page(recording, target)?;
    }
    Ok(Ending::Fine)
}

/// Writes the page of a recording, whole or not at all.
pub(crate) fn write_page(recording: &Recording, target: &Path) -> anyhow::Result<()> {
    let page = stiction_viewer::page(recording)?;
    write_text(target, &page)
}

/// Writes a text, whole or not at all.
pub(crate) fn write_text(target: &Path, text: &str) -> anyhow::Result<()> {
    let written = write_atomically(target, |sink| Ok(sink.write_all(text.as_bytes())?));
    writable(target, written)
}

/// Writes a problem for `stiction solve`, whole or not at all.
pub(crate) fn write_problem(target: &Path, problem: &ProblemFile) -> anyhow::Result<()> {
    let bytes = problem_files::to_bytes(target, problem)?;
    let written = write_atomically(target, |sink| Ok(sink.write_all(&bytes)?));
    writable(target, written)
}

/// What came of writing a file; an error of the operating system names the file once.
pub(crate) fn writable<T>(path: &Path, outcome: Result<T, Error>) -> anyhow::Result<T> {
    outcome
        .map_err(without_path)
        .with_context(|| unwritable(path))
}

/// Reads a recording; an error of the operating system names the file once.
pub(crate) fn read_recording(path: &Path) -> anyhow::Result<Loaded> {
    Recording::read(path)
        .map_err(without_path)
        .with_context(|| format!("the recording {} cannot be read", path.display()))
}

fn without_path(error: Error) -> anyhow::Error {
    match error {
        Error::File { source, .. } => source.into(),
        other => other.into(),
    }
}

pub(crate) fn unwritable(path: &Path) -> String {
    format!("{} cannot be written", path.display())
}
