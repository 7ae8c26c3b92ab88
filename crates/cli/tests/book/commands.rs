//! Commands of the book run, on the files of the book.

use std::collections::BTreeSet;
use std::process::Command;

use crate::blocks::{blocks, prose};
use crate::common::Folder;
use crate::pages::all_pages;
use crate::{page, root};

/// Longest simulated time of a run here, s: what the book's commands print is tested elsewhere, that they are
/// commands is tested here.
const SECONDS: &str = "0.03";

/// A command as it is run here: shorter where it simulates, and without what needs a browser.
fn shortened(words: &[&str]) -> Option<Vec<String>> {
    let mut out: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    match *words.first()? {
        "view" => return None,
        "run" | "compare" => {
            if let Some(at) = out.iter().position(|word| word == "--seconds") {
                out.drain(at..at + 2);
            }
            out.extend(["--seconds".to_owned(), SECONDS.to_owned()]);
        }
        "reproduce" | "bench" if words.len() > 1 => {
            // Minutes of work: that the words are known is all that is asked.
            out.push("--help".to_owned());
        }
        _ => {}
    }
    Some(out)
}

/// Commands of one page, in order, in a folder with its files.
fn run_page(name: &str, text: &str) {
    let folder = Folder::new(&format!("book-{}", name.replace(['/', '.'], "-")));
    let examples = root().join("examples").canonicalize().unwrap();
    std::os::unix::fs::symlink(examples, folder.path("examples")).unwrap();
    for block in blocks(text) {
        if let Some(file) = block.value("file") {
            folder.file(file, &block.text);
        }
        if !block.is("sh") || block.is("ignore") {
            continue;
        }
        let text = block.text.replace("\\\n", " ");
        for command in text.lines().map(str::trim) {
            let command = command.split(" #").next().unwrap_or_default();
            let words: Vec<&str> = command.split_whitespace().collect();
            let arguments = match words.split_first() {
                Some((&"stiction", arguments)) => arguments,
                Some((&"cargo", arguments)) => {
                    program_is_there(name, arguments);
                    continue;
                }
                _ => continue,
            };
            let Some(arguments) = shortened(arguments) else {
                continue;
            };
            let output = Command::new(env!("CARGO_BIN_EXE_stiction"))
                .args(&arguments)
                .current_dir(&folder.0)
                .output()
                .unwrap();
            let complaint = String::from_utf8_lossy(&output.stderr);
            // A solver that does not converge is worth a page, and exits with 1.
            let most = if arguments[0] == "solve" { 1 } else { 0 };
            let code = output.status.code();
            assert!(
                code.is_some_and(|code| code <= most),
                "{name}: {command}: {complaint}"
            );
        }
    }
}

#[test]
fn commands_of_the_book_run() {
    for name in all_pages() {
        let name = name.to_str().unwrap();
        run_page(name, &page(name));
    }
}

/// That a program, example or test that a command of cargo names is there: all of them are built, and most
/// are run, with the tests of the workspace.
fn program_is_there(page: &str, words: &[&str]) {
    let after = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        words.get(at + 1).copied()
    };
    let kinds = [
        ("--bin", "src/bin"),
        ("--example", "examples"),
        ("--test", "tests"),
        ("--bench", "benches"),
    ];
    for (kind, folder) in kinds {
        let Some(target) = after(kind) else { continue };
        let folders = match after("-p").or(after("--package")) {
            Some("stiction-examples") => vec![root().join("examples")],
            Some("stiction-benches") => vec![root().join("benches")],
            Some("stiction") => vec![root().join("crates/cli")],
            Some(package) => {
                let folder = package.strip_prefix("stiction-").unwrap_or(package);
                vec![root().join("crates").join(folder)]
            }
            None => std::fs::read_dir(root().join("crates"))
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect(),
        };
        let is_there = folders.iter().any(|package| {
            let folder = package.join(folder);
            folder.join(format!("{target}.rs")).is_file() || folder.join(target).is_dir()
        });
        assert!(is_there, "{page}: there is no {kind} {target}");
    }
}

/// Commands in the running text: what stands between backticks.
pub(crate) fn spans(text: &str) -> Vec<String> {
    let text = prose(text).replace('\n', " ");
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// Subcommands and options of what is only mentioned are known.
#[test]
fn commands_in_the_text_are_known() {
    let mut mentioned = BTreeSet::new();
    for name in all_pages() {
        let name = name.to_str().unwrap();
        for span in spans(&page(name)) {
            let words: Vec<&str> = span.split_whitespace().collect();
            match words.split_first() {
                Some((&"stiction", [first, ..]))
                    if first.starts_with(|c: char| c.is_ascii_lowercase()) =>
                {
                    mentioned.insert(words[1..].join(" "));
                }
                Some((&"cargo", rest)) => program_is_there(name, rest),
                _ => {}
            }
        }
    }
    assert!(mentioned.len() > 20, "{mentioned:?}");
    for span in mentioned {
        let words: Vec<&str> = span.split(' ').collect();
        let mut path = vec![words[0]];
        if ["bench", "help"].contains(&words[0]) {
            path.extend(words.get(1).filter(|word| !word.starts_with('-')));
        }
        let output = Command::new(env!("CARGO_BIN_EXE_stiction"))
            .args(&path)
            .arg("--help")
            .output()
            .unwrap();
        assert!(output.status.success(), "`stiction {span}` is no command");
        let help = String::from_utf8_lossy(&output.stdout);
        let known: BTreeSet<&str> = help
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
            .collect();
        for option in words.iter().filter(|word| word.starts_with('-')) {
            assert!(
                known.contains(option),
                "`stiction {span}` knows no {option}"
            );
        }
    }
}
