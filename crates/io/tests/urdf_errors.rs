//! What is wrong with a URDF file is said with its line and element.

use std::path::Path;

use proptest::prelude::*;
use stiction_io::{Base, ModelOptions, urdf};

/// A robot with a bit of everything; line 1 is `<robot`.
const ROBOT: &str = r#"<robot name="arm">
<material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"/>
<link name="upper">
<inertial><origin xyz="0 0 0.1" rpy="0 0 0"/>
<mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
<visual><geometry><box size="0.1 0.1 0.2"/></geometry>
<material name="red"/></visual>
<collision><origin xyz="0 0 0"/>
<geometry><cylinder radius="0.1" length="0.2"/></geometry></collision>
</link>
<link name="lower">
<inertial><mass value="1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
</link>
<joint name="shoulder" type="revolute">
<parent link="base"/><child link="upper"/>
<axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="10" velocity="2"/>
</joint>
<joint name="elbow" type="prismatic">
<parent link="upper"/>
<child link="lower"/>
<axis xyz="1 0 0"/>
<limit lower="0" upper="1" effort="10" velocity="2"/>
<dynamics damping="1" friction="0.5"/>
<mimic joint="shoulder" multiplier="2" offset="0.1"/>
</joint>
</robot>"#;

fn refused(text: &str) -> String {
    match urdf::parse(text, "arm.urdf", &ModelOptions::default()) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_robot_without_a_mistake_is_accepted() {
    let file = urdf::parse(ROBOT, "arm.urdf", &ModelOptions::default()).unwrap();
    assert!(file.ignored.is_empty(), "{:?}", file.ignored);
}

#[test]
fn mistakes_are_refused_with_line_and_element() {
    let cases: &[(&str, &str, &str)] = &[
        // XML
        (
            "</link>\n<link name=\"lower\">",
            "<link name=\"lower\">",
            "arm.urdf:29:1: not valid XML: ",
        ),
        (
            "<link name=\"base\"/>",
            "<link name=\"base\">",
            "arm.urdf:30:1: not valid XML: ",
        ),
        (
            "name=\"base\"",
            "name=\"base\" name=\"b\"",
            "arm.urdf:3:19: not valid XML: ",
        ),
        // other formats
        (
            "robot",
            "mujoco",
            "arm.urdf:1:1: mujoco \"arm\": is not the root of a URDF file; this is MJCF",
        ),
        (
            "robot",
            "sdf",
            "arm.urdf:1:1: sdf \"arm\": is not the root of a URDF file; this is SDF",
        ),
        (
            "robot",
            "model",
            "arm.urdf:1:1: model \"arm\": is not the root",
        ),
        (
            "<robot name=\"arm\">",
            "<robot name=\"arm\" version=\"2.0\">",
            "arm.urdf:1:19: robot \"arm\": version: \"2.0\" is not known",
        ),
        // missing and doubled
        (
            "name=\"base\"",
            "nam=\"base\"",
            "arm.urdf:3:1: link: has no attribute name; is \"nam\" meant to be name?",
        ),
        (
            "name=\"base\"",
            "name=\"\"",
            "arm.urdf:3:7: link \"\": name: is empty",
        ),
        (
            "<mass value=\"2\"/>",
            "",
            "arm.urdf:5:1: inertial: has no <mass>; add <mass …/> inside it",
        ),
        (
            "<mass value=\"2\"/>",
            "<mass/>",
            "arm.urdf:6:1: mass: has no attribute value",
        ),
        (
            "ixx=\"0.1\"",
            "",
            "arm.urdf:7:1: inertia: has no attribute ixx",
        ),
        (
            "<box size=\"0.1 0.1 0.2\"/>",
            "",
            "arm.urdf:8:9: geometry: has no form",
        ),
        (
            "<box size=\"0.1 0.1 0.2\"/>",
            "<cube/>",
            "arm.urdf:8:19: cube: is not a form",
        ),
        (
            "<box size=\"0.1 0.1 0.2\"/>",
            "<box size=\"1 1 1\"/><sphere radius=\"1\"/>",
            "arm.urdf:8:38: sphere: is a second form",
        ),
        (
            "<geometry><box size=\"0.1 0.1 0.2\"/></geometry>",
            "",
            "arm.urdf:8:1: visual: has no <geometry>",
        ),
        (
            "<origin xyz=\"0 0 0\"/>",
            "<origin/><origin/>",
            "arm.urdf:10:21: origin: is the second <origin> of its collision",
        ),
        (
            "<child link=\"lower\"/>",
            "",
            "arm.urdf:22:1: joint \"elbow\": has no <child>",
        ),
        (
            "<parent link=\"upper\"/>",
            "<parent/>",
            "arm.urdf:23:1: parent: has no attribute link",
        ),
        (
            "type=\"revolute\"",
            "",
            "arm.urdf:17:1: joint \"shoulder\": has no attribute type",
        ),
        (
            "<material name=\"red\"/>",
            "<material/>",
            "arm.urdf:9:1: material: has no attribute name",
        ),
        // numbers
        (
            "value=\"2\"",
            "value=\"heavy\"",
            "arm.urdf:6:7: mass: value: \"heavy\" is not a finite number",
        ),
        (
            "value=\"2\"",
            "value=\"NaN\"",
            "arm.urdf:6:7: mass: value: \"NaN\" is not a finite number",
        ),
        (
            "value=\"2\"",
            "value=\"1 2\"",
            "arm.urdf:6:7: mass: value: \"1 2\" has 2 numbers; give one number",
        ),
        (
            "xyz=\"0 0 0.1\"",
            "xyz=\"0 0 inf\"",
            "arm.urdf:5:19: origin: xyz: \"inf\" is not a finite number",
        ),
        (
            "xyz=\"0 0 0.1\"",
            "xyz=\"0 0\"",
            "arm.urdf:5:19: origin: xyz: \"0 0\" has 2 numbers; give 3",
        ),
        (
            "xyz=\"0 0 0.1\"",
            "xyz=\"0 x 0 1\"",
            "arm.urdf:5:19: origin: xyz: \"0 x 0 1\" has 4 numbers",
        ),
        (
            "rgba=\"1 0 0 1\"",
            "rgba=\"1 0 0\"",
            "arm.urdf:2:29: color: rgba: \"1 0 0\" has 3 numbers; give 4",
        ),
        (
            "value=\"2\"",
            "value=\"-2\"",
            "arm.urdf:6:7: mass: value: -2 kg is negative",
        ),
        (
            "ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\"",
            "ixx=\"-0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\"",
            "arm.urdf:4:1: link \"upper\": body \"upper\": smallest principal moment = -0.1: must not be negative",
        ),
        (
            "size=\"0.1 0.1 0.2\"",
            "size=\"0.1 -0.1 0.2\"",
            "arm.urdf:8:24: box: size: -0.1 m is not positive",
        ),
        (
            "radius=\"0.1\"",
            "radius=\"-0.1\"",
            "arm.urdf:11:21: cylinder: radius: -0.1 m is not positive",
        ),
        (
            "xyz=\"0 0 1\"",
            "xyz=\"0 0 0\"",
            "arm.urdf:19:7: axis: xyz: has no length",
        ),
        (
            "damping=\"1\"",
            "damping=\"-1\"",
            "arm.urdf:27:11: dynamics: damping: -1 is negative",
        ),
        (
            "friction=\"0.5\"",
            "friction=\"-1\"",
            "arm.urdf:27:23: dynamics: friction: -1 is negative",
        ),
        (
            "effort=\"10\"",
            "effort=\"-1\"",
            "arm.urdf:20:29: limit: effort: -1 is negative",
        ),
        (
            "lower=\"-1\"",
            "lower=\"5\"",
            "arm.urdf:20:1: limit: lower 5 exceeds upper 1",
        ),
        // names
        (
            "revolute",
            "revolut",
            "arm.urdf:17:24: joint \"shoulder\": type: \"revolut\" is not a type of joint; did you mean \"revolute\"?",
        ),
        (
            "name=\"lower\"",
            "name=\"upper\"",
            "arm.urdf:13:1: link \"upper\": there is a link with this name on line 4 already",
        ),
        (
            "name=\"elbow\"",
            "name=\"shoulder\"",
            "arm.urdf:22:1: joint \"shoulder\": there is a joint with this name on line 17",
        ),
        (
            "<child link=\"lower\"/>",
            "<child link=\"lowr\"/>",
            "arm.urdf:24:1: joint \"elbow\": child: there is no link \"lowr\"; did you mean \"lower\"?",
        ),
        (
            "<parent link=\"upper\"/>",
            "<parent link=\"hand\"/>",
            "arm.urdf:23:1: joint \"elbow\": parent: there is no link \"hand\"",
        ),
        (
            "<child link=\"lower\"/>",
            "<child link=\"upper\"/>",
            "arm.urdf:22:1: joint \"elbow\": joins a link to itself",
        ),
        (
            "<parent link=\"base\"/><child link=\"upper\"/>",
            "<parent link=\"base\"/><child link=\"lower\"/>",
            "arm.urdf:22:1: joint \"elbow\": link \"lower\" is the child of joint \"shoulder\" (line 17) already",
        ),
        (
            "<parent link=\"base\"/>",
            "<parent link=\"lower\"/>",
            "arm.urdf:17:1: joint \"shoulder\": the joints \"shoulder\", \"elbow\" form a cycle",
        ),
        (
            "joint=\"shoulder\"",
            "joint=\"shoulde\"",
            "arm.urdf:28:8: mimic: joint: there is no joint \"shoulde\"; did you mean \"shoulder\"?",
        ),
        (
            "joint=\"shoulder\"",
            "joint=\"elbow\"",
            "arm.urdf:28:8: mimic: joint: \"elbow\" is the joint itself",
        ),
        (
            "type=\"prismatic\"",
            "type=\"floating\"",
            "arm.urdf:28:1: mimic: joint \"elbow\" is floating and has no single coordinate",
        ),
        (
            "\"upper\"",
            "\"world\"",
            "arm.urdf:4:1: link \"world\": only the root of a robot may be called \"world\"",
        ),
        // meshes
        (
            "<box size=\"0.1 0.1 0.2\"/>",
            "<mesh filename=\"none.stl\"/>",
            "arm.urdf:8:19: mesh: filename: there is no file \"none.stl\"; looked at none.stl",
        ),
        (
            "<box size=\"0.1 0.1 0.2\"/>",
            "<mesh filename=\"package://p/none.stl\"/>",
            "arm.urdf:8:19: mesh: filename: there is no file \"package://p/none.stl\"; looked at ",
        ),
        (
            "<box size=\"0.1 0.1 0.2\"/>",
            "<mesh filename=\"none.stl\" scale=\"1 0 1\"/>",
            "arm.urdf:8:45: mesh: scale: is zero",
        ),
    ];
    let mut wrong = Vec::new();
    for (from, to, expected) in cases {
        assert!(ROBOT.contains(from), "{from}");
        // Names that occur in many places are replaced everywhere.
        let text = match *from {
            "robot" | "\"upper\"" => ROBOT.replace(from, to),
            _ => ROBOT.replacen(from, to, 1),
        };
        let message = refused(&text);
        if !message.starts_with(expected) {
            wrong.push(format!("{message}\ninstead of {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn trees_with_two_roots_or_none_are_refused() {
    let text = ROBOT.replace(
        "<link name=\"base\"/>",
        "<link name=\"base\"/><link name=\"more\"/>",
    );
    let message = refused(&text);
    assert!(
        message.starts_with("arm.urdf:3:20: link \"more\": no joint moves it, and none moves link \"base\" (line 3) either"),
        "{message}"
    );
    let message = refused("<robot name=\"r\"></robot>");
    assert!(
        message.starts_with("arm.urdf:1:1: robot \"r\": has no link"),
        "{message}"
    );
    // A cycle beside a root.
    let text = ROBOT.replace(
        "</robot>",
        "<link name=\"a\"/><link name=\"b\"/>
<joint name=\"ab\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>
<joint name=\"ba\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint></robot>",
    );
    let message = refused(&text);
    assert!(
        message.starts_with("arm.urdf:31:1: joint \"ab\": the joints \""),
        "{message}"
    );
}

#[test]
fn a_moving_link_without_mass_is_refused_where_it_stands() {
    for inertial in [
        "",
        "<inertial><mass value=\"0\"/><inertia ixx=\"0\" ixy=\"0\" ixz=\"0\" iyy=\"0\" iyz=\"0\" izz=\"0\"/></inertial>",
    ] {
        let from = "<inertial><mass value=\"1\"/>\n<inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial>";
        assert!(ROBOT.contains(from));
        let message = refused(&ROBOT.replace(from, inertial));
        assert!(
            message.starts_with("arm.urdf:13:1: link \"lower\": "),
            "{message}"
        );
    }
}

#[test]
fn templates_are_refused_with_advice() {
    let text = "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n  <xacro:property name=\"l\" value=\"1\"/>\n</robot>";
    let message = refused(text);
    assert!(
        message.starts_with("arm.urdf:2:3: property \"l\": is xacro, not URDF; turn the template"),
        "{message}"
    );
}

#[test]
fn a_robot_on_the_world_is_not_free() {
    let options = ModelOptions {
        base: Base::Free,
        ..ModelOptions::default()
    };
    let text = ROBOT.replace("\"base\"", "\"world\"");
    let message = urdf::parse(&text, "arm.urdf", &options)
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("arm.urdf:3:1: link \"world\": the robot stands on"),
        "{message}"
    );
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let error = urdf::read(Path::new("no/such.urdf"), &ModelOptions::default()).unwrap_err();
    assert!(error.to_string().starts_with("no/such.urdf: "), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_change_makes_the_reader_panic(
        start in 0..ROBOT.len(),
        length in 0..40usize,
        put in prop::sample::select(vec![
            "", "\"", "<", ">", "/>", "&", "&amp;", "-", "1e999", "nan", "<link/>", "<joint/>",
            "</link>", " name=\"x\"", "é", "\u{0}", "<![CDATA[x]]>", "<!-- x -->", "<?x?>", "world",
            "xmlns=\"a\" ", "a:", "revolute", "floating", "\n",
        ]),
    ) {
        let end = (start + length).min(ROBOT.len());
        let text = format!("{}{put}{}", &ROBOT[..start], &ROBOT[end..]);
        let _ = urdf::parse(&text, "arm.urdf", &ModelOptions::default());
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "(<robot>)?[<>/a-z\"= &;é0-9\n]{0,200}") {
        let _ = urdf::parse(&text, "arm.urdf", &ModelOptions::default());
    }
}
