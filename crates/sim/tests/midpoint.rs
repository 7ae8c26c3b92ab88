//! θ = 1/2: nothing that is passive gains energy, and what keeps it keeps it.

use stiction_sim::{
    Connection, ConnectionKind, Inertia, Isometry3, Material, Point3, RigidBody, Settings, Shape,
    Symmetric3, Tendon, TendonBranch, TendonPath, UnitQuaternion, Vector3, World,
};

const GRAVITY: f64 = 9.81;

fn settings(passes: usize) -> Settings {
    Settings {
        theta: Settings::MIDPOINT,
        relinearizations: passes.saturating_sub(1),
        ..Settings::default()
    }
}

fn energy(world: &World) -> f64 {
    world.report().kinetic_energy + world.report().potential_energy
}

/// Largest gain and loss in `seconds` against `scale` (J), both positive.
fn drift(world: &mut World, scale: f64, seconds: f64) -> [f64; 2] {
    world.step().unwrap();
    let start = energy(world);
    let (mut gain, mut loss) = (0.0f64, 0.0f64);
    for _ in 0..(seconds / world.settings().time_step) as usize {
        world.step().unwrap();
        let change = (energy(world) - start) / scale;
        gain = gain.max(change);
        loss = loss.max(-change);
    }
    [gain, loss]
}

/// A rod of 1 m and 1 kg with its centre of mass below its origin, turned by `angle` about y.
fn rod(name: &str, angle: f64, from: Vector3<f64>) -> RigidBody {
    let inertia = Inertia::from_com(
        1.0,
        Vector3::new(0.0, 0.0, -0.5),
        Symmetric3::diagonal(1.0 / 12.0, 1.0 / 12.0, 1e-3),
    );
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
    RigidBody::free(name, inertia).at(Isometry3::from_parts(from.into(), turn))
}

fn pendulum(kind: ConnectionKind, passes: usize) -> World {
    let mut world = World::new(settings(passes)).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let body = rod("rod", 0.5, Vector3::zeros());
    let spun = match kind {
        ConnectionKind::Ball => body.moving(Vector3::zeros(), Vector3::new(0.7, 0.0, 2.0)),
        _ => body,
    };
    let body = world.add_body(spun).unwrap();
    let axis = Isometry3::rotation(Vector3::x() * -std::f64::consts::FRAC_PI_2);
    let turned = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), -0.5);
    let on_rod = Isometry3::from_parts(Vector3::zeros().into(), turned) * axis;
    let joint = Connection::new("joint", kind, wall, body).anchored(axis, on_rod);
    world.connect(joint).unwrap();
    world
}

fn double_pendulum(passes: usize) -> World {
    let mut world = World::new(settings(passes)).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let upper = world.add_body(rod("upper", 1.2, Vector3::zeros())).unwrap();
    let end = Isometry3::translation(0.0, 0.0, -1.0);
    let at = (world.pose(upper).unwrap() * end).translation.vector;
    let lower = world.add_body(rod("lower", 0.4, at)).unwrap();
    let ball = ConnectionKind::Ball;
    world
        .connect(Connection::new("top", ball, wall, upper))
        .unwrap();
    let joint = Connection::new("middle", ball, upper, lower);
    world
        .connect(joint.anchored(end, Isometry3::identity()))
        .unwrap();
    world
}

/// A bob on a spring that swings and stretches.
fn elastic_pendulum(passes: usize) -> World {
    let mut world = World::new(settings(passes)).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(1.0, 0.05)).at_position(0.8, 0.0, -0.8);
    let bob = world.add_body(bob).unwrap();
    let spring = ConnectionKind::Spring {
        stiffness: 100.0,
        damping: 0.0,
        rest_length: 0.9,
    };
    world
        .connect(Connection::new("spring", spring, wall, bob))
        .unwrap();
    world
}

#[test]
fn pendulums_keep_their_energy() {
    let distance = ConnectionKind::Distance { length: 0.5 };
    let scale = 0.5 * GRAVITY * (1.0 - 0.5f64.cos());
    for kind in [ConnectionKind::Hinge, ConnectionKind::Ball] {
        let [gain, loss] = drift(&mut pendulum(kind, 3), scale, 10.0);
        assert!(gain < 1e-6 && loss < 1e-6, "{kind:?}: {gain:e} {loss:e}");
    }
    let mut world = World::new(settings(3)).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(1.0, 0.05)).at_position(0.5, 0.0, 0.0);
    let bob = world.add_body(bob).unwrap();
    world
        .connect(Connection::new("string", distance, wall, bob))
        .unwrap();
    let [gain, loss] = drift(&mut world, 0.5 * GRAVITY, 10.0);
    assert!(gain < 1e-6 && loss < 1e-6, "{gain:e} {loss:e}");
    let [gain, loss] = drift(&mut double_pendulum(5), 2.0 * GRAVITY, 10.0);
    assert!(gain < 1e-6 && loss < 1e-6, "{gain:e} {loss:e}");
    let [gain, loss] = drift(&mut elastic_pendulum(3), GRAVITY, 10.0);
    assert!(gain < 1e-6 && loss < 1e-6, "{gain:e} {loss:e}");
}

#[test]
fn pendulums_keep_their_energy_for_a_minute() {
    let scale = 0.5 * GRAVITY * (1.0 - 0.5f64.cos());
    let drifts = [
        drift(&mut pendulum(ConnectionKind::Hinge, 3), scale, 60.0),
        drift(&mut pendulum(ConnectionKind::Ball, 3), scale, 60.0),
        drift(&mut double_pendulum(5), 2.0 * GRAVITY, 60.0),
        drift(&mut elastic_pendulum(3), GRAVITY, 60.0),
    ];
    for [gain, loss] in drifts {
        assert!(gain < 1e-6 && loss < 1e-6, "{drifts:?}");
    }
}

#[test]
fn a_spring_keeps_its_amplitude() {
    let mut world = World::new(Settings {
        gravity: Vector3::zeros(),
        ..settings(3)
    })
    .unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(1.0, 0.05)).at_position(1.3, 0.0, 0.0);
    let bob = world.add_body(bob).unwrap();
    let spring = ConnectionKind::Spring {
        stiffness: 400.0,
        damping: 0.0,
        rest_length: 1.0,
    };
    world
        .connect(Connection::new("spring", spring, wall, bob))
        .unwrap();
    let mut farthest: f64 = 0.0;
    for step in 0..2400 {
        world.step().unwrap();
        if step >= 2300 {
            farthest = farthest.max(world.pose(bob).unwrap().translation.x - 1.0);
        }
    }
    assert!((farthest - 0.3).abs() < 3e-3, "{farthest}");
}

/// A world with a floor and one body on it.
fn on_floor(body: RigidBody, shape: Shape, friction: f64, restitution: f64) -> World {
    let mut world = World::new(settings(1)).unwrap();
    let material = Material {
        restitution,
        ..Material::with_friction(friction)
    };
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    let body = world.add_body(body).unwrap();
    world.attach(body, shape, material).unwrap();
    world
}

#[test]
fn contacts_never_give_energy() {
    let sides = Vector3::new(0.3, 0.2, 0.1);
    let tumbling = RigidBody::free("box", Inertia::solid_box(1.0, sides))
        .at_position(0.0, 0.0, 0.5)
        .moving(Vector3::new(1.0, 0.3, 0.0), Vector3::new(3.0, -5.0, 2.0));
    let ball =
        |z: f64| RigidBody::free("ball", Inertia::solid_sphere(1.0, 0.1)).at_position(0.0, 0.0, z);
    let sphere = || Shape::sphere("ball", 0.1).unwrap();
    let cuboid = || Shape::cuboid("box", sides / 2.0).unwrap();
    let sliding = RigidBody::free("box", Inertia::solid_box(1.0, sides))
        .at_position(0.0, 0.0, 0.05)
        .moving(Vector3::new(2.0, 0.0, 0.0), Vector3::zeros());
    let spin = Vector3::new(0.0, 30.0, 4.0);
    for (name, mut world) in [
        ("bouncing", on_floor(ball(1.0), sphere(), 0.5, 0.8)),
        ("elastic", on_floor(ball(1.0), sphere(), 0.0, 1.0)),
        ("tumbling", on_floor(tumbling, cuboid(), 0.4, 0.5)),
        ("sliding", on_floor(sliding, cuboid(), 0.3, 0.0)),
        (
            "spinning",
            on_floor(ball(0.1).moving(Vector3::zeros(), spin), sphere(), 0.3, 0.0),
        ),
    ] {
        let mut last = f64::INFINITY;
        for _ in 0..1200 {
            world.step().unwrap();
            let now = energy(&world);
            // A nanometre of an overlap may be left, and its weight lifted later.
            assert!(
                now <= last + 1e-8,
                "{name} gains {:e} J at {}",
                now - last,
                world.time()
            );
            last = now;
        }
    }
}

#[test]
fn a_stopped_slider_stops() {
    let sides = Vector3::new(0.3, 0.2, 0.1);
    let sliding = RigidBody::free("box", Inertia::solid_box(1.0, sides))
        .at_position(0.0, 0.0, 0.05)
        .moving(Vector3::new(1.0, 0.0, 0.0), Vector3::zeros());
    let shape = Shape::cuboid("box", sides / 2.0).unwrap();
    let mut world = on_floor(sliding, shape, 0.3, 0.0);
    let body = world.find_body("box").unwrap();
    for _ in 0..240 {
        world.step().unwrap();
    }
    let stopped = world.pose(body).unwrap().translation.x;
    // v²/2μg.
    assert!(
        (stopped - 1.0 / (2.0 * 0.3 * GRAVITY)).abs() < 2e-3,
        "{stopped}"
    );
    for _ in 0..240 {
        world.step().unwrap();
        let speed = world.velocity(body).unwrap().linear.norm();
        assert!(speed < 1e-6, "{speed:e}");
    }
    assert!((world.pose(body).unwrap().translation.x - stopped).abs() < 1e-7);
}

#[test]
fn a_rattleback_gains_nothing() {
    // An ellipsoid whose principal axes of inertia are turned against those of its shape.
    let [a, b, c] = [0.1, 0.03, 0.02];
    let mass = 0.2;
    let inertia = Inertia::from_com(
        mass,
        Vector3::zeros(),
        Symmetric3 {
            xx: mass / 5.0 * (b * b + c * c) * 1.6,
            xy: -mass / 5.0 * (a * a) * 0.12,
            xz: 0.0,
            yy: mass / 5.0 * (a * a + c * c),
            yz: 0.0,
            zz: mass / 5.0 * (a * a + b * b),
        },
    );
    let body = RigidBody::free("stone", inertia)
        .at_position(0.0, 0.0, c)
        .moving(Vector3::zeros(), Vector3::new(0.1, 0.05, -8.0));
    let shape = Shape::ellipsoid("stone", Vector3::new(a, b, c)).unwrap();
    let mut world = on_floor(body, shape, 1.0, 0.0);
    let mut last = f64::INFINITY;
    for _ in 0..1200 {
        world.step().unwrap();
        let now = energy(&world);
        assert!(
            now <= last + 1e-9,
            "gains {:e} J at {}",
            now - last,
            world.time()
        );
        last = now;
    }
}

#[test]
fn velocities_that_a_joint_forbids_are_gone_after_a_step() {
    let mut world = pendulum(ConnectionKind::Ball, 3);
    let body = world.find_body("rod").unwrap();
    let speed = |world: &World| {
        let twist = world.velocity(body).unwrap();
        twist.linear.norm()
    };
    let pose = world.pose(body).unwrap();
    let thrown = Vector3::new(0.0, 1.0, 2.0);
    world
        .set_body_state(body, pose, thrown, Vector3::zeros())
        .unwrap();
    for _ in 0..240 {
        world.step().unwrap();
        // The rod's origin is its joint.
        assert!(speed(&world) < 1e-2, "{}", speed(&world));
    }
}

#[test]
fn a_bob_on_a_hard_rope_swings_and_stops_where_it_is_taut() {
    let mut world = World::new(settings(3)).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(1.0, 0.05)).at_position(0.6, 0.0, 0.0);
    let bob = world.add_body(bob).unwrap();
    let points = vec![(wall, Point3::origin()), (bob, Point3::origin())];
    let path = TendonPath::Points(vec![TendonBranch {
        divisor: 1.0,
        points,
    }]);
    let rope = Tendon {
        limits: [f64::NEG_INFINITY, 1.0],
        ..Tendon::new("rope", path)
    };
    let rope = world.add_tendon(rope).unwrap();
    let mut last = f64::INFINITY;
    for step in 0..1200 {
        world.step().unwrap();
        let now = energy(&world);
        assert!(now <= last + 1e-4, "gains {:e} J", now - last);
        last = last.min(now);
        let state = world.tendon_state(rope).unwrap();
        assert!(state.length < 1.0 + 1e-6, "{state:?}");
        if step > 300 {
            assert!(state.velocity.abs() < 0.02, "it bounces: {state:?}");
        }
    }
}
