//! Commands of the book run, on the files of the book.

use std::process::Command;

use crate::blocks::blocks;
use crate::common::Folder;
use crate::pages::all_pages;
use crate::{page, root};

/// Longest simulated time of a run here, s: what the book's commands print is tested elsewhere, that they are
/// commands is tested here.
const SECONDS: &str = "0.02";

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
            let Some((&"stiction", arguments)) = words.split_first() else {
                continue;
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
