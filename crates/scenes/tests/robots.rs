//! The robots that come along: what they weigh, what MuJoCo says about them, and what their scenes do.

use std::collections::BTreeMap;

use serde_json::Value;
use stiction_dynamics::{Data, MassMatrix, crba, gravity_torque};
use stiction_scenes::{Options, SettingsDescription, build, from_scene_file, robots};
use stiction_sim::{BodyHandle, RobotHandle, Vector3, World};

const TOLERANCE: f64 = 1e-6;

/// Name, degrees of freedom and mass of what moves (kg), as published or added up in the file.
const FIGURES: [(&str, usize, f64); 11] = [
    // Links 1 to 7; the base stands still.
    ("panda", 7, 16.062132),
    // The same, hand and fingers.
    ("panda-gripper", 9, 16.822132),
    // Links 1 to 7, palm and fingers.
    ("panda-allegro", 23, 17.017032),
    // Without the palm.
    ("allegro-hand", 16, 0.5395),
    ("laikago", 18, 25.433),
    ("solo12", 18, 2.500003),
    ("humanoid", 31, 75.0),
    // Torso and arms, without the column.
    ("dual-arm", 15, 80.024),
    // Arms and hands, without the torso.
    ("upper-body", 28, 7.36),
    ("mobile-manipulator", 18, 88.3917),
    ("door-handle", 1, 0.22),
];

/// All robots of a world by name.
fn robots_of(world: &World) -> BTreeMap<String, RobotHandle> {
    let names = world.body_names().filter_map(|name| name.split_once('/'));
    names
        .filter_map(|(robot, _)| Some((robot.to_owned(), world.find_robot(robot).ok()?)))
        .collect()
}

fn the_robot(world: &World) -> (String, RobotHandle) {
    let mut robots = robots_of(world).into_iter();
    let robot = robots.next().expect("a robot");
    assert!(robots.next().is_none(), "one robot");
    robot
}

#[test]
fn robots_have_the_joints_and_the_mass_that_are_published() {
    assert_eq!(robots().len(), FIGURES.len());
    for (file, (name, dofs, mass)) in robots().iter().zip(FIGURES) {
        assert_eq!(file.name, name);
        let read = file.read().unwrap();
        assert!(read.ignored.is_empty(), "{name}: {:?}", read.ignored);
        let world = from_scene_file(&read, &Options::default()).unwrap().world;
        let (robot, handle) = the_robot(&world);
        assert_eq!(world.model(handle).unwrap().nv(), dofs, "{name}");
        let links = world.body_names().filter(|link| {
            link.strip_prefix(&robot)
                .is_some_and(|rest| rest.starts_with('/') && rest != "/world")
        });
        let sum: f64 = links
            .map(|link| world.mass(world.find_body(link).unwrap()).unwrap())
            .sum();
        assert!((sum - mass).abs() < 1e-6, "{name}: {sum} kg");
    }
}

/// `tests/data/robots_mujoco.py` writes the file.
#[test]
fn gravity_torques_and_inertias_are_those_of_mujoco() {
    let all: Value = serde_json::from_str(include_str!("data/robots_mujoco.json")).unwrap();
    for file in robots() {
        let joints = all[file.file].as_object().unwrap();
        let read = file.read().unwrap();
        let world = from_scene_file(&read, &Options::default()).unwrap().world;
        let model = world.model(the_robot(&world).1).unwrap();
        let mut q = model.neutral();
        for (name, said) in joints {
            let info = model.joint(name).expect(name);
            q[info.q.start] = said["position"].as_f64().unwrap();
        }
        let mut data = Data::new(model);
        let mut mass = MassMatrix::new(model);
        crba(model, &mut data, &q, &mut mass).unwrap();
        let diagonal = mass.to_dense();
        let torque = gravity_torque(model, &mut data, &q).unwrap();
        for (name, said) in joints {
            let dof = model.joint(name).expect(name).v.start;
            let expect = |what: &str, found: f64, scale: f64| {
                let value = said[what].as_f64().unwrap();
                let error = (found - value).abs();
                assert!(
                    error < 1e-6 * (scale + value.abs()),
                    "{}: {what} of {name} is {found}, and {value} by MuJoCo",
                    file.name
                );
            };
            expect("gravity_torque", torque[dof], 1.0);
            expect("inertia", diagonal[(dof, dof)], 1e-2);
        }
    }
}

/// Steps a scene and holds it to what every scene must do: the solver reaches its tolerance in every
/// step, joints stay within their limits, and nothing is faster (m/s, rad/s) than `fastest`.
fn run(name: &str, seed: u64, seconds: f64, fastest: f64, mut look: impl FnMut(&World)) -> World {
    let options = Options {
        seed,
        settings: SettingsDescription {
            tolerance: Some(TOLERANCE),
            solver: Some("canal".to_owned()),
            ..SettingsDescription::default()
        },
        ..Options::default()
    };
    let mut world = build(name, &options).unwrap().world;
    let names: Vec<String> = world.body_names().map(str::to_owned).collect();
    let bodies: Vec<BodyHandle> = names
        .iter()
        .map(|name| world.find_body(name).unwrap())
        .collect();
    let robots = robots_of(&world);
    assert!(!robots.is_empty());
    while world.time() < seconds - 1e-9 {
        world.step().unwrap();
        let report = world.report();
        let at = format!("{name} at {} s", world.time());
        assert_eq!(report.unconverged, 0, "{at}: {report:?}");
        assert!(report.residual <= TOLERANCE, "{at}: {report:?}");
        for (body, name) in bodies.iter().zip(&names) {
            let twist = world.velocity(*body).unwrap();
            let speed = twist.linear.norm().max(twist.angular.norm());
            assert!(speed < fastest, "{at}: {name} at {speed}");
        }
        for (robot, handle) in &robots {
            let over = beyond_limits(&world, *handle);
            assert!(over < 1e-4, "{at}: {robot} {over} beyond its limits");
        }
        look(&world);
    }
    world
}

/// How far a robot's worst joint is beyond its limits, rad or m.
fn beyond_limits(world: &World, robot: RobotHandle) -> f64 {
    let model = world.model(robot).unwrap();
    let (q, _) = world.robot_state(robot).unwrap();
    let mut worst = 0.0_f64;
    for joint in &model.description().joints {
        let Some(info) = model.joint(&joint.name) else {
            continue;
        };
        if info.q.len() == 1 && info.v.len() == 1 {
            let limits = &model.dof_properties()[info.v.start];
            let position = q[info.q.start];
            worst = worst.max(limits.lower - position);
            worst = worst.max(position - limits.upper);
        }
    }
    worst
}

fn position(world: &World, body: &str) -> Vector3<f64> {
    let body = world.find_body(body).unwrap();
    world.pose(body).unwrap().translation.vector
}

/// Where a body's origin is in the frame of another.
fn seen_from(world: &World, frame: &str, body: &str) -> Vector3<f64> {
    let frame = world.pose(world.find_body(frame).unwrap()).unwrap();
    let body = world.pose(world.find_body(body).unwrap()).unwrap();
    (frame.inverse() * body).translation.vector
}

/// Cosine of the angle between a body's z axis and up.
fn uprightness(world: &World, body: &str) -> f64 {
    let body = world.find_body(body).unwrap();
    (world.pose(body).unwrap().rotation * Vector3::z()).z
}

fn joint(world: &World, name: &str) -> f64 {
    let (_, robot) = the_robot(world);
    let info = world.model(robot).unwrap().joint(name).unwrap().q.start;
    world.robot_state(robot).unwrap().0[info]
}

#[test]
fn the_arm_follows_its_servos() {
    let world = run("panda", 0, 1.0, 10.0, |_| {});
    // 0.8 sin(2π 0.25 t) at 1 s.
    let error = (joint(&world, "joint1") - 0.8).abs();
    assert!(error < 0.05, "{error} rad behind");
}

#[test]
fn a_gram_stays_between_stiff_fingers() {
    let (mut first, mut worst) = (None, 0.0_f64);
    run("panda-gripper", 0, 2.0, 10.0, |world| {
        let place = seen_from(world, "panda_gripper/left_finger", "cube");
        let moved = (place - *first.get_or_insert(place)).norm();
        worst = worst.max(moved);
    });
    // What sticks to a turning hand moves along tangents, ½ ω² r dt away from it: some tenths of a mm.
    assert!(worst < 1e-3, "the cube moved {worst} m");
}

#[test]
fn the_box_stays_on_the_plate_while_the_arm_wanders_into_its_limit() {
    let mut highest = 0.0_f64;
    for seed in 0..3 {
        run("panda-box", seed, 2.0, 10.0, |world| {
            let place = seen_from(world, "panda/wrist_roll", "box");
            assert!(place.xy().norm() < 0.1, "{place} at {} s", world.time());
            assert!(
                (place.z - 0.167).abs() < 1e-3,
                "{place} at {} s",
                world.time()
            );
            highest = highest.max(joint(world, "joint6"));
        });
    }
    assert!(highest > 3.7525 - 1e-3, "joint 6 gets to {highest}");
}

#[test]
fn the_hand_holds_the_ball() {
    let mut touched = 0;
    let world = run("allegro-hand", 0, 2.0, 20.0, |world| {
        let ball = position(world, "ball");
        assert!(ball.xy().norm() < 0.05 && ball.z > 0.03, "{ball}");
        let ball = world.find_body("ball").unwrap();
        let forces = world.contact_forces().iter();
        let on_ball = forces.filter(|contact| {
            (contact.body_a == Some(ball) || contact.body_b == Some(ball))
                && contact.force.norm() > 1e-3
        });
        touched = touched.max(on_ball.count());
    });
    assert!(touched >= 3, "palm and at least two links: {touched}");
    let closed = joint(&world, "middle_knuckle");
    assert!(closed > 0.6, "the fingers curl: {closed} rad");
}

#[test]
fn the_quadruped_squats_and_stands_whatever_the_seed() {
    for seed in 0..2 {
        let (mut lowest, mut highest) = (f64::INFINITY, 0.0_f64);
        run("laikago", seed, 2.0, 20.0, |world| {
            let height = position(world, "laikago/trunk").z;
            assert!(uprightness(world, "laikago/trunk") > 0.98);
            (lowest, highest) = (lowest.min(height), highest.max(height));
        });
        assert!(lowest > 0.25 && highest < 0.5, "{lowest} to {highest} m");
        assert!(highest - lowest > 0.1, "it squats: {lowest} to {highest} m");
    }
}

#[test]
fn eight_quadrupeds_stand() {
    let world = run("laikago-eight", 0, 0.5, 20.0, |_| {});
    assert_eq!(robots_of(&world).len(), 8);
    for robot in robots_of(&world).keys() {
        assert!(uprightness(&world, &format!("{robot}/trunk")) > 0.98);
    }
    assert!(world.report().islands >= 8, "each is an island of its own");
}

#[test]
fn the_small_quadruped_trots_on_the_spot() {
    let mut lifted = 0.0_f64;
    let world = run("solo12", 0, 2.0, 20.0, |world| {
        assert!(uprightness(world, "solo12/body") > 0.95);
        assert!(position(world, "solo12/body").z > 0.18);
        let leg = world.find_body("solo12/front_left_lower_leg").unwrap();
        let foot = world.pose(leg).unwrap() * stiction_sim::Point3::new(0.0, 0.008, -0.16);
        lifted = lifted.max(foot.z - 0.0165);
    });
    assert!(lifted > 5e-3, "a foot gets {lifted} m off the floor");
    let drift = position(&world, "solo12/body").xy().norm();
    assert!(drift < 0.05, "{drift} m from the spot");
}

#[test]
fn the_humanoid_falls_within_its_limits() {
    for seed in 0..2 {
        let world = run("humanoid", seed, 2.0, 40.0, |_| {});
        let height = position(&world, "humanoid/pelvis").z;
        assert!((0.05..0.4).contains(&height), "it lies: {height} m");
    }
}

#[test]
fn two_arms_lift_the_box() {
    let world = run("dual-arm", 0, 1.9, 20.0, |_| {});
    let lift = position(&world, "box") - Vector3::new(0.5, 0.0, 1.05);
    assert!((lift.z - 0.15).abs() < 0.01, "lifted by {} m", lift.z);
    assert!(lift.xy().norm() < 0.02, "aside by {} m", lift.xy().norm());
}

#[test]
fn the_vehicle_drives_the_circle_of_its_wheels() {
    let mut before = None;
    let world = run("mobile-manipulator", 0, 2.0, 20.0, |world| {
        if before.is_none() && world.time() > 1.0 {
            let vehicle = world.find_body("mobile_manipulator/vehicle").unwrap();
            before = Some((world.time(), world.pose(vehicle).unwrap()));
        }
    });
    let (start, before) = before.unwrap();
    let vehicle = world.find_body("mobile_manipulator/vehicle").unwrap();
    let after = world.pose(vehicle).unwrap();
    let seconds = world.time() - start;
    // Wheels of 0.1 m at 5 and 7 rad/s, 0.52 m apart; friction in the hubs and the swinging arm make
    // the servos lag a little.
    let turned = (before.rotation.inverse() * after.rotation).scaled_axis().z;
    let rate = turned / seconds;
    assert!((rate - 0.2 / 0.52).abs() < 0.06, "turns at {rate} rad/s");
    let way = (after.translation.vector - before.translation.vector).norm();
    let chord = 2.0 * (0.6 / rate) * (0.5 * turned).sin();
    assert!((way - chord).abs() < 0.05 * chord, "{way} m, not {chord} m");
    assert!(uprightness(&world, "mobile_manipulator/vehicle") > 0.999);
}

#[test]
fn the_handle_rests_on_its_friction_and_stops_at_its_stops() {
    let (mut lowest, mut highest) = (0.0_f64, 0.0_f64);
    let mut rested = 0.0_f64;
    run("door-handle", 0, 2.0, 100.0, |world| {
        let angle = joint(world, "handle");
        (lowest, highest) = (lowest.min(angle), highest.max(angle));
        // Weight and torque together are below the friction: −0.1 + 0.6 sin(π t) + 0.11 < 0.3.
        if world.time() < 0.15 {
            rested = rested.max(angle.abs());
        }
    });
    assert!(rested < 1e-6, "moves by {rested} rad below its friction");
    assert!((lowest + 0.1).abs() < 1e-4, "lower stop: {lowest}");
    assert!((highest - 0.7).abs() < 1e-4, "upper stop: {highest}");
}
