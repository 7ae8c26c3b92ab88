//! Springs in joints, and joints that start beyond their limits.

use stiction_sim::{
    DofProperties, Inertia, JointKind, ModelDescription, RobotHandle, Settings, Tracking,
    UnitQuaternion, Vector3, World,
};

const INERTIA: f64 = 0.3;

fn settings() -> Settings {
    Settings {
        gravity: Vector3::zeros(),
        tolerance: 1e-12,
        max_substeps: 1,
        energy_account: false,
        ..Settings::default()
    }
}

/// One joint that carries a body with its centre of mass on the joint.
fn robot(world: &mut World, kind: JointKind, properties: DofProperties) -> RobotHandle {
    let mut model = ModelDescription::new("robot");
    let about_center = stiction_sim::Symmetric3::diagonal(INERTIA, INERTIA, INERTIA);
    model.add_body(
        "link",
        Inertia::from_com(INERTIA, Vector3::zeros(), about_center),
    );
    model
        .add_joint("joint", kind, "world", "link")
        .with_properties(properties);
    world.add_robot("robot", model.build().unwrap()).unwrap()
}

fn hinge(properties: DofProperties) -> (World, RobotHandle) {
    let mut world = World::new(settings()).unwrap();
    let axis = Vector3::z();
    let robot = robot(&mut world, JointKind::Revolute { axis }, properties);
    (world, robot)
}

/// One step of the classical Runge–Kutta rule: what a joint does that nothing touches.
fn runge_kutta([q, v]: [f64; 2], dt: f64, acceleration: impl Fn(f64, f64) -> f64) -> [f64; 2] {
    let stage = |share: f64, [w, k]: [f64; 2]| {
        let (q, v) = (q + share * dt * w, v + share * dt * k);
        [v, acceleration(q, v)]
    };
    let first = [v, acceleration(q, v)];
    let second = stage(0.5, first);
    let third = stage(0.5, second);
    let fourth = stage(1.0, third);
    let mean = |at: usize| (first[at] + 2.0 * (second[at] + third[at]) + fourth[at]) / 6.0;
    [q + dt * mean(0), v + dt * mean(1)]
}

#[test]
fn joint_springs_move_by_runge_kutta_and_their_energy_is_reported() {
    for kind in [
        JointKind::Revolute { axis: Vector3::y() },
        JointKind::Prismatic { axis: Vector3::x() },
    ] {
        let (stiffness, damping, reference) = (40.0, 0.2, 0.3);
        let mut world = World::new(settings()).unwrap();
        let properties = DofProperties {
            stiffness,
            damping,
            reference,
            ..DofProperties::default()
        };
        let robot = robot(&mut world, kind, properties);
        let (mut q, mut v) = (1.1, -0.7);
        world.set_robot_state(robot, &[q], &[v]).unwrap();
        let dt = world.settings().time_step;
        for _ in 0..300 {
            let energy = world.step().unwrap().potential_energy;
            [q, v] = runge_kutta([q, v], dt, |q, v| {
                -(stiffness * (q - reference) + damping * v) / INERTIA
            });
            let state = world.joint_state(robot, "joint").unwrap();
            assert!((state.position - q).abs() < 1e-12 && (state.velocity - v).abs() < 1e-11);
            let stored = 0.5 * stiffness * (q - reference).powi(2);
            assert!((energy - stored).abs() < 1e-11, "{energy} {stored}");
        }
    }
}

#[test]
fn a_stiff_joint_spring_is_stable_and_ignores_the_effort_limit_of_the_drive() {
    let (mut world, robot) = hinge(DofProperties {
        stiffness: 1e7,
        damping: 1.0,
        effort_limit: 0.1,
        reference: -0.2,
        ..DofProperties::default()
    });
    for _ in 0..2000 {
        world.step().unwrap();
    }
    let state = world.joint_state(robot, "joint").unwrap();
    assert!((state.position + 0.2).abs() < 1e-6, "{state:?}");
}

#[test]
fn the_spring_of_a_ball_turns_it_back_along_the_shortest_way() {
    let properties = DofProperties {
        stiffness: 5.0,
        ..DofProperties::default()
    };
    let mut world = World::new(settings()).unwrap();
    let robot = robot(&mut world, JointKind::Spherical, properties);
    let axis = Vector3::new(1.0, -2.0, 0.5).normalize();
    let mut angle = 0.8;
    let start = UnitQuaternion::from_scaled_axis(axis * angle);
    world
        .set_robot_state(robot, start.coords.as_slice(), &[0.0; 3])
        .unwrap();
    let dt = world.settings().time_step;
    let mut speed = 0.0;
    for _ in 0..200 {
        let energy = world.step().unwrap().potential_energy;
        // About a principal axis a ball is a hinge.
        [angle, speed] = runge_kutta([angle, speed], dt, |angle, _| -5.0 * angle / INERTIA);
        let q = world.robot_state(robot).unwrap().0;
        let turn = UnitQuaternion::new_normalize(quaternion(q)).scaled_axis();
        assert!((turn - axis * angle).norm() < 1e-10);
        assert!((energy - 2.5 * angle * angle).abs() < 1e-9);
    }
}

fn quaternion(q: &[f64]) -> nalgebra::Quaternion<f64> {
    nalgebra::Quaternion::new(q[3], q[0], q[1], q[2])
}

#[test]
fn springs_that_no_joint_can_have_are_refused() {
    let stiff = DofProperties {
        stiffness: 1.0,
        ..DofProperties::default()
    };
    let bent = DofProperties {
        reference: 0.1,
        ..stiff
    };
    for (kind, properties, word) in [
        (JointKind::Free, stiff, "free"),
        (
            JointKind::Planar {
                normal: Vector3::z(),
            },
            stiff,
            "planar",
        ),
        (JointKind::Spherical, bent, "reference"),
    ] {
        let mut world = World::new(settings()).unwrap();
        let mut model = ModelDescription::new("robot");
        model.add_body("link", Inertia::solid_sphere(1.0, 0.1));
        model
            .add_joint("joint", kind, "world", "link")
            .with_properties(properties);
        let error = world
            .add_robot("robot", model.build().unwrap())
            .unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("robot/joint") && message.contains(word),
            "{message}"
        );
    }
}

#[test]
fn a_joint_far_beyond_its_limit_returns_gently() {
    for side in [1.0, -1.0] {
        for velocity_limit in [f64::INFINITY, 0.2] {
            let (mut world, robot) = hinge(DofProperties {
                lower: -1.0,
                upper: 1.0,
                velocity_limit,
                ..DofProperties::default()
            });
            world.set_robot_state(robot, &[2.0 * side], &[0.0]).unwrap();
            let fastest = velocity_limit.min(world.settings().push_out_speed);
            let mut last = 2.0;
            for _ in 0..2400 {
                world.step().unwrap();
                let state = world.joint_state(robot, "joint").unwrap();
                assert!(state.velocity.abs() <= fastest + 1e-9, "{state:?}");
                assert!(state.position * side <= last + 1e-12, "goes further out");
                last = state.position * side;
            }
            assert!(last <= 1.0 + 1e-9, "{last}");
        }
    }
}

#[test]
fn a_push_outwards_does_not_hinder_the_way_back_and_speed_limits_hold() {
    let (mut world, robot) = hinge(DofProperties {
        upper: 0.5,
        velocity_limit: 1.5,
        effort_limit: 3.0,
        ..DofProperties::default()
    });
    let dof = world.dof(robot, "joint").unwrap();
    world.set_robot_state(robot, &[0.9], &[0.0]).unwrap();
    // Far more than the drive can give: it pushes with 3 N·m.
    world.commands().set_torque(robot, dof, 1e4).unwrap();
    for _ in 0..600 {
        world.step().unwrap();
    }
    let state = world.joint_state(robot, "joint").unwrap();
    assert!((state.position - 0.5).abs() < 1e-6, "{state:?}");
    // The other way it speeds up by its torque until its speed limit.
    world.commands().set_torque(robot, dof, -1e4).unwrap();
    world.step().unwrap();
    let speed = world.joint_state(robot, "joint").unwrap().velocity;
    let gain = 3.0 / INERTIA * world.settings().time_step;
    assert!((speed + gain).abs() < 1e-3, "{speed}");
    for _ in 0..240 {
        world.step().unwrap();
    }
    let speed = world.joint_state(robot, "joint").unwrap().velocity;
    assert!((speed + 1.5).abs() < 1e-9, "{speed}");
}

#[test]
fn inside_its_limits_a_joint_is_stopped_exactly() {
    let (mut world, robot) = hinge(DofProperties {
        lower: -0.4,
        upper: 0.4,
        ..DofProperties::default()
    });
    let dof = world.dof(robot, "joint").unwrap();
    let mut farthest: f64 = 0.0;
    for step in 0..2000 {
        let torque = 30.0 * (0.05 * f64::from(step)).sin();
        world.commands().set_torque(robot, dof, torque).unwrap();
        world.step().unwrap();
        farthest = farthest.max(world.joint_state(robot, "joint").unwrap().position.abs());
    }
    assert!((farthest - 0.4).abs() < 1e-9, "{farthest}");
}

#[test]
fn a_blow_that_takes_a_slow_joint_across_its_range_in_one_step_is_stopped_exactly() {
    for torque in [-1000.0, 1000.0] {
        let (mut world, robot) = hinge(DofProperties {
            lower: -0.01,
            upper: 0.02,
            ..DofProperties::default()
        });
        let dof = world.dof(robot, "joint").unwrap();
        world.commands().set_torque(robot, dof, torque).unwrap();
        world.step().unwrap();
        let state = world.joint_state(robot, "joint").unwrap();
        let end = if torque < 0.0 { -0.01 } else { 0.02 };
        assert!((state.position - end).abs() < 1e-12, "{state:?}");
        // What the blow and the limit give together is what stops the joint there.
        let dt = world.settings().time_step;
        let limit = world.joint_forces(robot, "joint").unwrap().limit;
        let expected = INERTIA * end / (dt * dt) - torque;
        assert!(
            (limit - expected).abs() < 1e-6 * torque.abs(),
            "{limit} {expected}"
        );
    }
}

#[test]
fn gains_and_springs_add_up() {
    let (mut world, robot) = hinge(DofProperties {
        stiffness: 30.0,
        damping: 2.0,
        ..DofProperties::default()
    });
    let dof = world.dof(robot, "joint").unwrap();
    let tracking = Tracking {
        position: 0.8,
        stiffness: 10.0,
        ..Tracking::default()
    };
    world.commands().track(robot, dof, tracking).unwrap();
    for _ in 0..2400 {
        world.step().unwrap();
    }
    let state = world.joint_state(robot, "joint").unwrap();
    assert!((state.position - 0.2).abs() < 1e-9, "{state:?}");
}

/// MuJoCo's: v⁺ + e + R λ = 0 with λ = I v⁺, R = (1 − d)/d / I and e = dt K d φ, where d has risen to its second value.
#[test]
fn limits_give_way_where_the_solver_wants_them_to() {
    let (mut world, robot) = hinge(DofProperties {
        lower: 0.0,
        ..DofProperties::default()
    });
    world.set_solver("mujoco-like").unwrap();
    let dt = world.settings().time_step;
    let (impedance, stiffness) = (0.95, (0.95_f64 * 0.02).powi(-2));
    let mut speed = |position: f64| {
        world.set_robot_state(robot, &[position], &[0.0]).unwrap();
        world.step().unwrap();
        let force = world.joint_forces(robot, "joint").unwrap().limit;
        (world.robot_state(robot).unwrap().1[0], force)
    };
    let expected = impedance * impedance * stiffness * dt * 0.01;
    let (found, force) = speed(-0.01);
    assert!((found / expected - 1.0).abs() < 1e-6, "{found}, {expected}");
    assert!(
        (force * dt / (INERTIA * found) - 1.0).abs() < 1e-6,
        "{force}"
    );
    assert_eq!(speed(1e-6), (0.0, 0.0));
}
