//! Free bodies nobody thought of, on a floor and on each other: balls, boxes, thin rods and capsules, slow and
//! fast, apart and overlapping at the start. None keeps energy that nobody put in.

#![allow(
    clippy::print_stdout,
    reason = "the search for bad motions says what it finds"
)]

use stiction_sim::{
    BodyHandle, Inertia, Isometry3, Material, RigidBody, Settings, Shape, Vector3, World,
};
use stiction_test_support::Random;

fn vector(random: &mut Random) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.between(-1.0, 1.0))
}

/// A shape and what it weighs.
fn body(random: &mut Random) -> (Shape, Inertia) {
    let mass = 10.0f64.powf(random.between(-1.0, 1.0));
    let size = random.between(0.05, 0.2);
    match random.below(4) {
        0 => (
            Shape::sphere("ball", size).unwrap(),
            Inertia::solid_sphere(mass, size),
        ),
        1 => {
            let sides = Vector3::from_fn(|_, _| size * random.between(0.5, 1.5));
            (
                Shape::cuboid("box", sides / 2.0).unwrap(),
                Inertia::solid_box(mass, sides),
            )
        }
        2 => {
            let sides = Vector3::new(0.1 * size, 0.1 * size, 3.0 * size);
            (
                Shape::cuboid("rod", sides / 2.0).unwrap(),
                Inertia::solid_box(mass, sides),
            )
        }
        _ => {
            let sides = Vector3::new(size, size, 3.0 * size);
            (
                Shape::capsule("capsule", size, 0.5 * size).unwrap(),
                Inertia::solid_box(mass, sides),
            )
        }
    }
}

/// Rise of the energy above its lowest value before, as a share of the largest kinetic energy.
fn rise(seed: u64, seconds: f64) -> f64 {
    let mut random = Random(seed);
    let settings = Settings {
        time_step: random.between(1e-3, 1e-2),
        gravity: Vector3::z() * [-9.81, 0.0][random.below(2)],
        ..Settings::default()
    };
    let step = settings.time_step;
    let is_heavy = settings.gravity.z != 0.0;
    let mut world = World::new(settings).unwrap();
    let of = Material {
        restitution: [0.0, 0.4, 0.8, 1.0][random.below(4)],
        ..Material::with_friction([0.0, 0.3, 1.0, 2.0][random.below(4)])
    };
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    world.attach(floor, Shape::half_space("plane"), of).unwrap();
    let speed = 10.0f64.powf(random.between(-1.0, 1.5));
    // What overlaps under gravity is lifted.
    let apart = [0.05, 0.5][usize::from(is_heavy || random.below(2) == 1)];
    let low = if is_heavy { 0.5 } else { 0.05 };
    let mut bodies = Vec::new();
    for number in 0..1 + random.below(4) as u32 {
        let (shape, inertia) = body(&mut random);
        let mass = inertia.mass;
        let mut at = vector(&mut random) * apart;
        at.z = low + 0.6 * f64::from(number) * apart + random.between(0.0, apart);
        let turn = vector(&mut random) * 2.0;
        let [v, w] = [
            vector(&mut random) * (0.2 * speed),
            vector(&mut random) * speed,
        ];
        let free = RigidBody::free(&format!("body {number}"), inertia)
            .at(Isometry3::new(at, turn))
            .moving(v, w);
        let handle = world.add_body(free).unwrap();
        world.attach(handle, shape, of).unwrap();
        bodies.push((handle, mass));
    }
    let (mut lowest, mut gain, mut fastest, mut missed) = (f64::INFINITY, 0.0f64, 0.0f64, 0);
    let gravity = world.settings().gravity;
    while world.time() < seconds {
        let report = world.step().unwrap();
        let apparent = report.kinetic_energy + report.potential_energy;
        fastest = fastest.max(report.kinetic_energy);
        missed += report.unconverged;
        // Velocities in flight are those of half a step before.
        let lag = |(body, mass): &(BodyHandle, f64)| {
            0.5 * step * mass * gravity.dot(&world.velocity(*body).unwrap().linear)
        };
        let now = apparent + bodies.iter().map(lag).sum::<f64>();
        assert!(now.is_finite());
        lowest = lowest.min(now);
        gain = gain.max(now - lowest);
    }
    // What is captured falls half a step more or less.
    let unseen = |(_, mass): &(BodyHandle, f64)| mass * (gravity.norm() * step).powi(2);
    let gain = (gain - bodies.iter().map(unseen).sum::<f64>()).max(0.0) / fastest;
    if gain > 1e-3 {
        println!("{seed}: {gain:.2e} of {fastest:.3} J, {of:?}, {step:.4} s, {missed} missed");
    }
    gain
}

/// The largest rise of many worlds, each for `seconds` s.
fn worst(seeds: std::ops::Range<u64>, seconds: f64) -> f64 {
    seeds.map(|seed| rise(seed, seconds)).fold(0.0, f64::max)
}

#[test]
fn free_bodies_gain_nothing() {
    let worst = worst(0..40, 1.0);
    assert!(worst < 5e-3, "{worst:e}");
}

/// A rod that spins fast about an axis that is not its own is struck by another in space: no energy comes of it, and
/// the momentum stays.
#[test]
fn thin_rods_that_are_struck_gain_nothing_and_keep_their_momentum() {
    for (restitution, time_step) in [(0.0, 4e-3), (0.5, 8e-3), (1.0, 8e-3)] {
        let mut world = World::new(Settings {
            time_step,
            gravity: Vector3::zeros(),
            ..Settings::default()
        })
        .unwrap();
        let of = Material {
            restitution,
            ..Material::with_friction(0.3)
        };
        let sides = Vector3::new(0.02, 0.02, 0.6);
        for (name, x, turn) in [("a", -0.3, 30.0), ("b", 0.3, -20.0)] {
            let rod = RigidBody::free(name, Inertia::solid_box(1.0, sides))
                .at(Isometry3::new(
                    Vector3::new(x, 0.1 * x, 0.0),
                    Vector3::new(0.3, x, 0.2),
                ))
                .moving(
                    Vector3::new(-2.0 * x, 0.0, 0.0),
                    Vector3::new(turn, 5.0, turn),
                );
            let rod = world.add_body(rod).unwrap();
            let shape = Shape::cuboid("rod", sides / 2.0).unwrap();
            world.attach(rod, shape, of).unwrap();
        }
        let (before, _) = world.momentum().unwrap();
        world.step().unwrap();
        let (start, mut highest, mut touched) = (world.report().kinetic_energy, 0.0f64, 0);
        for _ in 0..250 {
            let report = world.step().unwrap();
            highest = highest.max(report.kinetic_energy);
            touched += usize::from(report.energy.contacts != 0.0);
        }
        assert!(touched > 0);
        assert!(highest < start * (1.0 + 1e-6), "{highest} of {start} J");
        let (after, _) = world.momentum().unwrap();
        assert!((after - before).norm() < 1e-9, "{before} {after}");
    }
}

/// By hand: `cargo test --release -p stiction-sim --test random_bodies -- --ignored --nocapture`.
#[test]
#[ignore = "a minute"]
fn many_bodies() {
    let worst = worst(0..500, 3.0);
    println!("{worst:e}");
    assert!(worst < 1e-2, "{worst:e}");
}
