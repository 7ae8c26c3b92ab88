//! Ropes of bodies joined by balls: joints stay closed, and nothing gains energy.

use stiction_sim::{
    Connection, ConnectionKind, Inertia, Isometry3, RigidBody, Settings, Symmetric3, Vector3, World,
};

const LINK: f64 = 0.02;
const MASS: f64 = 0.01;

/// A rope of thin rods, held out sideways from a hook, with a ball of `end` times a link's mass at its
/// end (none for zero). Returns the world and its energy above the rope that hangs still, J.
fn rope(links: usize, end: f64, settings: Settings) -> (World, f64) {
    let gravity = settings.gravity.norm();
    let mut world = World::new(settings).unwrap();
    let mut last = world.add_body(RigidBody::fixed("hook")).unwrap();
    let across = MASS * LINK * LINK / 12.0;
    let half = Isometry3::translation(0.5 * LINK, 0.0, 0.0);
    let mut anchor = Isometry3::identity();
    let mut height = 0.0;
    for index in 0..links {
        let inertia = Inertia::from_com(
            MASS,
            Vector3::zeros(),
            Symmetric3::diagonal(0.05 * across, across, across),
        );
        let at = (index as f64 + 0.5) * LINK;
        height += at * MASS;
        let body = RigidBody::free(&format!("link {index}"), inertia).at_position(at, 0.0, 0.0);
        let body = world.add_body(body).unwrap();
        let joint = Connection::new(&format!("joint {index}"), ConnectionKind::Ball, last, body);
        world
            .connect(joint.anchored(anchor, half.inverse()))
            .unwrap();
        (last, anchor) = (body, half);
    }
    if end > 0.0 {
        let radius = 1.5 * LINK;
        let at = links as f64 * LINK + radius;
        height += at * end * MASS;
        let ball = RigidBody::free("ball", Inertia::solid_sphere(end * MASS, radius));
        let ball = world.add_body(ball.at_position(at, 0.0, 0.0)).unwrap();
        let joint = Connection::new("end", ConnectionKind::Ball, last, ball);
        let on_ball = Isometry3::translation(-radius, 0.0, 0.0);
        world.connect(joint.anchored(anchor, on_ball)).unwrap();
    }
    (world, gravity * height)
}

/// Worst joint error, highest energy over the start, and lowest, both against `scale`.
fn swing(world: &mut World, scale: f64, seconds: f64) -> [f64; 3] {
    let [mut worst, mut highest, mut lowest] = [0.0f64; 3];
    let steps = (seconds / world.settings().time_step).round() as usize;
    for _ in 0..steps {
        let report = world.step().unwrap();
        let energy = (report.kinetic_energy + report.potential_energy) / scale;
        highest = highest.max(energy);
        lowest = lowest.min(energy);
        worst = worst.max(world.worst_position_error());
    }
    [worst, highest, lowest]
}

/// `cargo test --release -p stiction-sim --test ropes -- --ignored`
#[test]
#[ignore = "long ropes take a while; the test below samples it"]
fn long_ropes_stay_closed_and_gain_nothing() {
    for (links, end) in [(50, 0.0), (200, 0.0), (50, 100.0), (200, 100.0)] {
        let (mut world, scale) = rope(links, end, Settings::default());
        let [worst, highest, _] = swing(&mut world, scale, 4.0);
        assert!(worst <= 1e-6, "{links} {end}: {worst:e}");
        assert!(highest < 1e-9, "{links} {end}: {highest:e}");
    }
}

fn midpoint() -> Settings {
    Settings {
        theta: Settings::MIDPOINT,
        ..Settings::default()
    }
}

/// `cargo test --release -p stiction-sim --test ropes -- --ignored`
#[test]
#[ignore = "long ropes take a while; the test below samples it"]
fn long_ropes_of_the_midpoint_rule_stay_closed_and_gain_nothing() {
    for (links, end) in [(50, 0.0), (200, 0.0), (50, 100.0), (200, 100.0)] {
        let (mut world, scale) = rope(links, end, midpoint());
        let [worst, highest, _] = swing(&mut world, scale, 2.0);
        assert!(worst <= 1e-6, "{links} {end}: {worst:e}");
        assert!(highest < 1e-9, "{links} {end}: {highest:e}");
    }
}

#[test]
fn ropes_of_the_midpoint_rule_stay_closed_and_gain_nothing() {
    let (mut world, scale) = rope(20, 0.0, midpoint());
    let [worst, highest, lowest] = swing(&mut world, scale, 1.0);
    assert!(worst <= 1e-6, "{worst:e}");
    assert!(highest < 1e-9, "{highest:e}");
    assert!(lowest > -0.3, "{lowest}");
}

#[test]
fn ropes_stay_closed_and_gain_nothing() {
    for (links, end, relinearizations) in [(50, 0.0, 0), (50, 100.0, 0), (50, 0.0, 2)] {
        let settings = Settings {
            relinearizations,
            ..Settings::default()
        };
        let (mut world, scale) = rope(links, end, settings);
        let [worst, highest, lowest] = swing(&mut world, scale, 1.5);
        assert!(worst <= 1e-6, "{links} {end} {relinearizations}: {worst:e}");
        assert!(highest < 1e-9, "{links} {end}: {highest:e}");
        assert!(lowest > -0.6, "{links} {end}: {lowest}");
    }
}

#[test]
fn a_joint_that_starts_open_is_closed_without_a_blow() {
    let settings = Settings {
        gravity: Vector3::zeros(),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let hook = world.add_body(RigidBody::fixed("hook")).unwrap();
    let ball = RigidBody::free("ball", Inertia::solid_sphere(1.0, 0.1)).at_position(0.11, 0.0, 0.0);
    let ball = world.add_body(ball).unwrap();
    let joint = Connection::new("joint", ConnectionKind::Ball, hook, ball);
    let anchor = Isometry3::translation(-0.1, 0.0, 0.0);
    world
        .connect(joint.anchored(Isometry3::identity(), anchor))
        .unwrap();
    let open = world.position_errors()[0];
    assert!((open.distance - 0.01).abs() < 1e-12 && (open.size - 0.2).abs() < 1e-12);
    for _ in 0..100 {
        world.step().unwrap();
    }
    assert!(world.worst_position_error() < 1e-6);
    let twist = world.velocity(ball).unwrap();
    assert!(twist.linear.norm() < 1e-9, "{twist:?}");
}
