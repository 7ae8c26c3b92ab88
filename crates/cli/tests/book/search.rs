//! What a reader may look for is found: the search of the book splits pages and questions into words and asks
//! for all of them.

use std::collections::BTreeSet;

use crate::pages::all_pages;
use crate::reference::{stdout, subcommands};
use crate::{keys, page, reference};

/// Words as the index of the book has them: parted by white space and hyphens, in small letters, without signs
/// at their ends.
fn words(text: &str) -> BTreeSet<String> {
    let parts = text.split(|letter: char| letter.is_whitespace() || letter == '-');
    let is_sign = |letter: char| !(letter.is_alphanumeric() || letter == '_');
    let trimmed = parts.map(|part| part.trim_matches(is_sign).to_lowercase());
    trimmed.filter(|word| !word.is_empty()).collect()
}

/// What of these names no page is found by.
fn not_found(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let pages: Vec<BTreeSet<String>> = all_pages()
        .iter()
        .map(|name| {
            // Signs that end a word on the page: cells of tables, code.
            words(&page(name.to_str().unwrap()).replace(['|', '`'], " "))
        })
        .collect();
    let is_found = |name: &String| {
        let asked = words(name);
        pages.iter().any(|page| asked.is_subset(page))
    };
    names.into_iter().filter(|name| !is_found(name)).collect()
}

fn first_words(text: &str) -> impl Iterator<Item = String> {
    let words = text
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    words.map(str::to_owned)
}

#[test]
fn everything_that_has_a_name_is_found() {
    let mut names = Vec::new();
    for command in subcommands(&stdout(&["--help"])) {
        let help = stdout(&[&command, "--help"]);
        names.extend(subcommands(&help));
        names.push(command);
    }
    for list in [&["solvers"][..], &["scenes"], &["reproduce"]] {
        names.extend(first_words(&stdout(list)));
    }
    names.extend(keys::all());
    names.extend(reference::setting_names());
    names.extend(reference::error_names());
    assert!(names.len() > 600, "only {} names", names.len());
    let missing = not_found(names);
    assert!(missing.is_empty(), "no page is found by {missing:?}");
}

#[test]
fn what_is_nowhere_is_not_found() {
    let asked = ["dish-piling", "dish-quux"].map(str::to_owned);
    assert_eq!(not_found(asked), ["dish-quux"]);
}

/// The tables name every solver; a page says what it is.
#[test]
fn every_solver_stands_on_a_page_of_its_family() {
    let pages = all_pages();
    let families: String = pages
        .iter()
        .filter(|name| name.starts_with("solvers"))
        .map(|name| page(name.to_str().unwrap()))
        .collect();
    let missing: Vec<String> = first_words(&stdout(&["solvers"]))
        .filter(|solver| !families.contains(&format!("`{solver}`")))
        .collect();
    assert!(missing.is_empty(), "no page explains {missing:?}");
}
