//! What some tests need from outside the repository: data in `../shared`, beside it, and a Chromium.
//!
//! Where it is missing the test says so and passes. Who must not look away, `.ci/run`, names a file in the
//! environment variable `STICTION_OUTSIDE_LOG`; every test adds a line to it, `ran` or `skipped`, what it
//! needs, and the place of its call. Each test calls one of these functions itself, once, so that calls
//! in the sources and lines in the file can be compared.

use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// A folder or file of `../shared`, or nothing, with a word about it, where it is absent.
#[track_caller]
pub fn shared(path: &str) -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let found = Some(shared.join(path)).filter(|path| path.exists());
    record("shared", &format!("../shared/{path}"), found.is_some());
    found
}

/// The program of an installed Chromium, or nothing, with a word about it.
#[track_caller]
pub fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|candidate| candidate.is_file());
    record("chromium", "Chromium", found.is_some());
    found
}

#[track_caller]
#[expect(
    clippy::print_stderr,
    reason = "a test that looks away says so to whoever asks for its output"
)]
fn record(kind: &str, needed: &str, is_there: bool) {
    if !is_there {
        eprintln!("skipped: no {needed}");
    }
    let Some(log) = std::env::var_os("STICTION_OUTSIDE_LOG") else {
        return;
    };
    let place = Location::caller();
    let word = if is_there { "ran" } else { "skipped" };
    let line = format!("{word} {kind} {}:{}\n", place.file(), place.line());
    // One write to the end: lines of tests that run at the same time do not mix.
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&log)
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .unwrap_or_else(|error| panic!("{}: {error}", log.display()));
}
