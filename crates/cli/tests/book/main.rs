//! The book in `docs` is true: its pages hang together, its commands run, its files load, and its tables are
//! those of the program.
//!
//! `UPDATE_BOOK=1 cargo test -p stiction --test book` writes the generated pages of `docs/reference` anew.

#[path = "../common/mod.rs"]
mod common;

mod blocks;
mod code;
mod commands;
mod crates;
mod keys;
mod names;
mod pages;
mod reference;
mod search;
mod source;

use std::path::PathBuf;

/// The top of the repository.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Text of a page, by its path below `docs`.
fn page(name: &str) -> String {
    let path = root().join("docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
