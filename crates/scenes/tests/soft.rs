//! What is known of soft bodies and rods, found again in the built-in scenes.

use stiction_scenes::{Options, Scene, SoftChoice, build, soft_ball};
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

/// Tensions of a rope that slides for a second, over each other and over what the capstan equation says, at ten
/// times of the next second.
#[expect(clippy::print_stdout, reason = "shows what is predicted and found")]
fn capstan(friction: f64, turns: f64) -> (Vec<f64>, usize) {
    let mut options = Options::default();
    options.settings.tolerance = Some(1e-6);
    let mut scene = stiction_scenes::capstan(&options, turns, friction).unwrap();
    // While it tightens a step may end early.
    let tightening = (0..100).map(|_| scene.world.step().unwrap().unconverged);
    let early: usize = tightening.sum();
    let (ratio, angle) = (5e-4 / 0.0505, turns * std::f64::consts::TAU);
    // a μ k² + k − μ (1 − a) = 0
    let k = ((1.0 + 4.0 * ratio * friction * friction * (1.0 - ratio)).sqrt() - 1.0)
        / (2.0 * ratio * friction);
    let expected = (k * angle).exp();
    let mut ratios = Vec::new();
    for _ in 0..10 {
        run(&mut scene, 0.1);
        let [weight, hand] = ["slack end", "tight end"].map(|sensor| {
            let sensor = scene.world.find_sensor(sensor).unwrap();
            scene.world.read_sensor(sensor).unwrap()[2]
        });
        ratios.push(hand / weight / expected);
    }
    let [least, most] = [f64::min, f64::max].map(|of| ratios.iter().copied().reduce(of).unwrap());
    println!(
        "friction {friction}, {turns} turns, muTheta {:.2}: predicted {expected:.2}, found {least:.4} to {most:.4} of it; {early} early ends",
        friction * angle
    );
    (ratios, early)
}

#[test]
fn a_rope_on_a_drum_obeys_the_capstan_equation() {
    let (ratios, early) = capstan(0.3, 1.5);
    assert_eq!(early, 0);
    assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.01));
}

/// `cargo test --release -p stiction-scenes --test soft capstan -- --ignored --nocapture` prints the table.
#[test]
#[ignore = "takes minutes; the test above samples it"]
fn ropes_obey_the_capstan_equation_up_to_four_hundred_times_the_tension() {
    for (friction, turns) in [
        (0.15, 3.0),
        (0.2, 4.75),
        (0.3, 2.25),
        (0.3, 3.175),
        (0.6, 1.575),
    ] {
        let (ratios, _) = capstan(friction, turns);
        let is_close = ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.02);
        assert!(is_close, "{friction}, {turns} turns: {ratios:?}");
    }
}

#[test]
fn turns_that_make_no_rope_are_refused() {
    for turns in [0.0, -1.0, f64::NAN, 1e9] {
        let error = stiction_scenes::capstan(&Options::default(), turns, 0.3).err();
        let error = error.unwrap().to_string();
        assert!(error.contains("times around"), "{error}");
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

/// Mean of the nodes of a soft body that `chosen` picks by where they are at rest.
fn mean(scene: &Scene, soft: &str, chosen: impl Fn(&Vector3<f64>) -> bool) -> Vector3<f64> {
    let soft = scene.world.find_soft_body(soft).unwrap();
    let rest = scene.world.soft_mesh(soft).unwrap().nodes();
    let now = scene.world.soft_positions(soft).unwrap();
    let nodes = rest.iter().zip(&now).filter(|(rest, _)| chosen(rest));
    let (sum, count) = nodes.fold((Vector3::zeros(), 0), |(sum, count), (_, at)| {
        (sum + at.coords, count + 1)
    });
    sum / f64::from(count)
}

/// Where the middle of the ball is, seen from the palm of its gripper.
fn ball_in_grip(scene: &Scene) -> Vector3<f64> {
    let palm = scene.world.find_body("gripper/yaw").unwrap();
    let palm = scene.world.pose(palm).unwrap();
    let ball = mean(scene, "ball", |_| true);
    palm.inverse_transform_point(&ball.into()).coords
}

#[test]
fn a_gripper_lifts_a_soft_ball_without_slipping() {
    let mut scene = scene("soft-ball");
    run(&mut scene, 0.3);
    let (gripped, height) = (ball_in_grip(&scene), mean(&scene, "ball", |_| true).z);
    run(&mut scene, 0.25);
    let (lifted, higher) = (ball_in_grip(&scene), mean(&scene, "ball", |_| true).z);
    assert!(higher - height > 0.1, "{height} {higher}");
    // The rest is how far it gives under its weight and the acceleration.
    assert!((lifted - gripped).norm() < 1e-3, "{gripped} {lifted}");
    let lowest = scene.world.contact_forces().iter().map(|c| c.point.z);
    assert!(lowest.fold(f64::INFINITY, f64::min) > 0.08, "off the floor");
}

#[test]
fn a_ball_is_gripped_in_the_same_way_at_half_the_pace() {
    let stuff = SoftChoice {
        young: 1e6,
        poisson: 0.35,
        friction: 0.5,
        is_cut: false,
        pace: 1.0,
    };
    let after = |pace: f64, seconds: f64| {
        let mut scene = soft_ball(&Options::default(), SoftChoice { pace, ..stuff }).unwrap();
        run(&mut scene, seconds);
        let finger = scene.world.find_body("gripper/left").unwrap();
        (
            scene.seconds,
            scene.world.pose(finger).unwrap().translation.y,
        )
    };
    let (whole, slow) = (after(1.0, 0.1), after(0.5, 0.2));
    assert_eq!(slow.0, 2.0 * whole.0);
    // Both are on the way, behind their targets by what inertia makes of it.
    assert!(
        (slow.1 - whole.1).abs() < 2e-4 && whole.1 < 0.0445,
        "{whole:?} {slow:?}"
    );
    for pace in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = soft_ball(&Options::default(), SoftChoice { pace, ..stuff });
        let message = refused.err().expect("no pace").to_string();
        assert!(
            message.contains("soft-ball") && message.contains("pace"),
            "{message}"
        );
    }
}

/// Middle of the end of the beam that comes first, and how thick the beam is there.
fn tip(scene: &Scene) -> (Vector3<f64>, f64) {
    let [left, right] =
        [1.0, -1.0].map(|side| mean(scene, "beam", |at| at.z > 0.249 && side * at.x > 0.0249));
    (0.5 * (left + right), (left - right).norm())
}

#[test]
fn a_beam_is_guided_into_a_gap_and_squeezed_by_it() {
    let mut scene = scene("beam-insertion");
    assert!((tip(&scene).0.x - 0.503).abs() < 1e-6);
    run(&mut scene, 0.65);
    let (middle, thickness) = tip(&scene);
    assert!((middle.x - 0.5).abs() < 2e-4, "in the middle: {middle}");
    assert!(
        (middle.z - 0.1).abs() < 0.015,
        "between the blocks: {middle}"
    );
    assert!((thickness - 0.0496).abs() < 5e-5, "as the gap: {thickness}");
}

#[test]
fn soft_fingers_press_a_part_alike_from_both_sides() {
    let mut scene = scene("soft-gripper");
    run(&mut scene, 0.35);
    let mut pressing = [0.0_f64; 2];
    for contact in scene.world.contact_forces() {
        // Contacts with the floor are below the fingers.
        if contact.point.z > 1e-3 {
            pressing[usize::from(contact.point.y > 0.0)] += contact.force.y.abs();
        }
    }
    let [left, right] = pressing;
    assert!(left > 0.05, "{pressing:?} N");
    assert!((left / right - 1.0).abs() < 0.02, "{pressing:?} N");
    let part = scene.world.pose(scene.world.find_body("part").unwrap());
    let part = part.unwrap().translation.vector;
    assert!((part - Vector3::z() * 0.015).norm() < 1e-4, "{part}");
}

/// Mean of the edge of the mat that the hand holds.
fn held_edge(scene: &Scene) -> Vector3<f64> {
    mean(scene, "mat", |at| at.x > 0.149 && at.y.abs() < 0.02)
}

#[test]
fn a_hand_lifts_the_edge_of_a_mat() {
    let mut scene = scene("soft-mat");
    run(&mut scene, 0.8);
    let held = held_edge(&scene);
    let near = mean(&scene, "mat", |at| at.x < -0.149);
    assert!(held.z > 0.04, "{held}");
    assert!(
        (near - Vector3::new(0.35, 0.0, 0.004)).norm() < 2e-3,
        "{near}"
    );
}

/// Runs a scene to its end.
fn run_out(scene: &mut Scene) {
    let rest = scene.seconds - scene.world.time();
    run(scene, rest);
}

// What follows takes a minute each: `cargo test -p stiction-scenes --test soft -- --ignored`.

#[test]
#[ignore = "takes a minute; a test above samples it"]
fn a_soft_ball_is_carried_and_tilted_without_slipping() {
    let mut scene = scene("soft-ball");
    run(&mut scene, 0.3);
    let gripped = ball_in_grip(&scene);
    run_out(&mut scene);
    let carried = ball_in_grip(&scene);
    assert!((carried - gripped).norm() < 2e-3, "{gripped} {carried}");
}

#[test]
#[ignore = "takes a minute; a test above samples it"]
fn a_beam_comes_out_below_the_gap() {
    let mut scene = scene("beam-insertion");
    run_out(&mut scene);
    let (middle, thickness) = tip(&scene);
    assert!(middle.z < -0.03, "through: {middle}");
    assert!((thickness - 0.05).abs() < 1e-4, "wide again: {thickness}");
}

#[test]
#[ignore = "takes a minute; a test above samples it"]
fn a_part_is_lifted_and_pressed_against_the_sensor() {
    let mut scene = scene("soft-gripper");
    run_out(&mut scene);
    let part = scene.world.find_body("part").unwrap();
    let part = scene.world.pose(part).unwrap().translation.vector;
    let sensor = scene.world.find_sensor("force").unwrap();
    // What carries the plate pushes it back, along −x.
    let force = -scene.world.read_sensor(sensor).unwrap()[0];
    assert!(part.z > 0.02, "lifted: {part}");
    assert!(force > 0.1, "pressed with {force} N");
    let gap = 0.008 - part.x;
    assert!(gap.abs() < 1.5e-3, "at the plate: {gap}");
}

#[test]
#[ignore = "takes a minute; a test above samples it"]
fn a_mat_is_folded_onto_itself() {
    let mut scene = scene("soft-mat");
    run_out(&mut scene);
    let own = scene.world.contact_forces().iter();
    let own = own.filter(|contact| contact.body_a.is_none() && contact.body_b.is_none());
    let own = own.filter(|contact| contact.force.norm() > 0.0).count();
    assert!(own > 5, "it lies on itself: {own}");
    let held = held_edge(&scene);
    assert!(held.x < 0.38, "folded over: {held}");
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
fn grains_stay_in_their_box_and_make_way_for_the_stick() {
    let mut options = Options::default();
    // A heap's last digits are what takes long.
    options.settings.solver = Some("pgs-cg".to_owned());
    options.settings.tolerance = Some(1e-3);
    options.settings.max_iterations = Some(200);
    let mut scene = build("stirring", &options).unwrap();
    let grains: Vec<_> = (0..216)
        .map(|grain| scene.world.find_body(&format!("grain {grain}")).unwrap())
        .collect();
    let stick = scene.world.find_body("panda/wrist_roll").unwrap();
    let middle = Vector3::new(0.5, 0.0, 0.0);
    let place = |scene: &Scene, body| {
        let end = Isometry3::translation(0.0, 0.0, 0.107 + 0.2);
        let at = scene.world.pose(body).unwrap();
        let at = if body == stick { at * end } else { at };
        at.translation.vector - middle
    };
    let step = |scene: &mut Scene, count: usize| {
        for _ in 0..count {
            scene.world.step().unwrap();
        }
    };
    step(&mut scene, 50);
    let before: Vec<_> = grains.iter().map(|&grain| place(&scene, grain)).collect();
    let start = place(&scene, stick);
    step(&mut scene, 100);
    let end = place(&scene, stick);
    let swept = start.xy().perp(&end.xy()).atan2(start.xy().dot(&end.xy()));
    assert!(swept > 0.3, "the stick goes around: {swept} rad");
    // Grains have a radius of 10 mm, the stick of 8 mm.
    for &grain in &grains {
        let at = place(&scene, grain);
        let inside = at.x.abs().max(at.y.abs()) < 0.1405 && (0.0095..0.12).contains(&at.z);
        assert!(inside, "{at:?}");
        let apart = (at - end).xy().norm();
        assert!(apart > 0.0175 || at.z > 0.05, "{apart} m from the stick");
    }
    let on_the_way = before.iter().filter(|at| {
        let angle = at.y.atan2(at.x);
        (at.xy().norm() - 0.1).abs() < 0.015 && (0.1..swept).contains(&angle)
    });
    assert!(on_the_way.count() > 0, "nothing was on its way");
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
