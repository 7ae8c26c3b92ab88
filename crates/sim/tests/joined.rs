//! Mechanisms of bodies that joints connect: random ones hold their joints and gain no energy, and move as they
//! do on paper.

use nalgebra::{Matrix3, Translation3};
use stiction_sim::{
    BodyHandle, Connection, ConnectionKind, EnergyWatch, Inertia, Isometry3, Material, RigidBody,
    Settings, Shape, Symmetric3, UnitQuaternion, Vector3, World,
};

/// SplitMix64: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn between(&mut self, from: f64, to: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        from + (to - from) * ((z >> 11) as f64 / (1u64 << 53) as f64)
    }
}

fn settings(time_step: f64) -> Settings {
    Settings {
        time_step,
        ..Settings::default()
    }
}

fn energy(world: &World) -> f64 {
    world.report().kinetic_energy + world.report().potential_energy
}

fn direction(random: &mut Random) -> Vector3<f64> {
    let part = |random: &mut Random| random.between(-1.0, 1.0);
    Vector3::from_fn(|_, _| part(random)).normalize()
}

fn turn(random: &mut Random) -> UnitQuaternion<f64> {
    UnitQuaternion::from_scaled_axis(direction(random) * random.between(0.0, 3.0))
}

/// A random mechanism: a tree of bodies on joints of all kinds, some hung from a hook, and some loops.
fn mechanism(random: &mut Random, time_step: f64, thinnest: f64, kinds: usize) -> World {
    let mut world = World::new(settings(time_step)).unwrap();
    let hook = world.add_body(RigidBody::fixed("hook")).unwrap();
    let is_hung = random.between(0.0, 1.0) < 0.7;
    let mut bodies: Vec<(BodyHandle, Isometry3<f64>)> = Vec::new();
    let count = 1 + (random.between(0.0, 5.0) as usize);
    // One rigid motion of everything obeys all joints.
    let spin = direction(random) * random.between(0.0, 8.0);
    for index in 0..count {
        let mass = 10f64.powf(random.between(-2.0, 1.0));
        let size = random.between(0.05, 0.4);
        let thin = 10f64.powf(random.between(thinnest, 0.0));
        // A rod: two axes as of its length, about the third it is thin.
        let across = mass * size * size / 12.0;
        let diagonal = Vector3::new(across, across * random.between(0.9, 1.0), across * thin);
        let turned = turn(random);
        let matrix = turned.to_rotation_matrix();
        let about =
            matrix.matrix() * Matrix3::from_diagonal(&diagonal) * matrix.matrix().transpose();
        let about = Symmetric3 {
            xx: about[(0, 0)],
            xy: about[(0, 1)],
            yy: about[(1, 1)],
            xz: about[(0, 2)],
            yz: about[(1, 2)],
            zz: about[(2, 2)],
        };
        let inertia = Inertia::from_com(mass, Vector3::zeros(), about);
        let from = match bodies.last() {
            None => Isometry3::identity(),
            Some(_) => bodies[random.between(0.0, bodies.len() as f64) as usize].1,
        };
        let offset = direction(random) * size;
        let at = Translation3::from(from.translation.vector + offset);
        let pose = Isometry3::from_parts(at, turn(random));
        let velocity = spin.cross(&at.vector);
        let body = RigidBody::free(&format!("body {index}"), inertia)
            .at(pose)
            .moving(velocity, spin);
        bodies.push((world.add_body(body).unwrap(), pose));
    }
    for index in 0..count {
        let (body, pose) = bodies[index];
        let parent = match index {
            0 if is_hung => Some((hook, Isometry3::identity())),
            0 => None,
            _ => Some(bodies[random.between(0.0, index as f64) as usize]),
        };
        let Some((other, from)) = parent else {
            continue;
        };
        join(
            &mut world,
            random,
            (other, from),
            (body, pose),
            kinds,
            index,
        );
    }
    world
}

/// Joins two bodies where they are.
fn join(
    world: &mut World,
    random: &mut Random,
    (a, from): (BodyHandle, Isometry3<f64>),
    (b, to): (BodyHandle, Isometry3<f64>),
    kinds: usize,
    number: usize,
) {
    let middle = 0.5 * (from.translation.vector + to.translation.vector);
    let shared = Isometry3::from_parts(Translation3::from(middle), turn(random));
    let on = |pose: &Isometry3<f64>| pose.inverse() * shared;
    let kind = match random.between(0.0, kinds as f64) as usize {
        0 => ConnectionKind::Ball,
        1 => ConnectionKind::Hinge,
        2 => ConnectionKind::Weld,
        3 => ConnectionKind::Distance {
            length: (to.translation.vector - from.translation.vector).norm(),
        },
        _ => ConnectionKind::Spring {
            stiffness: 10f64.powf(random.between(0.0, 2.0)),
            damping: 0.0,
            rest_length: random.between(0.0, 0.3),
        },
    };
    let joint = Connection::new(&format!("joint {number}"), kind, a, b);
    let joint = match kind {
        ConnectionKind::Distance { .. } | ConnectionKind::Spring { .. } => joint,
        _ => joint.anchored(on(&from), on(&to)),
    };
    world.connect(joint).unwrap();
}

/// Worst joint error, largest gain and loss of energy over the energy of motion and the swing of the potential,
/// and whether the watch warned.
fn run(world: &mut World, seconds: f64) -> ([f64; 3], bool) {
    let mut watch = EnergyWatch::default();
    let steps = (seconds / world.settings().time_step).round() as usize;
    world.step().unwrap();
    watch.look(world);
    let start = energy(world);
    let (mut worst, mut gain, mut loss, mut scale) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for _ in 1..steps {
        world.step().unwrap();
        watch.look(world);
        scale = scale.max(world.report().kinetic_energy);
        worst = worst.max(world.worst_position_error());
        gain = gain.max(energy(world) - start);
        loss = loss.max(start - energy(world));
    }
    let scale = scale.max(1e-6);
    ([worst, gain / scale, loss / scale], watch.has_gained())
}

/// `cargo test --release -p stiction-sim --test joined -- --ignored --nocapture`; the seeds are from `FIRST` to
/// `MECHANISMS`.
#[test]
#[ignore = "a search; the tests below sample it"]
#[expect(clippy::print_stdout, reason = "a search shows what it finds")]
fn search_for_mechanisms_that_gain_lose_or_warn() {
    let number = |name: &str, usual: u64| {
        let given = std::env::var(name);
        given.map_or(usual, |text| text.parse().unwrap())
    };
    for seed in number("FIRST", 0)..number("MECHANISMS", 200) {
        let mut random = Random::new(seed);
        let time_step = [0.001, 1.0 / 240.0, 0.01, 0.02][seed as usize % 4];
        let mut world = mechanism(&mut random, time_step, -6.0, 5);
        let ([worst, gain, loss], warned) = run(&mut world, 10.0);
        if worst > 1e-6 || gain > 1e-9 || loss > 1e-3 || warned {
            println!(
                "{seed} ({time_step:.4}): joint {worst:.1e} gain {gain:.1e} loss {loss:.1e} warned {warned}"
            );
        }
        assert!(worst <= 1e-6 && gain <= 1e-4 && !warned, "seed {seed}");
        // Thin bodies in long steps lose most, seed 123 0.16 at 20 ms.
        assert!(loss <= 0.2, "seed {seed}");
    }
}

#[test]
fn random_mechanisms_hold_their_joints_and_gain_nothing() {
    // Those before flutter too fast for a quick test.
    for seed in 9..33 {
        let mut random = Random::new(seed);
        let time_step = [0.001, 1.0 / 240.0, 0.01, 0.02][seed as usize % 4];
        let mut world = mechanism(&mut random, time_step, -6.0, 5);
        let ([worst, gain, loss], warned) = run(&mut world, 0.5);
        assert!(worst <= 1e-6, "{seed}: {worst:e}");
        assert!(gain <= 1e-4, "{seed}: {gain:e}");
        assert!(loss <= 0.05, "{seed}: {loss:e}");
        assert!(!warned, "{seed}");
    }
}

/// A uniform rod of 1 m and 1 kg on a ball at its end, `thin` times as easy to turn about itself as across.
fn rod(thin: f64, angle: f64, spin: f64) -> World {
    let mut world = World::new(settings(1.0 / 240.0)).unwrap();
    let hook = world.add_body(RigidBody::fixed("hook")).unwrap();
    let across = 1.0 / 12.0;
    let about = Symmetric3::diagonal(across, across, across * thin);
    let inertia = Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -0.5), about);
    let pose = Isometry3::new(Vector3::zeros(), Vector3::y() * angle);
    let axis = pose.rotation * Vector3::z();
    let rod = RigidBody::free("rod", inertia).at(pose);
    let rod = rod.moving(Vector3::zeros(), axis * spin);
    let rod = world.add_body(rod).unwrap();
    let ball = Connection::new("ball", ConnectionKind::Ball, hook, rod);
    world.connect(ball).unwrap();
    world
}

#[test]
fn thin_rods_swing_as_the_pendulum_on_paper() {
    // a'' = -(3 g / 2 L) sin a, in steps of a tenth.
    let seconds = 10.0;
    let acceleration = |angle: f64| -1.5 * 9.81 * angle.sin();
    let (mut angle, mut rate, dt) = (1.0f64, 0.0f64, 1e-4);
    for _ in 0..(seconds / dt) as usize {
        // Velocity Verlet: second order, and it keeps the energy.
        let half = rate + 0.5 * dt * acceleration(angle);
        angle += dt * half;
        rate = half + 0.5 * dt * acceleration(angle);
    }
    for (thin, spin) in [
        (1.0, 0.0),
        (1e-3, 0.0),
        (1e-6, 0.0),
        (1e-8, 0.0),
        (1e-6, 20.0),
    ] {
        let mut world = rod(thin, 1.0, spin);
        let body = world.find_body("rod").unwrap();
        let ([worst, gain, loss], warned) = run(&mut world, seconds);
        assert!(worst < 1e-9, "{thin}: {worst:e}");
        assert!(gain < 1e-4 && loss < 1e-4, "{thin}: {gain:e} {loss:e}");
        assert!(!warned, "{thin}");
        let down = world.pose(body).unwrap().rotation * -Vector3::z();
        let end = Vector3::new(-angle.sin(), 0.0, -angle.cos());
        assert!(
            (down - end).norm() < 1e-3,
            "{thin} {spin}: {down} for {end}"
        );
    }
}

#[test]
fn what_floats_keeps_its_momentum() {
    let mut without = settings(1.0 / 240.0);
    without.gravity = Vector3::zeros();
    let mut world = World::new(without).unwrap();
    let inertia = || Inertia::solid_box(1.0, Vector3::new(0.1, 0.2, 0.4));
    let spin = Vector3::new(3.0, 1.0, -2.0);
    let handles: Vec<BodyHandle> = (0..4)
        .map(|index| {
            let at = Vector3::new(0.3 * f64::from(index), 0.0, 0.0);
            let body = RigidBody::free(&format!("body {index}"), inertia());
            let body = body
                .at_position(at.x, 0.0, 0.0)
                .moving(spin.cross(&at), spin);
            world.add_body(body).unwrap()
        })
        .collect();
    for (index, pair) in handles.windows(2).enumerate() {
        let joint = Connection::new(
            &format!("joint {index}"),
            ConnectionKind::Ball,
            pair[0],
            pair[1],
        );
        let [a, b] = [0.15, -0.15].map(|x| Isometry3::translation(x, 0.02, 0.0));
        world.connect(joint.anchored(a, b)).unwrap();
    }
    world.step().unwrap();
    let before = world.momentum().unwrap();
    let ([worst, gain, loss], warned) = run(&mut world, 20.0);
    let after = world.momentum().unwrap();
    let change = (after.0 - before.0).norm() + (after.1 - before.1).norm();
    assert!(change < 1e-9 * before.1.norm(), "{change:e}");
    assert!(
        worst < 1e-9 && gain < 1e-4 && loss < 1e-3,
        "{worst:e} {gain:e} {loss:e}"
    );
    assert!(!warned);
}

#[test]
fn joints_exert_what_holds_a_weight() {
    let mut world = World::new(settings(1.0 / 240.0)).unwrap();
    let hook = world.add_body(RigidBody::fixed("hook")).unwrap();
    let weight = RigidBody::free("weight", Inertia::solid_sphere(2.0, 0.1));
    let weight = world.add_body(weight.at_position(0.5, 0.0, 0.0)).unwrap();
    let hinge = Connection::new("hinge", ConnectionKind::Hinge, hook, weight);
    // Its axis is the z axis: it bears the weight and its moment.
    let on_weight = Isometry3::translation(-0.5, 0.0, 0.0);
    let hinge = hinge.anchored(Isometry3::identity(), on_weight);
    let hinge = world.connect(hinge).unwrap();
    for _ in 0..10 {
        world.step().unwrap();
    }
    let wrench = world.connection_wrench(hinge).unwrap();
    let force = Vector3::new(0.0, 0.0, 2.0 * 9.81);
    assert!((wrench.force - force).norm() < 1e-6, "{wrench:?}");
    assert!((wrench.torque.norm() - 9.81).abs() < 1e-6, "{wrench:?}");
}

#[test]
fn a_contact_takes_joined_bodies_off_their_path() {
    let mut world = World::new(settings(1.0 / 240.0)).unwrap();
    let ground = RigidBody::fixed("ground").at_position(0.0, 0.0, -0.9);
    let ground = world.add_body(ground).unwrap();
    let plane = Shape::half_space("plane");
    world
        .attach(ground, plane, Material::with_friction(0.5))
        .unwrap();
    let hook = world.add_body(RigidBody::fixed("hook")).unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(1.0, 0.1)).at_position(1.0, 0.0, 0.0);
    let bob = world.add_body(bob).unwrap();
    let ball = Shape::sphere("ball", 0.1).unwrap();
    world
        .attach(bob, ball, Material::with_friction(0.5))
        .unwrap();
    let joint = Connection::new("joint", ConnectionKind::Ball, hook, bob);
    let on_bob = Isometry3::translation(-1.0, 0.0, 0.0);
    world
        .connect(joint.anchored(Isometry3::identity(), on_bob))
        .unwrap();
    let (mut touched, mut substeps) = (0, 0);
    for _ in 0..480 {
        let report = world.step().unwrap();
        assert!(report.penetration < 1e-6, "{:e}", report.penetration);
        touched += usize::from(report.contacts > 0);
        substeps += report.substeps;
        assert!(world.worst_position_error() < 1e-6);
    }
    assert!(touched > 100 && substeps > 50, "{touched} {substeps}");
    assert!(world.velocity(bob).unwrap().linear.norm() < 1e-3);
}
