//! Robots that nothing touches: energy, momentum, order; and what the energy account leaves alone.

use stiction_sim::{
    DofProperties, Inertia, Integrator, JointKind, Material, Model, ModelDescription, RigidBody,
    RobotHandle, Settings, Shape, Snapshot, Symmetric3, Tracking, Transform, Vector3, World,
    uniform_inertia,
};

fn rod(mass: f64, length: f64) -> Inertia {
    let across = mass * length * length / 12.0;
    let about = Symmetric3::diagonal(across, across, 1e-3 * across);
    Inertia::from_com(mass, Vector3::new(0.0, 0.0, -0.5 * length), about)
}

fn hinge() -> JointKind {
    JointKind::Revolute { axis: Vector3::y() }
}

/// Links of 1 kg and 0.5 m on hinges about y.
fn pendulum(links: usize, properties: DofProperties) -> Model {
    let mut tree = ModelDescription::new("pendulum");
    for link in 0..links {
        let body = format!("link {link}");
        tree.add_body(&body, rod(1.0, 0.5));
        let (parent, at) = match link {
            0 => ("world".to_owned(), 0.0),
            _ => (format!("link {}", link - 1), -0.5),
        };
        tree.add_joint(format!("joint {link}"), hinge(), parent, &body)
            .at(Transform::from_translation(Vector3::new(0.0, 0.0, at)))
            .with_properties(properties);
    }
    tree.build().unwrap()
}

/// A body on one joint.
fn one_body(kind: JointKind, inertia: Inertia) -> Model {
    let mut tree = ModelDescription::new("one body");
    tree.add_body("body", inertia);
    tree.add_joint("joint", kind, "world", "body");
    tree.build().unwrap()
}

fn world_with(model: Model, settings: Settings, q: &[f64], v: &[f64]) -> (World, RobotHandle) {
    let mut world = World::new(settings).unwrap();
    let robot = world.add_robot("robot", model).unwrap();
    world.set_robot_state(robot, q, v).unwrap();
    (world, robot)
}

fn energy(world: &World) -> f64 {
    world.report().kinetic_energy + world.report().potential_energy
}

/// Steps, and the lowest and highest energy after the first step.
fn run(world: &mut World, steps: usize) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for _ in 0..steps {
        world.step().unwrap();
        range = [range[0].min(energy(world)), range[1].max(energy(world))];
    }
    range
}

#[test]
fn a_tumbling_base_keeps_energy_and_momentum() {
    let about = Symmetric3::diagonal(0.02, 0.05, 0.06);
    let model = one_body(
        JointKind::Free,
        Inertia::from_com(1.0, Vector3::zeros(), about),
    );
    let settings = Settings {
        gravity: Vector3::zeros(),
        ..Settings::default()
    };
    let q = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let v = [0.3, 0.0, 0.0, 0.01, 8.0, 0.02];
    let (mut world, _) = world_with(model, settings, &q, &v);
    let before = world.momentum().unwrap();
    let [low, high] = run(&mut world, 1200);
    assert!(high - low < 1e-8 * high, "{low} {high}");
    let after = world.momentum().unwrap();
    assert!((after.0 - before.0).norm() < 1e-13);
    assert!((after.1 - before.1).norm() < 1e-12, "{after:?} {before:?}");
}

#[test]
fn a_spinning_rod_gains_nothing() {
    let about = Symmetric3::diagonal(0.083, 0.083, 1e-3);
    let inertia = Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -0.5), about);
    let q = [0.0, 0.5f64.sin(), 0.0, 0.5f64.cos()];
    let model = one_body(JointKind::Spherical, inertia);
    let (mut world, _) = world_with(model, Settings::default(), &q, &[2.0, 0.0, 20.0]);
    let [low, high] = run(&mut world, 1200);
    assert!(high - low < 1e-4 * 2.5, "{low} {high}");
}

/// Fourth order, and one evaluation of first order that is never allowed to gain.
#[test]
fn a_double_pendulum_converges_with_fourth_order() {
    let at_half_a_second = |steps: usize, integrator: Integrator| {
        let settings = Settings {
            time_step: 0.5 / steps as f64,
            max_substeps: 1,
            energy_account: false,
            integrator,
            ..Settings::default()
        };
        let model = pendulum(2, DofProperties::default());
        let (mut world, robot) = world_with(model, settings, &[1.5, 0.8], &[0.0, 0.0]);
        for _ in 0..steps {
            world.step().unwrap();
        }
        world.robot_state(robot).unwrap().0.to_vec()
    };
    let exact = at_half_a_second(4000, Integrator::Rk4);
    let error = |steps: usize, integrator: Integrator| {
        let q = at_half_a_second(steps, integrator);
        (q[0] - exact[0]).abs().max((q[1] - exact[1]).abs())
    };
    let fourth = [60, 120, 240].map(|steps| error(steps, Integrator::Rk4));
    assert!(
        fourth[0] / fourth[1] > 13.0 && fourth[1] / fourth[2] > 13.0,
        "{fourth:?}"
    );
    assert!(fourth[1] < 1e-5, "{fourth:?}");
    let first = [120, 240].map(|steps| error(steps, Integrator::Euler));
    assert!((1.5..2.6).contains(&(first[0] / first[1])), "{first:?}");
}

/// Ten capsules of 0.2 m and 0.1 kg, released horizontally: MuJoCo 4.0's RK4 at 0.5 s, one step of 1/240 s at a
/// time, rad; and the same at 1/15360 s.
const MUJOCO: [f64; 10] = [
    1.1724134501859182,
    -0.009212443760231762,
    -0.060054034183969984,
    -0.0033294828574387987,
    -0.08958799367564871,
    -0.07997389887521658,
    -0.1669423571267199,
    -0.47944916634411633,
    -0.42478163997420015,
    0.1802788399088793,
];
const MUJOCO_FINE: [f64; 10] = [
    1.1724126867097866,
    -0.009208861373409944,
    -0.06006216599694283,
    -0.0033164018478102093,
    -0.08960430188705582,
    -0.07995760594747522,
    -0.16695605296939037,
    -0.47943857493869946,
    -0.4247900183995291,
    0.18028473599993058,
];

#[test]
fn a_chain_moves_as_with_rk4_elsewhere() {
    let capsule = Shape::capsule("link", 0.1, 0.01).unwrap();
    let [along, across, _] = uniform_inertia(&capsule, 0.1)
        .unwrap()
        .about_com()
        .eigenvalues();
    let about = Symmetric3::diagonal(along, across, across);
    let mut tree = ModelDescription::new("chain");
    for link in 0..10 {
        let body = format!("l{link}");
        let at_middle = Vector3::new(0.1, 0.0, 0.0);
        tree.add_body(&body, Inertia::from_com(0.1, at_middle, about));
        let (parent, at) = match link {
            0 => ("world".to_owned(), 0.0),
            _ => (format!("l{}", link - 1), 0.2),
        };
        tree.add_joint(format!("j{link}"), hinge(), parent, &body)
            .at(Transform::from_translation(Vector3::new(at, 0.0, 0.0)));
    }
    let model = tree.build().unwrap();
    let errors = [120, 240, 480].map(|steps| {
        let settings = Settings {
            time_step: 0.5 / f64::from(steps),
            max_substeps: 1,
            energy_account: false,
            ..Settings::default()
        };
        let (mut world, robot) = world_with(model.clone(), settings, &[0.0; 10], &[0.0; 10]);
        run(&mut world, steps as usize);
        let q = world.robot_state(robot).unwrap().0;
        let error = |other: &[f64; 10]| {
            let differences = q.iter().zip(other).map(|(a, b)| (a - b).abs());
            differences.fold(0.0, f64::max)
        };
        if steps == 120 {
            assert!(error(&MUJOCO) < 1e-9, "{}", error(&MUJOCO));
        }
        error(&MUJOCO_FINE)
    });
    assert!(
        errors[0] / errors[1] > 13.0 && errors[1] / errors[2] > 13.0,
        "{errors:?}"
    );
}

/// However fast, however long a chain: never a gain, never a number that is none.
#[test]
fn no_tree_gains_energy_at_any_speed() {
    for (links, speed, integrator) in [
        (2, 1000.0, Integrator::Rk4),
        (2, 1e5, Integrator::Rk4),
        (30, 0.0, Integrator::Rk4),
        (30, 300.0, Integrator::Rk4),
        (5, 100.0, Integrator::Euler),
    ] {
        let settings = Settings {
            integrator,
            max_substeps: 4,
            ..Settings::default()
        };
        let (mut q, mut v) = (vec![0.0; links], vec![0.0; links]);
        q[0] = 1.5;
        v[links - 1] = speed;
        let model = pendulum(links, DofProperties::default());
        let mut data = stiction_dynamics::Data::new(&model);
        let kinetic = stiction_dynamics::kinetic_energy(&model, &mut data, &q, &v).unwrap();
        let high = stiction_dynamics::potential_energy(&model, &mut data, &q).unwrap();
        let (mut world, _) = world_with(model, settings, &q, &v);
        let [_, highest] = run(&mut world, 120);
        let most = kinetic + high;
        assert!(
            highest <= most + 1e-12 * most.abs(),
            "{links} {speed}: {highest} {most}"
        );
    }
}

/// Gains of any size, and the drive's torque is that of the end of the step.
#[test]
fn stiff_drives_are_stable_and_of_second_order() {
    let run = |gains: [f64; 2], steps: usize| {
        let settings = Settings {
            time_step: 0.5 / steps as f64,
            ..Settings::default()
        };
        let model = pendulum(3, DofProperties::default());
        let (mut world, robot) = world_with(model, settings, &[0.0; 3], &[0.0; 3]);
        for step in 0..steps {
            let time = 0.5 * (step + 1) as f64 / steps as f64;
            for dof in 0..3 {
                let tracking = Tracking {
                    position: (4.0 * time).sin(),
                    velocity: 4.0 * (4.0 * time).cos(),
                    stiffness: gains[0],
                    damping: gains[1],
                    feed_forward: 0.0,
                };
                world.commands().track(robot, dof, tracking).unwrap();
            }
            world.step().unwrap();
        }
        world.robot_state(robot).unwrap().0.to_vec()
    };
    for gains in [[1e5, 1e3], [1e6, 1e4]] {
        let exact = run(gains, 3840);
        let error = |steps: usize| {
            let q = run(gains, steps);
            (0..3)
                .map(|dof| (q[dof] - exact[dof]).abs())
                .fold(0.0, f64::max)
        };
        let errors = [120, 240].map(error);
        assert!(errors[0] < 2e-4, "{gains:?}: {errors:?}");
        assert!(errors[0] / errors[1] > 2.0, "{gains:?}: {errors:?}");
    }
}

/// Damping and soft springs are part of the motion: energy and work add up.
#[test]
fn soft_springs_and_damping_are_integrated() {
    let properties = DofProperties {
        stiffness: 5.0,
        damping: 0.02,
        reference: 0.3,
        ..DofProperties::default()
    };
    let (mut world, _) = world_with(
        pendulum(2, properties),
        Settings::default(),
        &[1.0, 0.5],
        &[0.0, 3.0],
    );
    world.step().unwrap();
    let mut before = energy(&world);
    for _ in 0..240 {
        world.step().unwrap();
        assert!(energy(&world) < before);
        assert!(world.report().energy_taken < 1e-7);
        before = energy(&world);
    }
}

/// A limit far away, then near, then reached: the pendulum stops there.
#[test]
fn limits_end_a_free_path() {
    let properties = DofProperties {
        lower: -0.5,
        upper: 2.0,
        ..DofProperties::default()
    };
    let model = pendulum(1, properties);
    let (mut world, robot) = world_with(model, Settings::default(), &[1.5], &[0.0]);
    let mut lowest = f64::INFINITY;
    for _ in 0..480 {
        world.step().unwrap();
        lowest = lowest.min(world.robot_state(robot).unwrap().0[0]);
    }
    assert!((-0.5 - 1e-9..-0.5 + 1e-3).contains(&lowest), "{lowest}");
}

/// A ball on a slider falls on a floor: free until it touches, at rest afterwards.
#[test]
fn a_contact_ends_a_free_path() {
    let slide = JointKind::Prismatic { axis: Vector3::z() };
    let model = one_body(slide, Inertia::solid_sphere(1.0, 0.1));
    let (mut world, robot) = world_with(model, Settings::default(), &[1.0], &[0.0]);
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    let material = Material::with_friction(0.5);
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    let ball = world.find_body("robot/body").unwrap();
    world
        .attach(ball, Shape::sphere("ball", 0.1).unwrap(), material)
        .unwrap();
    let mut time = 0.0;
    loop {
        world.step().unwrap();
        if world.report().contacts > 0 {
            break;
        }
        time = world.time();
        let fallen = 1.0 - world.robot_state(robot).unwrap().0[0];
        assert!((fallen - 0.5 * 9.81 * time * time).abs() < 1e-12);
    }
    assert!(time > 0.3);
    for _ in 0..240 {
        world.step().unwrap();
    }
    let (q, v) = world.robot_state(robot).unwrap();
    assert!(
        (q[0] - 0.1).abs() < 1e-9 && v[0].abs() < 1e-8,
        "{q:?} {v:?}"
    );
    assert_eq!(world.report().energy_taken, 0.0);
}

/// A bouncing ball and a row of pendulums that hit each other: what goes on may go on.
#[test]
fn elastic_impacts_are_not_robbed() {
    let mut world = World::new(Settings::default()).unwrap();
    let material = Material {
        restitution: 1.0,
        ..Material::with_friction(0.0)
    };
    let mut robots = Vec::new();
    for number in 0..3 {
        let mut tree = ModelDescription::new("bob");
        let about = Symmetric3::diagonal(4e-4, 4e-4, 4e-4);
        tree.add_body(
            "bob",
            Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -1.0), about),
        );
        let at = Vector3::new(0.12 * f64::from(number), 0.0, 0.0);
        tree.add_joint("hinge", hinge(), "world", "bob")
            .at(Transform::from_translation(at));
        let name = format!("bob {number}");
        let robot = world.add_robot(&name, tree.build().unwrap()).unwrap();
        let body = world.find_body(&format!("{name}/bob")).unwrap();
        let pose = stiction_sim::Isometry3::translation(0.0, 0.0, -1.0);
        let ball = Shape::sphere("ball", 0.05).unwrap();
        world.attach_at(body, ball, pose, material).unwrap();
        robots.push(robot);
    }
    world.set_robot_state(robots[0], &[0.5], &[0.0]).unwrap();
    let mut taken = 0.0;
    let mut farthest = 0.0f64;
    for _ in 0..240 * 4 {
        world.step().unwrap();
        taken += world.report().energy_taken;
        farthest = farthest.max(-world.robot_state(robots[2]).unwrap().0[0]);
    }
    // Of 1.2 J: what the short part of a step with an impact errs by.
    assert!(taken < 1e-7, "{taken}");
    assert!((0.4..0.56).contains(&farthest), "{farthest}");
}

/// A driven hand lifts an arm: its energy is the drive's.
#[test]
fn a_drive_puts_in_what_it_likes() {
    let model = pendulum(3, DofProperties::default());
    let (mut world, robot) = world_with(model, Settings::default(), &[0.0; 3], &[0.0; 3]);
    for dof in 0..3 {
        let tracking = Tracking {
            position: 2.0,
            stiffness: 500.0,
            damping: 50.0,
            ..Tracking::default()
        };
        world.commands().track(robot, dof, tracking).unwrap();
    }
    let mut taken = 0.0;
    for _ in 0..480 {
        world.step().unwrap();
        taken += world.report().energy_taken;
    }
    let (q, _) = world.robot_state(robot).unwrap();
    assert!((q[0] - 2.0).abs() < 0.05, "{q:?}");
    assert_eq!(taken, 0.0);
}

/// A chain of hinges, and a body that floats with a limb.
#[test]
fn a_snapshot_goes_on_to_the_bit() {
    let settings = Settings {
        integration_tolerance: 1e-8,
        ..Settings::default()
    };
    let mut floating = ModelDescription::new("floating");
    floating.add_body("base", Inertia::solid_box(2.0, Vector3::new(0.3, 0.2, 0.1)));
    floating.add_body("limb", rod(1.0, 0.5));
    floating.add_joint("float", JointKind::Free, "world", "base");
    floating.add_joint("hip", hinge(), "base", "limb");
    let floating = floating.build().unwrap();
    let mut turned = floating.neutral();
    turned[7] = 0.4;
    let mut bent = vec![0.0; 12];
    bent[0] = 1.5;
    let chain = pendulum(12, DofProperties::default());
    for (model, q, v) in [
        (chain, bent, vec![0.0; 12]),
        (floating, turned, vec![0.1, 0.2, 0.3, 1.0, -2.0, 0.5, 20.0]),
    ] {
        let build = || world_with(model.clone(), settings.clone(), &q, &v).0;
        let mut whole = build();
        run(&mut whole, 150);
        let text = serde_json::to_string(&whole.snapshot()).unwrap();
        let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
        let mut fresh = build();
        fresh.restore(&snapshot).unwrap();
        run(&mut whole, 50);
        run(&mut fresh, 50);
        assert!(whole.report().substeps > 1);
        assert_eq!(whole.state(), fresh.state());
        // The same world, back and on again.
        let end = whole.state().clone();
        whole.restore(&snapshot).unwrap();
        run(&mut whole, 50);
        assert_eq!(*whole.state(), end);
    }
}

/// A free base without mass that carries one hinge turns about it without resistance.
#[test]
fn what_nothing_resists_is_refused_by_name() {
    let mut tree = ModelDescription::new("arm");
    tree.add_massless_body("base");
    tree.add_body("upper", rod(1.0, 0.5));
    tree.add_joint("float", JointKind::Free, "world", "base");
    tree.add_joint("shoulder", hinge(), "base", "upper");
    let mut world = World::new(Settings::default()).unwrap();
    let error = world
        .add_robot("r", tree.clone().build().unwrap())
        .unwrap_err();
    assert!(error.to_string().contains("\"base\""), "{error}");
    // Nothing of it is left behind.
    assert!(world.find_body("r/base").is_err());
    tree.bodies[0].inertia = Some(rod(1.0, 0.5));
    world.add_robot("r", tree.build().unwrap()).unwrap();
    world.step().unwrap();
}
