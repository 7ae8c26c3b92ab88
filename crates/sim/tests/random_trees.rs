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

/// Numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(
            self.between(-1.0, 1.0),
            self.between(-1.0, 1.0),
            self.between(-1.0, 1.0),
        )
    }

    fn axis(&mut self) -> Vector3<f64> {
        let vector = self.vector();
        vector.try_normalize(0.1).unwrap_or_else(Vector3::y)
    }
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
    let axis = random.axis();
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
            _ => Vector3::new(0.0, 0.0, -random.between(0.1, 0.5)) + 0.05 * random.vector(),
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

/// The same on a floor that bounces with friction.
fn on_the_floor(seeds: std::ops::Range<u64>, seconds: f64, theta: f64) -> f64 {
    let kind = Kind {
        ratio: 10.0,
        all_joints: false,
        properties: free,
    };
    let mut worst: f64 = 0.0;
    for seed in seeds {
        let mut random = Random(seed);
        let settings = Settings {
            time_step: random.between(1e-3, 1e-2),
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
        let at = Isometry3::translation(0.0, 0.0, -random.between(1.0, 1.6));
        world
            .attach_at(floor, Shape::half_space("plane"), at, of)
            .unwrap();
        for link in 0..links {
            let body = world.find_body(&format!("r/link {link}")).unwrap();
            let end = Isometry3::translation(0.0, 0.0, -random.between(0.2, 0.6));
            world
                .attach_at(body, Shape::sphere("end", 0.03).unwrap(), end, of)
                .unwrap();
        }
        let (gain, fastest, missed) = run(&mut world, seconds);
        if gain > 1e-3 * fastest {
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
    for theta in [Settings::IMPLICIT_EULER, Settings::MIDPOINT] {
        let worst = on_the_floor(0..12, 1.0, theta);
        assert!(worst < 0.05, "θ = {theta}: {worst:e}");
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
    // On the floor some rise: their figures are shown, and all stay finite.
    for theta in [Settings::IMPLICIT_EULER, Settings::MIDPOINT] {
        println!(
            "on the floor, θ = {theta}: {:e}",
            on_the_floor(100..200, 20.0, theta)
        );
    }
    held_by_drives(100..160, 20.0);
}
