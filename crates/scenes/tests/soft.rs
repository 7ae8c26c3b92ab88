//! What is known of soft bodies and rods, found again in the built-in scenes.

use stiction_scenes::{Options, Scene, build};
use stiction_sim::{Isometry3, Vector3};

fn scene(name: &str) -> Scene {
    build(name, &Options::default()).unwrap()
}

fn run(scene: &mut Scene, seconds: f64) {
    let steps = (seconds / scene.world.settings().time_step).round() as usize;
    for _ in 0..steps {
        let report = scene.world.step().unwrap();
        assert_eq!(report.unconverged, 0, "at {} s: {report:?}", report.time);
    }
}

#[test]
fn a_rope_on_a_drum_obeys_the_capstan_equation() {
    let mut scene = scene("capstan");
    let rope = scene.world.find_rod("rope").unwrap();
    let joints = scene.world.rod(rope).unwrap().joint_count();
    run(&mut scene, 1.0);
    let (friction, ratio, angle): (f64, f64, f64) =
        (0.3, 5e-4 / 0.0505, 3.0 * std::f64::consts::PI);
    // a μ k² + k − μ (1 − a) = 0
    let k = ((1.0 + 4.0 * ratio * friction * friction * (1.0 - ratio)).sqrt() - 1.0)
        / (2.0 * ratio * friction);
    let expected = (k * angle).exp();
    let mut ratios = Vec::new();
    for _ in 0..10 {
        run(&mut scene, 0.1);
        let [weight, hand] =
            [4, joints - 5].map(|joint| scene.world.rod_stress(rope, joint).unwrap().tension());
        ratios.push(hand / weight / expected);
    }
    for ratio in &ratios {
        assert!((ratio - 1.0).abs() < 0.02, "{ratios:?} of {expected}");
    }
}

#[test]
fn a_cable_hangs_as_the_catenary() {
    let mut scene = scene("catenary");
    let cable = scene.world.find_rod("cable").unwrap();
    run(&mut scene, 8.0);
    let links = scene.world.rod_links(cable).unwrap();
    let sag = -scene.world.pose(links[50]).unwrap().translation.z;
    // 2 a sinh(span/2a) = length
    let (mut low, mut high) = (0.1_f64, 10.0_f64);
    for _ in 0..100 {
        let a = 0.5 * (low + high);
        match 2.0 * a * (0.5 / a).sinh() > 1.2 {
            true => low = a,
            false => high = a,
        }
    }
    let expected = low * ((0.5 / low).cosh() - 1.0);
    assert!((sag / expected - 1.0).abs() < 0.01, "{sag} {expected}");
}

#[test]
fn a_pinched_sheet_holds_up_to_its_friction_and_slips_beyond() {
    let mut scene = scene("cloth-pinch");
    let bar = scene.world.find_body("bar").unwrap();
    let weight = (0.05 + 0.06 * 0.004 * 0.1 * 1000.0) * 9.81;
    // 2 μ N less the weight is what it takes: until then it creeps not at all, beyond it falls.
    let slips_at = 0.5 + (10.0 - weight) / 4.0;
    run(&mut scene, 0.98 * slips_at);
    let velocity = scene.world.velocity(bar).unwrap().linear.z;
    assert!(velocity > -5e-3, "it only stretches: {velocity} m/s");
    run(&mut scene, 0.1 * slips_at);
    let velocity = scene.world.velocity(bar).unwrap().linear.z;
    assert!(velocity < -0.05, "it slips: {velocity} m/s");
}

#[test]
fn everything_soft_and_rigid_is_stirred_together() {
    let mut scene = scene("soft-lab");
    run(&mut scene, 1.5);
    let kinds = scene.world.contact_forces().iter();
    let soft_alone = kinds.filter(|contact| contact.body_a.is_none() || contact.body_b.is_none());
    assert!(soft_alone.count() > 10);
    assert!(scene.world.report().penetration < 2e-3);
}

/// A minute of it: `cargo test --release -p stiction-scenes --test soft -- --ignored`.
#[test]
#[ignore = "takes minutes; the test above samples it"]
fn a_minute_of_stirring() {
    let mut scene = scene("soft-lab");
    run(&mut scene, 60.0);
}

/// Where the links of the cable are.
fn cable(scene: &Scene) -> Vec<Isometry3<f64>> {
    let cable = scene.world.find_rod("cable").unwrap();
    let links = scene.world.rod_links(cable).unwrap().iter();
    links.map(|&link| scene.world.pose(link).unwrap()).collect()
}

/// How far a cable goes around an axis along z through (x, y) on the links that are nearer to it than
/// `reach`, rad, and how near the nearest one is, m.
fn wound(links: &[Isometry3<f64>], axis: [f64; 2], reach: f64) -> (f64, f64) {
    let from = |link: &Isometry3<f64>| {
        let at = link.translation.vector - Vector3::new(axis[0], axis[1], 0.0);
        at.xy()
    };
    let mut angle = 0.0;
    for pair in links.windows(2) {
        let [a, b] = [from(&pair[0]), from(&pair[1])];
        if a.norm() < reach && b.norm() < reach {
            angle += a.perp(&b).atan2(a.dot(&b));
        }
    }
    let nearest = links.iter().map(|link| from(link).norm());
    (angle, nearest.fold(f64::INFINITY, f64::min))
}

#[test]
fn a_cable_lies_down_on_a_cylinder_as_far_as_the_hand_has_gone_around() {
    let mut scene = scene("cable-winding-120");
    let start = cable(&scene);
    run(&mut scene, 8.0);
    let links = cable(&scene);
    // Cruising since 4 s; 1.75 turns take 30 s of it.
    let expected = 1.75 * std::f64::consts::TAU * 4.0 / 30.0;
    let (angle, nearest) = wound(&links, [0.492, -0.2025], 0.0223);
    assert!((angle - expected).abs() < 0.2, "{angle} of {expected} rad");
    assert!(nearest > 0.022 - 5e-5, "{nearest} m from the axis");
    let held = (links[0].translation.vector - start[0].translation.vector).norm();
    assert!(held < 1e-9, "the held end moved by {held} m");
    let wrist = scene.world.find_body("panda/wrist_roll").unwrap();
    let hand = scene.world.pose(wrist).unwrap();
    let before = Vector3::new(0.0, 0.0, 0.107 + 0.04 + 0.004);
    let apart = (hand * Isometry3::from(before)).translation.vector - links[119].translation.vector;
    assert!(apart.norm() < 1e-5, "{} m from the hand", apart.norm());
}

#[test]
fn grains_stay_in_their_box_and_go_around_with_the_stick() {
    let mut options = Options::default();
    // A heap's last digits are what takes long.
    options.settings.tolerance = Some(1e-3);
    options.settings.max_iterations = Some(50);
    let mut scene = build("stirring", &options).unwrap();
    let grains: Vec<_> = (0..216)
        .map(|grain| scene.world.find_body(&format!("grain {grain}")).unwrap())
        .collect();
    let place = |scene: &Scene| -> Vec<Vector3<f64>> {
        let middle = Vector3::new(0.5, 0.0, 0.0);
        let at = |&grain| scene.world.pose(grain).unwrap().translation.vector - middle;
        grains.iter().map(at).collect()
    };
    for _ in 0..50 {
        scene.world.step().unwrap();
    }
    let before = place(&scene);
    for _ in 0..100 {
        scene.world.step().unwrap();
    }
    let after = place(&scene);
    let mut around = 0.0;
    for (a, b) in before.iter().zip(&after) {
        let inside = b.x.abs().max(b.y.abs()) < 0.071 && (0.009..0.12).contains(&b.z);
        assert!(inside, "{b:?}");
        around += a.xy().perp(&b.xy());
    }
    // What all of them swept about the middle, with the stick.
    assert!(around > 1e-3, "{around} m²");
}

#[test]
fn vehicles_roll_without_slipping_and_hold_their_cable() {
    let mut scene = scene("cable-vehicles");
    let start = cable(&scene);
    run(&mut scene, 0.4);
    let world = &scene.world;
    for (name, link) in [("right", 0), ("left", 639)] {
        let robot = world.find_robot(name).unwrap();
        assert_eq!(world.model(robot).unwrap().nv(), 10);
        let (q, v) = world.robot_state(robot).unwrap();
        let wheels = ["left wheel", "right wheel"].map(|wheel| {
            let joint = world.model(robot).unwrap().joint(wheel).unwrap();
            (q[joint.q.start], v[joint.v.start])
        });
        let chassis = world.find_body(&format!("{name}/chassis")).unwrap();
        let at = world.pose(chassis).unwrap().translation.vector;
        let speed = world.velocity(chassis).unwrap().linear;
        // The cable pulls at the hand and so turns the vehicle a little, to either side of both wheels.
        let way = 0.04 * (wheels[0].0 + wheels[1].0);
        let rolling = 0.04 * (wheels[0].1 + wheels[1].1);
        assert!((way - at.x).abs() < 1e-6, "{name}: {way} m, at {at:?}");
        assert!(
            (rolling - speed.x).abs() < 1e-5,
            "{name}: {rolling} m/s, {speed:?}"
        );
        assert!(
            at.x > 1e-3 && speed.y.abs() < 1e-4,
            "{name}: {at:?} {speed:?}"
        );
        let hand = world.pose(world.find_body(&format!("{name}/hand")).unwrap());
        let tip = hand.unwrap() * Isometry3::translation(0.0, 0.0, 0.06 + 0.008);
        let now = cable(&scene)[link].translation.vector;
        let apart = (tip.translation.vector - now).norm();
        assert!(apart < 1e-5, "{name}: {apart} m from the hand");
        assert!(now.x > start[link].translation.x);
    }
}

/// All of it: `cargo test --release -p stiction-scenes --test soft -- --ignored`.
#[test]
#[ignore = "takes minutes; the test above samples it"]
fn vehicles_wind_their_cable_around_the_pillar() {
    let mut scene = scene("cable-vehicles");
    run(&mut scene, 9.0);
    let (angle, nearest) = wound(&cable(&scene), [1.2, 0.0], 0.0545);
    assert!(angle.abs() > std::f64::consts::PI, "{angle} rad");
    assert!(nearest > 0.054 - 1e-4, "{nearest} m from the axis");
}
