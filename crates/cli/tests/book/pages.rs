//! Pages hang together: every page is in the table of contents, no link is dead.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::blocks::prose;
use crate::{page, root};

/// Links of a page: what stands in the brackets behind `](`.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let mut found = Vec::new();
    for part in text.split("](").skip(1) {
        found.extend(part.split_once(')').map(|(link, _)| link.to_owned()));
    }
    found
}

/// Every page below `docs`, but for the table of contents.
pub(crate) fn all_pages() -> BTreeSet<PathBuf> {
    fn walk(folder: &Path, below: &Path, out: &mut BTreeSet<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = below.join(path.file_name().unwrap());
            if path.is_dir() {
                walk(&path, &name, out);
            } else if path.extension().is_some_and(|end| end == "md")
                && name != Path::new("SUMMARY.md")
            {
                out.insert(name);
            }
        }
    }
    let mut out = BTreeSet::new();
    walk(&root().join("docs"), Path::new(""), &mut out);
    out
}

/// The words by which a heading is linked to, as GitHub and mdBook make them.
fn anchor(heading: &str) -> String {
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        letter if letter.is_alphanumeric() || letter == '-' || letter == '_' => Some(letter),
        _ => None,
    });
    kept.collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let text = prose(text);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(anchor).collect()
}

#[test]
fn every_page_is_in_the_contents_and_once() {
    let listed = links(&page("SUMMARY.md"));
    let unique: BTreeSet<PathBuf> = listed.iter().map(PathBuf::from).collect();
    assert_eq!(unique.len(), listed.len(), "a page is listed twice");
    assert_eq!(unique, all_pages());
}

#[test]
fn no_link_is_dead() {
    for name in all_pages() {
        let text = page(name.to_str().unwrap());
        for link in links(&text) {
            if link.starts_with("https://") {
                continue;
            }
            let (file, fragment) = link.split_once('#').unwrap_or((&link, ""));
            let folder = name.parent().unwrap_or(Path::new(""));
            let target = if file.is_empty() {
                name.clone()
            } else {
                folder.join(file)
            };
            let path = root().join("docs").join(&target);
            assert!(path.is_file(), "{}: {link} leads nowhere", name.display());
            // What lies outside of the book is not among its pages.
            let inside = path.canonicalize().unwrap();
            let docs = root().join("docs").canonicalize().unwrap();
            assert!(
                inside.starts_with(docs),
                "{}: {link} leaves the book",
                name.display()
            );
            if !fragment.is_empty() {
                let there = anchors(&std::fs::read_to_string(&path).unwrap());
                assert!(
                    there.contains(fragment),
                    "{}: {link}: there are {there:?}",
                    name.display()
                );
            }
        }
    }
}

#[test]
fn included_programs_exist() {
    for name in all_pages() {
        let text = page(name.to_str().unwrap());
        for part in text.split("{{#include ").skip(1) {
            let file = part.split("}}").next().unwrap();
            let folder = root().join("docs").join(name.parent().unwrap());
            assert!(folder.join(file).is_file(), "{}: {file}", name.display());
        }
    }
}
