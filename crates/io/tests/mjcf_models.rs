//! Models load, and every shape of theirs can be built: those of our tests and scenes, and those that others
//! made where they are beside the project.

use std::collections::HashSet;
use std::path::Path;

use stiction_io::{ModelOptions, mjcf};
use stiction_test_support::{data, outside};

/// Loads every model of a folder.
fn every_model_loads_and_its_shapes_can_be_built(folder: &Path) {
    let mut built_already = HashSet::new();
    for path in data::files(folder, "xml") {
        let file = mjcf::read(&path, &ModelOptions::default());
        let file = file.unwrap_or_else(|error| panic!("{error}"));
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

#[test]
fn own_models() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    every_model_loads_and_its_shapes_can_be_built(&here.join("tests/data/mjcf"));
    every_model_loads_and_its_shapes_can_be_built(&here.join("../scenes/assets/robots"));
}

#[test]
fn models_of_others() {
    if let Some(folder) = outside::shared("robots/mjcf") {
        every_model_loads_and_its_shapes_can_be_built(&folder);
    }
}

#[test]
fn scenes_of_others() {
    if let Some(folder) = outside::shared("scenes") {
        every_model_loads_and_its_shapes_can_be_built(&folder);
    }
}
