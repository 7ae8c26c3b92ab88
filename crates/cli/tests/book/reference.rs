//! Pages that are made from the program: commands, solvers, scenes, settings, errors.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use crate::source::{Entry, errors, fields, rust_files};
use crate::{page, root};

/// Compares a generated page with what is in `docs/reference`, or writes it.
pub(crate) fn keep(name: &str, text: &str) {
    let path = format!("reference/{name}");
    if std::env::var_os("UPDATE_BOOK").is_some() {
        std::fs::write(root().join("docs").join(&path), text).unwrap();
    }
    let stored = page(&path);
    let differs = text
        .lines()
        .zip(stored.lines())
        .find(|(made, stored)| made != stored);
    assert!(
        stored == text,
        "docs/{path} is not what the program says, first here: {differs:?}; \
         `UPDATE_BOOK=1 cargo test -p stiction --test book` writes it anew"
    );
}

pub(crate) fn stdout(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Names of the subcommands that a help text lists.
pub(crate) fn subcommands(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("\nCommands:\n") else {
        return Vec::new();
    };
    let list = list.split("\n\n").next().unwrap();
    let names = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|&name| name != "help")
        .map(str::to_owned)
        .collect()
}

fn describe(path: &[&str], out: &mut String) {
    let help = stdout(&[path, &["--help"]].concat());
    let _ = write!(
        out,
        "\n## `stiction {}`\n\n```text\n{}\n```\n",
        path.join(" "),
        help.trim_end()
    );
    for name in subcommands(&help) {
        describe(&[path, &[name.as_str()]].concat(), out);
    }
}

#[test]
fn commands_are_those_of_the_program() {
    let mut text = "# Commands\n\nWhat `stiction --help` and its like print.\n".to_owned();
    let help = stdout(&["--help"]);
    let _ = write!(text, "\n```text\n{}\n```\n", help.trim_end());
    for name in subcommands(&help) {
        describe(&[&name], &mut text);
    }
    keep("commands.md", &text);
}

#[test]
fn solvers_are_those_of_the_program() {
    let mut text =
        "# Solvers\n\nWhat `stiction solvers` and `stiction solvers --table` print.\n".to_owned();
    for arguments in [&["solvers"][..], &["solvers", "--table"]] {
        let _ = write!(text, "\n```text\n{}\n```\n", stdout(arguments).trim_end());
    }
    keep("solvers.md", &text);
}

#[test]
fn scenes_are_those_of_the_program() {
    let list = stdout(&["scenes"]);
    keep(
        "scenes.md",
        &format!(
            "# Built-in scenes\n\nWhat `stiction scenes` prints.\n\n```text\n{}\n```\n",
            list.trim_end()
        ),
    );
}

/// Names of settings and of their fields: what the page of them has, which the next test keeps true.
pub(crate) fn setting_names() -> Vec<String> {
    let page = page("reference/settings.md");
    let starts = ["## `", "| `"];
    let names = page
        .lines()
        .filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)));
    let names = names.filter_map(|rest| rest.split('`').next());
    names.map(str::to_owned).collect()
}

#[test]
fn settings_are_those_of_the_source() {
    let mut text = "# Settings\n\nFields of the public settings, from their comments in the source. Keys of scene files: \
                    [scene files](../scene-files.md#settings).\n"
        .to_owned();
    for (file, name, of) in [
        ("crates/sim/src/settings.rs", "Settings", "a world"),
        (
            "crates/sim/src/settings.rs",
            "ContactMotion",
            "robots in contact",
        ),
        (
            "crates/islands/src/policy.rs",
            "OverlapPolicy",
            "what is done about overlaps",
        ),
        (
            "crates/constraints/src/solver/budget.rs",
            "Budget",
            "a solve",
        ),
        (
            "crates/solver-canal/src/settings.rs",
            "CanalSettings",
            "`canal`",
        ),
        (
            "crates/solver-canal/src/settings.rs",
            "OuterLoop",
            "`canal`, outer loop",
        ),
        (
            "crates/solver-canal/src/settings.rs",
            "Strict",
            "`canal`, strict inner solves",
        ),
        (
            "crates/solver-canal/src/settings.rs",
            "Finish",
            "`canal`, finish",
        ),
        (
            "crates/solver-canal/src/settings.rs",
            "Path",
            "`canal`, smoothed path",
        ),
        (
            "crates/solver-canal/src/settings.rs",
            "Continuation",
            "`canal`, continuation",
        ),
        (
            "crates/solver-subadmm/src/settings.rs",
            "SubAdmmSettings",
            "`subadmm` and its relatives",
        ),
        (
            "crates/solver-pgs/src/settings.rs",
            "PgsSettings",
            "per-contact solvers",
        ),
        (
            "crates/solver-cond/src/settings.rs",
            "CondSettings",
            "`cond` and its relatives",
        ),
        (
            "crates/solver-first-order/src/apgd.rs",
            "ApgdSettings",
            "`apgd`",
        ),
        (
            "crates/solver-first-order/src/fadmm.rs",
            "FadmmSettings",
            "`fadmm`",
        ),
        (
            "crates/solver-first-order/src/ccs.rs",
            "CcsSettings",
            "`ccs`",
        ),
        (
            "crates/solver-newton/src/nonsmooth.rs",
            "NewtonSettings",
            "Newton solvers",
        ),
        (
            "crates/solver-newton/src/merit.rs",
            "MeritSettings",
            "`newton-dogleg`, `newton-damped`",
        ),
        (
            "crates/solver-newton/src/augmented/outer_loop.rs",
            "AugmentedSettings",
            "`al-dogleg` and its relatives",
        ),
        (
            "crates/constraints/src/solver/soft_contacts.rs",
            "SoftContacts",
            "contacts of `mujoco-like`",
        ),
        (
            "crates/solver-convex/src/solve.rs",
            "SoftSettings",
            "`mujoco-like`",
        ),
        (
            "crates/solver-admm/src/settings.rs",
            "AdmmSettings",
            "ADMM on the Delassus matrix",
        ),
        (
            "crates/solver-admm/src/settings.rs",
            "CcpAdmmSettings",
            "`ccp-admm` and `ccp-regularised`",
        ),
        (
            "crates/solver-admm/src/settings.rs",
            "StaggeredSettings",
            "`staggered` and `lcp-staggered`",
        ),
        (
            "crates/solver-lcp/src/settings.rs",
            "LcpSettings",
            "`lcp-direct`",
        ),
    ] {
        let _ = write!(
            text,
            "\n## `{name}`: {of}\n\n| field | meaning |\n|---|---|\n"
        );
        for entry in fields(file, name) {
            let _ = writeln!(text, "| `{}` | {} |", entry.name, entry.text);
        }
    }
    keep("settings.md", &text);
}

/// Names of the crates, and their classes of errors.
fn errors_by_crate() -> Vec<(String, Vec<Entry>)> {
    let mut crates: Vec<_> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    crates.sort();
    let of = |folder: &PathBuf| {
        let files = rust_files(&folder.join("src"));
        let entries: Vec<_> = files.iter().flat_map(|file| errors(file)).collect();
        let name = folder.file_name().unwrap().to_str().unwrap();
        (name.to_owned(), entries)
    };
    crates
        .iter()
        .map(of)
        .filter(|(_, entries)| !entries.is_empty())
        .collect()
}

/// Names of all classes of errors, and of their cases.
pub(crate) fn error_names() -> Vec<String> {
    let entries = errors_by_crate()
        .into_iter()
        .flat_map(|(_, entries)| entries);
    let names = entries.map(|entry| entry.name);
    let parts = names.flat_map(|name| name.split("::").map(str::to_owned).collect::<Vec<_>>());
    parts.collect()
}

#[test]
fn errors_are_those_of_the_source() {
    let mut text = "# Errors\n\nEvery class of error, by crate, from the source. Each message names the element, \
                    and most say what to do. [Exit codes](../README.md#exit-codes) of the command.\n"
        .to_owned();
    for (name, entries) in errors_by_crate() {
        let _ = write!(
            text,
            "\n## `stiction-{name}`\n\n| class | case | when |\n|---|---|---|\n"
        );
        for entry in entries {
            let (class, case) = entry.name.split_once("::").unwrap_or((&entry.name, ""));
            let case = if case.is_empty() {
                String::new()
            } else {
                format!("`{case}`")
            };
            let _ = writeln!(text, "| `{class}` | {case} | {} |", entry.text);
        }
    }
    keep("errors.md", &text);
}

#[test]
fn what_is_not_done_of_robot_files_is_as_in_the_source() {
    let mut text = "# What is not done of robot files\n\nWhat MJCF and URDF files may say and what is listed as not done, \
                    or, with `--strict`, refused. Values that mean nothing else than what is done anyway are \
                    not listed. What both say: [robots](../robots.md).\n"
        .to_owned();
    for (format, entries) in [
        ("MJCF", stiction_io::mjcf::not_done()),
        ("URDF", stiction_io::urdf::not_done()),
    ] {
        let _ = write!(text, "\n## {format}\n\n| what | why |\n|---|---|\n");
        for (what, why) in entries {
            let why = why.replace('<', "&lt;");
            let _ = writeln!(text, "| `{what}` | {why} |");
        }
    }
    keep("not-done.md", &text);
}
