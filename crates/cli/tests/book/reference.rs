//! Pages that are made from the program: commands, solvers, scenes, settings, errors.

use std::fmt::Write;
use std::process::Command;

use crate::source::{errors, fields, rust_files};
use crate::{page, root};

/// Compares a generated page with what is in `docs/reference`, or writes it.
fn keep(name: &str, text: &str) {
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

fn stdout(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Names of the subcommands that a help text lists.
fn subcommands(help: &str) -> Vec<String> {
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

#[test]
fn errors_are_those_of_the_source() {
    let mut text = "# Errors\n\nEvery class of error, by crate, from the source. Each message names the element, \
                    and most say what to do. [Exit codes](../README.md#exit-codes) of the command.\n"
        .to_owned();
    let mut crates: Vec<_> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    crates.sort();
    for folder in crates {
        let entries: Vec<_> = rust_files(&folder.join("src"))
            .iter()
            .flat_map(|file| errors(file))
            .collect();
        if entries.is_empty() {
            continue;
        }
        let name = folder.file_name().unwrap().to_str().unwrap();
        let _ = write!(
            text,
            "\n## `stiction-{name}`\n\n| error | when |\n|---|---|\n"
        );
        for entry in entries {
            let _ = writeln!(text, "| `{}` | {} |", entry.name, entry.text);
        }
    }
    keep("errors.md", &text);
}
