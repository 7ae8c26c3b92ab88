//! Words that a scene file may use, from the source of its reader.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::reference::keep;
use crate::source::rust_files;
use crate::{page, root};

/// The words of all lists in a text of Rust: `&["name", "kind"]` and what the macro `keys!` adds to such a list.
fn listed_words(text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for start in ["&[", "keys!["] {
        for part in text.split(start).skip(1) {
            let list = part.split(']').next().unwrap_or_default();
            out.extend(list.split('"').skip(1).step_by(2).map(str::to_owned));
        }
    }
    let is_word = |word: &String| {
        word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
    };
    out.retain(is_word);
    out
}

/// Part of a scene file, and the words that it may use.
fn words() -> Vec<(String, BTreeSet<String>)> {
    let files = rust_files(&root().join("crates/io/src/scene_file/read"));
    let words = files.iter().map(|file| {
        let part = file.file_stem().unwrap().to_str().unwrap();
        let part = if part == "mod" { "scene" } else { part };
        let text = std::fs::read_to_string(file).unwrap();
        (part.to_owned(), listed_words(&text))
    });
    words.filter(|(_, words)| !words.is_empty()).collect()
}

/// Every word of every part.
pub(crate) fn all() -> BTreeSet<String> {
    words().into_iter().flat_map(|(_, words)| words).collect()
}

#[test]
fn keys_are_those_of_the_reader() {
    let mut text = "# Keys of scene files\n\nEvery key, kind and unit-free word that a scene file may use, by the part of the \
                    reader that knows it. What they mean: [scene files](../scene-files.md).\n\n| part | words |\n|---|---|\n"
        .to_owned();
    for (part, words) in words() {
        let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        let _ = writeln!(text, "| {part} | {} |", words.join(", "));
    }
    keep("file-keys.md", &text);
}

#[test]
fn the_guide_of_scene_files_knows_every_key() {
    let guide = page("scene-files.md");
    let known: BTreeSet<&str> = guide
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
        .collect();
    let missing: Vec<String> = all()
        .into_iter()
        .filter(|word| !known.contains(word.as_str()))
        .collect();
    assert!(missing.is_empty(), "docs/scene-files.md lacks {missing:?}");
}

#[test]
fn words_of_lists_are_found() {
    let text =
        "node.table(&[\n  \"name\", \"EA\"])?; keys![\"open\"]; fail(\"a b\", &[\"no word!\"])";
    let found: Vec<String> = listed_words(text).into_iter().collect();
    assert_eq!(found, ["EA", "name", "open"]);
}
