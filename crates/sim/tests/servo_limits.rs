//! Whether a drive is at its limit is decided by the end of the step: stiff servos do not overshoot.

use stiction_sim::{
    Actuator, ActuatorTarget, DofProperties, Inertia, Isometry3, JointKind, Material,
    ModelDescription, RigidBody, RobotHandle, Settings, Shape, Symmetric3, Tendon, TendonPath,
    Tracking, Vector3, World,
};

const INERTIA: f64 = 1e-3;
const LIMIT: f64 = 0.01;
const TARGET: f64 = 2.0;

/// Where the limit of a servo comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limit {
    Joint,
    Actuator,
    Tendon,
}

/// A wheel whose servo of speed is `stiffness` times too stiff for an explicit rule.
fn wheel(limit: Limit, friction_loss: f64, stiffness: f64) -> (World, RobotHandle) {
    let mut model = ModelDescription::new("wheel");
    let about = Symmetric3::diagonal(INERTIA, INERTIA, INERTIA);
    model.add_body("rim", Inertia::from_com(1.0, Vector3::zeros(), about));
    let axis = JointKind::Continuous { axis: Vector3::z() };
    let properties = DofProperties {
        friction_loss,
        effort_limit: match limit {
            Limit::Joint => LIMIT,
            Limit::Actuator | Limit::Tendon => f64::INFINITY,
        },
        ..DofProperties::default()
    };
    let joint = model.add_joint("axle", axis, "world", "rim");
    joint.dofs = vec![properties];
    let mut world = World::new(Settings::default()).unwrap();
    let robot = world.add_robot("wheel", model.build().unwrap()).unwrap();
    let dof = world.dof(robot, "axle").unwrap();
    let gain = stiffness * INERTIA / world.settings().time_step;
    // A tendon of twice the angle: half the force, a quarter of the gain.
    let (target, share) = match limit {
        Limit::Joint => {
            let tracking = Tracking {
                velocity: TARGET,
                damping: gain,
                ..Tracking::default()
            };
            world.commands().track(robot, dof, tracking).unwrap();
            return (world, robot);
        }
        Limit::Actuator => (ActuatorTarget::Joint { robot, dof }, 1.0),
        Limit::Tendon => {
            let terms = vec![(dof, 2.0)];
            let path = TendonPath::Joints { robot, terms };
            let tendon = world.add_tendon(Tendon::new("belt", path)).unwrap();
            (ActuatorTarget::Tendon(tendon), 2.0)
        }
    };
    let servo = Actuator {
        force_limits: Some([-LIMIT / share, LIMIT / share]),
        ..Actuator::velocity("servo", target, gain / (share * share))
    };
    let servo = world.add_actuator(servo).unwrap();
    world.set_control(servo, share * TARGET).unwrap();
    (world, robot)
}

#[test]
fn a_stiff_servo_accelerates_at_its_limit_and_stops_at_its_target() {
    for limit in [Limit::Joint, Limit::Actuator, Limit::Tendon] {
        for friction in [0.0, 0.002] {
            for stiffness in [0.2, 3.0, 50.0, 1e4] {
                let (mut world, robot) = wheel(limit, friction, stiffness);
                let dt = world.settings().time_step;
                let push = (LIMIT - friction) / INERTIA;
                let mut last = 0.0;
                for step in 1..=120 {
                    world.step().unwrap();
                    let rate = world.robot_state(robot).unwrap().1[0];
                    let what = format!("{limit:?} {friction} {stiffness}, step {step}: {rate}");
                    assert!(rate <= TARGET + 1e-7 && rate >= last - 1e-7, "{what}");
                    let at_limit = push * dt * f64::from(step);
                    // The last of it is where the servo's gain has less to say than its limit.
                    let ends = TARGET - 2.0 * LIMIT * dt / (stiffness * INERTIA);
                    if at_limit < ends.min(TARGET - 2.0 * push * dt) {
                        assert!((rate - at_limit).abs() < 1e-6, "{what}, {at_limit}");
                    }
                    last = rate;
                }
                let rest = match stiffness < 1.0 {
                    true => 0.05,
                    // Dry friction is held against by what is short of the target.
                    false => 1e-6 + friction * dt / (stiffness * INERTIA),
                };
                assert!((last - TARGET).abs() < rest, "{limit:?} {friction}: {last}");
            }
        }
    }
}

/// A position servo of two joints that push each other, at its limits in both.
#[test]
fn coupled_servos_do_not_chatter() {
    let mut model = ModelDescription::new("arm");
    let rod = |mass: f64| {
        let about = Symmetric3::diagonal(1e-4, mass / 120.0, mass / 120.0);
        Inertia::from_com(mass, Vector3::new(0.2, 0.0, 0.0), about)
    };
    model.add_body("upper", rod(1.0));
    model.add_body("lower", rod(0.1));
    let hinge = || JointKind::Revolute { axis: Vector3::z() };
    for (name, parent, child, limit) in [
        ("shoulder", "world", "upper", 2.0),
        ("elbow", "upper", "lower", 0.05),
    ] {
        let joint = model.add_joint(name, hinge(), parent, child);
        joint.dofs = vec![DofProperties {
            effort_limit: limit,
            friction_loss: 0.01 * limit,
            ..DofProperties::default()
        }];
    }
    let mut world = World::new(Settings::default()).unwrap();
    let robot = world.add_robot("arm", model.build().unwrap()).unwrap();
    for dof in 0..2 {
        let tracking = Tracking {
            position: 0.8,
            stiffness: 2000.0,
            damping: 1000.0,
            ..Tracking::default()
        };
        world.commands().track(robot, dof, tracking).unwrap();
    }
    let mut rates: Vec<[f64; 2]> = Vec::new();
    for _ in 0..720 {
        world.step().unwrap();
        let (_, v) = world.robot_state(robot).unwrap();
        rates.push([v[0], v[1]]);
    }
    for dof in 0..2 {
        let changes: Vec<f64> = rates.windows(2).map(|r| r[1][dof] - r[0][dof]).collect();
        let flips = changes.windows(6).filter(|six| {
            six.windows(2)
                .all(|c| c[0] * c[1] < 0.0 && c[0].abs() > 1e-3)
        });
        assert_eq!(flips.count(), 0, "dof {dof}");
    }
    let (q, v) = world.robot_state(robot).unwrap();
    assert!(
        (q[0] - 0.8).abs() < 0.03 && (q[1] - 0.8).abs() < 0.03,
        "{q:?} {v:?}"
    );
}

/// A gripper that presses with its limit: what a contact carries is the limit, in every step.
#[test]
fn a_finger_presses_with_its_limit() {
    let mut model = ModelDescription::new("finger");
    model.add_body("tip", Inertia::solid_sphere(0.05, 0.01));
    let slide = JointKind::Prismatic {
        axis: -Vector3::z(),
    };
    model.add_joint("slide", slide, "world", "tip").dofs = vec![DofProperties {
        effort_limit: 3.0,
        ..DofProperties::default()
    }];
    let settings = Settings {
        gravity: Vector3::zeros(),
        ..Settings::default()
    };
    let mut world = World::new(settings).unwrap();
    let table = world
        .add_body(RigidBody::fixed("table").at(Isometry3::translation(0.0, 0.0, -0.1)))
        .unwrap();
    let material = Material::with_friction(0.5);
    world
        .attach(table, Shape::half_space("top"), material)
        .unwrap();
    let robot = world.add_robot("finger", model.build().unwrap()).unwrap();
    let tip = world.find_body("finger/tip").unwrap();
    let ball = Shape::sphere("pad", 0.01).unwrap();
    world.attach(tip, ball, material).unwrap();
    let tracking = Tracking {
        position: 0.2,
        stiffness: 1e4,
        damping: 100.0,
        ..Tracking::default()
    };
    world.commands().track(robot, 0, tracking).unwrap();
    for step in 0..240 {
        world.step().unwrap();
        if step > 120 {
            let force = world.contact_wrench(tip).unwrap().force.z;
            assert!((force - 3.0).abs() < 1e-6, "{step}: {force}");
        }
    }
}
