//! Names of code and files in the text are names of something that is there.

use std::collections::{BTreeMap, BTreeSet};

use crate::commands::spans;
use crate::pages::all_pages;
use crate::source::rust_files;
use crate::{page, root};

/// Code between backticks, with the pages that it is on.
fn all_spans() -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for name in all_pages() {
        let name = name.to_str().unwrap();
        for span in spans(&page(name)) {
            out.entry(span).or_insert_with(|| name.to_owned());
        }
    }
    out
}

fn is_identifier(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a word stands for any name: `NAME`, `TYPE`.
fn is_placeholder(word: &str) -> bool {
    word.len() > 2 && word.chars().all(|c| c.is_ascii_uppercase())
}

#[test]
fn types_and_functions_exist() {
    let mut known = BTreeSet::new();
    for file in rust_files(&root().join("crates")) {
        let text = std::fs::read_to_string(file).unwrap();
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        known.extend(words.map(str::to_owned));
    }
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        known.insert(name.replace('-', "_"));
    }
    let mut count = 0;
    for (span, page) in all_spans() {
        let span = span.trim_end_matches("()");
        let parts: Vec<&str> = span.split("::").collect();
        // That page has names of other programs too.
        let is_ours = page != "coming-from.md" || known.contains(parts[0]);
        let is_ours = is_ours && !parts.iter().any(|part| is_placeholder(part));
        if parts.len() < 2 || !is_ours || !parts.iter().all(|part| is_identifier(part)) {
            continue;
        }
        count += 1;
        for part in parts {
            assert!(known.contains(part), "{page}: `{span}`: there is no {part}");
        }
    }
    assert!(count > 40, "only {count} names");
}

#[test]
fn files_and_folders_exist() {
    let tops = ["crates/", "examples/", "benches/", "docs/", "fuzz/", ".ci/"];
    let mut count = 0;
    for (span, page) in all_spans() {
        let is_path = tops.iter().any(|top| span.starts_with(top));
        // `FILE.rs` stands for many.
        let stands_for_many = |part: &str| {
            let stem = part.split('.').next().unwrap_or_default();
            let word = stem.rsplit('-').next().unwrap_or_default();
            word != "README" && is_placeholder(word)
        };
        let is_one = !span.contains([' ', '*', '{', '<']) && !span.split('/').any(stands_for_many);
        if !is_path || !is_one {
            continue;
        }
        count += 1;
        assert!(root().join(&span).exists(), "{page}: there is no {span}");
    }
    assert!(count > 20, "only {count} files");
}

/// Whoever sees a picture sees how it was made: the command stands in the next block of code, or in the text before it.
#[test]
fn pictures_have_their_commands() {
    let mut count = 0;
    for name in all_pages() {
        let name = name.to_str().unwrap();
        let text = page(name);
        for (index, _) in text.match_indices("![") {
            count += 1;
            let after = &text[index..];
            let made = after
                .split("```sh\n")
                .nth(1)
                .map(|rest| rest.split("```").next());
            let near = after.find("```sh\n").is_some_and(|at| at < 600);
            let picture = after
                .split("](")
                .nth(1)
                .and_then(|rest| rest.split(')').next());
            let picture = picture
                .and_then(|path| path.rsplit('/').next())
                .unwrap_or_default();
            let stem = picture.split('.').next().unwrap_or_default();
            assert!(
                near && made
                    .flatten()
                    .is_some_and(|code| code.contains(stem) && code.contains("stiction ")),
                "{name}: no command beside {picture}"
            );
        }
    }
    assert!(count >= 6, "only {count} pictures");
}
