//! Any bytes into the readers of URDF and MJCF.

use stiction_io::scene_file::{SceneFile, parse as parse_scene, to_toml};
use stiction_io::{IoError, ModelOptions, mjcf, urdf};
use stiction_scenes::{Options, from_scene_file};

/// Most degrees of freedom and shapes of a robot that is simulated: more show nothing new.
const MOST_DOFS: usize = 60;
const MOST_SHAPES: usize = 40;

/// Reads bytes as URDF; see [`read_mjcf`].
pub fn read_urdf(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        check(urdf::parse(text, "fuzzed", &ModelOptions::default()));
    }
}

/// Reads bytes as MJCF. Whatever they are, the answer is a scene or an error that names the file; a
/// scene can be written as a scene file and read again, and becomes a world that steps, or is refused
/// with a reason.
pub fn read_mjcf(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        check(mjcf::parse(text, "fuzzed", &ModelOptions::default()));
    }
}

fn check(file: Result<SceneFile, IoError>) {
    let file = match file {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
        Ok(file) => file,
    };
    let scene = &file.scene;
    // Numbers that a scene file would refuse for their size are no defect of the reader.
    if let Ok(again) = parse_scene(&to_toml(scene), "written") {
        assert_eq!(again.scene.robots.len(), scene.robots.len());
        assert_eq!(again.scene.bodies.len(), scene.bodies.len());
    }
    let joints = scene.robots.iter().flat_map(|robot| &robot.joints);
    let dofs: usize = joints.map(|joint| joint.kind.nv()).sum();
    let links = scene.robots.iter().flat_map(|robot| &robot.links);
    let shapes: usize = links.map(|link| link.shapes.len()).sum::<usize>()
        + scene
            .bodies
            .iter()
            .map(|body| body.shapes.len())
            .sum::<usize>();
    if dofs > MOST_DOFS || shapes > MOST_SHAPES {
        return;
    }
    if let Ok(mut built) = from_scene_file(&file, &Options::default()) {
        for _ in 0..2 {
            let _ = built.world.step();
        }
    }
}
