//! Tendons, equalities and actuators of an MJCF file. The numbers are those that MuJoCo 4.0.0 keeps
//! in its model of the same text (`actuator_gainprm`, `tendon_lengthspring`, `eq_data` and so on).

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_io::scene_file::{
    Activation, ActuatorDescription, ActuatorTarget, Anchors, ConnectionDescription,
    ConnectionKind, SceneFile, TendonPath,
};
use stiction_io::{ModelOptions, mjcf};

const TEXT: &str = r#"<mujoco model="drives">
  <compiler angle="radian"/>
  <default>
    <general ctrlrange="-2 2"/>
    <motor gear="3"/>
    <default class="servo"><position kp="50" dampratio="0.7" forcerange="-9 9"/></default>
  </default>
  <worldbody>
    <site name="hook" pos="1 0 2"/>
    <body name="a" pos="0 0 1">
      <joint name="a" axis="0 1 0" range="-1 3" ref="0.3" springref="0.1" armature="0.05"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.05"/>
      <site name="tip" pos="0.5 0 0"/>
      <body name="b" pos="0.5 0 0">
        <joint name="b" axis="0 1 0" range="-2 2" ref="-0.2"/>
        <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.04"/>
        <site name="end" pos="0.4 0 0" euler="0 0.5 0"/>
      </body>
    </body>
    <body name="box" pos="0 2 1">
      <freejoint name="box_free"/>
      <geom type="box" size="0.1 0.2 0.3"/>
      <site name="side" pos="0.1 0 0"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="4" range="-1 2">
      <joint joint="a" coef="2"/>
      <joint joint="b" coef="-0.5"/>
    </fixed>
    <spatial name="rope" stiffness="10" damping="1" frictionloss="0.2">
      <site site="hook"/>
      <site site="tip"/>
      <site site="end"/>
      <pulley divisor="2"/>
      <site site="hook"/>
      <site site="side"/>
    </spatial>
    <spatial name="slack" springlength="0 3">
      <site site="hook"/>
      <geom geom="wheel" sidesite="tip"/>
      <site site="tip"/>
    </spatial>
  </tendon>
  <equality>
    <connect name="pin" body1="b" body2="box" anchor="0.1 0.2 0.3"/>
    <connect name="nail" body1="b" anchor="0.4 0 0"/>
    <weld name="glue" body1="a" body2="box" anchor="0 0 0.1"/>
    <weld name="posed" body1="a" body2="box" relpose="1 2 3 1 1 0 0"/>
    <connect name="sites" site1="tip" site2="side"/>
    <joint name="gear" joint1="b" joint2="a" polycoef="0.4 -2"/>
    <joint name="stop" joint1="b" polycoef="0.1"/>
    <tendon name="both" tendon1="sum" polycoef="0.2"/>
    <joint name="curve" joint1="b" joint2="a" polycoef="0 1 2"/>
    <connect name="off" body1="b" anchor="0 0 0" active="false"/>
  </equality>
  <actuator>
    <motor name="m" joint="a"/>
    <position name="p" joint="a" kp="20" kv="3" timeconst="0.1" ctrllimited="false" gear="1"/>
    <position name="d" class="servo" joint="b" gear="2" inheritrange="0.5"/>
    <position name="t" class="servo" tendon="sum" gear="1"/>
    <velocity name="v" joint="b" kv="4" gear="1"/>
    <intvelocity name="i" joint="b" kp="5" actrange="-1 1" gear="1"/>
    <cylinder name="c" joint="b" diameter="0.2" timeconst="0.5" bias="1 2 3" gear="1"/>
    <general name="g" joint="a" gainprm="7" biastype="affine" biasprm="1 -2 -3" dyntype="filter" dynprm="0.3" gear="1"/>
    <motor name="s" site="side" gear="0 0 1 0 0.1 0"/>
    <muscle name="u" joint="a" lengthrange="0 1"/>
    <general name="affine" joint="a" gaintype="affine" gainprm="1 2 0"/>
  </actuator>
</mujoco>"#;

fn read() -> SceneFile {
    let text = TEXT.replace(
        "<site name=\"hook\"",
        "<geom name=\"wheel\" size=\"0.1\"/><site name=\"hook\"",
    );
    mjcf::parse(&text, "d.xml", &ModelOptions::default()).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-7
}

#[test]
fn forces_of_actuators() {
    let file = read();
    let actuators = &file.scene.actuators;
    let names: Vec<&str> = actuators.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["m", "p", "d", "t", "v", "i", "c", "g", "s"]);
    let direct = Activation::Direct;
    let filter = |time_constant| Activation::Filter { time_constant };
    let range = Some([-2.0, 2.0]);
    let area = std::f64::consts::PI * 0.01;
    // Gear, gain, bias, range of control, activation.
    let expected = [
        (3.0, 1.0, [0.0, 0.0, 0.0], range, direct),
        (1.0, 20.0, [0.0, -20.0, -3.0], None, filter(0.1)),
        (
            2.0,
            50.0,
            [0.0, -50.0, -1.11800233],
            Some([-1.0, 1.0]),
            direct,
        ),
        (1.0, 50.0, [0.0, -50.0, -2.21011581], range, direct),
        (1.0, 4.0, [0.0, 0.0, -4.0], range, direct),
        (
            1.0,
            5.0,
            [0.0, -5.0, 0.0],
            range,
            Activation::Integrator {
                limits: Some([-1.0, 1.0]),
            },
        ),
        (1.0, area, [1.0, 2.0, 3.0], range, filter(0.5)),
        (1.0, 7.0, [1.0, -2.0, -3.0], range, filter(0.3)),
        (1.0, 1.0, [0.0, 0.0, 0.0], range, direct),
    ];
    for (actuator, (gear, gain, bias, limits, activation)) in actuators.iter().zip(expected) {
        let ActuatorDescription { name, .. } = actuator;
        assert_eq!(
            (actuator.gear, actuator.activation),
            (gear, activation),
            "{name}"
        );
        assert_eq!(actuator.control_limits, limits, "{name}");
        assert!(close(actuator.gain, gain), "{name}: {}", actuator.gain);
        let same = actuator.bias.iter().zip(bias).all(|(a, b)| close(*a, b));
        assert!(same, "{name}: {:?}", actuator.bias);
    }
    assert_eq!(actuators[2].force_limits, Some([-9.0, 9.0]));
    assert_eq!(actuators[0].force_limits, None);
    assert_eq!(
        actuators[3].target,
        ActuatorTarget::Tendon("sum".to_owned())
    );
    let ActuatorTarget::Frame {
        body,
        pose,
        force,
        torque,
    } = &actuators[8].target
    else {
        panic!("{:?}", actuators[8].target);
    };
    assert_eq!((body.as_str(), pose.translation.x), ("box", 0.1));
    assert_eq!(
        (*force, *torque),
        (Vector3::z(), Vector3::new(0.0, 0.1, 0.0))
    );
}

#[test]
fn lengths_of_tendons() {
    let file = read();
    let [sum, rope, slack] = &file.scene.tendons[..] else {
        panic!("{:?}", file.scene.tendons);
    };
    assert_eq!((sum.limits, sum.stiffness), (Some([-1.0, 2.0]), 4.0));
    assert!(close(sum.rest[0], 0.2) && close(sum.rest[1], 0.2));
    let terms = vec![("a".to_owned(), 2.0), ("b".to_owned(), -0.5)];
    let robot = "drives".to_owned();
    assert_eq!(sum.path, TendonPath::Joints { robot, terms });

    assert!(close(rope.rest[0], 2.64021596), "{:?}", rope.rest);
    assert_eq!(
        [rope.stiffness, rope.damping, rope.friction_loss],
        [10.0, 1.0, 0.2]
    );
    let TendonPath::Points(branches) = &rope.path else {
        panic!("{:?}", rope.path);
    };
    assert_eq!([branches[0].divisor, branches[1].divisor], [1.0, 2.0]);
    let point = |body: &str, x: f64, y: f64, z: f64| (body.to_owned(), Point3::new(x, y, z));
    let first = [
        point("world", 1.0, 0.0, 2.0),
        point("drives/a", 0.5, 0.0, 0.0),
        point("drives/b", 0.4, 0.0, 0.0),
    ];
    assert_eq!(branches[0].points, first);
    assert_eq!(branches[1].points[1], point("box", 0.1, 0.0, 0.0));
    assert_eq!(slack.rest, [0.0, 3.0]);
    assert!(file.scene.bodies.iter().any(|body| body.name == "world"));
}

fn anchors(joint: &ConnectionDescription) -> [Isometry3<f64>; 2] {
    match joint.anchors {
        Anchors::OnBodies(anchors) => anchors,
        Anchors::InWorld(_) => panic!("{joint:?}"),
    }
}

#[test]
fn connections() {
    let file = read();
    let at = |joint: &ConnectionDescription, end: usize, x: f64, y: f64, z: f64| {
        let here = anchors(joint)[end].translation.vector;
        assert!((here - Vector3::new(x, y, z)).norm() < 1e-12, "{joint:?}");
    };
    let [pin, nail, glue, posed, sites] = &file.scene.joints[..] else {
        panic!("{:?}", file.scene.joints);
    };
    assert_eq!(
        (pin.kind, &pin.bodies[0][..], &pin.bodies[1][..]),
        (ConnectionKind::Ball, "drives/b", "box")
    );
    at(pin, 0, 0.1, 0.2, 0.3);
    at(pin, 1, 0.6, -1.8, 0.3);
    assert_eq!(nail.bodies[1], "world");
    at(nail, 1, 0.9, 0.0, 1.0);
    assert_eq!(glue.kind, ConnectionKind::Weld);
    at(glue, 0, 0.0, 2.0, 0.1);
    at(glue, 1, 0.0, 0.0, 0.1);
    at(posed, 0, 1.0, 2.0, 3.0);
    let turn = anchors(posed)[0].rotation;
    assert!(close(turn.angle(), std::f64::consts::FRAC_PI_2) && close(turn.i, turn.w));
    at(sites, 0, 0.5, 0.0, 0.0);
    at(sites, 1, 0.1, 0.0, 0.0);
}

#[test]
fn equations() {
    let file = read();
    let [gear, stop, both] = &file.scene.robots[0].couplings[..] else {
        panic!("{:?}", file.scene.robots[0].couplings);
    };
    let term = |joint: &str, coefficient: f64| (joint.to_owned(), 0, coefficient);
    // b + 0.2 = 0.4 − 2 (a − 0.3)
    assert_eq!(gear.terms, [term("b", 1.0), term("a", 2.0)]);
    assert!(close(gear.offset, 0.8));
    assert_eq!(stop.terms, [term("b", 1.0)]);
    assert!(close(stop.offset, -0.1));
    // 2 a − 0.5 b = 0.2 + 0.7
    assert_eq!(both.terms, [term("a", 2.0), term("b", -0.5)]);
    assert!(close(both.offset, 0.9));
}

#[test]
fn what_is_not_done_is_said() {
    let lines: Vec<String> = read().ignored.iter().map(ToString::to_string).collect();
    let expected = [
        "<geom> in <spatial>: tendons go straight from site to site and wrap around nothing",
        "<joint> in <equality> of a higher degree: only linear equations hold between coordinates",
        "<muscle>: muscles are not actuators here",
        "<general gaintype=\"affine\"> that depends on length or speed: the gain of an actuator is constant",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:#?}");
    for (line, end) in lines.iter().zip(expected) {
        assert!(line.starts_with("d.xml:") && line.ends_with(end), "{line}");
    }
}

/// A file of its own: what a default of servos does to other actuators, positive damping of a general
/// servo, and a weld that gives both relpose and anchor.
const SERVOS: &str = r#"<mujoco><compiler angle="radian"/>
<default><position kp="500" inheritrange="1"/></default>
<worldbody><body name="a"><joint name="j" range="-1 2"/><geom size="0.1" mass="1"/></body>
<body name="c" pos="1 0 0"><freejoint/><geom size="0.1"/></body></worldbody>
<equality><weld body1="a" body2="c" relpose="1 2 3 1 1 0 0" anchor="0.1 0.2 0.3"/></equality>
<actuator><motor name="m" joint="j" ctrlrange="-70 70"/><position name="p" joint="j"/>
<position name="o" joint="j" ctrlrange="-3 3"/>
<general name="g" joint="j" gainprm="40" biastype="affine" biasprm="0 -40 1"/>
<general name="h" joint="j" gainprm="40" biastype="affine" biasprm="0 -39 1"/></actuator></mujoco>"#;

#[test]
fn servos_inherit_ranges_and_damping_as_in_mujoco() {
    let file = mjcf::parse(SERVOS, "m.xml", &ModelOptions::default()).unwrap();
    let actuators = &file.scene.actuators;
    let ranges: Vec<_> = actuators[..3].iter().map(|a| a.control_limits).collect();
    assert_eq!(
        ranges,
        [Some([-70.0, 70.0]), Some([-1.0, 2.0]), Some([-3.0, 3.0])]
    );
    let damping: Vec<f64> = actuators.iter().map(|a| a.bias[2]).collect();
    // 2 √(40 · 0.004) with the inertia of a sphere of 1 kg and 0.1 m; 1 where the spring differs.
    assert!((damping[3] + 0.8).abs() < 1e-12, "{damping:?}");
    assert_eq!(damping[4], 1.0);
}

#[test]
fn the_relpose_of_a_weld_is_that_of_its_anchor() {
    let file = mjcf::parse(SERVOS, "m.xml", &ModelOptions::default()).unwrap();
    let Anchors::OnBodies([first, second]) = file.scene.joints[0].anchors else {
        panic!("frames on bodies");
    };
    assert_eq!(first.translation.vector, Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(second.translation.vector, Vector3::new(0.1, 0.2, 0.3));
}
