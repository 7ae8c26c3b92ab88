//! Worlds as a whole: errors, snapshots, batches, threads, robots, loads.

use stiction_constraints::StopFlag;
use stiction_sim::{
    Commands, Connection, ConnectionKind, Controller, DofProperties, Inertia, Isometry3, JointKind,
    Material, ModelDescription, Result, RigidBody, RobotHandle, Settings, Shape, SimError,
    Snapshot, Tracking, Transform, Vector3, World, step_all,
};

fn floor(world: &mut World, friction: f64) {
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    let material = Material::with_friction(friction);
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
}

/// Boxes that fall on each other, a pendulum robot with a controller, a driven plate.
fn busy_world(seed: usize) -> World {
    let mut world = World::new(Settings::default()).unwrap();
    floor(&mut world, 0.4);
    for index in 0..6 {
        let phase = (seed * 7 + index) as f64;
        let sides = Vector3::new(0.2, 0.15, 0.1);
        let body = RigidBody::free(&format!("box {index}"), Inertia::solid_box(1.0, sides)).at(
            Isometry3::new(
                Vector3::new(
                    0.05 * phase.sin(),
                    0.05 * phase.cos(),
                    0.2 + 0.15 * index as f64,
                ),
                Vector3::new(0.3 * phase.cos(), 0.2, phase),
            ),
        );
        let handle = world.add_body(body).unwrap();
        let shape = Shape::cuboid("box", sides / 2.0).unwrap();
        world
            .attach(handle, shape, Material::with_friction(0.4))
            .unwrap();
    }
    let (arm, dof) = pendulum(&mut world, DofProperties::default());
    world.add_controller(Box::new(Swing {
        arm,
        dof,
        integral: 0.0,
    }));
    let plate = world
        .add_body(RigidBody::driven("plate").at_position(0.3, 0.0, 0.05))
        .unwrap();
    let shape = Shape::cuboid("plate", Vector3::new(0.05, 0.2, 0.05)).unwrap();
    world.attach(plate, shape, Material::default()).unwrap();
    world
        .commands()
        .drive(plate, Vector3::new(-0.2, 0.0, 0.0), Vector3::zeros())
        .unwrap();
    world
}

fn pendulum(world: &mut World, properties: DofProperties) -> (RobotHandle, usize) {
    let mut model = ModelDescription::new("pendulum");
    let rod = Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -0.5), Default::default())
        + Inertia::solid_sphere(0.2, 0.1);
    model.add_body("rod", rod);
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    model
        .add_joint("hinge", hinge, "world", "rod")
        .at(Transform::from_translation(Vector3::new(3.0, 0.0, 2.0)))
        .with_properties(properties);
    let robot = world.add_robot("pendulum", model.build().unwrap()).unwrap();
    let dof = world.dof(robot, "hinge").unwrap();
    (robot, dof)
}

/// A controller with memory.
struct Swing {
    arm: RobotHandle,
    dof: usize,
    integral: f64,
}

impl Controller for Swing {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let position = world.joint_state(self.arm, "hinge")?.position;
        self.integral += (0.7 - position) * world.settings().time_step;
        let tracking = Tracking {
            position: 0.7,
            stiffness: 50.0,
            damping: 5.0,
            feed_forward: 3.0 * self.integral,
            ..Tracking::default()
        };
        commands.track(self.arm, self.dof, tracking)
    }

    fn memory(&self) -> Vec<f64> {
        vec![self.integral]
    }

    fn restore(&mut self, memory: &[f64]) {
        self.integral = memory[0];
    }
}

/// Everything about the state, to the bit.
fn bits(world: &World) -> String {
    let snapshot = serde_json::to_string(&world.snapshot()).unwrap();
    assert!(snapshot.len() > 100);
    snapshot
}

#[test]
fn going_on_from_a_snapshot_is_never_having_stopped() {
    let mut whole = busy_world(1);
    for _ in 0..60 {
        whole.step().unwrap();
    }
    let saved = serde_json::to_vec(&whole.snapshot()).unwrap();
    for _ in 0..60 {
        whole.step().unwrap();
    }
    let snapshot: Snapshot = serde_json::from_slice(&saved).unwrap();
    let mut other = busy_world(1);
    for _ in 0..7 {
        other.step().unwrap();
    }
    other.restore(&snapshot).unwrap();
    for _ in 0..60 {
        other.step().unwrap();
    }
    assert_eq!(bits(&whole), bits(&other));
    assert!(whole.report().contacts > 5);
}

#[test]
fn a_snapshot_of_another_world_is_refused() {
    let snapshot = busy_world(1).snapshot();
    let mut other = World::new(Settings::default()).unwrap();
    floor(&mut other, 0.1);
    let message = other.restore(&snapshot).unwrap_err().to_string();
    assert!(message.contains("other bodies"), "{message}");
}

#[test]
fn a_snapshot_of_before_is_refused_by_its_version() {
    // As version 4 began; what follows had other parts.
    let old =
        r#"{"version":4,"bodies":["floor"],"robots":[],"state":{"time":0.0,"step":0,"bodies":[]}}"#;
    let message = serde_json::from_str::<Snapshot>(old)
        .unwrap_err()
        .to_string();
    assert!(message.contains("version 4"), "{message}");
}

#[test]
fn a_step_may_take_a_limited_time() {
    let mut world = busy_world(1);
    for _ in 0..60 {
        world.step().unwrap();
    }
    let settings = Settings {
        step_time: Some(1e-12),
        tolerance: 1e-14,
        ..world.settings().clone()
    };
    world.set_settings(settings).unwrap();
    let report = world.step().unwrap();
    assert!(report.unconverged > 0, "{report:?}");
    assert_eq!(
        report.outcome,
        Some(stiction_constraints::Outcome::OutOfTime)
    );
    let bad = Settings {
        step_time: Some(0.0),
        ..Settings::default()
    };
    let message = World::new(bad).err().unwrap().to_string();
    assert!(message.contains("step_time"), "{message}");
}

#[test]
fn threads_and_batches_change_nothing() {
    let alone = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut world = busy_world(2);
            for _ in 0..60 {
                world.step().unwrap();
            }
            bits(&world)
        })
    };
    let one = alone(1);
    assert_eq!(one, alone(2));
    assert_eq!(one, alone(8));
    let mut batch: Vec<World> = (1..4).map(busy_world).collect();
    for _ in 0..60 {
        for result in step_all(&mut batch) {
            result.unwrap();
        }
    }
    assert_eq!(bits(&batch[1]), one);
}

/// An impulse that stopped a motion is within the tolerance of what holds at rest, but starts another.
#[test]
fn what_came_to_rest_needs_little_solving() {
    let settings = Settings {
        tolerance: 1e-6,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    floor(&mut world, 0.6);
    let sides = Vector3::new(0.3, 0.2, 0.1);
    for index in 0..3 {
        let body = RigidBody::free(&format!("box {index}"), Inertia::solid_box(1.0, sides));
        let turned = Isometry3::new(
            Vector3::new(0.01 * index as f64, 0.0, 0.06 + 0.11 * index as f64),
            Vector3::new(0.02, 0.01, 0.3 * index as f64),
        );
        let body = world.add_body(body.at(turned)).unwrap();
        let shape = Shape::cuboid("box", sides / 2.0).unwrap();
        world
            .attach(body, shape, Material::with_friction(0.6))
            .unwrap();
    }
    for _ in 0..480 {
        world.step().unwrap();
    }
    let (mut solved, mut speed) = (0, 0.0_f64);
    for _ in 0..240 {
        let report = world.step().unwrap();
        solved += usize::from(report.iterations > 0);
        speed = speed.max((2.0 * report.kinetic_energy).sqrt());
    }
    // With every guess within the tolerance taken it is 160.
    assert!(solved <= 100, "{solved} of 240 steps at rest were solved");
    assert!(speed < 3e-6, "{speed} m/s");
}

#[test]
fn islands_change_nothing_that_matters() {
    let run = |islands: bool| {
        let mut world = busy_world(3);
        let settings = Settings {
            islands,
            tolerance: 1e-11,
            ..Settings::default()
        };
        world.set_settings(settings).unwrap();
        for _ in 0..20 {
            world.step().unwrap();
        }
        world
    };
    let (apart, together) = (run(true), run(false));
    for name in apart.body_names() {
        let body = apart.find_body(name).unwrap();
        let difference = apart.pose(body).unwrap().translation.vector
            - together.pose(body).unwrap().translation.vector;
        assert!(difference.norm() < 1e-6, "{name}: {difference}");
    }
}

#[test]
fn a_failed_step_leaves_the_state_as_it_was() {
    struct Mad;
    impl Controller for Mad {
        fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
            let body = world.find_body("stone")?;
            commands.push(body, Vector3::new(0.0, 0.0, f64::MAX), Vector3::zeros())
        }
    }
    let mut world = World::new(Settings::default()).unwrap();
    let stone = RigidBody::free("stone", Inertia::solid_sphere(1e-3, 0.1));
    let stone = world.add_body(stone).unwrap();
    world.step().unwrap();
    let before = world.pose(stone).unwrap();
    let time = world.time();
    world.add_controller(Box::new(Mad));
    let error = world.step().unwrap_err();
    let SimError::Step(failure) = &error else {
        panic!("{error}");
    };
    assert_eq!(failure.bodies, ["stone"]);
    assert!(
        error.to_string().contains("try a smaller time step"),
        "{error}"
    );
    assert_eq!((world.pose(stone).unwrap(), world.time()), (before, time));
}

#[test]
fn bad_input_is_refused_by_name() {
    let mut world = World::new(Settings::default()).unwrap();
    let expect = |error: SimError, words: &[&str]| {
        let message = error.to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    let bad_mass = Inertia {
        mass: -1.0,
        ..Inertia::solid_sphere(1.0, 1.0)
    };
    expect(
        world
            .add_body(RigidBody::free("apple", bad_mass))
            .unwrap_err(),
        &["apple", "mass", "-1"],
    );
    let flat = Inertia::from_com(1.0, Vector3::zeros(), Default::default());
    expect(
        world.add_body(RigidBody::free("disk", flat)).unwrap_err(),
        &["disk", "positive definite"],
    );
    let lost = RigidBody::fixed("lost").at_position(f64::NAN, 0.0, 0.0);
    expect(world.add_body(lost).unwrap_err(), &["lost", "pose"]);
    world.add_body(RigidBody::fixed("twin")).unwrap();
    expect(
        world.add_body(RigidBody::fixed("twin")).unwrap_err(),
        &["twin", "exists already"],
    );
    expect(world.set_solver("canel").unwrap_err(), &["canel", "canal"]);
    expect(world.find_body("nobody").unwrap_err(), &["nobody"]);
    let twin = world.find_body("twin").unwrap();
    expect(
        world
            .connect(Connection::new("self", ConnectionKind::Ball, twin, twin))
            .unwrap_err(),
        &["self", "itself"],
    );
    expect(
        world
            .commands()
            .push(twin, Vector3::x(), Vector3::zeros())
            .unwrap_err(),
        &["not moved by forces"],
    );
    for settings in [
        Settings {
            time_step: 0.0,
            ..Settings::default()
        },
        Settings {
            theta: 1.0,
            ..Settings::default()
        },
        Settings {
            tolerance: f64::NAN,
            ..Settings::default()
        },
        Settings {
            baumgarte: 2.0,
            ..Settings::default()
        },
    ] {
        assert!(World::new(settings).is_err());
    }
}

#[test]
fn stiff_gains_are_stable_and_reach_their_target() {
    let mut world = World::new(Settings::default()).unwrap();
    let (robot, dof) = pendulum(&mut world, DofProperties::default());
    let tracking = Tracking {
        position: 0.5,
        stiffness: 1e6,
        damping: 1e3,
        ..Tracking::default()
    };
    world.commands().track(robot, dof, tracking).unwrap();
    for _ in 0..480 {
        world.step().unwrap();
        assert!(world.joint_state(robot, "hinge").unwrap().position.abs() < 1.0);
    }
    let state = world.joint_state(robot, "hinge").unwrap();
    assert!(
        (state.position - 0.5).abs() < 1e-5 && state.velocity.abs() < 1e-6,
        "{state:?}"
    );
}

#[test]
fn joint_friction_sticks_below_its_bound_and_slips_above() {
    let properties = DofProperties {
        friction_loss: 2.0,
        ..DofProperties::default()
    };
    let settings = Settings {
        gravity: Vector3::zeros(),
        tolerance: 1e-13,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let (robot, dof) = pendulum(&mut world, properties);
    world.commands().set_torque(robot, dof, 1.999).unwrap();
    for _ in 0..240 {
        world.step().unwrap();
        assert!(world.joint_state(robot, "hinge").unwrap().velocity.abs() < 1e-12);
    }
    world.commands().set_torque(robot, dof, 3.0).unwrap();
    for _ in 0..240 {
        world.step().unwrap();
    }
    // I = m l² + ball about the hinge.
    let inertia = 0.25 + 0.4 * 0.2 * 0.01;
    let speed = world.joint_state(robot, "hinge").unwrap().velocity;
    assert!((speed * inertia - 1.0).abs() < 1e-9, "{speed}");
}

#[test]
fn joint_limits_are_never_passed() {
    let properties = DofProperties {
        lower: -0.3,
        upper: 0.3,
        ..DofProperties::default()
    };
    let settings = Settings {
        tolerance: 1e-11,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let (robot, dof) = pendulum(&mut world, properties);
    let mut highest: f64 = 0.0;
    for step in 0..960 {
        let torque = 20.0 * (0.02 * f64::from(step)).sin();
        world.commands().set_torque(robot, dof, torque).unwrap();
        world.step().unwrap();
        highest = highest.max(world.joint_state(robot, "hinge").unwrap().position.abs());
    }
    assert!((highest - 0.3).abs() < 1e-9, "{highest}");
}

#[test]
fn forces_are_readable_in_newtons() {
    let mut world = World::new(Settings::default()).unwrap();
    floor(&mut world, 0.5);
    let sides = Vector3::repeat(0.2);
    let block = RigidBody::free("block", Inertia::solid_box(2.0, sides)).at_position(0.0, 0.0, 0.1);
    let block = world.add_body(block).unwrap();
    let shape = Shape::cuboid("box", sides / 2.0).unwrap();
    world
        .attach(block, shape, Material::with_friction(0.5))
        .unwrap();
    let (robot, _) = pendulum(&mut world, DofProperties::default());
    let post = world
        .add_body(RigidBody::fixed("post").at_position(5.0, 0.0, 1.0))
        .unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(1.5, 0.1)).at_position(5.0, 0.0, 0.5);
    let bob = world.add_body(bob).unwrap();
    let rope = ConnectionKind::Distance { length: 0.5 };
    let rope = world
        .connect(Connection::new("rope", rope, post, bob))
        .unwrap();
    for _ in 0..10 {
        // Pushed at 5 N, which friction takes up.
        world
            .commands()
            .push(block, Vector3::new(5.0, 0.0, 0.0), Vector3::zeros())
            .unwrap();
        world.step().unwrap();
    }
    let contact = world.contact_wrench(block).unwrap();
    assert!(
        (contact.force - Vector3::new(-5.0, 0.0, 2.0 * 9.81)).norm() < 1e-5,
        "{contact:?}"
    );
    let pull = world.connection_wrench(rope).unwrap();
    assert!(
        (pull.force - Vector3::new(0.0, 0.0, 1.5 * 9.81)).norm() < 1e-5,
        "{pull:?}"
    );
    // The pendulum hangs straight down: its hinge carries 1.2 kg.
    let hinge = world.joint_wrench(robot, "hinge").unwrap();
    assert!(
        (hinge.force - Vector3::new(0.0, 0.0, 1.2 * 9.81)).norm() < 1e-6,
        "{hinge:?}"
    );
    let (pose, twist) = world.frame_state(robot, "rod").unwrap();
    assert!((pose.translation.vector - Vector3::new(3.0, 0.0, 2.0)).norm() < 1e-12);
    assert!(twist.linear.norm() < 1e-12);
}

#[test]
fn a_driven_plate_pushes_what_is_in_its_way() {
    let mut world = World::new(Settings::default()).unwrap();
    floor(&mut world, 0.3);
    let sides = Vector3::repeat(0.1);
    let block =
        RigidBody::free("block", Inertia::solid_box(1.0, sides)).at_position(0.0, 0.0, 0.05);
    let block = world.add_body(block).unwrap();
    let shape = Shape::cuboid("box", sides / 2.0).unwrap();
    world
        .attach(block, shape, Material::with_friction(0.3))
        .unwrap();
    let plate = RigidBody::driven("plate")
        .at_position(-0.1, 0.0, 0.06)
        .moving(Vector3::new(0.1, 0.0, 0.0), Vector3::zeros());
    let plate = world.add_body(plate).unwrap();
    let shape = Shape::cuboid("plate", Vector3::new(0.04, 0.1, 0.05)).unwrap();
    world
        .attach(plate, shape, Material::with_friction(0.3))
        .unwrap();
    for _ in 0..240 {
        world.step().unwrap();
    }
    let x = world.pose(block).unwrap().translation.x;
    let plate_x = world.pose(plate).unwrap().translation.x;
    assert!((plate_x - 0.0).abs() < 1e-9, "driven as asked: {plate_x}");
    assert!((x - 0.09).abs() < 1e-5, "the block is pushed along: {x}");
    assert!((world.velocity(block).unwrap().linear.x - 0.1).abs() < 1e-6);
}

#[test]
fn springs_hang_and_wheels_roll_without_slipping() {
    let mut world = World::new(Settings::default()).unwrap();
    let ceiling = world
        .add_body(RigidBody::fixed("ceiling").at_position(0.0, 0.0, 2.0))
        .unwrap();
    let weight =
        RigidBody::free("weight", Inertia::solid_sphere(2.0, 0.1)).at_position(0.0, 0.0, 1.0);
    let weight = world.add_body(weight).unwrap();
    let spring = ConnectionKind::Spring {
        stiffness: 200.0,
        damping: 40.0,
        rest_length: 0.5,
    };
    world
        .connect(Connection::new("spring", spring, ceiling, weight))
        .unwrap();
    let ground = world
        .add_body(RigidBody::fixed("ground").at_position(5.0, 0.0, 0.0))
        .unwrap();
    let wheel = RigidBody::free("wheel", Inertia::solid_sphere(1.0, 0.2))
        .at_position(5.0, 0.0, 0.2)
        .moving(Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 5.0, 0.0));
    let wheel = world.add_body(wheel).unwrap();
    let rolling = ConnectionKind::Rolling { radius: 0.2 };
    world
        .connect(Connection::new("rolling", rolling, ground, wheel))
        .unwrap();
    for _ in 0..2400 {
        // What would carry the wheel, which has no shape here.
        world
            .commands()
            .push(wheel, Vector3::new(0.0, 0.0, 9.81), Vector3::zeros())
            .unwrap();
        world.step().unwrap();
    }
    let height = world.pose(weight).unwrap().translation.z;
    assert!(
        (height - (2.0 - 0.5 - 2.0 * 9.81 / 200.0)).abs() < 1e-6,
        "{height}"
    );
    let twist = world.velocity(wheel).unwrap();
    assert!(
        (twist.linear.x - 0.2 * twist.angular.y).abs() < 1e-7,
        "{twist:?}"
    );
    assert!((twist.linear.x - 1.0).abs() < 1e-6);
}

#[test]
fn hinges_welds_and_skates_hold_what_they_should() {
    let settings = Settings {
        tolerance: 1e-10,
        relinearizations: 2,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let sides = Vector3::new(0.4, 0.1, 0.1);
    let door = RigidBody::free("door", Inertia::solid_box(2.0, sides)).at_position(0.2, 0.0, 0.0);
    let door = world.add_body(door).unwrap();
    // Hinge about y at the wall; gravity swings the door down about it.
    let axis = Isometry3::rotation(Vector3::x() * -std::f64::consts::FRAC_PI_2);
    let hinge = Connection::new("hinge", ConnectionKind::Hinge, wall, door)
        .anchored(axis, Isometry3::translation(-0.2, 0.0, 0.0) * axis);
    world.connect(hinge).unwrap();
    let knob = RigidBody::free("knob", Inertia::solid_sphere(0.1, 0.03)).at_position(0.4, 0.1, 0.0);
    let knob = world.add_body(knob).unwrap();
    let weld = Connection::new("weld", ConnectionKind::Weld, door, knob)
        .anchored(Isometry3::translation(0.2, 0.1, 0.0), Isometry3::identity());
    world.connect(weld).unwrap();
    let ice = world
        .add_body(RigidBody::fixed("ice").at_position(0.0, 5.0, 0.0))
        .unwrap();
    let skate = RigidBody::free(
        "skate",
        Inertia::solid_box(1.0, Vector3::new(0.3, 0.05, 0.05)),
    )
    .at_position(0.0, 5.0, 0.0)
    .moving(Vector3::new(1.0, 0.0, 0.0), Vector3::zeros());
    let skate = world.add_body(skate).unwrap();
    world
        .connect(Connection::new(
            "blade",
            ConnectionKind::NoSideSlip,
            ice,
            skate,
        ))
        .unwrap();
    for _ in 0..240 {
        // The ice carries the skate; somebody pushes it sideways and forwards.
        let force = Vector3::new(0.5, 30.0, 9.81);
        world
            .commands()
            .push(skate, force, Vector3::zeros())
            .unwrap();
        world.step().unwrap();
        let door_pose = world.pose(door).unwrap();
        let side = door_pose.rotation * Vector3::y();
        assert!(
            (side - Vector3::y()).norm() < 1e-6,
            "the hinge's axis stays"
        );
        let end = door_pose * stiction_sim::Point3::new(-0.2, 0.0, 0.0);
        assert!(end.coords.norm() < 1e-5, "the hinge's point stays: {end}");
        let held = door_pose.inverse() * world.pose(knob).unwrap();
        let offset = held.translation.vector - Vector3::new(0.2, 0.1, 0.0);
        assert!(
            offset.norm() < 1e-5 && held.rotation.angle() < 1e-4,
            "{held}"
        );
    }
    assert!(world.pose(door).unwrap().translation.z < -0.1, "it swings");
    let twist = world.velocity(skate).unwrap();
    assert!(
        twist.linear.y.abs() < 1e-9 && (twist.linear.x - 1.5).abs() < 1e-9,
        "{twist:?}"
    );
}

#[test]
fn compliant_contacts_sink_by_force_times_compliance() {
    let mut world = World::new(Settings::default()).unwrap();
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    let soft = Material {
        compliance: 1e-5,
        ..Material::with_friction(0.5)
    };
    world
        .attach(floor, Shape::half_space("plane"), soft)
        .unwrap();
    let ball = RigidBody::free("ball", Inertia::solid_sphere(2.0, 0.1)).at_position(0.0, 0.0, 0.1);
    let ball = world.add_body(ball).unwrap();
    let hard = Material::with_friction(0.5);
    world
        .attach(ball, Shape::sphere("ball", 0.1).unwrap(), hard)
        .unwrap();
    for _ in 0..2400 {
        world.step().unwrap();
    }
    let depth = 0.1 - world.pose(ball).unwrap().translation.z;
    assert!((depth / (2.0 * 9.81 * 1e-5) - 1.0).abs() < 1e-5, "{depth}");
}

#[test]
fn a_raised_flag_ends_a_step_and_leaves_the_state() {
    let mut world = busy_world(1);
    let flag = StopFlag::new();
    world.stop_with(Some(flag.clone()));
    for _ in 0..30 {
        world.step().unwrap();
    }
    let state = |world: &World| {
        let body = world.find_body("box 0").unwrap();
        (world.pose(body).unwrap(), world.time())
    };
    let before = state(&world);
    flag.raise();
    assert!(matches!(world.step(), Err(SimError::Interrupted)));
    assert_eq!(state(&world), before);
    flag.lower();
    world.step().unwrap();
}

#[test]
fn the_problems_of_a_step_are_those_that_its_solver_saw() {
    let mut world = busy_world(1);
    for _ in 0..60 {
        world.step().unwrap();
    }
    let problems: Vec<_> = world.problems().collect();
    assert!(!problems.is_empty());
    let rows: usize = problems
        .iter()
        .map(|solved| solved.problem.row_count())
        .sum();
    assert_eq!(rows, world.report().rows);
    for solved in problems {
        let guess = solved.guess.expect("what touched before has impulses");
        assert_eq!(guess.len(), solved.problem.row_count());
    }
}
