//! What the source says about itself: documented fields of settings, variants of errors.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::root;

/// One documented name.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) text: String,
}

/// Files of Rust below a folder, sorted.
pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

/// Public fields of `pub struct NAME` in a file, each with its comment.
pub(crate) fn fields(file: &str, name: &str) -> Vec<Entry> {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let start = format!("pub struct {name} {{");
    let body = text
        .split_once(&start)
        .unwrap_or_else(|| panic!("{file} has no {name}"))
        .1;
    let body = body.split_once("\n}").unwrap().0;
    let mut comment = String::new();
    let mut out = Vec::new();
    for line in body.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("///") {
            let _ = write!(
                comment,
                "{}{}",
                if comment.is_empty() { "" } else { " " },
                words.trim()
            );
        } else if let Some((field, _)) = line
            .strip_prefix("pub ")
            .and_then(|rest| rest.split_once(':'))
        {
            let text = plain(&std::mem::take(&mut comment));
            out.push(Entry {
                name: field.to_owned(),
                text,
            });
        }
    }
    out
}

/// Variants with a message in a file, as `Enum::Variant`, each with its comment.
pub(crate) fn errors(file: &Path) -> Vec<Entry> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut owner = String::new();
    let mut comment = String::new();
    let mut message = false;
    let mut out = Vec::new();
    for line in text.lines() {
        let code = line.trim();
        let depth = line.len() - line.trim_start().len();
        let declared = [
            "pub enum ",
            "pub struct ",
            "pub(crate) enum ",
            "pub(crate) struct ",
        ]
        .iter()
        .find_map(|start| code.strip_prefix(start));
        if let Some(words) = code.strip_prefix("///") {
            if depth <= 4 {
                let _ = write!(
                    comment,
                    "{}{}",
                    if comment.is_empty() { "" } else { " " },
                    words.trim()
                );
            }
        } else if let Some(rest) = declared {
            owner = rest
                .split(|letter: char| !letter.is_alphanumeric())
                .next()
                .unwrap()
                .to_owned();
            if message {
                out.push(Entry {
                    name: owner.clone(),
                    text: plain(&comment),
                });
            }
            comment.clear();
            message = false;
        } else if code.starts_with("#[error") {
            message = true;
        } else if depth == 4 && code.starts_with(|letter: char| letter.is_ascii_uppercase()) {
            let variant = code
                .split(|letter: char| !letter.is_alphanumeric())
                .next()
                .unwrap();
            if message {
                out.push(Entry {
                    name: format!("{owner}::{variant}"),
                    text: plain(&comment),
                });
            }
            comment.clear();
            message = false;
        } else if !code.starts_with("#[") && !message {
            comment.clear();
        }
    }
    out
}

/// Comments without links into the code, fit for a cell of a table.
fn plain(comment: &str) -> String {
    let mut out = String::new();
    let mut rest = comment;
    while let Some((before, after)) = rest.split_once("](") {
        out += before;
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
        out.push(']');
    }
    out += rest;
    out.replace("[`", "`")
        .replace("`]", "`")
        .replace('|', "\\|")
}

#[test]
fn settings_are_read_with_their_comments() {
    let found = fields("crates/sim/src/settings.rs", "Settings");
    let step = found
        .iter()
        .find(|entry| entry.name == "time_step")
        .unwrap();
    assert_eq!(step.text, "Time step, s.");
    let errors = errors(&root().join("crates/sim/src/error.rs"));
    assert!(
        errors
            .iter()
            .any(|entry| entry.name == "SimError::DuplicateName" && !entry.text.is_empty())
    );
    assert!(errors.iter().any(|entry| entry.name == "StepFailure"));
}
