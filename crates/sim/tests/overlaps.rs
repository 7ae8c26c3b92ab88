//! Bodies that overlap and cannot come apart: the step goes on, calmly, and says so.

use stiction_sim::{
    Connection, ConnectionKind, DofProperties, Inertia, Isometry3, JointKind, Material,
    ModelDescription, RigidBody, Settings, Shape, Transform, Vector3, World,
};

fn floor(world: &mut World) {
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    let material = Material::with_friction(0.5);
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
}

/// A puck that only slides sideways, and stands 15 mm deep in the floor.
#[test]
fn what_no_joint_lets_out_is_held() {
    let mut world = World::new(Settings::default()).unwrap();
    floor(&mut world);
    let mut model = ModelDescription::new("puck");
    model.add_body("puck", Inertia::solid_sphere(0.1, 0.03));
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    model
        .add_joint("rail", rail, "world", "puck")
        .at(Transform::from_translation(Vector3::new(0.0, 0.0, 0.015)));
    world.add_robot("puck", model.build().unwrap()).unwrap();
    let puck = world.find_body("puck/puck").unwrap();
    let ball = Shape::sphere("ball", 0.03).unwrap();
    world.attach(puck, ball, Material::default()).unwrap();
    for _ in 0..240 {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0, "{report:?}");
        assert!(report.kinetic_energy < 1e-9, "{report:?}");
    }
}

/// Two capsules whose axes meet in the ball joint between them: no motion undoes that overlap, and the
/// least lever there asks for any speed.
#[test]
fn an_overlap_in_a_joint_flings_nothing_away() {
    let settings = Settings {
        time_step: 0.002,
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let post = world.add_body(RigidBody::fixed("post")).unwrap();
    let capsule = || Shape::capsule("capsule", 0.05, 0.01).unwrap();
    world.attach(post, capsule(), Material::default()).unwrap();
    let mut model = ModelDescription::new("arm");
    let inertia = Inertia::from_com(0.05, Vector3::new(0.0, 0.05, 0.05), Default::default())
        + Inertia::solid_sphere(0.05, 0.04);
    model.add_body("arm", inertia);
    model
        .add_joint("ball", JointKind::Spherical, "world", "arm")
        .at(Transform::from_translation(Vector3::new(0.0, 0.0, 0.05)));
    world.add_robot("arm", model.build().unwrap()).unwrap();
    let arm = world.find_body("arm/arm").unwrap();
    world.attach(arm, capsule(), Material::default()).unwrap();
    for _ in 0..1000 {
        let report = world.step().unwrap();
        // Falling from above to below the joint, and what pushing may add.
        assert!(report.kinetic_energy < 1.0, "{report:?}");
    }
}

/// A ball in a slit that is too narrow; when the slit opens, the ball comes out of the floor.
#[test]
fn what_was_held_is_pushed_out_when_it_can_be() {
    let mut world = World::new(Settings::default()).unwrap();
    floor(&mut world);
    let ball = RigidBody::free("ball", Inertia::solid_sphere(1.0, 0.1)).at_position(0.0, 0.0, 0.09);
    let ball = world.add_body(ball).unwrap();
    let shape = Shape::sphere("ball", 0.1).unwrap();
    world.attach(ball, shape, Material::default()).unwrap();
    let lid = world
        .add_body(RigidBody::driven("lid").at_position(0.0, 0.0, 0.28))
        .unwrap();
    let shape = Shape::cuboid("lid", Vector3::new(0.5, 0.5, 0.1)).unwrap();
    world.attach(lid, shape, Material::default()).unwrap();
    let mut held = 0;
    for _ in 0..120 {
        let report = world.step().unwrap();
        held += usize::from(report.delayed_pushes > 0);
        assert!(report.kinetic_energy < 1.0, "{report:?}");
    }
    assert!(held > 100, "held in {held} steps of 120");
    world
        .commands()
        .drive(lid, Vector3::new(0.0, 0.0, 0.5), Vector3::zeros())
        .unwrap();
    let mut report = world.step().unwrap().clone();
    for _ in 0..600 {
        report = world.step().unwrap().clone();
    }
    assert_eq!((report.delayed_pushes, report.unconverged), (0, 0));
    assert!(report.penetration < 1e-6, "{report:?}");
}

fn weightless() -> Settings {
    Settings {
        gravity: Vector3::zeros(),
        ..Settings::default()
    }
}

/// Two balls inside each other, at rest and without gravity: they part, and do not fly away.
#[test]
fn what_overlaps_at_rest_comes_apart_and_stays_at_rest() {
    for depth in [1e-4, 1e-3, 2e-2] {
        let mut world = World::new(weightless()).unwrap();
        for (name, height) in [("a", 0.0), ("b", 0.2 - depth)] {
            let ball = RigidBody::free(name, Inertia::solid_sphere(1.0, 0.1));
            let ball = world.add_body(ball.at_position(0.0, 0.0, height)).unwrap();
            let shape = Shape::sphere("ball", 0.1).unwrap();
            world.attach(ball, shape, Material::default()).unwrap();
        }
        let found = world.overlaps(1e-6).unwrap();
        assert_eq!(found.len(), 1);
        assert!((found[0].depth - depth).abs() < 1e-12, "{found:?}");
        let mut names = found[0].names.clone();
        names.sort();
        assert_eq!(names, ["a", "b"]);
        for _ in 0..240 {
            let report = world.step().unwrap();
            assert_eq!(report.unconverged, 0, "{report:?}");
            assert!(report.kinetic_energy < 1e-9, "{report:?}");
        }
        assert!(world.report().penetration < 1e-6, "{:?}", world.report());
    }
}

/// A joint that starts beyond its limit comes back to it and stands still there.
#[test]
fn what_starts_beyond_its_limit_comes_back_without_energy() {
    let mut world = World::new(weightless()).unwrap();
    let mut model = ModelDescription::new("arm");
    model.add_body("arm", Inertia::solid_box(1.0, Vector3::new(0.1, 0.1, 0.5)));
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    model
        .add_joint("hinge", hinge, "world", "arm")
        .with_properties(DofProperties {
            lower: 0.3,
            upper: 2.0,
            ..DofProperties::default()
        });
    let arm = world.add_robot("arm", model.build().unwrap()).unwrap();
    let found = world.joints_beyond_limits(1e-3);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].name.as_str(), found[0].beyond),
        ("arm/hinge", 0.3)
    );
    for _ in 0..480 {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0, "{report:?}");
        assert!(report.kinetic_energy < 1e-9, "{report:?}");
    }
    let position = world.joint_state(arm, "hinge").unwrap().position;
    assert!((position - 0.3).abs() < 1e-3, "{position}");
}

/// A closed leg whose joints start half a radian beyond limits that contradict each other: a
/// parallelogram cannot turn both ways.
#[test]
fn a_loop_beyond_contradicting_limits_gains_no_energy() {
    let mut world = World::new(Settings::default()).unwrap();
    let mut model = ModelDescription::new("leg");
    let rod = |mass: f64, length: f64| {
        let centered = Inertia::solid_box(mass, Vector3::new(0.04, 0.04, length));
        let center = Vector3::new(0.0, 0.0, -length / 2.0);
        Inertia::from_com(mass, center, centered.about_com())
    };
    let hinge = || JointKind::Revolute { axis: Vector3::y() };
    let limits = |lower: f64, upper: f64| DofProperties {
        lower,
        upper,
        ..DofProperties::default()
    };
    let at = |x: f64, z: f64| Transform::from_translation(Vector3::new(x, 0.0, z));
    model.add_body("base", Inertia::solid_box(10.0, Vector3::repeat(0.2)));
    model.add_body("thigh", rod(2.0, 0.4));
    model.add_body("shank", rod(1.0, 0.4));
    model.add_body("crank", rod(0.3, 0.2));
    model.add_body("rod", rod(0.1, 0.3));
    model.add_joint("float", JointKind::Free, "world", "base");
    model
        .add_joint("hip", hinge(), "base", "thigh")
        .at(at(0.0, -0.1))
        .with_properties(limits(0.5, 1.5));
    model
        .add_joint("knee", hinge(), "thigh", "shank")
        .at(at(0.0, -0.4))
        .with_properties(limits(-2.0, -0.5));
    model
        .add_joint("crank", hinge(), "base", "crank")
        .at(at(0.1, -0.1))
        .with_properties(limits(-1.5, -0.5));
    model
        .add_joint("rod", hinge(), "crank", "rod")
        .at(at(0.0, -0.2))
        .with_properties(limits(-1.0, -0.5));
    world.add_robot("leg", model.build().unwrap()).unwrap();
    let [rod, shank] = ["leg/rod", "leg/shank"].map(|name| world.find_body(name).unwrap());
    let loop_closer = Connection::new("loop", ConnectionKind::Ball, rod, shank).anchored(
        Isometry3::translation(-0.05, 0.0, -0.3),
        Isometry3::translation(0.05, 0.0, -0.1),
    );
    world.connect(loop_closer).unwrap();
    let mut before = f64::INFINITY;
    for step in 0..480 {
        let report = world.step().unwrap();
        let energy = report.kinetic_energy + report.potential_energy;
        // It falls, and half a step's work of gravity is the time step's error.
        assert!(
            step == 0 || energy < before + 0.2,
            "step {step}: {report:?}"
        );
        assert!(report.joints.distance < 1e-4, "{report:?}");
        before = if step == 0 { energy } else { before };
    }
}
