//! Loops within and between robots' trees, and trees joined to bodies: they keep their energy, hold their joints,
//! and stay finite where they lock, fold flat or meet their limits.

use stiction_sim::{
    Connection, ConnectionKind, DofProperties, Inertia, Isometry3, JointKind, ModelDescription,
    RigidBody, Settings, Symmetric3, Transform, Vector3, World,
};

/// A uniform bar from its origin along x.
fn bar(length: f64, mass: f64) -> Inertia {
    let about = mass * length * length / 12.0;
    let center = Vector3::new(0.5 * length, 0.0, 0.0);
    Inertia::from_com(
        mass,
        center,
        Symmetric3::diagonal(0.1 * about, about, about),
    )
}

/// Bars in the plane y = 0, each on the end of the one before, the first on the world; angles are those of the
/// joints. The free end is held where it is.
#[derive(Default)]
struct Chain<'a> {
    lengths: &'a [f64],
    angles: &'a [f64],
    speeds: &'a [f64],
    limits: DofProperties,
    settings: Settings,
}

impl Chain<'_> {
    fn build(&self, closed: &[ConnectionKind]) -> World {
        let mut world = World::new(self.settings.clone()).unwrap();
        let mut model = ModelDescription::new("chain");
        let axis = -Vector3::y();
        let mut parent = "world".to_owned();
        let mut offset = 0.0;
        for (number, &length) in self.lengths.iter().enumerate() {
            let name = format!("link {number}");
            model.add_body(&name, bar(length, length));
            let joint = format!("joint {number}");
            let at = Transform::from_translation(Vector3::new(offset, 0.0, 0.0));
            let added = model.add_joint(&joint, JointKind::Revolute { axis }, &parent, &name);
            let added = added.at(at);
            if number == 0 {
                added.with_properties(self.limits);
            }
            (parent, offset) = (name, length);
        }
        let robot = world.add_robot("r", model.build().unwrap()).unwrap();
        world
            .set_robot_state(robot, self.angles, self.speeds)
            .unwrap();
        let hook = world.add_body(RigidBody::fixed("hook")).unwrap();
        let last = world.find_body(&format!("r/{parent}")).unwrap();
        let across = Vector3::x() * -std::f64::consts::FRAC_PI_2;
        let on_last = Isometry3::new(Vector3::new(offset, 0.0, 0.0), across);
        let at = world.pose(last).unwrap() * on_last;
        for (number, &kind) in closed.iter().enumerate() {
            let joint = Connection::new(&format!("loop {number}"), kind, last, hook);
            world.connect(joint.anchored(on_last, at)).unwrap();
        }
        world
    }
}

fn energy(world: &World) -> f64 {
    world.report().kinetic_energy + world.report().potential_energy
}

/// What a run showed: shares of the largest energy of motion.
#[derive(Debug)]
struct Shown {
    gain: f64,
    loss: f64,
    fastest: f64,
    joints: f64,
}

fn run(world: &mut World, seconds: f64) -> Shown {
    world.measure_start().unwrap();
    let start = energy(world);
    let mut shown = Shown {
        gain: 0.0,
        loss: 0.0,
        fastest: 0.0,
        joints: 0.0,
    };
    let steps = (seconds / world.settings().time_step).round() as usize;
    for _ in 0..steps {
        world.step().unwrap();
        shown.fastest = shown.fastest.max(world.report().kinetic_energy);
        shown.gain = shown.gain.max(energy(world) - start);
        shown.loss = shown.loss.max(start - energy(world));
        shown.joints = shown.joints.max(world.worst_position_error());
        assert!(energy(world).is_finite());
    }
    let scale = shown.fastest.max(1e-9);
    (shown.gain, shown.loss) = (shown.gain / scale, shown.loss / scale);
    shown
}

const HINGE: ConnectionKind = ConnectionKind::Hinge;

#[test]
fn a_loop_within_a_tree_keeps_its_energy_however_often_it_is_closed() {
    let both = [HINGE, ConnectionKind::Ball];
    for closed in [&both[..1], &both[1..], &both[..]] {
        let mut world = Chain {
            lengths: &[0.2, 0.5, 0.4],
            angles: &[1.3, -0.6, -1.9],
            speeds: &[0.0; 3],
            ..Chain::default()
        }
        .build(closed);
        let shown = run(&mut world, 10.0);
        assert!(
            shown.gain < 1e-4 && shown.loss < 1e-3,
            "{closed:?} {shown:?}"
        );
        assert!(shown.joints < 1e-9 && shown.fastest > 0.1, "{shown:?}");
    }
}

#[test]
fn linkages_that_fold_flat_gain_nothing() {
    // A parallelogram and a kite: all bars are in line at times, and the loop says one thing less there.
    let parallelogram = ([0.2, 0.5, 0.2], [1.0, -1.0, -1.0]);
    let kite = ([0.3, 0.3, 0.5], [0.9, -2.2, 0.4]);
    for (lengths, angles) in [parallelogram, kite] {
        for theta in [Settings::IMPLICIT_EULER, Settings::MIDPOINT] {
            let mut world = Chain {
                lengths: &lengths,
                angles: &angles,
                speeds: &[0.0; 3],
                settings: Settings {
                    theta,
                    ..Settings::default()
                },
                ..Chain::default()
            }
            .build(&[HINGE]);
            let shown = run(&mut world, 10.0);
            assert!(shown.gain < 1e-3, "{theta} {shown:?}");
            assert!(shown.loss < 0.05, "{theta} {shown:?}");
            assert!(shown.joints < 1e-6, "{theta} {shown:?}");
        }
    }
}

#[test]
fn what_locks_stands_still() {
    // A triangle.
    let mut world = Chain {
        lengths: &[0.4, 0.3],
        angles: &[0.4, 1.0],
        speeds: &[0.0; 2],
        ..Chain::default()
    }
    .build(&[HINGE]);
    let shown = run(&mut world, 2.0);
    assert!(shown.fastest < 1e-12 && shown.joints < 1e-9, "{shown:?}");
}

#[test]
fn a_linkage_that_meets_a_limit_stops_there() {
    let limits = DofProperties {
        lower: 1.1,
        ..DofProperties::default()
    };
    let mut world = Chain {
        lengths: &[0.2, 0.5, 0.4],
        angles: &[1.3, -0.6, -1.9],
        speeds: &[0.0; 3],
        limits,
        ..Chain::default()
    }
    .build(&[HINGE]);
    let robot = world.find_robot("r").unwrap();
    let shown = run(&mut world, 4.0);
    assert!(shown.gain < 1e-2 && shown.joints < 1e-6, "{shown:?}");
    let crank = world.joint_state(robot, "joint 0").unwrap();
    assert!(crank.position > 1.1 - 1e-6, "{crank:?}");
}

#[test]
fn coupled_joints_keep_their_energy() {
    let mut world = World::new(Settings::default()).unwrap();
    let mut model = ModelDescription::new("gears");
    for (name, parent, offset) in [("upper", "world", 0.0), ("lower", "upper", 0.5)] {
        model.add_body(name, bar(0.5, 1.0));
        let axis = -Vector3::y();
        let at = Transform::from_translation(Vector3::new(offset, 0.0, 0.0));
        let joint = format!("{name} joint");
        model
            .add_joint(&joint, JointKind::Revolute { axis }, parent, name)
            .at(at);
    }
    model.add_mimic("lower joint", "upper joint", 0.5, 0.0);
    let robot = world.add_robot("r", model.build().unwrap()).unwrap();
    world
        .set_robot_state(robot, &[0.4, 0.2], &[0.0; 2])
        .unwrap();
    let shown = run(&mut world, 10.0);
    assert!(shown.gain < 1e-4 && shown.loss < 1e-3, "{shown:?}");
    assert!(shown.joints < 1e-9 && shown.fastest > 1.0, "{shown:?}");
}

#[test]
fn bodies_on_robots_swing_with_them() {
    let mut world = Chain {
        lengths: &[0.4, 0.3],
        angles: &[-0.3, 0.5],
        speeds: &[0.0; 2],
        ..Chain::default()
    }
    .build(&[]);
    let link = world.find_body("r/link 1").unwrap();
    let end = world.pose(link).unwrap() * Isometry3::translation(0.3, 0.0, 0.0);
    let ball = RigidBody::free(
        "ball",
        Inertia::solid_box(0.3, Vector3::new(0.1, 0.2, 0.05)),
    );
    let ball = world
        .add_body(ball.at(end * Isometry3::translation(0.2, 0.05, 0.0)))
        .unwrap();
    let joint = Connection::new("joint", ConnectionKind::Ball, link, ball);
    let joint = joint.anchored(
        Isometry3::translation(0.3, 0.0, 0.0),
        Isometry3::translation(-0.2, -0.05, 0.0),
    );
    world.connect(joint).unwrap();
    let shown = run(&mut world, 10.0);
    assert!(shown.gain < 1e-4 && shown.loss < 1e-3, "{shown:?}");
    assert!(shown.joints < 1e-9 && shown.fastest > 1.0, "{shown:?}");
}
