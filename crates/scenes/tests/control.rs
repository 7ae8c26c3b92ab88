//! What physics and their tasks say about the scenes that are controlled: with a number each.

use stiction_scenes::tasks::Verdict;
use stiction_scenes::{Options, Scene, SettingsDescription, build};
use stiction_sim::{BodyHandle, Isometry3, Vector3, World};

const GRAVITY: f64 = 9.81;

fn scene(name: &str) -> Scene {
    build(name, &Options::default()).unwrap()
}

/// Runs until a time, s; every step is solved.
fn run(world: &mut World, until: f64) {
    while world.time() < until - 1e-9 {
        step(world);
    }
}

fn step(world: &mut World) {
    let report = world.step().unwrap();
    assert_eq!(report.unconverged, 0, "{report:?}");
}

fn body(world: &World, name: &str) -> BodyHandle {
    world.find_body(name).unwrap()
}

fn pose(world: &World, name: &str) -> Isometry3<f64> {
    world.pose(body(world, name)).unwrap()
}

fn place(world: &World, name: &str) -> Vector3<f64> {
    pose(world, name).translation.vector
}

#[test]
fn pushed_dishes_slide_by_coulombs_law_and_do_not_glide() {
    let mut world = scene("dish-sliding").world;
    let bowls = ["lower bowl", "upper bowl"].map(|name| body(&world, name));
    run(&mut world, 0.5);
    let heights = bowls.map(|bowl| world.pose(bowl).unwrap().translation.z);
    run(&mut world, 1.0);
    // 1.2 N on 0.2 kg for half a second against μ = 0.3.
    let speed = 0.5 * (1.2 / 0.2 - 0.3 * GRAVITY);
    for bowl in bowls {
        let found = world.velocity(bowl).unwrap().linear.x;
        assert!(
            (found / speed - 1.0).abs() < 1e-3,
            "{found}, expected {speed}"
        );
    }
    run(&mut world, 1.8);
    for (bowl, height) in bowls.into_iter().zip(heights) {
        let velocity = world.velocity(bowl).unwrap();
        assert!(velocity.linear.norm() < 1e-6, "{velocity:?}");
        let risen = world.pose(bowl).unwrap().translation.z - height;
        assert!(risen.abs() < 1e-6, "{risen} m higher");
    }
}

#[test]
fn nuts_lock_above_the_friction_of_their_thread_and_run_below() {
    let mut world = scene("nut-runner").world;
    run(&mut world, 0.1);
    let sizes = ["M8", "M20", "M48"];
    let turned = |world: &World, before: &[Isometry3<f64>], word: &str| {
        let poses = sizes.map(|size| pose(world, &format!("{size} {word}")));
        let pairs = poses.into_iter().zip(before);
        pairs
            .map(|(now, before)| before.rotation.angle_to(&now.rotation))
            .collect::<Vec<f64>>()
    };
    let before =
        ["locks", "runs"].map(|word| sizes.map(|size| pose(&world, &format!("{size} {word}"))));
    run(&mut world, 0.4);
    for angle in turned(&world, &before[0], "locks") {
        assert!(angle < 1e-4, "turns by {angle} rad");
    }
    for angle in turned(&world, &before[1], "runs") {
        assert!(angle > 1e-2, "turns by {angle} rad");
    }
}

#[test]
fn eight_quadrupeds_fall_and_lie_on_about_ninety_contacts() {
    let mut world = scene("quadruped-drop").world;
    run(&mut world, 1.0);
    let (mut contacts, mut steps) = (0, 0);
    while world.time() < 1.5 {
        step(&mut world);
        contacts += world.report().contacts;
        steps += 1;
    }
    let mean = contacts / steps;
    assert!((80..=100).contains(&mean), "{mean} contacts");
    for number in 1..=8 {
        let trunk = place(&world, &format!("laikago {number}/trunk"));
        assert!(trunk.z > 0.07, "quadruped {number} at {trunk}");
    }
}

/// Mean velocity of a walking robot's trunk: forwards and to the left, m/s, turning, rad/s.
fn walk(name: &str, velocity: [f64; 3], [from, to]: [f64; 2]) -> [f64; 3] {
    let options = Options {
        velocity: Some(velocity),
        ..Options::default()
    };
    let mut world = build(name, &options).unwrap().world;
    run(&mut world, from);
    let (mut along, mut turned) = (Vector3::zeros(), 0.0);
    let trunk = body(&world, "laikago/trunk");
    while world.time() < to - 1e-9 {
        let dt = world.settings().time_step;
        step(&mut world);
        let (pose, twist) = (world.pose(trunk).unwrap(), world.velocity(trunk).unwrap());
        let heading = pose.rotation.euler_angles().2;
        let back = Isometry3::rotation(-Vector3::z() * heading);
        along += back * twist.linear * dt;
        turned += twist.angular.z * dt;
        let upright = (pose.rotation * Vector3::z()).z;
        assert!(
            pose.translation.z > 0.3 && upright > 0.9,
            "falls at {} s",
            world.time()
        );
    }
    let time = to - from;
    [along.x / time, along.y / time, turned / time]
}

fn assert_walks(name: &str, velocity: [f64; 3], times: [f64; 2]) {
    let found = walk(name, velocity, times);
    let size = velocity
        .iter()
        .fold(0.0_f64, |size, part| size.max(part.abs()));
    for (found, wanted) in found.into_iter().zip(velocity) {
        assert!(
            (found - wanted).abs() < 0.1 * size,
            "{found:?}, told {velocity:?}"
        );
    }
}

#[test]
fn a_quadruped_walks_at_the_velocity_it_is_told() {
    assert_walks("quadruped-walk", [0.5, 0.0, 0.3], [1.5, 3.0]);
}

/// Forwards, backwards, fast, aside, turning, 10 s each.
#[test]
#[ignore = "takes a minute; the test above samples it"]
fn a_quadruped_walks_everywhere() {
    for velocity in [
        [0.5, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [-0.4, 0.0, 0.0],
        [0.0, 0.3, 0.0],
        [0.0, 0.0, 0.8],
        [0.3, 0.0, 0.6],
    ] {
        assert_walks("quadruped-walk", velocity, [1.5, 10.0]);
    }
}

#[test]
#[ignore = "takes a minute; a test above samples it"]
fn a_quadruped_walks_over_bumps() {
    for velocity in [[0.5, 0.0, 0.0], [0.0, 0.2, 0.3]] {
        assert_walks("quadruped-walk-bumpy", velocity, [1.5, 10.0]);
    }
}

#[test]
fn only_walking_scenes_take_a_velocity() {
    let refusal = |name: &str, velocity: [f64; 3]| {
        let options = Options {
            velocity: Some(velocity),
            ..Options::default()
        };
        build(name, &options)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert!(refusal("laikago", [0.0; 3]).contains("nothing in it walks"));
    assert!(refusal("quadruped-walk", [f64::NAN, 0.0, 0.0]).contains("finite"));
}

/// Particles inside of a bottle's wall: from its axis (m) and above its floor (m).
fn inside(world: &World, bottle: &str, [radius, height]: [f64; 2], count: usize) -> usize {
    let bottle = pose(world, bottle).inverse();
    let particles = (0..count).map(|index| place(world, &format!("particle {index}")));
    let seen = particles.map(|particle| bottle * stiction_sim::Point3::from(particle));
    seen.filter(|at| at.xy().coords.norm() < radius && at.z > 0.0 && at.z < height)
        .count()
}

#[test]
fn a_bottle_is_grasped_and_lifted_with_what_is_in_it() {
    let mut world = scene("pouring-9").world;
    let before = place(&world, "bottle").z;
    run(&mut world, 3.2);
    let risen = place(&world, "bottle").z - before;
    assert!(risen > 0.05, "risen by {risen} m");
    assert_eq!(inside(&world, "bottle", [0.03, 0.12], 9), 9);
    assert!(world.report().penetration < 2e-4, "{:?}", world.report());
}

/// Runs a task to its end and says how it went.
fn attempt(name: &str, seed: u64, settings: SettingsDescription) -> Verdict {
    let options = Options {
        seed,
        settings,
        ..Options::default()
    };
    let mut scene = build(name, &options).unwrap();
    let mut task = scene.task.unwrap();
    while scene.world.time() < scene.seconds - 1e-9 {
        scene.world.step().unwrap();
        task.observe(&scene.world).unwrap();
    }
    task.verdict(&scene.world).unwrap()
}

fn assert_done(name: &str, seed: u64) -> Verdict {
    let verdict = attempt(name, seed, SettingsDescription::default());
    assert!(verdict.is_done(), "{name}, seed {seed}: {verdict:?}");
    verdict
}

#[test]
#[ignore = "takes minutes; the test above samples it"]
fn particles_are_poured_from_one_bottle_into_the_other() {
    for name in ["pouring-9", "pouring"] {
        assert_done(name, 0);
    }
}

#[test]
fn a_nut_follows_its_thread_onto_the_bolt() {
    let verdict = assert_done("bolt-nut-assembly", 0);
    let measure = |name| verdict.measure(name).unwrap();
    // The clearance along the axis is 0.2 mm over the cosine of the flank, to either side.
    assert!(measure("farthest off the helix") < 3e-4, "{verdict:?}");
    assert!(
        (measure("advance per turn") - 1.0).abs() < 0.01,
        "{verdict:?}"
    );
}

#[test]
fn a_hand_piles_dishes() {
    let verdict = assert_done("dish-piling-robot", 0);
    let jitter = verdict.measure("jitter at rest").unwrap();
    assert!(jitter < 1e-6, "{verdict:?}");
}

#[test]
#[ignore = "takes minutes; the tests above sample it"]
fn tasks_are_done_whatever_the_seed() {
    for name in ["bolt-nut-assembly", "bolt-nut-grasp", "dish-piling-robot"] {
        for seed in 0..20 {
            assert_done(name, seed);
        }
    }
}

#[test]
fn a_nut_is_taken_from_its_stand() {
    let mut world = scene("bolt-nut-grasp").world;
    let before = place(&world, "nut").z;
    run(&mut world, 5.9);
    let risen = place(&world, "nut").z - before;
    assert!(risen > 0.03, "risen by {risen} m");
}

#[test]
#[ignore = "takes a quarter of a minute; the test above samples it"]
fn a_nut_advances_by_its_pitch_grasp_by_grasp() {
    let verdict = assert_done("bolt-nut-grasp", 0);
    let advance = verdict.measure("advance per turn").unwrap();
    assert!((advance - 1.0).abs() < 0.01, "{advance} pitches a turn");
}
