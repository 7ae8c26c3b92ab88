//! Any bytes into the reader of scene files.

use std::path::Path;

use stiction_io::scene_file::{ShapeDescription, parse, to_toml};

/// Most shapes that are built of one input: their meshes take time, and more show nothing new.
const MOST_BUILT: usize = 4;

/// Reads bytes as a scene file. Whatever they are, the answer is a scene or an error with its line;
/// a scene that was accepted reads the same after writing, and its shapes are made or refused.
pub fn read_scene_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let scene = match parse(text, "fuzzed") {
        Err(error) => {
            assert!(error.to_string().starts_with("fuzzed:"), "{error}");
            assert!(
                error
                    .position()
                    .is_some_and(|(line, column)| line > 0 && column > 0)
            );
            return;
        }
        Ok(file) => file.scene,
    };
    let written = to_toml(&scene);
    match parse(&written, "written") {
        Ok(again) => assert!(again.scene == scene, "differs after writing: {written}"),
        Err(error) => panic!("{error} in\n{written}"),
    }
    let links = scene.robots.iter().flat_map(|robot| &robot.links);
    let shapes = scene.bodies.iter().flat_map(|body| &body.shapes);
    let shapes = shapes.chain(links.flat_map(|link| &link.shapes));
    let without_files = |shape: &&ShapeDescription| !format!("{:?}", shape.kind).contains("File(");
    for shape in shapes.filter(without_files).take(MOST_BUILT) {
        if let Ok(built) = shape.kind.build(&shape.name, Path::new("")) {
            let _ = built.surface();
        }
    }
}
