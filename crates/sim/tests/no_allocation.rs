//! A step in steady state allocates nothing.

use stiction_sim::{
    Activation, Actuator, ActuatorTarget, Connection, ConnectionKind, Execution, Inertia,
    Isometry3, JointKind, Material, ModelDescription, Point3, RigidBody, Settings, Shape, Signal,
    Tendon, TendonBranch, TendonPath, Transform, Vector3, World,
};
use stiction_test_support::allocations;

fn world(solver: &str) -> World {
    let mut world = World::new(Settings::default()).unwrap();
    world.set_solver(solver).unwrap();
    world.set_detection(120, Execution::Serial).unwrap();
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    let material = Material::with_friction(0.5);
    world
        .attach(floor, Shape::half_space("plane"), material)
        .unwrap();
    let mut last = floor;
    for index in 0..4 {
        let sides = Vector3::repeat(0.1);
        let body = RigidBody::free(&format!("box {index}"), Inertia::solid_box(1.0, sides))
            .at_position(0.0, 0.0, 0.05 + 0.1 * f64::from(index));
        last = world.add_body(body).unwrap();
        world
            .attach(last, Shape::cuboid("box", sides / 2.0).unwrap(), material)
            .unwrap();
    }
    let weight =
        RigidBody::free("weight", Inertia::solid_sphere(0.1, 0.02)).at_position(0.0, 0.0, 0.6);
    let weight = world.add_body(weight).unwrap();
    let spring = ConnectionKind::Spring {
        stiffness: 100.0,
        damping: 5.0,
        rest_length: 0.2,
    };
    world
        .connect(Connection::new("spring", spring, last, weight))
        .unwrap();
    // A rope that swings: its joints are projected in every step.
    let mut above = world
        .add_body(RigidBody::fixed("hook").at_position(0.0, 3.0, 2.0))
        .unwrap();
    let mut anchor = Isometry3::identity();
    for index in 0..3 {
        let at = 0.05 + 0.1 * f64::from(index);
        let link = Inertia::solid_box(0.1, Vector3::new(0.1, 0.02, 0.02));
        let link = RigidBody::free(&format!("link {index}"), link).at_position(at, 3.0, 2.0);
        let link = world.add_body(link).unwrap();
        let joint = Connection::new(&format!("ball {index}"), ConnectionKind::Ball, above, link);
        let start = Isometry3::translation(-0.05, 0.0, 0.0);
        world.connect(joint.anchored(anchor, start)).unwrap();
        (above, anchor) = (link, start.inverse());
    }
    let mut model = ModelDescription::new("arm");
    model.add_body(
        "link",
        Inertia::from_com(1.0, Vector3::new(0.2, 0.0, 0.0), Default::default())
            + Inertia::solid_sphere(0.1, 0.05),
    );
    model
        .add_joint(
            "hinge",
            JointKind::Revolute { axis: Vector3::y() },
            "world",
            "link",
        )
        .at(Transform::from_translation(Vector3::new(2.0, 0.0, 0.5)));
    let arm = world.add_robot("arm", model.build().unwrap()).unwrap();
    let path = TendonPath::Joints {
        robot: arm,
        terms: vec![(world.dof(arm, "hinge").unwrap(), 0.1)],
    };
    let band = Tendon {
        friction_loss: 0.2,
        limits: [-0.02, 0.02],
        ..Tendon::new("band", path)
    };
    world.add_tendon(band).unwrap();
    let link = world.find_body("arm/link").unwrap();
    let path = TendonPath::Points(vec![TendonBranch {
        divisor: 2.0,
        points: vec![
            (link, Point3::new(0.2, 0.0, 0.0)),
            (weight, Point3::origin()),
        ],
    }]);
    let rope = Tendon {
        stiffness: 0.1,
        damping: 1.0,
        ..Tendon::new("rope", path)
    };
    let rope = world.add_tendon(rope).unwrap();
    let hinge = ActuatorTarget::Joint {
        robot: arm,
        dof: world.dof(arm, "hinge").unwrap(),
    };
    let jet = ActuatorTarget::Frame {
        body: weight,
        pose: Isometry3::identity(),
        force: Vector3::z(),
        torque: Vector3::zeros(),
    };
    for actuator in [
        Actuator::position("servo", hinge, 5.0, 0.5),
        Actuator::motor("pull", ActuatorTarget::Tendon(rope)),
        Actuator {
            activation: Activation::Filter { time_constant: 0.1 },
            control: Signal::Constant(0.01),
            ..Actuator::motor("jet", jet)
        },
    ] {
        world.add_actuator(actuator).unwrap();
    }
    world
}

#[test]
fn a_step_in_steady_state_allocates_nothing() {
    for solver in ["canal", "subadmm", "pgs"] {
        let mut world = world(solver);
        // One thread: a pool's own bookkeeping is not ours.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let used = pool.install(|| {
            for _ in 0..240 {
                world.step().unwrap();
            }
            let before = allocations();
            for _ in 0..20 {
                world.step().unwrap();
            }
            allocations() - before
        });
        assert!(world.report().contacts >= 16);
        let closed = world.worst_position_error();
        assert!(solver != "canal" || closed < 1e-6, "{closed}");
        assert_eq!(used, 0, "{solver}");
    }
}
