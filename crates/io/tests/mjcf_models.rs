//! Models that others made: all of them must load, and every shape of theirs must be one.

#![expect(
    clippy::print_stdout,
    reason = "says what was skipped, and what models ask for in vain"
)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use stiction_io::{ModelOptions, mjcf};

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

fn xml_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            xml_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "xml") {
            found.push(path);
        }
    }
}

#[test]
fn every_model_loads_and_its_shapes_can_be_built() {
    let mut files = Vec::new();
    for folder in ["robots/mjcf", "scenes"] {
        xml_files(&shared().join(folder), &mut files);
    }
    if files.is_empty() {
        println!("skipped: no models beside the project");
    }
    files.sort();
    let mut built_already = HashSet::new();
    for path in files {
        let file = mjcf::read(&path, &ModelOptions::default());
        let file = file.unwrap_or_else(|error| panic!("{error}"));
        println!("{}", path.display());
        for ignored in &file.ignored {
            println!("  {ignored}");
        }
        let bodies = file.scene.bodies.iter().flat_map(|body| &body.shapes);
        let links = file.scene.robots.iter().flat_map(|robot| &robot.links);
        for shape in bodies.chain(links.flat_map(|link| &link.shapes)) {
            // The same mesh of the same folder is the same shape.
            if !built_already.insert(format!("{} {:?}", file.folder().display(), shape.kind)) {
                continue;
            }
            let built = shape.kind.build(&shape.name, file.folder());
            assert!(built.is_ok(), "{}: {built:?}", path.display());
        }
    }
}
