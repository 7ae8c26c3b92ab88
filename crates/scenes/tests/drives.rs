//! Actuators against closed forms, gravity compensation, sensors and keyframes.

use stiction_io::scene_file::parse;
use stiction_scenes::{Options, Scene, build, from_scene_file};
use stiction_sim::{JointState, RobotHandle, Snapshot, Vector3, World};

/// Inertia of the wheel and mass of the slider.
const INERTIA: f64 = 0.5;
const DT: f64 = 0.01;

fn scene_at(text: &str, keyframe: Option<&str>) -> Result<Scene, String> {
    let file = parse(text, "test.toml").map_err(|error| error.to_string())?;
    let options = Options {
        keyframe: keyframe.map(str::to_owned),
        ..Options::default()
    };
    from_scene_file(&file, &options).map_err(|error| error.to_string())
}

fn scene(text: &str) -> Scene {
    scene_at(text, None).unwrap()
}

/// A wheel on an axle and a slider on a rail, without gravity, and further tables.
fn wheel(more: &str) -> Scene {
    scene(&format!(
        r#"
seconds = 1
[settings]
time_step = {DT}
gravity = [0, 0, 0]
tolerance = 1e-13
max_substeps = 1
energy_account = false
[[robots]]
name = "r"
[[robots.links]]
name = "wheel"
inertia = {{ mass = 1, diagonal = [{INERTIA}, {INERTIA}, {INERTIA}] }}
[[robots.links]]
name = "slider"
inertia = {{ mass = {INERTIA}, diagonal = [1, 1, 1] }}
[[robots.joints]]
name = "axle"
kind = "continuous"
parent = "world"
child = "wheel"
axis = [0, 0, 1]
[[robots.joints]]
name = "rail"
kind = "prismatic"
parent = "world"
child = "slider"
axis = [1, 0, 0]
{more}
"#
    ))
}

fn robot(world: &World) -> RobotHandle {
    world.find_robot("r").unwrap()
}

/// Steps and compares position and velocity of the axle with a recurrence of (step, q, v).
fn follow(scene: &mut Scene, steps: usize, next: impl Fn(usize, f64, f64) -> [f64; 2]) {
    let [mut q, mut v] = [0.0, 0.0];
    for step in 0..steps {
        scene.world.step().unwrap();
        [q, v] = next(step, q, v);
        let state = axle(scene);
        assert!(
            (state.position - q).abs() < 1e-11 && (state.velocity - v).abs() < 1e-11,
            "step {step}: {state:?}, not {q}, {v}"
        );
    }
}

fn axle(scene: &Scene) -> JointState {
    let robot = robot(&scene.world);
    scene.world.joint_state(robot, "axle").unwrap()
}

/// What nothing touches moves by the classical Runge–Kutta rule.
fn runge_kutta(q: f64, v: f64, acceleration: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let stage = |share: f64, [w, k]: [f64; 2]| {
        let (q, v) = (q + share * DT * w, v + share * DT * k);
        [v, acceleration(q, v)]
    };
    let first = [v, acceleration(q, v)];
    let second = stage(0.5, first);
    let third = stage(0.5, second);
    let fourth = stage(1.0, third);
    let mean = |at: usize| (first[at] + 2.0 * (second[at] + third[at]) + fourth[at]) / 6.0;
    [q + DT * mean(0), v + DT * mean(1)]
}

fn actuator(name: &str, lines: &str) -> String {
    format!("[[actuators]]\nname = \"{name}\"\nrobot = \"r\"\njoint = \"axle\"\n{lines}\n")
}

#[test]
fn a_motor_turns_its_gear_times_its_clamped_control() {
    let lines = "kind = \"motor\"\ngear = 3\ncontrol = 5\ncontrol_limits = [-2, 2]";
    let mut scene = wheel(&actuator("m", lines));
    follow(&mut scene, 100, |_, q, v| {
        runge_kutta(q, v, |_, _| 3.0 * 2.0 / INERTIA)
    });
}

#[test]
fn a_position_servo_is_a_spring_with_a_damper() {
    let lines = "kind = \"position\"\nkp = 80\nkd = 2\ngear = 2\ncontrol = 0.6";
    let mut scene = wheel(&actuator("p", lines));
    // Torque 2 (80 (0.6 − 2 q) − 2·2 v).
    follow(&mut scene, 300, |_, q, v| {
        runge_kutta(q, v, |q, v| (160.0 * 0.6 - 320.0 * q - 8.0 * v) / INERTIA)
    });
    let state = scene
        .world
        .joint_state(robot(&scene.world), "axle")
        .unwrap();
    assert!((2.0 * state.position - 0.6).abs() < 1e-6, "{state:?}");
}

#[test]
fn a_stiff_servo_is_stable_and_a_velocity_servo_settles() {
    let lines = "kind = \"position\"\nkp = 1e9\nkd = 1e5\ncontrol = 0.3";
    let mut scene = wheel(&actuator("p", lines));
    for step in 0..200 {
        scene.world.step().unwrap();
        let state = axle(&scene);
        assert!(
            (state.position - 0.3).abs() < 0.01,
            "step {step}: {state:?}"
        );
        assert!(
            step < 40 || state.velocity.abs() < 1e-6,
            "step {step}: {state:?}"
        );
    }
    assert!((axle(&scene).position - 0.3).abs() < 1e-9);
    let mut scene = wheel(&actuator("v", "kind = \"velocity\"\nkv = 4\ncontrol = 1.5"));
    follow(&mut scene, 200, |_, q, v| {
        runge_kutta(q, v, |_, v| 4.0 * (1.5 - v) / INERTIA)
    });
}

#[test]
fn filters_and_integrators_act_with_their_activation() {
    let lines = "kind = \"motor\"\nactivation = \"filter\"\ntime_constant = 0.1\ncontrol = 2";
    let mut scene = wheel(&actuator("f", lines));
    follow(&mut scene, 60, |step, q, v| {
        let time = DT * (step + 1) as f64;
        runge_kutta(q, v, |_, _| 2.0 * (1.0 - (-time / 0.1).exp()) / INERTIA)
    });
    let lines =
        "kind = \"motor\"\nactivation = \"integrator\"\nactivation_limits = [0, 0.5]\ncontrol = 2";
    let mut scene = wheel(&actuator("i", lines));
    follow(&mut scene, 60, |step, q, v| {
        let time = DT * (step + 1) as f64;
        runge_kutta(q, v, |_, _| (2.0 * time).min(0.5) / INERTIA)
    });
}

#[test]
fn force_limits_cap_the_force_and_what_drives_itself_is_explicit() {
    let lines = "kind = \"position\"\nkp = 1000\ncontrol = 1\nforce_limits = [-4, 4]";
    let mut scene = wheel(&actuator("p", lines));
    // Far from its target it pushes with its limit.
    follow(&mut scene, 20, |_, q, v| {
        runge_kutta(q, v, |_, _| 4.0 / INERTIA)
    });
    let lines = "kind = \"general\"\ngain = 1\nbias = [0.2, 3, 1]\ncontrol = 0.5";
    let mut scene = wheel(&actuator("g", lines));
    follow(&mut scene, 50, |_, q, v| {
        let force = 0.7 + 3.0 * q + v;
        runge_kutta(q, v, |_, _| force / INERTIA)
    });
}

#[test]
fn what_drives_one_joint_adds_up() {
    let mut scene = wheel(&format!(
        "{}{}{}[[controllers]]\nkind = \"pd\"\nrobot = \"r\"\njoint = \"axle\"\nstiffness = 6\n\
         damping = 1\nfeed_forward = 0.1\ntarget = -0.2\n",
        actuator("a", "kind = \"motor\"\ncontrol = 0.4"),
        actuator("b", "kind = \"position\"\nkp = 10\nkd = 1\ncontrol = 0.5"),
        actuator("c", "kind = \"velocity\"\nkv = 2\ncontrol = 0.3"),
    ));
    follow(&mut scene, 200, |_, q, v| {
        runge_kutta(q, v, |q, v| {
            let servos = 10.0 * (0.5 - q) - v + 2.0 * (0.3 - v);
            (0.4 + servos + 0.1 + 6.0 * (-0.2 - q) - v) / INERTIA
        })
    });
}

#[test]
fn tendons_and_frames_are_driven_too() {
    // The tendon couples wheel and slider: length = 2 q₁ + 0.5 q₂.
    let mut scene = wheel(
        r#"
[[tendons]]
name = "t"
robot = "r"
joints = [{ joint = "axle", coefficient = 2 }, { joint = "rail", coefficient = 0.5 }]
[[actuators]]
name = "pull"
kind = "motor"
tendon = "t"
gear = -1
control = 0.6
[[actuators]]
name = "jet"
kind = "motor"
body = "r/slider"
rotation = { axis = [0, 0, 1], angle_deg = 60 }
force = [1, 0, 0]
control = 3
[[sensors]]
name = "length"
kind = "tendon-length"
tendon = "t"
[[sensors]]
name = "rate"
kind = "tendon-velocity"
tendon = "t"
"#,
    );
    // What a tendon pulls at moves by implicit Euler.
    follow(&mut scene, 100, |_, q, v| {
        let v = v - DT * 2.0 * 0.6 / INERTIA;
        [q + DT * v, v]
    });
    let world = &scene.world;
    let [axle, rail] =
        ["axle", "rail"].map(|joint| world.joint_state(robot(world), joint).unwrap());
    let known = (-0.5 * 0.6 + 3.0 * 60_f64.to_radians().cos()) / INERTIA * DT * 100.0;
    assert!((rail.velocity - known).abs() < 1e-10, "{rail:?}");
    let length = 2.0 * axle.position + 0.5 * rail.position;
    let rate = 2.0 * axle.velocity + 0.5 * rail.velocity;
    assert!((reading(&scene, "length")[0] - length).abs() < 1e-12);
    assert!((reading(&scene, "rate")[0] - rate).abs() < 1e-12);
}

#[test]
fn controls_are_set_at_run_time_and_kept_by_snapshots() {
    let text = actuator(
        "a",
        "kind = \"motor\"\nactivation = \"filter\"\ntime_constant = 0.3\ncontrol = 0.2",
    );
    let mut first = wheel(&text);
    assert!(first.world.actuator_names().eq(["a"]));
    let error = first.world.find_actuator("b").unwrap_err().to_string();
    assert!(
        error.contains("\"b\"") && error.contains("there are: a"),
        "{error}"
    );
    let a = first.world.find_actuator("a").unwrap();
    assert!(first.world.set_control(a, f64::NAN).is_err());
    first.world.set_control(a, -3.0).unwrap();
    for _ in 0..30 {
        first.world.step().unwrap();
    }
    let speed = first
        .world
        .joint_state(robot(&first.world), "axle")
        .unwrap();
    assert!(speed.velocity < -0.1, "{speed:?}");
    let text_of = |scene: &Scene| serde_json::to_string(&scene.world.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&text_of(&first)).unwrap();
    let mut second = wheel(&text);
    second.world.restore(&snapshot).unwrap();
    for scene in [&mut first, &mut second] {
        for _ in 0..30 {
            scene.world.step().unwrap();
        }
        scene.world.release_control(a).unwrap();
        for _ in 0..30 {
            scene.world.step().unwrap();
        }
    }
    assert_eq!(text_of(&first), text_of(&second));
}

#[test]
fn a_step_that_is_tried_again_advances_activations_once() {
    let lines = "kind = \"motor\"\nactivation = \"integrator\"\ncontrol = 1";
    let mut scene = wheel(&actuator("i", lines));
    for step in 1..=20 {
        // Controllers that ran for a step that failed run again for the next try.
        scene.world.control().unwrap();
        scene.world.step().unwrap();
        let steps = f64::from(step);
        let known = DT * DT * 0.5 * steps * (steps + 1.0) / INERTIA;
        let state = scene
            .world
            .joint_state(robot(&scene.world), "axle")
            .unwrap();
        assert!((state.velocity - known).abs() < 1e-12, "{state:?}");
    }
}

const FLOATING: &str = r#"
seconds = 1
[[bodies]]
name = "balloon"
kind = "free"
mass = 0.7
gravity_compensation = 1
position = [0, 0, 3]
rotation = { axis = [1, 2, 3], angle = 1 }
shapes = [{ kind = "box", size = [0.1, 0.2, 0.3], position = [0.2, 0, 0] }]
[[bodies]]
name = "half"
kind = "free"
mass = 0.7
gravity_compensation = 0.5
position = [5, 0, 3]
shapes = [{ kind = "sphere", radius = 0.1 }]
[[robots]]
name = "arm"
[[robots.links]]
name = "upper"
mass = 2
gravity_compensation = 1
shapes = [{ kind = "capsule", length = 0.4, radius = 0.05, position = [0.2, 0.03, 0] }]
[[robots.links]]
name = "lower"
mass = 1
gravity_compensation = 1
shapes = [{ kind = "capsule", length = 0.4, radius = 0.05, position = [0.2, 0, 0.02] }]
[[robots.links]]
name = "tool"
gravity_compensation = 1
inertia = { mass = 0.5, center = [0, 0.1, 0], diagonal = [0.01, 0.01, 0.01] }
[[robots.joints]]
name = "shoulder"
kind = "revolute"
parent = "world"
child = "upper"
axis = [0, 1, 0]
initial = 0.3
[[robots.joints]]
name = "elbow"
kind = "revolute"
parent = "upper"
child = "lower"
axis = [0, 1, 0.2]
position = [0.4, 0, 0]
initial = 0.9
[[robots.joints]]
name = "mount"
kind = "fixed"
parent = "lower"
child = "tool"
position = [0.4, 0, 0]
rotation = { axis = [1, 0, 0], angle = 0.5 }
"#;

#[test]
fn gravity_compensation_floats() {
    let mut scene = scene(FLOATING);
    let world = &mut scene.world;
    let bodies = ["balloon", "half"].map(|name| world.find_body(name).unwrap());
    let start = world.pose(bodies[0]).unwrap();
    for _ in 0..480 {
        world.step().unwrap();
    }
    let moved = world.pose(bodies[0]).unwrap();
    assert!((moved.translation.vector - start.translation.vector).norm() < 1e-12);
    assert!(moved.rotation.angle_to(&start.rotation) < 1e-12);
    let speed = world.velocity(bodies[1]).unwrap().linear.z;
    assert!((speed + 0.5 * 9.81 * 2.0).abs() < 1e-9, "{speed}");
    let arm = world.find_robot("arm").unwrap();
    for (joint, angle) in [("shoulder", 0.3), ("elbow", 0.9)] {
        let state = world.joint_state(arm, joint).unwrap();
        assert!((state.position - angle).abs() < 1e-10, "{joint}: {state:?}");
        assert!(state.velocity.abs() < 1e-10, "{joint}: {state:?}");
    }
}

const MEASURED: &str = r#"
seconds = 1
[settings]
tolerance = 1e-12
[[bodies]]
name = "stone"
kind = "free"
mass = 2
position = [1, 2, 3]
rotation = { axis = [0, 0, 1], angle_deg = 90 }
angular_velocity = [0, 0, 2]
velocity = [1, 0, 0]
shapes = [{ kind = "sphere", radius = 0.1 }]
[[robots]]
name = "mast"
[[robots.links]]
name = "pole"
inertia = { mass = 3, center = [0.5, 0, 0], diagonal = [0.1, 0.1, 0.1] }
[[robots.joints]]
name = "hinge"
kind = "revolute"
parent = "world"
child = "pole"
axis = [0, 1, 0]
[[actuators]]
name = "servo"
kind = "position"
robot = "mast"
joint = "hinge"
kp = 1e5
kd = 1e3
[[keyframes]]
name = "turned"
joints = [{ robot = "mast", joint = "hinge", position = "30 deg" }]
bodies = [{ body = "stone", position = [0, 0, 9], velocity = [0, 0, 1] }]
controls = { servo = 0.25 }
[[keyframes]]
name = "other"
"#;

fn sensors() -> String {
    let mut text = MEASURED.to_owned();
    let frame = "body = \"stone\"\nposition = [0.5, 0, 0]\nrotation = { axis = [0, 0, 1], angle_deg = -90 }";
    for kind in [
        "frame-position",
        "frame-orientation",
        "frame-linear-velocity",
        "frame-angular-velocity",
        "velocimeter",
        "gyro",
        "accelerometer",
    ] {
        text += &format!("[[sensors]]\nname = \"{kind}\"\nkind = \"{kind}\"\n{frame}\n");
    }
    text +=
        "[[sensors]]\nname = \"cut\"\nkind = \"frame-position\"\nbody = \"stone\"\ncutoff = 1.5\n";
    for kind in ["accelerometer", "force", "torque"] {
        text += &format!(
            "[[sensors]]\nname = \"pole {kind}\"\nkind = \"{kind}\"\nbody = \"mast/pole\"\n\
             position = [0.1, 0, 0]\nrotation = {{ axis = [0, 1, 0], angle_deg = 90 }}\n"
        );
    }
    for (name, lines) in [
        (
            "angle",
            "kind = \"joint-position\"\nrobot = \"mast\"\njoint = \"hinge\"",
        ),
        (
            "speed",
            "kind = \"joint-velocity\"\nrobot = \"mast\"\njoint = \"hinge\"",
        ),
        ("servo", "kind = \"actuator-force\"\nactuator = \"servo\""),
    ] {
        text += &format!("[[sensors]]\nname = \"{name}\"\n{lines}\n");
    }
    text
}

/// The reading of a sensor.
fn reading(scene: &Scene, name: &str) -> Vec<f64> {
    let sensor = scene.world.find_sensor(name).unwrap();
    scene.world.read_sensor(sensor).unwrap().to_vec()
}

fn near(found: &[f64], known: &[f64], within: f64) {
    let same = found.iter().zip(known).all(|(a, b)| (a - b).abs() < within);
    assert!(
        found.len() == known.len() && same,
        "{found:?} is not {known:?}"
    );
}

#[test]
fn sensors_show_what_is_known() {
    let mut scene = scene(&sensors());
    assert_eq!(scene.world.sensor_names().count(), 14);
    // The stone is turned by 90°, the frame 0.5 m along its x axis turned back to world axes.
    near(&reading(&scene, "frame-position"), &[1.0, 2.5, 3.0], 1e-12);
    near(
        &reading(&scene, "frame-orientation"),
        &[1.0, 0.0, 0.0, 0.0],
        1e-12,
    );
    near(
        &reading(&scene, "frame-linear-velocity"),
        &[0.0, 0.0, 0.0],
        1e-12,
    );
    near(
        &reading(&scene, "frame-angular-velocity"),
        &[0.0, 0.0, 2.0],
        1e-12,
    );
    near(&reading(&scene, "gyro"), &[0.0, 0.0, 2.0], 1e-12);
    near(&reading(&scene, "cut"), &[1.0, 1.5, 1.5], 1e-12);
    near(&reading(&scene, "accelerometer"), &[0.0, 0.0, 9.81], 1e-12);
    for _ in 0..480 {
        scene.world.step().unwrap();
    }
    // In free flight only the centripetal acceleration is felt, ω² r towards the centre.
    let pose = scene
        .world
        .pose(scene.world.find_body("stone").unwrap())
        .unwrap();
    let towards = pose.rotation * Vector3::new(-1.0, 0.0, 0.0);
    let frame = pose.rotation
        * stiction_sim::UnitQuaternion::from_scaled_axis(Vector3::z() * -90_f64.to_radians());
    let own = frame.inverse() * towards * (4.0 * 0.5);
    near(&reading(&scene, "accelerometer"), own.as_slice(), 0.02);
    let velocity = reading(&scene, "frame-linear-velocity");
    let own = frame.inverse() * Vector3::from_column_slice(&velocity);
    near(&reading(&scene, "velocimeter"), own.as_slice(), 1e-12);
    // The pole rests level on its servo: it carries 3 kg at 0.5 m, seen at 0.1 m in a frame whose
    // −x is up.
    let weight = 3.0 * 9.81;
    near(
        &reading(&scene, "pole accelerometer"),
        &[-9.81, 0.0, 0.0],
        2e-3,
    );
    near(&reading(&scene, "pole force"), &[-weight, 0.0, 0.0], 0.01);
    let torque = reading(&scene, "pole torque");
    near(&torque, &[0.0, -weight * 0.4, 0.0], 0.01);
    near(&reading(&scene, "servo"), &[-weight * 0.5], 0.01);
    let angle = reading(&scene, "angle")[0];
    assert!((angle - weight * 0.5 / 1e5).abs() < 1e-6, "{angle}");
    assert!(reading(&scene, "speed")[0].abs() < 1e-6);
}

#[test]
fn a_scene_starts_at_a_keyframe() {
    let mut scene = scene_at(MEASURED, Some("turned")).unwrap();
    let mast = scene.world.find_robot("mast").unwrap();
    let stone = scene.world.find_body("stone").unwrap();
    let angle = scene.world.joint_state(mast, "hinge").unwrap().position;
    assert_eq!(angle, 30_f64.to_radians());
    assert_eq!(scene.world.pose(stone).unwrap().translation.z, 9.0);
    assert_eq!(scene.world.velocity(stone).unwrap().linear.z, 1.0);
    for _ in 0..480 {
        scene.world.step().unwrap();
    }
    let angle = scene.world.joint_state(mast, "hinge").unwrap().position;
    assert!((angle - 0.25).abs() < 1e-3, "{angle}");
    let error = scene_at(MEASURED, Some("tuned")).err().unwrap();
    assert!(
        error.contains("\"tuned\"") && error.contains("turned, other"),
        "{error}"
    );
    let options = Options {
        keyframe: Some("any".to_owned()),
        ..Options::default()
    };
    assert!(build("rolling", &options).is_err());
}

#[test]
fn scene_files_say_what_is_drawn_and_which_pairs_touch() {
    let text = r#"
seconds = 1
exclude = [["floor", "box"]]
[materials.rough]
friction = 0.9
[[bodies]]
name = "floor"
kind = "fixed"
shapes = [{ kind = "half-space", name = "ground", material = "rough" }]
[[bodies]]
name = "box"
kind = "free"
mass = 1
position = [0, 0, 0.1]
velocity = [2, 0, 0]
color = [0, 0, 1]
shapes = [
    { kind = "box", size = [0.2, 0.2, 0.2], name = "solid", material = "rough", color = [1, 0, 0] },
    { kind = "sphere", radius = 1, visual_only = true, name = "halo", color = [0, 1, 0, 0.5] },
    { kind = "sphere", radius = 1, visual_only = true, name = "aura" },
]
[[contact_pairs]]
shapes = ["floor/ground", "box/solid"]
friction = 0.2
"#;
    let mut scene = scene(text);
    let body = scene.world.find_body("box").unwrap();
    assert_eq!(scene.world.mass(body).unwrap(), 1.0);
    let header = scene.world.recording_header("test", 0.1);
    let colors: Vec<_> = header.bodies[1]
        .visuals
        .iter()
        .map(|visual| visual.color)
        .collect();
    assert_eq!(
        colors,
        [
            [1.0, 0.0, 0.0, 1.0],
            [0.0, 1.0, 0.0, 0.5],
            [0.0, 0.0, 1.0, 1.0]
        ]
    );
    for _ in 0..120 {
        scene.world.step().unwrap();
    }
    let speed = scene.world.velocity(body).unwrap().linear.x;
    assert!((speed - (2.0 - 0.2 * 9.81 * 0.5)).abs() < 1e-6, "{speed}");
}
