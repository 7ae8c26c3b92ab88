//! What the elements of URDF files become.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction_dynamics::{JointKind, Symmetric3};
use stiction_io::scene_file::{
    MassDescription, MeshSource, PointSource, RobotDescription, SceneFile, ShapeKind,
};
use stiction_io::{Base, MeshUse, ModelOptions, urdf};

fn read_with(text: &str, options: &ModelOptions) -> SceneFile {
    urdf::parse(text, "r.urdf", options).unwrap_or_else(|error| panic!("{error}"))
}

fn read(text: &str) -> SceneFile {
    read_with(text, &ModelOptions::default())
}

fn robot(text: &str) -> RobotDescription {
    read(text).scene.robots.remove(0)
}

const MASS: &str = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";

/// Two links and a joint between them.
fn jointed(kind: &str, inside: &str) -> String {
    format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">{MASS}</link>
<joint name=\"j\" type=\"{kind}\"><parent link=\"a\"/><child link=\"b\"/>{inside}</joint></robot>"
    )
}

#[test]
fn every_type_of_joint_is_known() {
    let limit = "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>";
    let axis = Vector3::new(0.0, 2.0, 0.0);
    for (kind, expected) in [
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::Revolute { axis }),
        ("continuous", JointKind::Continuous { axis }),
        ("prismatic", JointKind::Prismatic { axis }),
        ("planar", JointKind::Planar { normal: axis }),
        ("floating", JointKind::Free),
        ("spherical", JointKind::Spherical),
    ] {
        let text = jointed(kind, &format!("<axis xyz=\"0 2 0\"/>{limit}"));
        let joint = robot(&text).joints.remove(1);
        assert_eq!(joint.kind, expected);
        let limited = matches!(kind, "revolute" | "prismatic");
        let range = [joint.properties.lower, joint.properties.upper];
        let infinite = [f64::NEG_INFINITY, f64::INFINITY];
        assert_eq!(
            range,
            if limited { [-1.0, 2.0] } else { infinite },
            "{kind}"
        );
        let driven = !matches!(kind, "fixed" | "planar" | "floating");
        let effort = joint.properties.effort_limit;
        assert_eq!(effort, if driven { 3.0 } else { f64::INFINITY }, "{kind}");
        // What the limits of joints with mixed units would mean is not known, and said.
        let ignored = read(&text).ignored;
        let said = ignored
            .iter()
            .any(|ignored| ignored.what.starts_with("<limit> of a"));
        assert_eq!(said, matches!(kind, "planar" | "floating"), "{kind}");
    }
}

#[test]
fn joints_have_the_defaults_of_the_format() {
    let joint = robot(&jointed("continuous", "")).joints.remove(1);
    assert_eq!(joint.kind, JointKind::Continuous { axis: Vector3::x() });
    assert_eq!(joint.pose, nalgebra::Isometry3::identity());
    assert_eq!(joint.properties, Default::default());
    // Zero means that nobody knows; one limit that is missing is zero.
    let text = jointed(
        "revolute",
        "<limit upper=\"2\" effort=\"0\" velocity=\"0\"/>",
    );
    let joint = robot(&text).joints.remove(1);
    assert_eq!([joint.properties.lower, joint.properties.upper], [0.0, 2.0]);
    assert_eq!(joint.properties.effort_limit, f64::INFINITY);
    assert_eq!(joint.properties.velocity_limit, f64::INFINITY);
    let text = jointed(
        "revolute",
        "<limit lower=\"-1\" upper=\"1\"/><dynamics friction=\"0.3\"/>",
    );
    let properties = robot(&text).joints.remove(1).properties;
    assert_eq!((properties.damping, properties.friction_loss), (0.0, 0.3));
}

#[test]
fn later_versions_of_the_format_are_read() {
    // Without limits in 1.2, a joint has none.
    let text = jointed("revolute", "").replace("<robot", "<robot version=\"1.2\"");
    let joint = robot(&text).joints.remove(1);
    assert_eq!(joint.properties.lower, f64::NEG_INFINITY);
    // Quaternions from 1.1 on, also where angles would be degenerate.
    let origin = "<origin xyz=\"1 2 3\" quat_xyzw=\"0 0.7065 0.001 0.7077\"/>";
    let text = jointed("fixed", origin).replace("<robot", "<robot version=\"1.1\"");
    let expected =
        UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(0.7077, 0.0, 0.7065, 0.001));
    let joint = robot(&text).joints.remove(1);
    assert!(joint.pose.rotation.angle_to(&expected) < 1e-12);
    // Before, they are left out, and that is said.
    let file = read(&jointed("fixed", origin));
    assert_eq!(file.ignored[0].what, "<origin quat_xyzw>");
}

#[test]
fn inertia_is_turned_into_the_axes_of_the_link() {
    let text = format!(
        "<robot name=\"r\"><link name=\"a\">{}</link></robot>",
        "<inertial><origin xyz=\"1 2 3\" rpy=\"0.3 -0.5 0.7\"/><mass value=\"4\"/>
<inertia ixx=\"3\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"4\" iyz=\"0.3\" izz=\"5\"/></inertial>"
    );
    let robot = robot(&text);
    let Some(MassDescription::Inertia(inertia)) = robot.links[0].mass else {
        panic!("{:?}", robot.links[0].mass);
    };
    assert_eq!(
        (inertia.mass, inertia.center),
        (4.0, Vector3::new(1.0, 2.0, 3.0))
    );
    // Rz(yaw) Ry(pitch) Rx(roll), written out.
    let (x, y, z) = (Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis());
    let turn = nalgebra::Rotation3::from_axis_angle;
    let r = (turn(&z, 0.7) * turn(&y, -0.5) * turn(&x, 0.3)).into_inner();
    let own = Matrix3::new(3.0, 0.1, 0.2, 0.1, 4.0, 0.3, 0.2, 0.3, 5.0);
    let expected = Symmetric3::from_matrix(&(r * own * r.transpose()));
    let gap = inertia.about_center.to_matrix() - expected.to_matrix();
    assert!(gap.norm() < 1e-14, "{gap}");
}

#[test]
fn the_root_is_fixed_or_free() {
    let text = format!(
        "<robot name=\"r\"><link name=\"a\">{MASS}</link><link name=\"b\">{MASS}</link>
<joint name=\"root_joint\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>"
    );
    for (base, expected) in [
        (Base::Fixed, JointKind::Fixed),
        (Base::Free, JointKind::Free),
    ] {
        let options = ModelOptions {
            base,
            ..ModelOptions::default()
        };
        let root = read_with(&text, &options)
            .scene
            .robots
            .remove(0)
            .joints
            .remove(0);
        assert_eq!((root.kind, root.parent.as_str()), (expected, "world"));
        // Its name gives way to one of the file.
        assert_eq!(
            (root.name.as_str(), root.child.as_str()),
            ("root_joint-2", "a")
        );
    }
}

#[test]
fn a_root_called_world_is_the_world() {
    let text = jointed("continuous", "").replace("\"a\"", "\"world\"");
    let found = robot(&text);
    assert_eq!(found.links.len(), 1);
    assert_eq!(found.joints.len(), 1);
    assert_eq!(found.joints[0].parent, "world");
    // What it carries stays, on a link of another name.
    let shape = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    let text = text.replace(
        "<link name=\"world\"/>",
        &format!("<link name=\"world\">{MASS}{shape}</link>"),
    );
    let file = read(&text);
    let found = &file.scene.robots[0];
    assert_eq!(found.links[0].name, "world_link");
    assert_eq!(found.joints[0].kind, JointKind::Fixed);
    assert_eq!(found.joints[0].child, "world_link");
    assert_eq!(found.joints[1].parent, "world");
    assert_eq!(file.ignored[0].reason, "the world has no mass");
}

#[test]
fn massless_links_may_be_fixed_or_carry() {
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"cross\"/><link name=\"b\">{MASS}</link><link name=\"tip\"/>
<joint name=\"i\" type=\"continuous\"><parent link=\"a\"/><child link=\"cross\"/></joint>
<joint name=\"j\" type=\"continuous\"><axis xyz=\"0 1 0\"/><parent link=\"cross\"/><child link=\"b\"/></joint>
<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"tip\"/></joint></robot>"
    );
    assert_eq!(robot(&text).links.len(), 4);
}

#[test]
fn joints_follow_each_other() {
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">{MASS}</link><link name=\"c\">{MASS}</link>
<joint name=\"i\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>
<joint name=\"j\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>
<mimic joint=\"i\" multiplier=\"-2\" offset=\"0.5\"/></joint></robot>"
    );
    let couplings = robot(&text).couplings;
    assert_eq!(couplings.len(), 1);
    let terms = [("j".to_owned(), 0, 1.0), ("i".to_owned(), 0, 2.0)];
    assert_eq!(
        (couplings[0].terms.as_slice(), couplings[0].offset),
        (&terms[..], 0.5)
    );
    let plain = text.replace(" multiplier=\"-2\" offset=\"0.5\"", "");
    assert_eq!(robot(&plain).couplings[0].terms[1].2, -1.0);
}

#[test]
fn shapes_collide_or_are_drawn() {
    // Visuals around the inertia.
    let text = format!(
        "<robot name=\"r\"><material name=\"red\"><color rgba=\"1 0 0 1\"/></material><link name=\"a\">
<visual><geometry><sphere radius=\"1\"/></geometry><material name=\"red\"/></visual>
{MASS}
<collision name=\"round\"><origin xyz=\"0 0 1\" rpy=\"0 0 1\"/><geometry><capsule radius=\"1\" length=\"2\"/></geometry></collision>
<visual><geometry><box size=\"1 2 3\"/></geometry><material name=\"blue\"><color rgba=\"0 0 2 0.5\"/></material></visual>
<collision><geometry><cylinder radius=\"1\" length=\"2\"/></geometry></collision>
<visual><geometry><sphere radius=\"1\"/></geometry><material name=\"blue\"/></visual>
<visual><geometry><sphere radius=\"1\"/></geometry><material name=\"green\"/></visual>
</link></robot>"
    );
    let file = read(&text);
    let shapes = &file.scene.robots[0].links[0].shapes;
    let summary: Vec<(&str, &str, bool, Option<[f32; 4]>)> = shapes
        .iter()
        .map(|s| (s.name.as_str(), s.kind.word(), s.visual_only, s.color))
        .collect();
    let (red, blue) = (Some([1.0, 0.0, 0.0, 1.0]), Some([0.0, 0.0, 1.0, 0.5]));
    assert_eq!(
        summary,
        [
            ("round", "capsule", false, None),
            ("collision", "cylinder", false, None),
            ("visual", "sphere", true, red),
            ("visual-2", "box", true, blue),
            ("visual-3", "sphere", true, blue),
            ("visual-4", "sphere", true, None),
        ]
    );
    assert_eq!(shapes[0].pose.translation.vector, Vector3::z());
    assert!((shapes[0].pose.rotation.angle() - 1.0).abs() < 1e-15);
    let said: Vec<&str> = file.ignored.iter().map(|i| i.what.as_str()).collect();
    assert_eq!(
        said,
        ["<color rgba> beyond 0 to 1", "<material name=\"green\">"]
    );
    // Errors about a shape name its line.
    let error = file
        .error("robots[0].links[0].shapes[1]", "is odd", "change it")
        .to_string();
    assert_eq!(error, "r.urdf:6:1: collision: is odd; change it");
}

#[test]
fn what_is_left_out_is_listed_once_with_a_reason() {
    let text = jointed(
        "continuous",
        "<safety_controller k_velocity=\"1\"/><calibration rising=\"0\"/><limit effort=\"1\" velocity=\"1\" jerk=\"3\"/>",
    )
    .replace(
        "</robot>",
        "<gazebo/>\n<gazebo reference=\"a\"/><transmission name=\"t\"/><lamp/></robot>",
    );
    let lines: Vec<String> = read(&text)
        .ignored
        .iter()
        .map(ToString::to_string)
        .collect();
    let expected = [
        "r.urdf:2: <safety_controller>: limits of a controller",
        "r.urdf:2: <calibration>: is about encoders",
        "r.urdf:2: <limit jerk>: accelerations follow from forces",
        "r.urdf:2: <gazebo> (2 times): is for Gazebo alone",
        "r.urdf:3: <transmission>: is for ros_control",
        "r.urdf:3: <lamp>: is not known here",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}");
    }
}

#[test]
fn names_with_odd_characters_survive() {
    let text = jointed("continuous", "")
        .replace("name=\"r\"", "name=\"&lt;r&gt; &amp; &quot;s&quot;\"")
        .replace("\"b\"", "\"é &amp; ü\"");
    let text = format!("\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- & -->\n{text}");
    let found = robot(&text);
    assert_eq!(found.name, "<r> & \"s\"");
    assert_eq!(found.links[1].name, "é & ü");
}

/// A folder with a package in it that is removed afterwards.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stiction-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join("bot/urdf")).unwrap();
        std::fs::create_dir_all(path.join("bot/meshes")).unwrap();
        let tetrahedron =
            "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        std::fs::write(path.join("bot/meshes/t.obj"), tetrahedron).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing can be done about a folder that stays.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn meshes_are_found_and_become_what_is_asked_for() {
    let folder = Folder::new("urdf-features");
    let path = folder.0.join("bot/urdf/bot.urdf");
    let mesh = folder.0.join("bot/meshes/t.obj");
    for (name, packages) in [
        ("package://bot/meshes/t.obj".to_owned(), Vec::new()),
        (
            "package://elsewhere/bot/meshes/t.obj".to_owned(),
            Vec::new(),
        ),
        (
            "package://bot/meshes/t.obj".to_owned(),
            vec![folder.0.clone()],
        ),
        ("../meshes/t.obj".to_owned(), Vec::new()),
        (format!("file://{}", mesh.display()), Vec::new()),
        (mesh.display().to_string(), Vec::new()),
    ] {
        let form =
            format!("<geometry><mesh filename=\"{name}\" scale=\"0.1 0.1 -0.2\"/></geometry>");
        let text = format!(
            "<robot name=\"r\"><link name=\"a\"><visual>{form}</visual><collision>{form}</collision></link></robot>"
        );
        std::fs::write(&path, text).unwrap();
        for meshes in [
            MeshUse::Hull,
            MeshUse::Exact,
            MeshUse::SignedDistance { cells: 16 },
            MeshUse::Decomposition { parts: 2 },
        ] {
            let options = ModelOptions {
                meshes,
                packages: packages.clone(),
                ..ModelOptions::default()
            };
            let file = urdf::read(&path, &options).unwrap_or_else(|error| panic!("{error}"));
            let [collides, drawn] = &file.scene.robots[0].links[0].shapes[..] else {
                panic!("not two shapes");
            };
            assert!(matches!(drawn.kind, ShapeKind::Mesh { open: true, .. }));
            let source = match (&collides.kind, meshes) {
                (ShapeKind::Hull(PointSource::File(file)), MeshUse::Hull)
                | (
                    ShapeKind::Mesh {
                        open: false,
                        triangles: MeshSource::File(file),
                    },
                    MeshUse::Exact,
                )
                | (
                    ShapeKind::MeshDistance {
                        cells: 16,
                        triangles: MeshSource::File(file),
                    },
                    MeshUse::SignedDistance { .. },
                )
                | (
                    ShapeKind::MeshParts {
                        parts: 2,
                        triangles: MeshSource::File(file),
                    },
                    MeshUse::Decomposition { .. },
                ) => file,
                (kind, _) => panic!("{kind:?} for {meshes:?}"),
            };
            assert_eq!(source.scale, Vector3::new(0.1, 0.1, -0.2));
            let built = collides.kind.build("m", file.folder()).unwrap();
            let volume = built.volume_moments().unwrap().volume;
            let expected = 0.1 * 0.1 * 0.2 / 6.0;
            assert!(
                (volume / expected - 1.0).abs() < 1e-9,
                "{meshes:?}: {volume}"
            );
            drawn.kind.build("d", file.folder()).unwrap();
        }
    }
}

/// The report of what is not done or looks wrong.
fn report(file: &SceneFile) -> Vec<String> {
    file.ignored.iter().map(ToString::to_string).collect()
}

#[test]
fn a_joint_without_limits_that_should_have_them_moves_without() {
    for inside in ["", "<limit effort=\"3\" velocity=\"4\"/>"] {
        let file = read(&jointed("revolute", inside));
        let properties = &file.scene.robots[0].joints[0].properties;
        assert_eq!(properties.lower, f64::NEG_INFINITY);
        assert_eq!(properties.upper, f64::INFINITY);
        assert_eq!(
            report(&file),
            [
                "r.urdf:2: a joint that should have lower and upper limits: has none and moves without, as if it were continuous"
            ]
        );
    }
}

#[test]
fn a_fixed_joint_that_follows_another_stands_still() {
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">{MASS}</link><link name=\"c\"/>
<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>
<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/><mimic joint=\"j\"/></joint></robot>"
    );
    let file = read(&text);
    assert!(file.scene.robots[0].couplings.is_empty());
    assert_eq!(
        report(&file),
        ["r.urdf:3: <mimic> of a fixed joint: it does not move"]
    );
}

#[test]
fn a_picture_of_size_zero_is_left_out() {
    let text = "<robot name=\"r\"><link name=\"a\">
<visual><geometry><sphere radius=\"0.0\"/></geometry></visual></link></robot>";
    let file = read(text);
    assert!(file.scene.robots[0].links[0].shapes.is_empty());
    assert_eq!(
        report(&file),
        ["r.urdf:2: <visual> of size zero: shows nothing"]
    );
}

/// Files say such things of links that hardly matter; what they are fixed to makes up for it.
#[test]
fn odd_inertias_of_fixed_links_are_used_and_named() {
    let with = |inertial: &str| {
        let text = format!(
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">{MASS}</link>
<link name=\"c\"><inertial>{inertial}</inertial></link>
<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>
<joint name=\"k\" type=\"fixed\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>"
        );
        read(&text)
    };
    let moments = |xx: f64| {
        format!("<inertia ixx=\"{xx}\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/>")
    };
    for (inertial, what) in [
        (
            format!("<mass value=\"0\"/>{}", moments(0.1)),
            "rotational inertia without mass",
        ),
        (
            format!("<mass value=\"1\"/>{}", moments(-0.1)),
            "an inertia with a negative moment",
        ),
        (
            format!("<mass value=\"1\"/>{}", moments(0.3)),
            "an inertia that breaks the triangle inequality",
        ),
    ] {
        let file = with(&inertial);
        let expected = format!("r.urdf:2: {what}: of link \"c\" first, is used as it is given");
        assert_eq!(report(&file), [expected]);
        assert!(matches!(
            file.scene.robots[0].links[2].mass,
            Some(MassDescription::Inertia(_))
        ));
    }
}

/// A mass at a distance from its hinge has all the inertia that it needs.
#[test]
fn a_point_mass_away_from_its_hinge_moves() {
    let point = |x: f64| {
        format!(
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><inertial><origin xyz=\"{x} 0 0\"/><mass value=\"1\"/><inertia ixx=\"0\" ixy=\"0\" ixz=\"0\" iyy=\"0\" iyz=\"0\" izz=\"0\"/></inertial></link><joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 1\"/></joint></robot>"
        )
    };
    read(&point(0.1));
    let error = urdf::parse(&point(0.0), "r.urdf", &ModelOptions::default()).unwrap_err();
    assert!(error.to_string().contains("resists its joint"), "{error}");
}
