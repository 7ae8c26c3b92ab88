//! Scenes as URDF and MJCF.

#[path = "../common/mod.rs"]
mod common;
mod full_scene;

use std::path::Path;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use proptest::prelude::*;
use stiction_collision::{Groups, Material};
use stiction_dynamics::{DofProperties, JointKind, Symmetric3};
use stiction_io::mesh::MeshData;
use stiction_io::mjcf::to_mjcf;
use stiction_io::scene_file::*;
use stiction_io::urdf::{self, to_urdf};
use stiction_io::{Base, ModelOptions, Written};

use full_scene::full_scene;

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0)
}

fn same_pose(a: &Isometry3<f64>, b: &Isometry3<f64>) -> bool {
    let gap = a.inverse() * b;
    gap.translation.vector.norm() < 1e-12 && gap.rotation.angle() < 1e-12
}

/// Compares robots that went through a file.
fn assert_same(a: &RobotDescription, b: &RobotDescription) {
    assert_eq!(a.name, b.name);
    assert!(same_pose(&a.base, &b.base));
    assert_eq!(a.links.len(), b.links.len());
    for (a, b) in a.links.iter().zip(&b.links) {
        assert_eq!(a.name, b.name);
        match (&a.mass, &b.mass) {
            (Some(MassDescription::Inertia(a)), Some(MassDescription::Inertia(b))) => {
                assert!(close(a.mass, b.mass));
                assert!((a.center - b.center).norm() < 1e-12);
                let gap = a.about_center.to_matrix() - b.about_center.to_matrix();
                assert!(gap.norm() < 1e-12);
            }
            (a, b) => assert_eq!(a, b),
        }
        assert_eq!(a.shapes.len(), b.shapes.len());
        for (a, b) in a.shapes.iter().zip(&b.shapes) {
            assert!(same_pose(&a.pose, &b.pose));
            let a = ShapeDescription {
                pose: b.pose,
                ..a.clone()
            };
            assert_eq!(a, *b);
        }
    }
    assert_eq!(a.joints.len(), b.joints.len());
    for (a, b) in a.joints.iter().zip(&b.joints) {
        assert!(
            same_pose(&a.pose, &b.pose),
            "{}: {} {}",
            a.name,
            a.pose,
            b.pose
        );
        let a = RobotJointDescription {
            pose: b.pose,
            ..a.clone()
        };
        assert_eq!(a, *b);
    }
    assert_eq!(a.couplings, b.couplings);
}

const MASS: &str = "<inertial><origin xyz=\"0.1 0 -0.2\" rpy=\"0.3 0.2 0.1\"/><mass value=\"1.3\"/><inertia ixx=\"0.2\" ixy=\"0.01\" ixz=\"0.02\" iyy=\"0.3\" iyz=\"-0.01\" izz=\"0.25\"/></inertial>";

/// Robots that use everything.
fn robots() -> Vec<String> {
    let limit = "<limit lower=\"-1.1\" upper=\"2.3\" effort=\"30\" velocity=\"4\"/>";
    let joint = |name: &str, kind: &str, parent: &str, child: &str, inside: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{inside}</joint>"
        )
    };
    // Pitches that are vertical, and almost.
    let vertical = "<origin xyz=\"1 2 3\" rpy=\"0.4 1.5707963267948966 -0.7\"/>";
    let almost = "<origin xyz=\"0 0 -1e-7\" rpy=\"0.4 -1.5707963 2.5\"/>";
    let all = format!(
        "<robot name=\"a &lt;b&gt; &amp; &quot;c&quot;\"><link name=\"base\">{MASS}
<collision name=\"foot\"><origin xyz=\"0 0 1\" rpy=\"1 2 3\"/><geometry><box size=\"0.1 0.2 0.3\"/></geometry></collision>
<collision><geometry><sphere radius=\"0.1\"/></geometry></collision>
<visual><geometry><cylinder radius=\"0.1\" length=\"0.3\"/></geometry><material name=\"m\"><color rgba=\"0.1 0.2 0.3 1\"/></material></visual>
<visual><geometry><capsule radius=\"0.1\" length=\"0.3\"/></geometry></visual></link>
<link name=\"l1\">{MASS}</link><link name=\"l2\">{MASS}</link><link name=\"l3\">{MASS}</link><link name=\"l4\">{MASS}</link>
<link name=\"l5\">{MASS}</link><link name=\"l6\">{MASS}</link><link name=\"tip\"/>{}{}{}{}{}{}{}</robot>",
        joint("j1", "revolute", "base", "l1", &format!("{vertical}{limit}<axis xyz=\"0 0.6 0.8\"/><dynamics damping=\"0.1\" friction=\"0.2\"/>")),
        joint("j2", "continuous", "l1", "l2", &format!("{almost}<axis xyz=\"1 1 1\"/><mimic joint=\"j1\" multiplier=\"-0.3\" offset=\"0.7\"/>")),
        joint("j3", "prismatic", "l2", "l3", &format!("{limit}<axis xyz=\"0 0 -1\"/>")),
        joint("j4", "planar", "l3", "l4", "<axis xyz=\"0 1 0\"/>"),
        joint("j5", "floating", "l4", "l5", ""),
        joint("j6", "spherical", "l5", "l6", "<dynamics damping=\"0.5\"/>"),
        joint("j7", "fixed", "l6", "tip", "<origin xyz=\"0.1 0.2 0.3\"/>"),
    );
    let on_world = format!(
        "<robot name=\"r\"><link name=\"world\"><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>
<link name=\"a\">{MASS}</link><link name=\"b\">{MASS}</link>{}{}</robot>",
        joint("i", "continuous", "world", "a", "<origin xyz=\"1 0 0\"/>"),
        joint("j", "prismatic", "world", "b", limit),
    );
    vec![all, on_world]
}

#[test]
fn a_robot_written_as_urdf_reads_the_same() {
    for (index, text) in robots().iter().enumerate() {
        for base in [Base::Fixed, Base::Free] {
            if index == 1 && base == Base::Free {
                continue;
            }
            let options = ModelOptions {
                base,
                ..ModelOptions::default()
            };
            let first = urdf::parse(text, "r.urdf", &options).unwrap().scene;
            let written = to_urdf(&first, Path::new("")).unwrap();
            let again = urdf::parse(&written.text, "r.urdf", &options);
            let again = again
                .unwrap_or_else(|error| panic!("{error}\n{}", written.text))
                .scene;
            assert_same(&first.robots[0], &again.robots[0]);
            let free = written
                .left_out
                .iter()
                .any(|left| left.what == "the free base");
            assert_eq!(free, base == Base::Free);
        }
    }
}

#[test]
fn joints_that_urdf_lacks_are_split_without_loss() {
    let (axis, second_axis) = (Vector3::new(0.0, 0.6, 0.8), Vector3::x());
    let kinds = [
        JointKind::Helical { axis, pitch: 0.3 },
        JointKind::Cylindrical { axis },
        JointKind::Universal {
            first_axis: axis,
            second_axis,
        },
    ];
    let mut robot = chain(&kinds);
    robot.base = Isometry3::translation(0.0, 0.0, 2.0);
    robot.frames.push(RobotFrameDescription {
        name: "tip".to_owned(),
        link: "link2".to_owned(),
        pose: Isometry3::translation(0.1, 0.0, 0.0),
    });
    let mut scene = SceneDescription::new("s", 1.0);
    scene.robots.push(robot);
    let written = to_urdf(&scene, Path::new("")).unwrap();
    let options = ModelOptions::default();
    let again = urdf::parse(&written.text, "r.urdf", &options);
    let again = again
        .unwrap_or_else(|error| panic!("{error}\n{}", written.text))
        .scene;
    let found = &again.robots[0];
    let words: Vec<&str> = found
        .joints
        .iter()
        .map(|joint| joint.name.as_str())
        .collect();
    assert_eq!(
        words,
        [
            "joint0 turn",
            "joint0 slide",
            "joint1 slide",
            "joint1 turn",
            "joint2 first",
            "joint2 second",
            "tip"
        ]
    );
    assert_eq!(
        found.couplings[0].terms[1],
        ("joint0 turn".to_owned(), 0, -0.3)
    );
    assert!(same_pose(
        &found.joints[0].pose,
        &(scene.robots[0].base * scene.robots[0].joints[0].pose)
    ));
}

fn inertia() -> MassDescription {
    MassDescription::Inertia(InertiaDescription {
        mass: 1.5,
        center: Vector3::new(0.1, 0.0, -0.1),
        about_center: Symmetric3::diagonal(0.1, 0.2, 0.25),
    })
}

/// A robot of one link after another.
fn chain(kinds: &[JointKind]) -> RobotDescription {
    let mut robot = RobotDescription {
        name: "arm".to_owned(),
        skip_overlaps: false,
        base: Isometry3::identity(),
        links: Vec::new(),
        joints: Vec::new(),
        frames: Vec::new(),
        couplings: Vec::new(),
    };
    for (index, kind) in kinds.iter().enumerate() {
        robot.links.push(LinkDescription {
            name: format!("link{index}"),
            mass: Some(inertia()),
            gravity_compensation: 0.0,
            shapes: Vec::new(),
        });
        robot.joints.push(RobotJointDescription {
            name: format!("joint{index}"),
            kind: kind.clone(),
            parent: match index {
                0 => "world".to_owned(),
                _ => format!("link{}", index - 1),
            },
            child: format!("link{index}"),
            pose: Isometry3::translation(0.0, 0.1, 0.2),
            properties: DofProperties::default(),
            initial: Vec::new(),
            initial_velocity: Vec::new(),
        });
    }
    robot
}

/// The elements with a tag.
fn elements<'a>(document: &'a roxmltree::Document<'a>, tag: &str) -> Vec<roxmltree::Node<'a, 'a>> {
    document
        .descendants()
        .filter(|node| node.has_tag_name(tag))
        .collect()
}

fn shape(name: &str, kind: ShapeKind) -> ShapeDescription {
    ShapeDescription {
        name: name.to_owned(),
        kind,
        pose: Isometry3::identity(),
        material: None,
        groups: Groups::default(),
        visual_only: false,
        color: None,
    }
}

#[test]
fn a_scene_is_written_as_mjcf_with_everything_in_it() {
    let scene = full_scene();
    let Written { text, left_out, .. } = to_mjcf(&scene, Path::new("")).unwrap();
    // For trying the file in MuJoCo.
    if let Some(folder) = std::env::var_os("STICTION_WRITE_MJCF") {
        std::fs::write(Path::new(&folder).join("full.xml"), &text).unwrap();
    }
    let document =
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for (tag, count) in [
        ("body", 13),
        ("freejoint", 1),
        ("inertial", 11),
        ("connect", 3),
        ("weld", 1),
        ("spatial", 3),
        ("fixed", 2),
        ("pulley", 2),
        ("general", 4),
        ("exclude", 3),
        ("pair", 1),
        ("key", 2),
        ("hfield", 1),
    ] {
        assert_eq!(elements(&document, tag).len(), count, "{tag}\n{text}");
    }
    let joint = elements(&document, "joint");
    let joint1 = joint
        .iter()
        .find(|node| node.attribute("name") == Some("joint1"))
        .unwrap();
    for (name, value) in [
        ("type", "hinge"),
        ("range", "-1 1000000000"),
        ("actuatorfrcrange", "-20 20"),
        ("damping", "0.2"),
        ("frictionloss", "0.1"),
        ("armature", "0.3"),
        ("stiffness", "4"),
        ("springref", "0.5"),
    ] {
        assert_eq!(joint1.attribute(name), Some(value), "{name}");
    }
    // 7 of the ball, 1 + 1 + 2 + 2 + 2 + 3 + 4 + 7 + 1 of the robot.
    let keys = elements(&document, "key");
    for key in &keys {
        assert_eq!(key.attribute("qpos").unwrap().split(' ').count(), 30);
        assert_eq!(key.attribute("ctrl").unwrap().split(' ').count(), 4);
    }
    assert_eq!(keys[0].attribute("name"), Some("start"));
    assert_eq!(keys[0].attribute("ctrl"), Some("0.5 0.5 0.5 0.2"));
    assert!(
        keys[1]
            .attribute("qpos")
            .unwrap()
            .starts_with("5 6 7 1 0 0 0")
    );
    assert_eq!(keys[1].attribute("ctrl"), Some("0.5 -0.5 0.5 0.2"));
    let said: Vec<String> = left_out.iter().map(ToString::to_string).collect();
    for expected in [
        "rolling and no-side-slip joints",
        "controls that change with time",
        "speed limits of joints",
        "how friction combines",
        "shapes of kind mesh",
    ] {
        assert!(
            said.iter().any(|line| line.starts_with(expected)),
            "{expected}: {said:#?}"
        );
    }
}

#[test]
fn masses_from_shapes_are_written_as_numbers() {
    let mut scene = SceneDescription::new("s", 1.0);
    let mut robot = chain(&[JointKind::Spherical]);
    robot.links[0].mass = Some(MassDescription::Density(1000.0));
    robot.links[0].shapes = vec![ShapeDescription {
        pose: Isometry3::translation(0.0, 0.0, 0.5),
        ..shape(
            "box",
            ShapeKind::Box {
                size: Vector3::new(0.1, 0.2, 0.3),
            },
        )
    }];
    scene.robots.push(robot);
    let written = to_mjcf(&scene, Path::new("")).unwrap();
    let document = roxmltree::Document::parse(&written.text).unwrap();
    let inertial = elements(&document, "inertial")[0];
    let numbers = |name: &str| -> Vec<f64> {
        let words = inertial.attribute(name).unwrap().split(' ');
        words.map(|word| word.parse().unwrap()).collect()
    };
    let near = |found: &[f64], expected: &[f64]| {
        assert_eq!(found.len(), expected.len());
        found
            .iter()
            .zip(expected)
            .for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{a} {b}"));
    };
    near(&numbers("mass"), &[6.0]);
    near(&numbers("pos"), &[0.0, 0.0, 0.5]);
    near(
        &numbers("fullinertia"),
        &[0.065, 0.05, 0.025, 0.0, 0.0, 0.0],
    );
    let text = to_urdf(&scene, Path::new("")).unwrap().text;
    assert!(text.contains("<mass value=\"6"), "{text}");
}

#[test]
fn shapes_that_urdf_lacks_become_meshes_in_files() {
    let mut scene = full_scene();
    let written = to_urdf(&scene, Path::new("")).unwrap();
    assert!(written.files.is_empty());
    let said: Vec<String> = written.left_out.iter().map(ToString::to_string).collect();
    assert!(
        said.iter().any(|line| line.starts_with("bodies (3 times)")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|line| line.starts_with("sensors (14 times)")),
        "{said:?}"
    );
    // Without a robot, the first free body is one.
    scene.robots.clear();
    let written = to_urdf(&scene, Path::new("")).unwrap();
    let names: Vec<&str> = written.files.iter().map(|file| file.0.as_str()).collect();
    assert_eq!(
        names,
        [
            "meshes/ball-solid.obj",
            "meshes/ball-parts.obj",
            "meshes/ball-cone.obj",
            "meshes/ball-egg.obj"
        ]
    );
    let mesh = stiction_io::mesh::parse_obj(written.files[0].1.as_bytes(), "m").unwrap();
    assert_eq!((mesh.vertices.len(), mesh.faces.len()), (4, 4));
    scene.bodies.clear();
    let error = to_urdf(&scene, Path::new("")).unwrap_err().to_string();
    assert!(error.contains("has neither a robot nor a body"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random scenes name mesh files that are not there, so that only some can be written.
    #[test]
    fn what_is_written_is_xml(seed in any::<u64>()) {
        let scene = common::random_scene(seed);
        for written in [to_urdf(&scene, Path::new("")), to_mjcf(&scene, Path::new(""))] {
            match written {
                Ok(written) => {
                    let parsed = roxmltree::Document::parse(&written.text);
                    prop_assert!(parsed.is_ok(), "{:?}\n{}", parsed.err(), written.text);
                }
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
