//! `load` takes every kind of file, by its ending and its content, and says what is wrong with it.

use std::path::PathBuf;

use stiction_scenes::{Base, ModelOptions, Options, Scene, load};

/// A file in a folder of its own, removed at the end.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("stiction-load-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const TOML: &str = "name = \"plane\"\nseconds = 1.0\n[[bodies]]\nname = \"ground\"\nkind = \"fixed\"\n\
                    [[bodies.shapes]]\nname = \"plane\"\nkind = \"half-space\"\n";
const URDF: &str = r#"<robot name="cart"><link name="base"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>"#;
const MJCF: &str = r#"<mujoco model="ball"><visual><quality shadowsize="8"/></visual><worldbody>
    <body><freejoint/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>"#;

fn open(name: &str, text: &str, options: &Options) -> Result<Scene, String> {
    let file = File::new(name, text);
    load(&file.0, options).map_err(|error| error.to_string())
}

#[test]
fn every_kind_of_file_is_known_by_its_ending_or_its_content() {
    let options = Options::default();
    for (name, text, bodies) in [
        ("plane.toml", TOML, 1),
        ("cart.urdf", URDF, 1),
        ("cart.xml", URDF, 1),
        ("cart.model", URDF, 1),
        ("ball.mjcf", MJCF, 1),
        ("ball.xml", MJCF, 1),
        ("ball", MJCF, 1),
    ] {
        let mut scene =
            open(name, text, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(scene.world.body_names().count(), bodies, "{name}");
        // Of the MJCF file the lights and shadows are left out, and that is said.
        assert_eq!(scene.ignored.len(), usize::from(text == MJCF), "{name}");
        scene.world.step().unwrap();
    }
}

#[test]
fn the_root_of_a_robot_is_free_where_that_is_asked_for() {
    let free = Options {
        model: ModelOptions {
            base: Base::Free,
            ..ModelOptions::default()
        },
        ..Options::default()
    };
    for (options, dofs) in [(Options::default(), 0), (free, 6)] {
        let scene = open("base.urdf", URDF, &options).unwrap();
        let robot = scene.world.find_robot("cart").unwrap();
        assert_eq!(scene.world.model(robot).unwrap().nv(), dofs);
    }
}

#[test]
fn errors_name_the_file_and_the_reason() {
    let options = Options::default();
    for (name, text, words) in [
        ("broken.toml", "name = ", "broken.toml:1"),
        ("broken.urdf", "<robot>", "broken.urdf:1"),
        (
            "broken.xml",
            "<mujoco><worldbody><geom size=\"x\"/></worldbody></mujoco>",
            "geom",
        ),
        (
            "notes.txt",
            "a list of things",
            "notes.txt: is neither a scene file",
        ),
    ] {
        let error = open(name, text, &options).err().unwrap();
        assert!(error.contains(words) && error.contains(name), "{error}");
    }
    let missing = load("no/such/robot.urdf", &options)
        .err()
        .unwrap()
        .to_string();
    assert!(missing.starts_with("no/such/robot.urdf: "), "{missing}");
}
