//! What becomes of the parts of an MJCF file.

use nalgebra::{UnitQuaternion, Vector3};
use stiction_collision::{CombineRule, Friction};
use stiction_dynamics::{Integrator, JointKind};
use stiction_io::scene_file::{
    BodyDescription, BodyKind, FrameQuantity, MassDescription, MeshSource, PointSource, SceneFile,
    SensorKind, ShapeKind,
};
use stiction_io::{MeshUse, ModelOptions, mjcf};

fn read(text: &str) -> SceneFile {
    read_with(text, &ModelOptions::default())
}

fn read_with(text: &str, options: &ModelOptions) -> SceneFile {
    mjcf::parse(text, "m.xml", options).unwrap_or_else(|error| panic!("{error}"))
}

fn world(inside: &str) -> SceneFile {
    read(&format!("<mujoco><worldbody>{inside}</worldbody></mujoco>"))
}

fn body<'a>(file: &'a SceneFile, name: &str) -> &'a BodyDescription {
    let found = file.scene.bodies.iter().find(|body| body.name == name);
    found.unwrap_or_else(|| panic!("no body {name}"))
}

fn report(file: &SceneFile) -> Vec<String> {
    let line = |ignored: &stiction_io::scene_file::Ignored| {
        format!("{} x{}: {}", ignored.what, ignored.count, ignored.reason)
    };
    file.ignored.iter().map(line).collect()
}

#[test]
fn bodies_become_what_they_can_do() {
    let file = read(
        r#"<mujoco model="m"><worldbody>
        <geom name="floor" type="plane" size="1 1 1"/>
        <body name="table" pos="1 0 0"><geom name="top" type="box" size="1 1 0.1"/>
          <body name="leg" pos="0 0 -1"/>
          <body name="arm" pos="0 0 0.5"><joint name="shoulder"/><geom size="0.1"/>
            <body name="tool" pos="0.1 0 0"><geom size="0.05"/></body>
          </body>
        </body>
        <body name="cube" pos="0 0 1" gravcomp="0.5"><freejoint/><geom name="core" type="box" size="1 1 1"/>
          <body name="knob" pos="0 0 1" gravcomp="0.5"><geom name="ball" size="0.1" pos="0.2 0 0"/></body>
        </body>
        <body name="hand" mocap="true" pos="0 1 0"><geom size="0.1"/><body name="finger"><geom size="0.01"/></body></body>
        <body><joint name="x"/><geom size="0.1"/></body>
        </worldbody></mujoco>"#,
    );
    let names: Vec<&str> = file.scene.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["world", "table", "leg", "cube", "hand"]);
    assert_eq!(
        body(&file, "leg").pose.translation.vector,
        Vector3::new(1.0, 0.0, -1.0)
    );
    assert_eq!(body(&file, "hand").kind, BodyKind::Driven);
    assert_eq!(body(&file, "hand").shapes.len(), 2);
    let cube = body(&file, "cube");
    assert_eq!(cube.gravity_compensation, 0.5);
    assert_eq!(
        cube.shapes[1].pose.translation.vector,
        Vector3::new(0.2, 0.0, 1.0)
    );
    let BodyKind::Free(MassDescription::Inertia(inertia)) = cube.kind else {
        panic!("{:?}", cube.kind);
    };
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((inertia.mass - (8000.0 + ball)).abs() < 1e-9);
    assert!((inertia.center.z - ball / inertia.mass).abs() < 1e-12);

    let robot = &file.scene.robots[0];
    assert_eq!(robot.name, "m");
    let links: Vec<&str> = robot.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(links, ["arm", "tool", "body-9"]);
    assert_eq!(robot.joints[0].parent, "world");
    assert_eq!(
        robot.joints[0].pose.translation.vector,
        Vector3::new(1.0, 0.0, 0.5)
    );
    assert_eq!(robot.joints[1].kind, JointKind::Fixed);
    assert_eq!(robot.joints[1].parent, "arm");
    assert!(report(&file).is_empty(), "{:?}", report(&file));
}

#[test]
fn a_body_with_parts_that_weigh_differently_stays_in_the_robot() {
    let file = world(
        r#"<body name="b"><freejoint name="f"/><geom size="0.1"/>
        <body name="balloon" gravcomp="2"><geom size="0.1"/></body></body>"#,
    );
    assert!(file.scene.bodies.is_empty());
    let robot = &file.scene.robots[0];
    assert_eq!(
        (robot.name.as_str(), &robot.joints[0].kind),
        ("m", &JointKind::Free)
    );
    assert_eq!(robot.links[1].gravity_compensation, 2.0);
}

#[test]
fn joints_about_other_points_and_several_of_them() {
    let file = world(
        r#"<body name="base"><joint name="z" type="slide" axis="0 0 1"/><geom size="0.1"/>
        <body name="b" pos="1 0 0"><joint name="one" axis="0 0 1" ref="90"/>
        <joint name="two" axis="0 1 0" pos="0 0 0.5"/><geom size="0.1"/></body></body>"#,
    );
    let robot = &file.scene.robots[0];
    let joint = |name: &str| {
        robot
            .joints
            .iter()
            .find(|joint| joint.name == name)
            .unwrap()
    };
    assert_eq!(
        (joint("one").parent.as_str(), joint("one").child.as_str()),
        ("base", "b:one")
    );
    // 90° back at coordinate zero, and there at the start.
    let back = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -std::f64::consts::FRAC_PI_2);
    assert!(joint("one").pose.rotation.angle_to(&back) < 1e-12);
    assert_eq!(joint("one").initial, [std::f64::consts::FRAC_PI_2]);
    assert_eq!(
        (joint("two").parent.as_str(), joint("two").child.as_str()),
        ("b:one", "b:two")
    );
    assert_eq!(
        joint("two").pose.translation.vector,
        Vector3::new(0.0, 0.0, 0.5)
    );
    assert_eq!(
        (
            joint("b:fixed").parent.as_str(),
            joint("b:fixed").child.as_str()
        ),
        ("b:two", "b")
    );
    assert_eq!(
        joint("b:fixed").pose.translation.vector,
        Vector3::new(0.0, 0.0, -0.5)
    );
    // Two joints are between the neighbours.
    assert_eq!(
        file.scene.exclude,
        [["m/base".to_owned(), "m/b".to_owned()]]
    );
}

#[test]
fn surfaces() {
    let file = world(
        r#"<geom name="a" size="1" friction="0.3 1 1" contype="2" conaffinity="5"/>
        <geom name="b" size="1" condim="1"/><geom name="c" size="1" friction="0.3"/>
        <geom name="d" size="1" contype="0" conaffinity="0" rgba="1 0 0 0.5" solref="1 1"/>
        <geom name="e" size="1" condim="6" solref="0.1 1" margin="0.01" gap="0"/>"#,
    );
    let shapes = &body(&file, "world").shapes;
    let groups = shapes[0].groups;
    assert_eq!(
        (groups.member_of, groups.collides_with, groups.either),
        (2, 5, true)
    );
    let friction = |i: usize| {
        let material = &file.scene.materials[shapes[i].material.as_ref().unwrap()];
        assert_eq!(material.friction_rule, CombineRule::Max);
        (material.friction, material.frictionless)
    };
    assert_eq!(friction(0), (Friction::Isotropic(0.3), false));
    // Its coefficient counts against what has friction.
    assert_eq!(friction(1), (Friction::Isotropic(1.0), true));
    assert_eq!(shapes[0].material, shapes[2].material);
    assert_eq!(
        (shapes[3].visual_only, shapes[3].color),
        (true, Some([1.0, 0.0, 0.0, 0.5]))
    );
    assert!(!shapes[0].visual_only);
    assert_eq!(
        report(&file),
        [
            "<geom condim=\"6\"> x1: nothing brakes spinning and rolling: a ball or wheel that rolls on a level floor \
             never stops, and a grasp by two points turns about the line between them",
            "<geom margin> x1: contact begins where surfaces touch",
            "<geom solref> x1: contacts, limits and joints are hard here, not springs",
        ]
    );
}

#[test]
fn pairs_and_excluded_bodies() {
    let file = read(
        r#"<mujoco model="m"><worldbody><geom name="floor" type="plane" size="1 1 1"/>
        <body name="a"><freejoint/><geom name="ball" size="1" contype="0" conaffinity="0"/></body>
        <body name="b"><joint/><geom name="rod" type="capsule" size="1 1"/></body></worldbody>
        <contact><pair geom1="floor" geom2="ball" friction="0.2 0.2 0.1"/>
        <pair geom1="rod" geom2="ball" condim="1"/><exclude body1="world" body2="b"/></contact></mujoco>"#,
    );
    let pairs = &file.scene.contact_pairs;
    assert_eq!(pairs[0].shapes, ["world/floor", "a/ball"]);
    assert_eq!(
        (pairs[0].friction, pairs[1].friction),
        (Some(0.2), Some(0.0))
    );
    assert_eq!(pairs[1].shapes[0], "m/b/rod");
    assert!(!body(&file, "a").shapes[0].visual_only);
    assert_eq!(file.scene.exclude, [["world".to_owned(), "m/b".to_owned()]]);
}

#[test]
fn options_and_switches() {
    let file = read(
        r#"<mujoco><option timestep="0.01" gravity="1 2 3" integrator="implicitfast" cone="elliptic" wind="0 0 0" density="1.2"/></mujoco>"#,
    );
    assert_eq!(file.scene.settings.time_step, Some(0.01));
    assert_eq!(
        file.scene.settings.gravity,
        Some(Vector3::new(1.0, 2.0, 3.0))
    );
    assert_eq!(
        report(&file),
        [
            "<option density> x1: there is no air or water here",
            "<option integrator> x1: free motion is by RK4 here, and contact and drives are implicit"
        ]
    );
    let file = read(r#"<mujoco><option integrator="RK4"/></mujoco>"#);
    assert_eq!(file.scene.settings.integrator, Some(Integrator::Rk4));
    assert!(report(&file).is_empty());
    let model = |flags: &str| {
        read(&format!(
            r#"<mujoco><option><flag {flags}/></option><worldbody><body name="b">
            <joint name="j" range="-1 1" frictionloss="1" damping="2" stiffness="3"/><geom size="1"/></body></worldbody>
            <equality><joint joint1="j"/></equality><actuator><motor joint="j"/></actuator></mujoco>"#
        ))
    };
    let on = model("gravity=\"enable\"");
    assert_eq!(
        on.scene.settings.gravity,
        Some(Vector3::new(0.0, 0.0, -9.81))
    );
    assert!(!on.scene.robots[0].links[0].shapes[0].visual_only);
    assert_eq!(
        (on.scene.actuators.len(), on.scene.robots[0].couplings.len()),
        (1, 1)
    );
    let off = model(
        "gravity=\"disable\" constraint=\"disable\" actuation=\"disable\" spring=\"disable\" damper=\"disable\"",
    );
    assert_eq!(off.scene.settings.gravity, Some(Vector3::zeros()));
    let robot = &off.scene.robots[0];
    assert!(robot.links[0].shapes[0].visual_only);
    let p = robot.joints[0].properties;
    assert_eq!([p.friction_loss, p.damping, p.stiffness], [0.0; 3]);
    assert_eq!(p.upper, f64::INFINITY);
    assert_eq!((off.scene.actuators.len(), robot.couplings.len()), (0, 0));
}

#[test]
fn limits_of_joints() {
    let file = world(
        r#"<body name="b"><joint name="a" range="-90 180" actuatorfrcrange="-3 3"/><joint name="c" type="slide" range="-90 180"/>
        <joint name="d" range="-1 1" limited="false" actuatorfrcrange="-1 2"/><joint name="e" type="ball" range="0 30"/><geom size="1"/></body>"#,
    );
    let joints = &file.scene.robots[0].joints;
    let limits = |i: usize| [joints[i].properties.lower, joints[i].properties.upper];
    let pi = std::f64::consts::PI;
    assert_eq!(limits(0), [-pi / 2.0, pi]);
    assert_eq!(joints[0].properties.effort_limit, 3.0);
    assert_eq!(limits(1), [-90.0, 180.0]);
    assert_eq!(limits(2), [f64::NEG_INFINITY, f64::INFINITY]);
    assert_eq!(joints[3].kind, JointKind::Spherical);
    assert_eq!(report(&file).len(), 2, "{:?}", report(&file));
}

#[test]
fn keyframes_in_the_conventions_of_the_scene() {
    let file = read(
        r#"<mujoco model="m"><worldbody>
        <body name="box" pos="0 0 1"><freejoint/><inertial pos="0 0 2" mass="1" diaginertia="1 1 1"/></body>
        <body name="torso"><freejoint name="root"/><geom size="0.1"/>
          <body name="arm"><joint name="elbow" ref="90"/><geom size="0.1"/></body>
          <body name="head"><joint name="neck" type="ball"/><geom size="0.1"/></body></body>
        <body name="hand" mocap="true"/></worldbody>
        <actuator><motor name="u" joint="elbow"/><muscle joint="elbow"/><motor name="w" joint="elbow"/></actuator>
        <keyframe>
          <key name="home" qpos="1 2 3 0.6 0 0 0.8  4 5 6 0 1 0 0  0.7  1 1 0 0" qvel="1 0 0 0 0 3  0 0 2 0.1 0.2 0.3  0.4  7 8 9" ctrl="5 6 7" mpos="9 9 9"/>
          <key ctrl="0 0 1"/>
          <key name="moving" qvel="0 0 0 0 0 0  0 0 0 0 0 0  1  0 0 0"/>
        </keyframe></mujoco>"#,
    );
    let [home, second, moving] = &file.scene.keyframes[..] else {
        panic!("{:?}", file.scene.keyframes);
    };
    let [bo, hand] = &home.bodies[..] else {
        panic!("{:?}", home.bodies);
    };
    assert_eq!(bo.body, "box");
    assert_eq!(bo.pose.translation.vector, Vector3::new(1.0, 2.0, 3.0));
    assert!((bo.pose.rotation.k - 0.8).abs() < 1e-12 && (bo.pose.rotation.w - 0.6).abs() < 1e-12);
    // The centre of mass is on the axis of the spin.
    assert!((bo.velocity - Vector3::x()).norm() < 1e-12);
    assert!((bo.angular_velocity - Vector3::new(0.0, 0.0, 3.0)).norm() < 1e-12);
    assert_eq!(hand.pose.translation.vector, Vector3::repeat(9.0));
    let [root, elbow, neck] = &home.joints[..] else {
        panic!("{:?}", home.joints);
    };
    assert_eq!(root.position, [4.0, 5.0, 6.0, 1.0, 0.0, 0.0, 0.0]);
    // Upside down, the world's up is the body's down.
    let expected = [0.0, 0.0, -2.0, 0.1, 0.2, 0.3];
    assert!(
        root.velocity
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-12)
    );
    assert_eq!((elbow.position[0], elbow.velocity[0]), (0.7, 0.4));
    let half = 0.5f64.sqrt();
    assert!((neck.position[0] - half).abs() < 1e-12 && (neck.position[3] - half).abs() < 1e-12);
    assert_eq!(
        home.controls,
        [("u".to_owned(), 5.0), ("w".to_owned(), 7.0)]
    );
    assert_eq!((second.name.as_str(), second.joints.len()), ("key-1", 0));
    assert_eq!(moving.joints[1].position, [std::f64::consts::FRAC_PI_2]);
}

#[test]
fn sensors() {
    let file = read(
        r#"<mujoco model="m"><worldbody>
        <body name="b"><joint name="j"/><inertial pos="0 0 2" mass="1" diaginertia="1 1 1"/><site name="s" pos="1 0 0"/></body></worldbody>
        <actuator><motor name="u" joint="j"/></actuator>
        <sensor><jointpos name="q" joint="j" cutoff="2"/><jointvel joint="j"/><actuatorfrc actuator="u"/>
        <gyro site="s" noise="0.1"/><framepos objtype="body" objname="b"/><framequat objtype="xbody" objname="b"/>
        <touch site="s"/><framepos objtype="site" objname="s" reftype="xbody" refname="b"/></sensor></mujoco>"#,
    );
    let kinds: Vec<&SensorKind> = file.scene.sensors.iter().map(|s| &s.kind).collect();
    assert_eq!(file.scene.sensors[0].cutoff, Some(2.0));
    assert_eq!(kinds.len(), 6);
    assert_eq!(*kinds[2], SensorKind::ActuatorForce("u".to_owned()));
    let frame = |kind: &SensorKind| match kind {
        SensorKind::Frame {
            body,
            pose,
            quantity,
        } => (body.clone(), pose.translation.vector, *quantity),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        frame(kinds[3]),
        ("m/b".to_owned(), Vector3::x(), FrameQuantity::Gyro)
    );
    let center = Vector3::new(0.0, 0.0, 2.0);
    assert_eq!(
        frame(kinds[4]),
        ("m/b".to_owned(), center, FrameQuantity::Position)
    );
    assert_eq!(
        frame(kinds[5]),
        (
            "m/b".to_owned(),
            Vector3::zeros(),
            FrameQuantity::Orientation
        )
    );
    assert_eq!(
        report(&file),
        [
            "<gyro noise> x1: sensors are exact",
            "<framepos refname> x1: frames are measured in the world",
            "<touch> x1: is not measured here",
        ]
    );
    assert_eq!(file.scene.robots[0].frames[0].name, "s");
}

#[test]
fn meshes_and_height_fields() {
    let text = r#"<mujoco><asset>
        <mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/>
        <hfield name="h" nrow="2" ncol="3" elevation="1 2 3 4 5 6" size="1 2 0.5 0.1"/></asset>
        <worldbody><geom type="mesh" mesh="t"/><geom type="hfield" hfield="h"/>
        <geom type="mesh" mesh="t" contype="0" conaffinity="0"/></worldbody></mujoco>"#;
    let file = read(text);
    let shapes = &body(&file, "world").shapes;
    assert!(
        matches!(&shapes[0].kind, ShapeKind::Hull(PointSource::Inline(points)) if points.len() == 4)
    );
    let ShapeKind::HeightField {
        spacing,
        columns,
        heights,
    } = &shapes[1].kind
    else {
        panic!("{:?}", shapes[1].kind);
    };
    assert_eq!((*spacing, *columns), ([1.0, 4.0], 3));
    // The first row of the text is the far one, and the lowest sample is the ground.
    let expected = [0.3, 0.4, 0.5, 0.0, 0.1, 0.2];
    assert!(
        heights
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-12),
        "{heights:?}"
    );
    assert!(matches!(
        &shapes[2].kind,
        ShapeKind::Mesh {
            triangles: MeshSource::Inline(_),
            open: true
        }
    ));
    let options = ModelOptions {
        meshes: MeshUse::Exact,
        ..ModelOptions::default()
    };
    let exact = read_with(text, &options);
    let shapes = &body(&exact, "world").shapes;
    assert!(matches!(
        &shapes[0].kind,
        ShapeKind::Mesh { open: false, .. }
    ));
    let discarded = read(&text.replace("<asset>", "<compiler discardvisual=\"true\"/><asset>"));
    assert_eq!(body(&discarded, "world").shapes.len(), 2);
}

#[test]
fn what_a_default_says_is_reported_where_it_applies_and_once() {
    let file = read(
        r#"<mujoco><default><geom solref="1 1" size="1"/><joint solreflimit="1 1" damping="3"/>
        <motor ctrlrange="0 1" delay="1"/><default class="unused"><geom gap="1"/></default></default>
        <worldbody><geom size="2"/><geom size="3"/><geom size="4"/><light/><camera/></worldbody>
        <visual><map/></visual><size memory="1M"/><custom><numeric name="a" data="1"/></custom></mujoco>"#,
    );
    assert_eq!(
        report(&file),
        [
            "<geom solref> x1: contacts, limits and joints are hard here, not springs",
            "<light> x1: is only drawing",
            "<camera> x1: is only drawing",
            "<visual> x1: is only drawing",
        ]
    );
}

#[test]
fn an_error_of_the_dynamics_has_its_line() {
    let file =
        world("\n<body name=\"b\"><joint name=\"j\"/>\n<geom name=\"g\" size=\"1\"/></body>");
    let error = file.error("robots[0].links[0].shapes[0].radius", "is odd", "change it");
    assert_eq!(
        error.to_string(),
        "m.xml:3:1: geom \"g\": is odd; change it"
    );
    let error = file.error("robots[0].joints[0]", "is odd", "change it");
    assert_eq!(
        error.to_string(),
        "m.xml:2:16: joint \"j\": is odd; change it"
    );
}

/// The numbers are those of `geom_size` and `geom_pos` in MuJoCo 4.0.0.
#[test]
fn primitives_are_fitted_to_the_box_around_a_mesh() {
    let text = |kind: &str| {
        format!(
            r#"<mujoco><compiler fitaabb="true"/><asset><mesh name="t" scale="1 2 3"
            vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>
            <worldbody><geom type="{kind}" mesh="t"/></worldbody></mujoco>"#
        )
    };
    let near = |a: f64, b: f64| (a - b).abs() < 1e-6;
    let file = read(&text("capsule"));
    let shape = &body(&file, "world").shapes[0];
    let ShapeKind::Capsule { radius, length } = shape.kind else {
        panic!("{:?}", shape.kind);
    };
    assert!(near(radius, 1.06847193) && near(length, 2.0 * 0.66618232));
    let center = Vector3::new(0.10490372, 0.45151589, 1.32452638);
    assert!((shape.pose.translation.vector - center).norm() < 1e-6);
    let file = read(&text("sphere"));
    let ShapeKind::Sphere { radius } = body(&file, "world").shapes[0].kind else {
        panic!("a sphere");
    };
    assert!(near(radius, 1.73465424));
}

/// Measured in MuJoCo 4.0.0: the frame places an inertial like a geom.
#[test]
fn an_inertial_stands_in_its_frame() {
    let file = world(
        r#"<body name="b"><freejoint/><frame pos="0 0 1" euler="0 90 0">
        <inertial mass="2" pos="1 0 0" diaginertia="1 2 2.5"/></frame></body>"#,
    );
    let BodyKind::Free(MassDescription::Inertia(inertia)) = body(&file, "b").kind else {
        panic!("a free body with inertia");
    };
    assert!(inertia.center.norm() < 1e-12, "{}", inertia.center);
    let moments = inertia.about_center;
    assert!((moments.xx - 2.5).abs() + (moments.zz - 1.0).abs() < 1e-12);
}

/// Measured in MuJoCo 4.0.0: geoms that give no mass leave the inertial to say it.
#[test]
fn inertial_counts_where_geoms_have_no_mass() {
    let file = read(
        r#"<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="b"><freejoint/>
        <inertial pos="1 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>"#,
    );
    let BodyKind::Free(MassDescription::Inertia(inertia)) = body(&file, "b").kind else {
        panic!("a free body with inertia");
    };
    assert_eq!(inertia.mass, 2.0);
}

#[test]
fn a_load_sensor_where_no_joint_is_gets_named() {
    let file = read(
        r#"<mujoco><worldbody><body name="b"><geom size="1"/><site name="s"/></body></worldbody>
        <sensor><force name="f" site="s"/></sensor></mujoco>"#,
    );
    assert!(file.scene.sensors.is_empty());
    assert_eq!(
        report(&file),
        [
            "<force> on a body that no joint carries x1: loads are measured where a joint carries a body"
        ]
    );
}
