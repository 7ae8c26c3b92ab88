//! Trees nobody thought of: fixed and floating, of all joints, light and heavy, fast, on the floor, at their
//! limits, held by stiff drives. None keeps energy that nobody put in, none ends in numbers that are none.

#![allow(
    clippy::print_stdout,
    reason = "the search for bad trees says what it finds"
)]

use stiction_sim::{
    DofProperties, EnergyWatch, Inertia, Isometry3, JointKind, Material, ModelDescription,
    RigidBody, RobotHandle, Settings, Shape, Symmetric3, Tracking, Transform, Vector3, World,
};
use stiction_test_support::Random;

fn vector(random: &mut Random) -> Vector3<f64> {
    Vector3::new(
        random.between(-1.0, 1.0),
        random.between(-1.0, 1.0),
        random.between(-1.0, 1.0),
    )
}

fn axis(random: &mut Random) -> Vector3<f64> {
    let vector = vector(random);
    vector.try_normalize(0.1).unwrap_or_else(Vector3::y)
}

/// What a tree may have.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// Largest ratio of inertias.
    ratio: f64,
    /// Whether joints may slide, screw and turn about points.
    all_joints: bool,
    properties: fn(&mut Random) -> DofProperties,
}

fn free(_: &mut Random) -> DofProperties {
    DofProperties::default()
}

fn limited(random: &mut Random) -> DofProperties {
    DofProperties {
        lower: -random.between(0.1, 1.5),
        upper: random.between(0.1, 1.5),
        stiffness: [0.0, 20.0][random.below(2)],
        armature: [0.0, 1e-3][random.below(2)],
        ..DofProperties::default()
    }
}

fn joint(random: &mut Random, kind: &Kind) -> JointKind {
    let axis = axis(random);
    match random.below(if kind.all_joints { 8 } else { 2 }) {
        0 => JointKind::Revolute { axis },
        1 => JointKind::Continuous { axis },
        2 => JointKind::Prismatic { axis },
        3 => JointKind::Helical { axis, pitch: 0.1 },
        4 => JointKind::Cylindrical { axis },
        5 => JointKind::Universal {
            first_axis: Vector3::x(),
            second_axis: Vector3::y(),
        },
        6 => JointKind::Planar { normal: axis },
        _ => JointKind::Spherical,
    }
}

/// One to six links of 0.2 to 0.6 m, on the world or free, each on any of those before.
fn tree(random: &mut Random, kind: &Kind) -> (ModelDescription, usize) {
    let mut tree = ModelDescription::new("tree");
    let links = 1 + random.below(6);
    let floats = random.below(2) == 0;
    for link in 0..links {
        let mass = kind.ratio.powf(-random.unit());
        let length = random.between(0.2, 0.6);
        let across = mass * length * length / 12.0;
        let about = Symmetric3::diagonal(across, across, random.between(0.01, 1.0) * across);
        let body = format!("link {link}");
        tree.add_body(
            &body,
            Inertia::from_com(mass, Vector3::new(0.0, 0.0, -0.5 * length), about),
        );
        let of = match (link, floats) {
            (0, true) => JointKind::Free,
            _ => joint(random, kind),
        };
        let parent = match link {
            0 => "world".to_owned(),
            _ => format!("link {}", random.below(link)),
        };
        let at = match link {
            0 => Vector3::zeros(),
            _ => Vector3::new(0.0, 0.0, -random.between(0.1, 0.5)) + 0.05 * vector(random),
        };
        let is_simple = of.has_scalar_coordinates() && of != JointKind::Free;
        let properties = if is_simple {
            (kind.properties)(random)
        } else {
            DofProperties::default()
        };
        tree.add_joint(format!("joint {link}"), of, parent, &body)
            .at(Transform::from_translation(at))
            .with_properties(properties);
    }
    (tree, links)
}

/// A world with such a tree, its links moving at up to `speed` rad/s or a hundredth of it in m/s.
fn world(
    random: &mut Random,
    kind: &Kind,
    settings: Settings,
    speed: f64,
) -> (World, RobotHandle, usize) {
    let (tree, links) = tree(random, kind);
    let model = tree.build().unwrap();
    let mut q = model.neutral();
    let amounts: Vec<f64> = (0..model.nv()).map(|_| random.between(-1.0, 1.0)).collect();
    stiction_dynamics::integrate(&model, &model.neutral(), &amounts, 1.0, &mut q).unwrap();
    for (at, dof) in model.dof_properties().iter().enumerate() {
        if let Some(q) = q.get_mut(at).filter(|_| model.nq() == model.nv()) {
            *q = q.clamp(dof.lower, dof.upper);
        }
    }
    let v: Vec<f64> = (0..model.nv())
        .map(|_| random.between(-speed, speed))
        .collect();
    let mut world = World::new(settings).unwrap();
    let robot = world.add_robot("r", model).unwrap();
    world.set_robot_state(robot, &q, &v).unwrap();
    (world, robot, links)
}

fn energy(world: &World) -> f64 {
    world.report().kinetic_energy + world.report().potential_energy
}

/// Largest rise of the energy above its lowest value before, and the largest kinetic energy, J; steps in which an
/// island missed the tolerance are counted.
fn run(world: &mut World, seconds: f64) -> (f64, f64, usize) {
    let (mut lowest, mut gain, mut fastest, mut missed) = (f64::INFINITY, 0.0f64, 0.0f64, 0);
    while world.time() < seconds {
        let report = world.step().unwrap();
        fastest = fastest.max(report.kinetic_energy);
        missed += report.unconverged;
        let now = energy(world);
        assert!(now.is_finite());
        lowest = lowest.min(now);
        gain = gain.max(now - lowest);
    }
    (gain, fastest, missed)
}

/// Largest share of their fastest energy that trees gain in the air.
fn in_the_air(seeds: std::ops::Range<u64>, seconds: f64) -> f64 {
    let kind = Kind {
        ratio: 1e6,
        all_joints: true,
        properties: free,
    };
    let mut worst: f64 = 0.0;
    for seed in seeds {
        let mut random = Random(seed);
        let settings = Settings {
            time_step: random.between(1e-3, 1e-2),
            ..Settings::default()
        };
        let speed = 10.0f64.powf(random.between(0.0, 2.5));
        let (mut world, ..) = world(&mut random, &kind, settings, speed);
        world.step().unwrap();
        let start = energy(&world);
        let (mut gain, mut fastest) = (0.0f64, world.report().kinetic_energy);
        while world.time() < seconds {
            fastest = fastest.max(world.step().unwrap().kinetic_energy);
            assert!(energy(&world).is_finite());
            gain = gain.max(energy(&world) - start);
        }
        worst = worst.max(gain / fastest);
    }
    worst
}

/// Largest share of their fastest energy that trees gain on a floor that bounces with friction: with and without
/// limits and springs, and in every third world, which is weightless, two trees and a ball that may overlap.
fn on_the_floor(seeds: std::ops::Range<u64>, seconds: f64, theta: f64) -> f64 {
    let mut worst: f64 = 0.0;
    for seed in seeds {
        let mut random = Random(seed);
        let is_heavy = seed % 3 != 0;
        let kind = Kind {
            ratio: 10.0,
            all_joints: seed % 5 == 0,
            properties: if seed % 4 == 1 { limited } else { free },
        };
        let settings = Settings {
            time_step: random.between(1e-3, 1e-2),
            gravity: Vector3::z() * if is_heavy { -9.81 } else { 0.0 },
            theta,
            ..Settings::default()
        };
        let of = Material {
            restitution: [0.0, 0.4, 0.8, 1.0, 1.0, 1.0][random.below(6)],
            ..Material::with_friction([0.0, 0.3, 1.0, 2.0][random.below(4)])
        };
        let step = settings.time_step;
        let (mut world, _, links) = world(&mut random, &kind, settings, 3.0);
        let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
        let mut height = -random.between(1.0, 1.6);
        let mut all: Vec<_> = (0..links).map(|link| format!("r/link {link}")).collect();
        if !is_heavy {
            let (other, links) = tree(&mut random, &kind);
            world.add_robot("s", other.build().unwrap()).unwrap();
            all.extend((0..links).map(|link| format!("s/link {link}")));
            let ball = RigidBody::free("ball", Inertia::solid_sphere(0.5, 0.1));
            let ball = ball.at_position(0.3, 0.0, -0.5);
            let ball = world.add_body(ball).unwrap();
            let shape = Shape::sphere("ball", 0.1).unwrap();
            world.attach(ball, shape, of).unwrap();
        }
        for link in &all {
            let body = world.find_body(link).unwrap();
            let end = Isometry3::translation(0.0, 0.0, -random.between(0.2, 0.6));
            let lowest = (world.pose(body).unwrap() * end).translation.z - 0.03;
            if is_heavy {
                // What overlaps under gravity is lifted.
                height = height.min(lowest);
            }
            world
                .attach_at(body, Shape::sphere("end", 0.03).unwrap(), end, of)
                .unwrap();
        }
        let at = Isometry3::translation(0.0, 0.0, height);
        world
            .attach_at(floor, Shape::half_space("plane"), at, of)
            .unwrap();
        let (gain, fastest, missed) = run(&mut world, seconds);
        if gain > 1e-4 * fastest {
            println!(
                "floor {seed}: {:.2e} of {fastest:.3} J, {of:?}, {links} links, {step:.4} s, {missed} missed",
                gain / fastest
            );
        }
        worst = worst.max(gain / fastest);
    }
    worst
}

/// Drives of any gains hold trees with limits: no energy from nowhere, and they come to rest.
fn held_by_drives(seeds: std::ops::Range<u64>, seconds: f64) {
    let kind = Kind {
        ratio: 1e2,
        all_joints: false,
        properties: limited,
    };
    for seed in seeds {
        let mut random = Random(seed);
        let settings = Settings {
            time_step: random.between(1e-3, 1e-2),
            ..Settings::default()
        };
        let stiffness = 10.0f64.powf(random.between(0.0, 5.0));
        let damping = stiffness * random.between(0.01, 0.1);
        let (mut world, robot, _) = world(&mut random, &kind, settings, 10.0);
        let dofs = world.robot_state(robot).unwrap().1.len();
        let floats = world.robot_state(robot).unwrap().0.len() != dofs;
        let mut watch = EnergyWatch::default();
        let mut changes = 0;
        let mut last = vec![0.0; dofs];
        while world.time() < seconds {
            for dof in if floats { 6 } else { 0 }..dofs {
                let tracking = Tracking {
                    stiffness,
                    damping,
                    ..Tracking::default()
                };
                world.commands().track(robot, dof, tracking).unwrap();
            }
            world.step().unwrap();
            let gain = watch.look(&world);
            assert!(
                gain.is_none(),
                "seed {seed}, gains {stiffness:.0} and {damping:.0}: {gain:?}"
            );
            let v = &world.robot_state(robot).unwrap().1;
            if world.time() > 0.8 * seconds {
                let turned = v.iter().zip(&last).skip(if floats { 6 } else { 0 });
                changes += turned
                    .filter(|(a, b)| *a * *b < 0.0 && a.abs() > 0.05)
                    .count();
            }
            last.clear();
            last.extend_from_slice(v);
        }
        let steps = 0.2 * seconds / world.settings().time_step;
        assert!(
            (changes as f64) < 0.5 * steps,
            "seed {seed}, gains {stiffness:.0} and {damping:.0}: {changes} of {steps}"
        );
    }
}

#[test]
fn trees_in_the_air_gain_nothing() {
    // What the first step lost may come back, by the tolerance.
    let worst = in_the_air(0..12, 0.5);
    assert!(worst < 1e-4, "{worst:e}");
}

#[test]
fn trees_on_a_floor_gain_nothing() {
    for (theta, most) in [(Settings::IMPLICIT_EULER, 1e-4), (Settings::MIDPOINT, 2e-3)] {
        let worst = on_the_floor(0..12, 1.0, theta);
        assert!(worst < most, "θ = {theta}: {worst:e}");
    }
}

#[test]
fn drives_hold_trees_without_chattering() {
    held_by_drives(0..40, 2.0);
}

/// By hand: `cargo test --release -p stiction-sim --test random_trees -- --ignored --nocapture`.
#[test]
#[ignore = "minutes"]
fn many_trees() {
    let worst = in_the_air(100..160, 20.0);
    println!("in the air: {worst:e}");
    assert!(worst < 1e-3, "{worst:e}");
    for (theta, most) in [(Settings::IMPLICIT_EULER, 1e-3), (Settings::MIDPOINT, 5e-3)] {
        let worst = on_the_floor(100..200, 5.0, theta);
        println!("on the floor, θ = {theta}: {worst:e}");
        assert!(worst < most, "θ = {theta}: {worst:e}");
    }
    held_by_drives(100..160, 20.0);
}
