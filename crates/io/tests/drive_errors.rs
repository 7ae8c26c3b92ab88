//! Tendons, actuators, sensors, keyframes and contact pairs that a scene cannot have, and what the
//! friendly kinds of actuators mean.

use stiction_io::scene_file::{Activation, ActuatorTarget, Signal, TendonPath, parse};

/// A scene with a fixed table, a free cup, and an arm with three joints.
const SCENE: &str = r#"
seconds = 1
[[bodies]]
name = "table"
kind = "fixed"
shapes = [{ kind = "half-space" }, { kind = "sphere", radius = 1, visual_only = true }]
[[bodies]]
name = "cup"
kind = "free"
mass = 1
shapes = [{ kind = "sphere", radius = 0.1 }]
[[robots]]
name = "arm"
links = [{ name = "rod", density = 1000, shapes = [{ kind = "sphere", radius = 0.1 }] },
         { name = "slide", density = 1000, shapes = [{ kind = "sphere", radius = 0.1 }] },
         { name = "ball", density = 1000, shapes = [{ kind = "sphere", radius = 0.1 }] }]
joints = [{ name = "hinge", kind = "revolute", parent = "world", child = "rod", axis = [0, 0, 1] },
          { name = "rail", kind = "prismatic", parent = "rod", child = "slide", axis = [1, 0, 0] },
          { name = "socket", kind = "spherical", parent = "slide", child = "ball" }]
[[tendons]]
name = "rope"
points = [{ body = "table" }, { body = "cup", point = [0, 0, "1 cm"] }]
upper = "2 m"
[[actuators]]
name = "motor"
kind = "motor"
robot = "arm"
joint = "hinge"
"#;

/// The message for a scene with further lines; `#!` marks the line that it must name.
fn refused(lines: &str, key: &str, words: &[&str]) {
    let text = format!("{SCENE}{lines}\n");
    let error = parse(&text, "bad.toml").expect_err(&text);
    let message = error.to_string();
    if let Some(line) = text.lines().position(|line| line.contains("#!")) {
        let place = format!("bad.toml:{}:", line + 1);
        assert!(message.starts_with(&place), "{place} {message}");
    }
    assert!(message.contains(&format!(": {key}: ")), "{key}: {message}");
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in: {message}");
    }
}

#[test]
fn contact_pairs() {
    let pair = |shapes: &str| format!("[[contact_pairs]]\nshapes = {shapes} #!");
    refused(
        &pair("[\"cup/sphere\", \"table/halfspace\"]"),
        "contact_pairs[0].shapes",
        &["there is no shape", "did you mean \"table/half-space\"?"],
    );
    refused(
        &pair("[\"cup/sphere\", \"table/sphere\"]"),
        "contact_pairs[0].shapes",
        &["only drawn"],
    );
    refused(
        &pair("[\"cup/sphere\", \"cup/sphere\"]"),
        "contact_pairs[0].shapes",
        &["one and the same"],
    );
    refused(
        "[[contact_pairs]]\nshapes = [\"cup/sphere\", \"arm/rod/sphere\"]\nfriction = -1 #!",
        "contact_pairs[0].friction",
        &["must not be negative"],
    );
}

#[test]
fn tendons() {
    let tendon = |lines: &str| format!("[[tendons]]\nname = \"t\"\n{lines}");
    for (lines, key, words) in [
        ("", "tendons[1]", ["no path", "joints"]),
        (
            "points = [{ body = \"cup\" }] #!",
            "tendons[1].points",
            ["1 points", "two or more"],
        ),
        (
            "points = [{ body = \"cup\" }, { body = \"cap\" }]",
            "tendons[1]",
            ["no body \"cap\"", "\"cup\""],
        ),
        (
            "robot = \"arm\"\njoints = [{ joint = \"socket\", coefficient = 1 }] #!",
            "tendons[1].joints[0].joint",
            ["3 degrees of freedom", "with one"],
        ),
        (
            "robot = \"arm\"\njoints = [{ joint = \"rail\", coefficient = 1 }, { joint = \"rail\", coefficient = 1 }] #!",
            "tendons[1].joints[1].joint",
            ["named twice", "add"],
        ),
        (
            "robot = \"arm\" #!\npoints = [{ body = \"cup\" }, { body = \"table\" }]",
            "tendons[1].robot",
            ["does not go with points", "leave it out"],
        ),
        (
            "points = [{ body = \"cup\" }, { body = \"table\" }]\nlimits = [2, 1] #!",
            "tendons[1].limits",
            ["exceeds", "swap"],
        ),
        (
            "points = [{ body = \"cup\" }, { body = \"table\" }]\nrest = [2, 1] #!",
            "tendons[1].rest",
            ["exceeds", "swap"],
        ),
        (
            "branches = [{ divisor = 0, points = [] }] #!",
            "tendons[1].branches[0].divisor",
            ["must be positive", ""],
        ),
    ] {
        refused(&tendon(lines), key, &words);
    }
    refused(
        "[[tendons]]\nname = \"rope\" #!\npoints = [{ body = \"cup\" }, { body = \"table\" }]",
        "tendons[1].name",
        &["exists already"],
    );
}

#[test]
fn actuators() {
    let actuator = |kind: &str, lines: &str| {
        format!("[[actuators]]\nname = \"a\"\nkind = \"{kind}\"\n{lines}")
    };
    for (kind, lines, key, words) in [
        ("motor", "", "actuators[1]", ["drives nothing", "tendon"]),
        (
            "motor",
            "tendon = \"rope\"\nbody = \"cup\"",
            "actuators[1]",
            ["two things", ""],
        ),
        (
            "motor",
            "tendon = \"robe\" #!",
            "actuators[1].tendon",
            ["no tendon \"robe\"", "did you mean \"rope\"?"],
        ),
        (
            "motor",
            "body = \"table\" #!",
            "actuators[1].body",
            ["don't move", "free body"],
        ),
        (
            "position",
            "robot = \"arm\"\njoint = \"hinge\"\nkp = \"5 N/m\" #!",
            "actuators[1].kp",
            ["is not a rotational stiffness", ""],
        ),
        (
            "position",
            "body = \"cup\"\nkp = 1",
            "actuators[1].kind",
            ["no length", "motor"],
        ),
        (
            "velocity",
            "robot = \"arm\"\njoint = \"hinge\"\nkp = 5 #!",
            "actuators[1].kp",
            ["not a key known here", "kv"],
        ),
        (
            "motor",
            "tendon = \"rope\"\nforce = [1, 0, 0] #!",
            "actuators[1].force",
            ["goes with a body only", ""],
        ),
        (
            "motor",
            "tendon = \"rope\"\ntime_constant = 1 #!",
            "actuators[1].time_constant",
            ["activation = \"filter\"", ""],
        ),
        (
            "motor",
            "tendon = \"rope\"\nforce_limits = [1, -1] #!",
            "actuators[1].force_limits",
            ["exceeds", "swap"],
        ),
        (
            "motor",
            "robot = \"arm\"\njoint = \"hing\" #!",
            "actuators[1].joint",
            ["has no joint \"hing\"", "\"hinge\""],
        ),
    ] {
        refused(&actuator(kind, lines), key, &words);
    }
}

#[test]
fn sensors_and_keyframes() {
    for (lines, key, words) in [
        (
            "[[sensors]]\nname = \"s\"\nkind = \"gyros\" #!",
            "sensors[0].kind",
            ["no \"gyros\"", "did you mean \"gyro\"?"],
        ),
        (
            "[[sensors]]\nname = \"s\"\nkind = \"actuator-force\"\nactuator = \"motr\" #!",
            "sensors[0].actuator",
            ["no actuator \"motr\"", "\"motor\""],
        ),
        (
            "[[sensors]]\nname = \"s\"\nkind = \"tendon-length\"\ntendon = \"x\" #!",
            "sensors[0].tendon",
            ["no tendon \"x\"", ""],
        ),
        (
            "[[sensors]]\nname = \"s\"\nkind = \"force\"\nbody = \"cup\" #!",
            "sensors[0].body",
            ["no joint carries", "link"],
        ),
        (
            "[[sensors]]\nname = \"s\"\nkind = \"gyro\"\nbody = \"cup\"\ncutoff = 0 #!",
            "sensors[0].cutoff",
            ["must be positive", ""],
        ),
        (
            "[[keyframes]]\nname = \"k\"\njoints = [{ robot = \"arm\", joint = \"socket\", position = [1, 0] }] #!",
            "keyframes[0].joints[0].position",
            ["2 entries", "4"],
        ),
        (
            "[[keyframes]]\nname = \"k\"\nbodies = [{ body = \"table\" }] #!",
            "keyframes[0].bodies[0].body",
            ["neither free nor driven", "joints"],
        ),
        (
            "[[keyframes]]\nname = \"k\"\ncontrols = { moter = 1 } #!",
            "keyframes[0].controls",
            ["no actuator \"moter\"", "\"motor\""],
        ),
        (
            "[[keyframes]]\nname = \"k\"\n[[keyframes]]\nname = \"k\" #!",
            "keyframes[1].name",
            ["exists already", ""],
        ),
    ] {
        refused(lines, key, &words);
    }
}

#[test]
fn friendly_kinds_are_gain_and_bias() {
    let lines = r#"
[[actuators]]
name = "servo"
kind = "position"
robot = "arm"
joint = "hinge"
kp = "50 N*m/rad"
kd = 3
control = "30 deg"
control_limits = ["-90 deg", "90 deg"]
force_limits = [-7, 7]
gear = 2
[[actuators]]
name = "winch"
kind = "velocity"
tendon = "rope"
kv = 4
activation = "integrator"
activation_limits = [0, 1]
[[actuators]]
name = "jet"
kind = "motor"
body = "cup"
position = [0, 0, 0.1]
force = [0, 0, 1]
activation = "filter"
time_constant = "20 ms"
control = { amplitude = "2 kN", frequency = 1 }
[[tendons]]
name = "sum"
robot = "arm"
joints = [{ joint = "hinge", coefficient = 2 }, { joint = "rail", coefficient = -1 }]
rest = 0.3
friction = 0.1
"#;
    let scene = parse(&format!("{SCENE}{lines}"), "good.toml")
        .unwrap()
        .scene;
    let [motor, servo, winch, jet] = &scene.actuators[..] else {
        panic!("four actuators");
    };
    assert_eq!((motor.gain, motor.bias, motor.gear), (1.0, [0.0; 3], 1.0));
    assert_eq!(
        (servo.gain, servo.bias, servo.gear),
        (50.0, [0.0, -50.0, -3.0], 2.0)
    );
    assert_eq!(servo.control, Signal::Constant(30_f64.to_radians()));
    assert_eq!(
        servo.control_limits,
        Some([-90.0, 90.0].map(f64::to_radians))
    );
    assert_eq!((winch.gain, winch.bias), (4.0, [0.0, 0.0, -4.0]));
    let limits = Some([0.0, 1.0]);
    assert_eq!(winch.activation, Activation::Integrator { limits });
    assert_eq!(winch.target, ActuatorTarget::Tendon("rope".to_owned()));
    assert!(matches!(&jet.target, ActuatorTarget::Frame { body, .. } if body == "cup"));
    assert_eq!(
        jet.activation,
        Activation::Filter {
            time_constant: 0.02
        }
    );
    let [rope, sum] = &scene.tendons[..] else {
        panic!("two tendons");
    };
    assert_eq!(rope.limits, Some([f64::NEG_INFINITY, 2.0]));
    assert_eq!(
        (sum.limits, sum.rest, sum.friction_loss),
        (None, [0.3; 2], 0.1)
    );
    assert!(matches!(&sum.path, TendonPath::Joints { terms, .. } if terms.len() == 2));
}
