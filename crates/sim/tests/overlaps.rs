//! Bodies that overlap and cannot come apart: the step goes on, calmly, and says so.

use stiction_sim::{
    Inertia, JointKind, Material, ModelDescription, RigidBody, Settings, Shape, Transform, Vector3,
    World,
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
