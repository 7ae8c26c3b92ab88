//! Code of the book is compiled, and files of the book are read.

use stiction_io::scene_file;

use crate::blocks::{Block, blocks};
use crate::pages::all_pages;
use crate::{page, root};

/// Every block of the book, with the page that it is on.
fn all_blocks() -> Vec<(String, Vec<Block>)> {
    let names = all_pages();
    let names = names.iter().map(|name| name.to_str().unwrap().to_owned());
    names
        .map(|name| (name.clone(), blocks(&page(&name))))
        .collect()
}

/// Programs of `examples/src/bin` are compiled as such; what is no program is compiled by `examples/src/lib.rs`.
#[test]
fn rust_is_compiled() {
    let compiled = std::fs::read_to_string(root().join("examples/src/lib.rs")).unwrap();
    let mut count = 0;
    for (name, blocks) in all_blocks() {
        for block in blocks.iter().filter(|block| block.is("rust")) {
            count += 1;
            match block.text.trim().strip_prefix("{{#include ") {
                Some(file) => assert!(
                    file.contains("examples/src/bin/") && block.is("ignore"),
                    "{name}: {file} is no example"
                ),
                None => assert!(
                    compiled.contains(&format!("docs/{name}\"")) && !block.is("ignore"),
                    "{name}: examples/src/lib.rs does not compile it"
                ),
            }
        }
    }
    assert!(count >= 4);
}

/// A whole file stands as `toml`, or as `toml,file=NAME` where commands use it; an excerpt as `toml,part-of=FILE`; an addition
/// to the file before it on the page as `toml,part`.
#[test]
fn scene_files_are_read() {
    for (name, blocks) in all_blocks() {
        let mut whole = "seconds = 1\n".to_owned();
        for block in blocks.iter().filter(|block| block.is("toml")) {
            assert!(!block.is("ignore"), "{name}: a file that is not read");
            if let Some(file) = block.value("part-of") {
                let file = std::fs::read_to_string(root().join(file)).unwrap();
                assert!(
                    file.contains(&block.text),
                    "{name}: no excerpt:\n{}",
                    block.text
                );
                continue;
            }
            let text = match block.is("part") {
                true => format!("{whole}{}", block.text),
                false => block.text.clone(),
            };
            scene_file::parse(&text, &name).unwrap_or_else(|error| panic!("{error}\n{text}"));
            if !block.is("part") {
                whole = text;
            }
        }
    }
}
