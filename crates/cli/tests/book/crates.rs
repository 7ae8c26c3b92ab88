//! The documentation of every crate opens with what it is for, leads into the book, and has an example that runs.

use std::path::Path;

use crate::blocks::blocks;
use crate::root;

/// How soon the link into the book comes, bytes.
const SOON: usize = 1500;

/// What `cargo doc` shows of a crate on its first page, and whether it is a library.
fn first_page(folder: &Path) -> (String, bool) {
    let library = folder.join("src/lib.rs");
    let is_library = library.is_file();
    let source = match is_library {
        true => library,
        false => folder.join("src/main.rs"),
    };
    let source = std::fs::read_to_string(source).unwrap();
    let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
    let mut text = String::new();
    for line in source.lines() {
        if let Some(words) = line.strip_prefix("//!") {
            text += words.strip_prefix(' ').unwrap_or(words);
            text.push('\n');
        } else if line.starts_with("#![doc = include_str!") {
            text += &readme;
        }
    }
    (text, is_library)
}

/// The page that a label leads to, without its ending.
fn target<'a>(text: &'a str, label: &str, folder: &str, ending: &str) -> Option<&'a str> {
    let start = format!("{label} {folder}/");
    let line = text.lines().find_map(|line| line.strip_prefix(&start))?;
    line.strip_suffix(ending)
}

#[test]
fn every_crate_says_what_it_is_for_leads_here_and_has_an_example() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.display();
        let (text, is_library) = first_page(&folder);
        let page = target(&text, "[book]:", "../../book", ".html").unwrap_or_else(|| {
            panic!("{name}: the first page has no `[book]: ../../book/PAGE.html`, see others")
        });
        let path = root().join(format!("docs/{page}.md"));
        assert!(path.is_file(), "{name}: docs/{page}.md is not there");
        let link = text.find("][book]");
        assert!(
            link.is_some_and(|at| at < SOON),
            "{name}: `In the book: [TITLE][book]` comes late or never"
        );
        // Where the repository is read in the browser, the same link leads to the source of the page.
        let readme = std::fs::read_to_string(folder.join("README.md")).unwrap();
        let of_readme = target(&readme, "[book]:", "../../docs", ".md");
        assert_eq!(of_readme, Some(page), "{name}: README.md leads elsewhere");
        // Blocks without a word are Rust too; what is ignored or not run is no example.
        let runs = blocks(&text).iter().any(|block| {
            let first = block.info[0].as_str();
            matches!(first, "" | "rust") && block.info.len() == 1
        });
        assert!(runs || !is_library, "{name}: no example that runs");
    }
}
