//! Broken MJCF files: each is refused with file, line, element and what to do.

use std::path::PathBuf;

use proptest::prelude::*;
use stiction_io::{ModelOptions, mjcf};

/// The error that a text is refused with.
fn refused(text: &str) -> String {
    match mjcf::parse(text, "m.xml", &ModelOptions::default()) {
        Ok(_) => panic!("was read: {text}"),
        Err(error) => error.to_string(),
    }
}

fn assert_refused(text: &str, start: &str) {
    let error = refused(text);
    assert!(error.starts_with(start), "{error}\ninstead of\n{start}");
}

/// A body that moves, with something in it.
fn body(inside: &str) -> String {
    format!(
        "<mujoco>\n<worldbody>\n<body name=\"b\">\n<joint name=\"j\"/>\n<geom name=\"g\" size=\"0.1\"/>\n<site name=\"s\"/>\n{inside}\n</body>\n</worldbody>\n</mujoco>"
    )
}

/// A model with one hinge and a section of its own at line 9.
fn section(inside: &str) -> String {
    body("").replace("</mujoco>", &format!("{inside}\n</mujoco>"))
}

#[test]
fn texts_that_are_no_model() {
    assert_refused(
        "<mujoco>\n<worldbody>\n</mujoco>",
        "m.xml:3:1: not valid XML: ",
    );
    assert_refused(
        "<robot name=\"r\"/>",
        "m.xml:1:1: robot \"r\": is not <mujoco>; ",
    );
    assert_refused("", "m.xml:1:1: not valid XML: ");
    assert_refused(
        &format!(
            "<mujoco>{}{}</mujoco>",
            "<body>".repeat(300),
            "</body>".repeat(300)
        ),
        "m.xml:1:",
    );
}

#[test]
fn words_are_suggested() {
    assert_refused(
        &body("<joint type=\"hing\"/>"),
        "m.xml:7:8: joint: type: \"hing\" is not known; did you mean \"hinge\"?",
    );
    assert_refused(
        &body("<geom type=\"spher\" size=\"1\"/>"),
        "m.xml:7:7: geom: type: \"spher\" is not known; did you mean \"sphere\"?",
    );
    assert_refused(
        "<mujoco><compiler angle=\"degrees\"/></mujoco>",
        "m.xml:1:19: compiler: angle: \"degrees\" is not known; did you mean \"degree\"?",
    );
    assert_refused(
        "<mujoco><compiler coordinate=\"global\"/></mujoco>",
        "m.xml:1:19: compiler: coordinate: global coordinates",
    );
    assert_refused(
        "<mujoco><compiler eulerseq=\"xyq\"/></mujoco>",
        "m.xml:1:19: compiler: eulerseq: \"xyq\" is no sequence of axes",
    );
}

#[test]
fn numbers_are_finite_and_as_many_as_needed() {
    assert_refused(
        &body("<geom size=\"nan\"/>"),
        "m.xml:7:7: geom: size: \"nan\" is not a finite number; ",
    );
    assert_refused(
        &body("<geom size=\"1e999\"/>"),
        "m.xml:7:7: geom: size: \"1e999\" is not a finite number; ",
    );
    assert_refused(
        &body("<geom type=\"box\" size=\"1 2\"/>"),
        "m.xml:7:18: geom: size: has 2 numbers; a box needs 3, half its lengths",
    );
    assert_refused(
        &body("<geom size=\"-1\"/>"),
        "m.xml:7:7: geom: size: -1 is not positive; ",
    );
    assert_refused(&body("<geom/>"), "m.xml:7:1: geom: has no size; ");
    assert_refused(
        &body("<geom size=\"1\" pos=\"1 2\"/>"),
        "m.xml:7:16: geom: pos: has 2 numbers; give 3 numbers",
    );
    assert_refused(
        &body("<geom size=\"1\" quat=\"0 0 0 0\"/>"),
        "m.xml:7:16: geom: quat: a quaternion of length zero; ",
    );
    assert_refused(
        &body("<geom size=\"1\" quat=\"1 0 0 0\" euler=\"1 2 3\"/>"),
        "m.xml:7:31: geom: euler: quat says the orientation already; ",
    );
    assert_refused(
        &body("<joint axis=\"0 0 0\"/>"),
        "m.xml:7:8: joint: axis: a direction of length zero; ",
    );
    assert_refused(
        &body("<joint range=\"1 -1\"/>"),
        "m.xml:7:8: joint: range: 1 exceeds -1; ",
    );
    assert_refused(
        &body("<joint limited=\"true\"/>"),
        "m.xml:7:1: joint: is limited but has no range; ",
    );
    assert_refused(
        "<mujoco><option timestep=\"0\"/></mujoco>",
        "m.xml:1:17: option: timestep: 0 is not positive; ",
    );
}

#[test]
fn defaults_are_blamed_where_they_stand() {
    assert_refused(
        "<mujoco>\n<default>\n<geom size=\"x\"/>\n</default>\n<worldbody><geom/></worldbody></mujoco>",
        "m.xml:3:7: geom: size: \"x\" is not a finite number; ",
    );
    assert_refused(
        "<mujoco>\n<default>\n<default class=\"arm\"/>\n<default class=\"arm\"/></default></mujoco>",
        "m.xml:4:10: default: class: the class \"arm\" exists already; ",
    );
    assert_refused(
        "<mujoco>\n<default>\n<default/></default></mujoco>",
        "m.xml:3:1: default: has no class; ",
    );
    assert_refused(
        "<mujoco><default><default class=\"arm\"/></default>\n<worldbody>\n<geom class=\"am\" size=\"1\"/></worldbody></mujoco>",
        "m.xml:3:7: geom: class: there is no default class \"am\"; did you mean \"arm\"?",
    );
    assert_refused(
        "<mujoco><worldbody>\n<body childclass=\"am\"/></worldbody></mujoco>",
        "m.xml:2:7: body: childclass: there is no default class \"am\"; ",
    );
}

#[test]
fn masses() {
    assert_refused(
        &body("<inertial pos=\"0 0 0\" mass=\"-1\" diaginertia=\"1 1 1\"/>"),
        "m.xml:7:23: inertial: mass: -1 is not positive; ",
    );
    assert_refused(
        &body("<inertial pos=\"0 0 0\" mass=\"0\" diaginertia=\"1 1 1\"/>"),
        "m.xml:7:23: inertial: mass: 0 is not positive; ",
    );
    assert_refused(
        &body("<geom size=\"1\" mass=\"-1\"/>"),
        "m.xml:7:16: geom: mass: -1 is negative; ",
    );
    assert_refused(
        &body("<inertial mass=\"1\" diaginertia=\"1 1 1\" fullinertia=\"1 1 1 0 0 0\"/>"),
        "m.xml:7:40: inertial: fullinertia: diaginertia says it already; ",
    );
    // A free body, and a link.
    assert_refused(
        "<mujoco><worldbody>\n<body name=\"b\">\n<freejoint/>\n<geom size=\"1\" mass=\"0\"/></body></worldbody></mujoco>",
        "m.xml:2:1: body \"b\": moves but has no mass; ",
    );
    assert_refused(
        "<mujoco><worldbody>\n<body name=\"b\">\n<joint name=\"j\"/></body></worldbody></mujoco>",
        "m.xml:2:1: body \"b\": body \"b\": mass = 0: a moving body needs mass",
    );
    assert_refused(
        "<mujoco><worldbody>\n<body name=\"b\">\n<freejoint/>\n<inertial mass=\"1\"/></body></worldbody></mujoco>",
        "m.xml:2:1: body \"b\": turns but has no rotational inertia; ",
    );
}

#[test]
fn names_used_twice() {
    assert_refused(
        &body("<geom name=\"g\" size=\"1\"/>"),
        "m.xml:7:1: geom \"g\": the geom \"g\" exists already; ",
    );
    assert_refused(
        &body("<joint name=\"j\"/>"),
        "m.xml:7:1: joint \"j\": the joint \"j\" exists already; ",
    );
    assert_refused(
        &body("<body name=\"b\"/>"),
        "m.xml:7:1: body \"b\": the body \"b\" exists already; ",
    );
    assert_refused(
        &body("<body name=\"world\"/>"),
        "m.xml:7:1: body \"world\": the body \"world\" exists already; ",
    );
    let motor = "<motor name=\"m\" joint=\"j\"/>";
    assert_refused(
        &section(&format!("<actuator>{motor}\n{motor}</actuator>")),
        "m.xml:11:1: motor \"m\": the actuator \"m\" exists already; ",
    );
    let key = "<key name=\"k\"/>";
    assert_refused(
        &section(&format!("<keyframe>{key}\n{key}</keyframe>")),
        "m.xml:11:1: key \"k\": the keyframe \"k\" exists already; ",
    );
    let connect = "<joint name=\"e\" joint1=\"j\"/>";
    assert_refused(
        &section(&format!("<equality>{connect}\n{connect}</equality>")),
        "m.xml:11:1: joint \"e\": ",
    );
}

#[test]
fn references_to_nothing() {
    for (inside, start) in [
        (
            "<actuator><motor joint=\"jj\"/></actuator>",
            "m.xml:10:18: motor: joint: there is no joint \"jj\"; did you mean \"j\"?",
        ),
        (
            "<actuator><motor/></actuator>",
            "m.xml:10:11: motor: drives nothing; ",
        ),
        (
            "<actuator><motor tendon=\"t\"/></actuator>",
            "m.xml:10:18: motor: tendon: there is no tendon \"t\"; there are no tendons",
        ),
        (
            "<actuator><motor site=\"x\"/></actuator>",
            "m.xml:10:18: motor: site: there is no site \"x\"; ",
        ),
        (
            "<sensor><gyro site=\"x\"/></sensor>",
            "m.xml:10:15: gyro: site: there is no site \"x\"; ",
        ),
        (
            "<sensor><actuatorfrc actuator=\"x\"/></sensor>",
            "m.xml:10:22: actuatorfrc: actuator: there is no actuator \"x\"; ",
        ),
        (
            "<contact><exclude body1=\"b\" body2=\"c\"/></contact>",
            "m.xml:10:29: exclude: body2: there is no body \"c\"; did you mean \"b\"?",
        ),
        (
            "<contact><pair geom1=\"g\" geom2=\"h\"/></contact>",
            "m.xml:10:26: pair: geom2: there is no geom \"h\"; did you mean \"g\"?",
        ),
        (
            "<equality><connect body1=\"x\" anchor=\"0 0 0\"/></equality>",
            "m.xml:10:20: connect: body1: there is no body \"x\"; ",
        ),
        (
            "<tendon><fixed><joint joint=\"x\" coef=\"1\"/></fixed></tendon>",
            "m.xml:10:23: joint: joint: there is no joint \"x\"; ",
        ),
        (
            "<tendon><spatial><site site=\"s\"/></spatial></tendon>",
            "m.xml:10:9: spatial: a line has less than two sites; ",
        ),
    ] {
        assert_refused(&section(inside), start);
    }
    assert_refused(
        &body("<geom type=\"mesh\" mesh=\"m\"/>"),
        "m.xml:7:19: geom: mesh: there is no mesh \"m\"; ",
    );
    assert_refused(
        &body("<geom type=\"mesh\"/>"),
        "m.xml:7:1: geom: is a mesh but names none; ",
    );
    assert_refused(
        "<mujoco><asset>\n<mesh name=\"m\" file=\"none.stl\"/></asset></mujoco>",
        "m.xml:2:16: mesh \"m\": file: \"none.stl\": ",
    );
}

#[test]
fn joints_where_none_can_be() {
    assert_refused(
        "<mujoco><worldbody>\n<joint/></worldbody></mujoco>",
        "m.xml:2:1: joint: the world cannot move; ",
    );
    assert_refused(
        &body("<body name=\"c\"><freejoint/></body>"),
        "m.xml:7:16: freejoint: moves \"c\" freely, which hangs on another body; ",
    );
    assert_refused(
        "<mujoco><worldbody><body name=\"b\"><freejoint/>\n<joint/></body></worldbody></mujoco>",
        "m.xml:2:1: joint: \"b\" moves freely and has another joint; ",
    );
    assert_refused(
        &body("<body mocap=\"true\"/>"),
        "m.xml:7:7: body: mocap: only children of the world",
    );
}

#[test]
fn keyframes_have_the_sizes_of_the_model() {
    for (attribute, wanted) in [
        ("qpos=\"1 2\"", "qpos: has 2 numbers; give one number"),
        ("qvel=\"1 2\"", "qvel: has 2 numbers; give one number"),
        ("ctrl=\"1\"", "ctrl: has 1 numbers; give 0 numbers"),
        ("qpos=\"inf\"", "qpos: \"inf\" is not a finite number"),
    ] {
        assert_refused(
            &section(&format!("<keyframe><key {attribute}/></keyframe>")),
            &format!("m.xml:10:16: key: {wanted}"),
        );
    }
}

#[test]
fn copies_are_counted() {
    assert_refused(
        "<mujoco><worldbody>\n<replicate count=\"-1\"/></worldbody></mujoco>",
        "m.xml:2:12: replicate: count: \"-1\" is not possible here; ",
    );
    let copies = "<replicate count=\"100000\">".repeat(5);
    let ends = "</replicate>".repeat(5);
    assert_refused(
        &format!("<mujoco><worldbody>\n{copies}<geom size=\"1\"/>{ends}</worldbody></mujoco>"),
        "m.xml:2:",
    );
}

#[test]
fn copies_of_nothing_are_counted_too() {
    let copies = "<replicate count=\"10000\">".repeat(9);
    let ends = "</replicate>".repeat(9);
    let text = format!("<mujoco><worldbody>\n{copies}{ends}</worldbody></mujoco>");
    assert!(refused(&text).contains("more than 1000000 elements"));
}

/// A folder of its own for some files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stiction-mjcf-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

#[test]
fn includes() {
    let files = [
        (
            "missing.xml",
            "<mujoco>\n<include file=\"nobody.xml\"/></mujoco>",
        ),
        (
            "self.xml",
            "<mujoco>\n<include file=\"self.xml\"/></mujoco>",
        ),
        (
            "first.xml",
            "<mujoco>\n<include file=\"second.xml\"/></mujoco>",
        ),
        (
            "second.xml",
            "<mujocoinclude>\n\n<include file=\"first.xml\"/></mujocoinclude>",
        ),
        (
            "outer.xml",
            "<mujoco>\n<include file=\"inner.xml\"/></mujoco>",
        ),
        (
            "inner.xml",
            "<mujocoinclude>\n<worldbody>\n<geom size=\"x\"/></worldbody></mujocoinclude>",
        ),
        (
            "other.xml",
            "<mujoco>\n<include file=\"robot.xml\"/></mujoco>",
        ),
        ("robot.xml", "<robot/>"),
        ("nameless.xml", "<mujoco>\n<include/></mujoco>"),
    ];
    let folder = folder("includes", &files);
    let refused = |file: &str| {
        let error = mjcf::read(&folder.join(file), &ModelOptions::default());
        let error = error.unwrap_err().to_string();
        error.replace(&format!("{}/", folder.display()), "")
    };
    for (file, start) in [
        (
            "missing.xml",
            "missing.xml:2:10: include: file: \"nobody.xml\": ",
        ),
        (
            "self.xml",
            "self.xml:2:10: include: file: \"self.xml\" is included already",
        ),
        (
            "first.xml",
            "second.xml:3:10: include: file: \"first.xml\" is included already",
        ),
        (
            "outer.xml",
            "inner.xml:3:7: geom: size: \"x\" is not a finite number",
        ),
        ("other.xml", "robot.xml:1:1: robot: is no part of a model"),
        ("nameless.xml", "nameless.xml:2:1: include: names no file"),
        ("nowhere.xml", "nowhere.xml: "),
    ] {
        let error = refused(file);
        assert!(error.starts_with(start), "{error}\ninstead of\n{start}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// A model with a bit of everything, to break.
const WHOLE: &str = r#"<mujoco model="w"><compiler angle="radian" eulerseq="xyz"/><option timestep="0.01"/>
<default><geom size="0.1"/><default class="c"><joint damping="1"/></default></default>
<asset><mesh name="t" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" scale="1 1 1"/>
<hfield name="h" nrow="2" ncol="2" elevation="0 1 2 3" size="1 1 1 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><geom type="hfield" hfield="h"/><body name="a" childclass="c" euler="1 2 3">
<joint name="j" range="-1 1" ref="0.1"/><joint name="k" type="slide" pos="1 0 0"/><geom name="g"/><site name="s"/>
<frame pos="0 0 1"><body name="b"><joint name="l" type="ball"/><geom name="h" type="mesh" mesh="t"/></body></frame></body>
<replicate count="2" offset="1 0 0"><body name="f"><freejoint/><geom type="box" size="1 1 1"/></body></replicate></worldbody>
<contact><exclude body1="a" body2="f0"/><pair geom1="g" geom2="h"/></contact>
<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed><spatial><site site="s"/><site site="s"/></spatial></tendon>
<equality><weld body1="a" body2="f0"/><joint joint1="j" joint2="k"/></equality>
<actuator><position joint="j" kp="1" dampratio="1"/><motor site="s" gear="1 0 0 0 0 0"/></actuator>
<sensor><jointpos joint="j"/><gyro site="s"/></sensor>
<keyframe><key ctrl="1 2"/></keyframe></mujoco>"#;

#[test]
fn the_whole_model_is_read() {
    let file = mjcf::parse(WHOLE, "w.xml", &ModelOptions::default()).unwrap();
    assert_eq!(file.scene.keyframes.len(), 1);
}

proptest! {
    /// Whatever is changed in a model, it is read or refused, with a line.
    #[test]
    fn broken_models_are_refused_calmly(
        at in 0..WHOLE.len(),
        removed in 0usize..40,
        added in prop_oneof![
            Just(String::new()),
            Just("1e308".to_owned()),
            Just("-1".to_owned()),
            Just("0".to_owned()),
            Just("\"".to_owned()),
            "[ -~]{0,8}",
        ],
    ) {
        let mut text = WHOLE.to_owned();
        let end = (at + removed).min(text.len());
        text.replace_range(at..end, &added);
        if let Err(error) = mjcf::parse(&text, "w.xml", &ModelOptions::default()) {
            prop_assert!(error.position().is_some(), "{error}");
        }
    }

    /// As above for single numbers, which leave the file well-formed.
    #[test]
    fn odd_numbers_are_refused_calmly(
        which in 0usize..200,
        number in prop_oneof![
            Just("0"), Just("-1"), Just("1e308"), Just("-1e308"), Just("1e-308"), Just("nan"),
            Just("999999999999"), Just("0.5"), Just(""),
        ],
    ) {
        let parts: Vec<&str> = WHOLE.split('"').collect();
        // The odd parts are the values.
        let at = (2 * which + 1) % (parts.len() - 1);
        let mut parts = parts;
        let changed = match parts[at].split_once(' ') {
            Some((_, rest)) => format!("{number} {rest}"),
            None => number.to_owned(),
        };
        parts[at] = &changed;
        let text = parts.join("\"");
        if let Err(error) = mjcf::parse(&text, "w.xml", &ModelOptions::default()) {
            prop_assert!(error.position().is_some(), "{error}");
        }
    }
}

#[test]
fn deep_trees_are_read() {
    let depth = 190;
    let bodies = "<body pos=\"0 0 1\"><joint/><geom size=\"0.1\"/>".repeat(depth);
    let text = format!(
        "<mujoco><worldbody>{bodies}{}</worldbody></mujoco>",
        "</body>".repeat(depth)
    );
    let file = mjcf::parse(&text, "deep.xml", &ModelOptions::default()).unwrap();
    assert_eq!(file.scene.robots[0].links.len(), depth);
}
