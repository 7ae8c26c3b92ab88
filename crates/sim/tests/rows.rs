//! Rows of a whole world against differences: how contact gaps, errors of connections and lengths of
//! tendons change when everything is placed a little further on along v is what J v says. Rows and A that
//! measure motion about different points would be called converged by every residual; not by this.

use stiction_constraints::{JointRows, Law, Problem};
use stiction_dynamics::integrate;
use stiction_sim::{
    BodyHandle, Connection, ConnectionKind, Inertia, Isometry3, JointKind, Material,
    ModelDescription, Point3, RigidBody, RobotHandle, Settings, Shape, Tendon, TendonBranch,
    TendonPath, Transform, UnitQuaternion, Vector3, World,
};

/// A floor, a free body and a floating robot of two joints far from the world's origin; the free body is
/// tied to the robot in every way that has an error of position.
struct Scene {
    world: World,
    block: BodyHandle,
    robot: RobotHandle,
}

const DT: f64 = 0.01;

fn scene() -> Scene {
    let mut world = World::new(Settings {
        time_step: DT,
        baumgarte: 1.0,
        contact_margin: 1.0,
        max_iterations: Some(1),
        islands: false,
        ..Settings::default()
    })
    .unwrap();
    let floor = world.add_body(RigidBody::fixed("floor")).unwrap();
    let material = Material::with_friction(0.5);
    let plane = Shape::half_space("plane");
    world.attach(floor, plane, material).unwrap();
    let inertia = Inertia::solid_box(2.0, Vector3::new(0.3, 0.2, 0.4));
    let inertia = Inertia::from_com(2.0, Vector3::new(0.05, 0.1, -0.07), inertia.about_com());
    let block = world.add_body(RigidBody::free("block", inertia)).unwrap();
    let ball = Shape::sphere("ball", 0.1).unwrap();
    world.attach(block, ball.clone(), material).unwrap();

    let mut model = ModelDescription::new("robot");
    let link =
        |mass: f64| Inertia::from_com(mass, Vector3::new(0.1, -0.05, 0.02), inertia.about_com());
    for (name, mass) in [("base", 3.0), ("arm", 1.0), ("hand", 0.5)] {
        model.add_body(name, link(mass));
    }
    model.add_joint("float", JointKind::Free, "world", "base");
    let axis = Vector3::new(1.0, 2.0, -1.0).normalize();
    model
        .add_joint("elbow", JointKind::Continuous { axis }, "base", "arm")
        .placement = Transform::from_translation(Vector3::new(0.3, 0.0, 0.1));
    model
        .add_joint(
            "slide",
            JointKind::Prismatic { axis: Vector3::y() },
            "arm",
            "hand",
        )
        .placement = Transform::from_translation(Vector3::new(0.0, 0.2, 0.0));
    let robot = world.add_robot("robot", model.build().unwrap()).unwrap();
    let [base, hand] = ["robot/base", "robot/hand"].map(|name| world.find_body(name).unwrap());
    world.attach(hand, ball, material).unwrap();

    let anchors = [
        Isometry3::translation(0.1, 0.2, -0.1),
        Isometry3::translation(-0.2, 0.05, 0.1),
    ];
    for (name, kind) in [
        ("ball", ConnectionKind::Ball),
        ("distance", ConnectionKind::Distance { length: 0.4 }),
    ] {
        let connection = Connection::new(name, kind, hand, block);
        world
            .connect(connection.anchored(anchors[0], anchors[1]))
            .unwrap();
    }
    let points = [
        (floor, Point3::new(0.0, 0.0, 3.0)),
        (hand, Point3::new(0.1, 0.0, 0.0)),
        (block, Point3::new(0.0, 0.1, 0.0)),
        (base, Point3::new(0.0, 0.0, 0.2)),
    ];
    let branch = TendonBranch {
        divisor: 1.0,
        points: points.to_vec(),
    };
    world
        .add_tendon(Tendon {
            limits: [0.0, 50.0],
            ..Tendon::new("rope", TendonPath::Points(vec![branch]))
        })
        .unwrap();
    Scene {
        world,
        block,
        robot,
    }
}

/// Places everything where it is `time` after the start with the velocities `v`.
fn place(scene: &mut Scene, v: &[f64], time: f64) {
    let start = Isometry3::new(Vector3::new(7.0, -3.0, 0.3), Vector3::new(0.3, -0.2, 0.9));
    let inertia_center = Vector3::new(0.05, 0.1, -0.07);
    let (linear, angular) = (
        Vector3::new(v[0], v[1], v[2]),
        Vector3::new(v[3], v[4], v[5]),
    );
    let turn = UnitQuaternion::from_scaled_axis(angular * time);
    let center = start * Point3::from(inertia_center) + linear * time;
    let rotation = turn * start.rotation;
    let origin = center - rotation * inertia_center;
    let pose = Isometry3::from_parts(origin.coords.into(), rotation);
    let zero = Vector3::zeros();
    scene
        .world
        .set_body_state(scene.block, pose, zero, zero)
        .unwrap();
    let model = scene.world.model(scene.robot).unwrap();
    let mut q = model.neutral();
    let mut at = q.clone();
    let first: Vec<f64> = (0..model.nv())
        .map(|dof| 0.4 * (dof as f64 + 1.0).sin())
        .collect();
    integrate(model, &q, &first, 1.0, &mut at).unwrap();
    at[0] += 6.5;
    at[1] -= 2.5;
    at[2] += 0.8;
    integrate(model, &at, &v[6..], time, &mut q).unwrap();
    let still = vec![0.0; model.nv()];
    scene
        .world
        .set_robot_state(scene.robot, &q, &still)
        .unwrap();
}

/// The one problem of the world as it stands.
fn problem(scene: &mut Scene) -> Problem {
    let world = &mut scene.world;
    world.control().unwrap();
    world.detect_contacts().unwrap();
    world.assemble().unwrap();
    world.solve().unwrap();
    world.problems().next().unwrap().problem.clone()
}

#[test]
fn everything_moves_as_its_rows_say() {
    const H: f64 = 1e-6;
    let mut scene = scene();
    let dofs = scene.world.state().v.len();
    for seed in 0..8 {
        let v: Vec<f64> = (0..dofs)
            .map(|dof| (1.7 * dof as f64 + seed as f64).sin())
            .collect();
        place(&mut scene, &v, 0.0);
        let now = problem(&mut scene);
        place(&mut scene, &v, H);
        let then = problem(&mut scene);
        let mut rows = JointRows::default();
        rows.update(&now);
        let mut product = vec![0.0; now.row_count()];
        rows.mul(&v, &mut product);
        let (mut contacts, mut equalities, mut limits) = (0, 0, 0);
        assert_eq!(now.constraints().len(), then.constraints().len());
        for (index, constraint) in now.constraints().iter().enumerate() {
            let change = |row: usize| (then.error(index)[row] - now.error(index)[row]) * DT / H;
            let check = |row: usize, found: f64| {
                let expected = product[constraint.first_row + row];
                assert!(
                    (found - expected).abs() < 1e-4,
                    "{:?}: {found} {expected}",
                    constraint.law
                );
            };
            match (constraint.law, then.constraints()[index].law) {
                (Law::Contact { .. }, _) => {
                    check(2, change(2));
                    contacts += 1;
                }
                (Law::Equality, _) => {
                    (0..constraint.rows).for_each(|row| check(row, change(row)));
                    equalities += constraint.rows;
                }
                (Law::JointLimit { upper: a, .. }, Law::JointLimit { upper: b, .. }) => {
                    check(0, (a - b) * DT / H);
                    limits += 1;
                }
                _ => {}
            }
        }
        assert!(contacts >= 2 && equalities >= 4 && limits == 1);
    }
}
