//! Tendons against what is known of ropes, gears and springs.

use stiction_sim::{
    Inertia, JointKind, ModelDescription, Point3, RigidBody, RobotHandle, Settings, Snapshot,
    Symmetric3, Tendon, TendonBranch, TendonHandle, TendonPath, Tracking, Transform, Vector3,
    World,
};

fn settings() -> Settings {
    Settings {
        tolerance: 1e-12,
        ..Settings::default()
    }
}

fn weightless() -> Settings {
    Settings {
        gravity: Vector3::zeros(),
        ..settings()
    }
}

/// Two wheels on axles along y, each a tree of its own.
fn two_wheels(settings: Settings, inertias: [f64; 2]) -> (World, RobotHandle) {
    let mut world = World::new(settings).unwrap();
    let mut model = ModelDescription::new("wheels");
    for (name, inertia) in ["first", "second"].into_iter().zip(inertias) {
        let about = Symmetric3::diagonal(inertia, inertia, inertia);
        model.add_body(name, Inertia::from_com(1.0, Vector3::zeros(), about));
        let axis = JointKind::Continuous { axis: Vector3::y() };
        model.add_joint(name, axis, "world", name);
    }
    let robot = world.add_robot("wheels", model.build().unwrap()).unwrap();
    (world, robot)
}

fn joints(world: &World, robot: RobotHandle, terms: [(&str, f64); 2]) -> TendonPath {
    let terms = terms.map(|(joint, coefficient)| (world.dof(robot, joint).unwrap(), coefficient));
    TendonPath::Joints {
        robot,
        terms: terms.to_vec(),
    }
}

/// One straight line.
fn line(points: &[(stiction_sim::BodyHandle, [f64; 3])]) -> TendonPath {
    let points = points
        .iter()
        .map(|&(body, point)| (body, Point3::from(point)));
    TendonPath::Points(vec![TendonBranch {
        divisor: 1.0,
        points: points.collect(),
    }])
}

#[test]
fn a_tendon_without_play_is_a_gear() {
    let (mut world, robot) = two_wheels(weightless(), [0.2, 0.6]);
    // q₁ − 2 q₂ = 0: the second wheel turns half as fast.
    let tendon = Tendon {
        limits: [0.0, 0.0],
        ..Tendon::new(
            "belt",
            joints(&world, robot, [("first", 1.0), ("second", -2.0)]),
        )
    };
    let tendon = world.add_tendon(tendon).unwrap();
    let dof = world.dof(robot, "first").unwrap();
    world.commands().set_torque(robot, dof, 0.7).unwrap();
    let dt = world.settings().time_step;
    for step in 1..=240 {
        world.step().unwrap();
        let first = world.joint_state(robot, "first").unwrap();
        let second = world.joint_state(robot, "second").unwrap();
        let acceleration = 0.7 / (0.2 + 0.6 / 4.0);
        assert!((first.velocity - acceleration * dt * f64::from(step)).abs() < 1e-9);
        assert!((second.velocity - 0.5 * first.velocity).abs() < 1e-10);
        let state = world.tendon_state(tendon).unwrap();
        assert!(state.length.abs() < 1e-10 && state.velocity.abs() < 1e-10);
        // What speeds up the second wheel: I₂ a₂ = −2 f.
        assert!((state.force + 0.5 * 0.6 * 0.5 * acceleration).abs() < 1e-7);
    }
}

#[test]
fn friction_along_a_tendon_sticks_and_slips() {
    let (mut world, robot) = two_wheels(weightless(), [0.5, 0.5]);
    let tendon = Tendon {
        friction_loss: 2.0,
        ..Tendon::new(
            "band",
            joints(&world, robot, [("first", 1.0), ("second", 1.0)]),
        )
    };
    world.add_tendon(tendon).unwrap();
    let dofs = ["first", "second"].map(|name| world.dof(robot, name).unwrap());
    for dof in dofs {
        world.commands().set_torque(robot, dof, 1.999).unwrap();
    }
    for _ in 0..100 {
        world.step().unwrap();
        assert!(world.joint_state(robot, "first").unwrap().velocity.abs() < 1e-12);
    }
    for dof in dofs {
        world.commands().set_torque(robot, dof, 3.0).unwrap();
    }
    for _ in 0..240 {
        world.step().unwrap();
    }
    let speed = world.joint_state(robot, "first").unwrap().velocity;
    assert!((speed - (3.0 - 2.0) / 0.5).abs() < 1e-9, "{speed}");
}

/// A ball of 0.3 kg on a rope of 1 m that hangs at the origin.
fn pendulum(settings: Settings) -> (World, TendonHandle) {
    let mut world = World::new(settings).unwrap();
    let ceiling = world.add_body(RigidBody::fixed("ceiling")).unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(0.3, 0.05));
    // It falls a little before the rope is taut.
    let bob = world.add_body(bob.at_position(0.8, 0.0, 0.1)).unwrap();
    let rope = Tendon {
        limits: [f64::NEG_INFINITY, 1.0],
        ..Tendon::new("rope", line(&[(ceiling, [0.0; 3]), (bob, [0.0; 3])]))
    };
    let rope = world.add_tendon(rope).unwrap();
    (world, rope)
}

#[test]
fn a_hard_rope_is_never_longer_than_it_is() {
    // Without another pass the rope gives by the curvature of the bob's way, (dt v)²/2l in a step,
    // of which the Baumgarte share is pulled back per step; with two it holds.
    for (relinearizations, most) in [(0, 1e-3), (2, 1e-6)] {
        let (mut world, rope) = pendulum(Settings {
            relinearizations,
            ..settings()
        });
        let mut longest: f64 = 0.0;
        let mut tightest: f64 = 0.0;
        for _ in 0..1200 {
            world.step().unwrap();
            let state = world.tendon_state(rope).unwrap();
            longest = longest.max(state.length);
            tightest = tightest.min(state.force);
        }
        assert!(
            longest > 0.999 && longest - 1.0 < most,
            "{:e}",
            longest - 1.0
        );
        assert!(tightest < -0.3 * 9.81, "it swings: {tightest} N");
    }
}

#[test]
fn a_rope_pulls_what_hangs_on_it_and_pushes_nothing() {
    let mut world = World::new(settings()).unwrap();
    let crane = RigidBody::driven("crane").at_position(0.0, 0.0, 2.0);
    let crane = world.add_body(crane).unwrap();
    let load = RigidBody::free("load", Inertia::solid_sphere(2.0, 0.1));
    let load = world.add_body(load.at_position(0.0, 0.0, 1.0)).unwrap();
    let rope = Tendon {
        limits: [0.0, 1.0],
        ..Tendon::new("rope", line(&[(crane, [0.0; 3]), (load, [0.0; 3])]))
    };
    let rope = world.add_tendon(rope).unwrap();
    let up = Vector3::new(0.0, 0.0, 0.5);
    world.commands().drive(crane, up, Vector3::zeros()).unwrap();
    for _ in 0..120 {
        world.step().unwrap();
    }
    assert!((world.velocity(load).unwrap().linear - up).norm() < 1e-9);
    let force = world.tendon_state(rope).unwrap().force;
    assert!((force + 2.0 * 9.81).abs() < 1e-6, "{force}");
    // Lowered faster than it falls the load falls freely.
    let down = Vector3::new(0.0, 0.0, -10.0);
    world
        .commands()
        .drive(crane, down, Vector3::zeros())
        .unwrap();
    for _ in 0..10 {
        world.step().unwrap();
        assert_eq!(world.tendon_state(rope).unwrap().force, 0.0);
    }
}

#[test]
fn springs_are_slack_in_their_range_and_stretch_by_the_load_beyond() {
    let mut world = World::new(settings()).unwrap();
    let ceiling = world.add_body(RigidBody::fixed("ceiling")).unwrap();
    let load = RigidBody::free("load", Inertia::solid_sphere(0.5, 0.1));
    let load = world.add_body(load.at_position(0.0, 0.0, -0.3)).unwrap();
    let band = Tendon {
        stiffness: 200.0,
        rest: [0.1, 0.4],
        ..Tendon::new("band", line(&[(ceiling, [0.0; 3]), (load, [0.0; 3])]))
    };
    let band = world.add_tendon(band).unwrap();
    let dt = world.settings().time_step;
    world.step().unwrap();
    // Slack and without a damper it is not there.
    let speed = world.velocity(load).unwrap().linear.z;
    assert!((speed + 9.81 * dt).abs() < 1e-12);
    let damper = Tendon {
        damping: 8.0,
        ..Tendon::new("damper", line(&[(ceiling, [0.0; 3]), (load, [0.0; 3])]))
    };
    world.add_tendon(damper).unwrap();
    for _ in 0..2400 {
        world.step().unwrap();
    }
    let state = world.tendon_state(band).unwrap();
    let stretch = 0.5 * 9.81 / 200.0;
    assert!((state.length - 0.4 - stretch).abs() < 1e-9, "{state:?}");
    let energy = world.report().potential_energy;
    let known = 0.5 * 200.0 * stretch * stretch - 0.5 * 9.81 * state.length;
    assert!((energy - known).abs() < 1e-9, "{energy} {known}");
}

#[test]
fn a_stiff_band_that_goes_slack_does_not_hold_back() {
    let mut world = World::new(weightless()).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let ball = RigidBody::free("ball", Inertia::solid_sphere(1.0, 0.1))
        .at_position(1.0 + 1e-9, 0.0, 0.0)
        .moving(Vector3::new(-1.0, 0.0, 0.0), Vector3::zeros());
    let ball = world.add_body(ball).unwrap();
    let band = Tendon {
        stiffness: 1e8,
        rest: [0.0, 1.0],
        ..Tendon::new("band", line(&[(wall, [0.0; 3]), (ball, [0.0; 3])]))
    };
    world.add_tendon(band).unwrap();
    world.step().unwrap();
    let speed = world.velocity(ball).unwrap().linear.x;
    assert!((speed + 1.0).abs() < 1e-12, "{speed}");
}

/// Three links in a row with a tendon through points on all of them, and a pulley block.
fn finger(settings: Settings) -> (World, RobotHandle, TendonHandle) {
    let mut world = World::new(settings).unwrap();
    let mut model = ModelDescription::new("finger");
    let mut parent = "world".to_owned();
    for index in 0..3 {
        let name = format!("link{index}");
        let inertia = Inertia::from_com(
            0.5,
            Vector3::new(0.1, 0.02, 0.0),
            Symmetric3::diagonal(1e-3, 2e-3, 2e-3),
        );
        model.add_body(&name, inertia);
        let axis = [Vector3::z(), Vector3::y(), Vector3::z()][index];
        model
            .add_joint(
                format!("joint{index}"),
                JointKind::Revolute { axis },
                &parent,
                &name,
            )
            .at(Transform::from_translation(Vector3::new(0.2, 0.0, 0.0)));
        parent = name;
    }
    let robot = world.add_robot("finger", model.build().unwrap()).unwrap();
    world
        .set_robot_state(robot, &[0.3, -0.4, 0.5], &[0.0; 3])
        .unwrap();
    let body = |name: &str| world.find_body(&format!("finger/{name}")).unwrap();
    let point = |name: &str, x, y, z| (body(name), Point3::new(x, y, z));
    let path = TendonPath::Points(vec![
        TendonBranch {
            divisor: 1.0,
            points: vec![
                point("world", 0.0, 0.05, 0.01),
                point("link0", 0.1, 0.06, 0.0),
                point("link0", 0.15, 0.05, 0.02),
                point("link1", 0.1, 0.04, -0.03),
            ],
        },
        TendonBranch {
            divisor: 2.0,
            points: vec![
                point("link0", 0.02, -0.05, 0.0),
                point("link1", 0.12, -0.04, 0.02),
                point("link2", 0.1, 0.03, 0.03),
            ],
        },
    ]);
    let tendon = world.add_tendon(Tendon::new("tendon", path)).unwrap();
    (world, robot, tendon)
}

#[test]
fn the_row_of_a_path_over_three_links_is_the_gradient_of_its_length() {
    let dt = 1e-7;
    let (mut world, robot, tendon) = finger(Settings {
        time_step: dt,
        ..weightless()
    });
    let before = world.tendon_state(tendon).unwrap();
    let force = 3.0;
    let command = Tracking {
        feed_forward: force,
        ..Tracking::default()
    };
    world.commands().drive_tendon(tendon, command).unwrap();
    world.step().unwrap();
    let after = world.tendon_state(tendon).unwrap();
    assert!((after.force - force).abs() < 1e-12);
    // From rest M v = dt f Jᵀ, so that v M v = dt f J v.
    let kinetic = world.report().kinetic_energy;
    assert!(after.velocity > 0.0);
    assert!((2.0 * kinetic / (dt * force * after.velocity) - 1.0).abs() < 1e-6);
    // The length is what its rate integrates to.
    world
        .set_robot_state(robot, &[0.3, -0.4, 0.5], &[0.4, 0.7, -0.2])
        .unwrap();
    let rate = world.tendon_state(tendon).unwrap().velocity;
    let h = 1e-6;
    let moved: Vec<f64> = [(0.3, 0.4), (-0.4, 0.7), (0.5, -0.2)]
        .map(|(q, v)| q + h * v)
        .to_vec();
    world.set_robot_state(robot, &moved, &[0.0; 3]).unwrap();
    let slope = (world.tendon_state(tendon).unwrap().length - before.length) / h;
    assert!((slope - rate).abs() < 1e-6, "{slope} {rate}");
}

#[test]
fn joint_loads_know_what_a_tendon_pulls() {
    let (mut world, robot, tendon) = finger(settings());
    let command = Tracking {
        feed_forward: -20.0,
        ..Tracking::default()
    };
    world.commands().drive_tendon(tendon, command).unwrap();
    world.step().unwrap();
    // Hinges without drive, spring or friction pass no torque about their axis.
    for (joint, axis) in [
        ("joint0", Vector3::z()),
        ("joint1", Vector3::y()),
        ("joint2", Vector3::z()),
    ] {
        let wrench = world.joint_wrench(robot, joint).unwrap();
        assert!(wrench.torque.dot(&axis).abs() < 1e-9, "{joint}: {wrench:?}");
        assert!(wrench.force.norm() > 1.0);
    }
}

#[test]
fn a_path_without_length_does_nothing() {
    let mut world = World::new(settings()).unwrap();
    let wall = world.add_body(RigidBody::fixed("wall")).unwrap();
    let ball = world.add_body(RigidBody::free("ball", Inertia::solid_sphere(1.0, 0.1)));
    let ball = ball.unwrap();
    let strut = Tendon {
        limits: [0.5, 1.0],
        friction_loss: 3.0,
        stiffness: 10.0,
        ..Tendon::new("strut", line(&[(wall, [0.0; 3]), (ball, [0.0; 3])]))
    };
    world.add_tendon(strut).unwrap();
    let report = world.step().unwrap();
    assert_eq!((report.rows, report.unconverged), (0, 0));
    // Once it has a direction it is pushed apart to its shortest length.
    for _ in 0..480 {
        world.step().unwrap();
    }
    let tendon = world.find_tendon("strut").unwrap();
    let length = world.tendon_state(tendon).unwrap().length;
    assert!(length > 0.5 - 1e-9 && length < 1.0 + 1e-9, "{length}");
}

#[test]
fn drives_with_gains_hold_a_length_and_pull_two_bodies_alike() {
    let mut world = World::new(weightless()).unwrap();
    let masses = [1.0, 3.0];
    let balls = [0, 1].map(|index| {
        let body = RigidBody::free(
            &format!("ball {index}"),
            Inertia::solid_sphere(masses[index], 0.1),
        );
        let body = body.at_position(index as f64, 0.0, 0.0);
        world.add_body(body).unwrap()
    });
    let path = line(&[(balls[0], [0.0; 3]), (balls[1], [0.0; 3])]);
    let tendon = world.add_tendon(Tendon::new("muscle", path)).unwrap();
    let pull = Tracking {
        feed_forward: -6.0,
        ..Tracking::default()
    };
    world.commands().drive_tendon(tendon, pull).unwrap();
    for _ in 0..24 {
        world.step().unwrap();
    }
    for (index, sign) in [(0, 1.0), (1, -1.0)] {
        let speed = world.velocity(balls[index]).unwrap().linear.x;
        assert!(
            (speed - sign * 6.0 / masses[index] * 0.1).abs() < 1e-12,
            "{speed}"
        );
    }
    let hold = Tracking {
        position: 0.6,
        stiffness: 1e5,
        damping: 2e3,
        ..Tracking::default()
    };
    world.commands().drive_tendon(tendon, hold).unwrap();
    for _ in 0..480 {
        world.step().unwrap();
    }
    let state = world.tendon_state(tendon).unwrap();
    assert!(
        (state.length - 0.6).abs() < 1e-6 && state.velocity.abs() < 1e-6,
        "{state:?}"
    );
    let (momentum, _) = world.momentum().unwrap();
    assert!(momentum.norm() < 1e-10);
}

#[test]
fn going_on_from_a_snapshot_keeps_tendons_and_their_drives() {
    let make = || {
        let (mut world, robot, tendon) = finger(settings());
        let dofs = [0, 2].map(|i| (world.dof(robot, &format!("joint{i}")).unwrap(), 0.5));
        let path = TendonPath::Joints {
            robot,
            terms: dofs.to_vec(),
        };
        let limits = [-0.2, 0.5];
        let band = Tendon {
            limits,
            friction_loss: 0.05,
            stiffness: 2.0,
            damping: 0.01,
            ..Tendon::new("band", path)
        };
        world.add_tendon(band).unwrap();
        (world, tendon)
    };
    let (mut first, tendon) = make();
    let command = Tracking {
        position: 0.3,
        stiffness: 50.0,
        ..Tracking::default()
    };
    first.commands().drive_tendon(tendon, command).unwrap();
    for _ in 0..60 {
        first.step().unwrap();
    }
    let text = serde_json::to_string(&first.snapshot()).unwrap();
    let snapshot: Snapshot = serde_json::from_str(&text).unwrap();
    let (mut second, _) = make();
    second.restore(&snapshot).unwrap();
    for _ in 0..60 {
        first.step().unwrap();
        second.step().unwrap();
    }
    let state = |world: &World| serde_json::to_string(&world.snapshot()).unwrap();
    assert_eq!(state(&first), state(&second));
    let frame = first.record();
    assert_eq!(frame.joints.len(), 3);
    let (mut other, _) = pendulum(settings());
    assert!(other.restore(&snapshot).is_err());
}

#[test]
fn tendons_that_cannot_be_are_refused() {
    let mut world = World::new(settings()).unwrap();
    let bodies = [0, 1, 2].map(|index| {
        let body = RigidBody::free(&format!("ball {index}"), Inertia::solid_sphere(1.0, 0.1));
        let body = body.at_position(index as f64, 0.0, 0.0);
        world.add_body(body).unwrap()
    });
    let path = |count: usize| {
        let points: Vec<_> = bodies[..count]
            .iter()
            .map(|&body| (body, [0.0; 3]))
            .collect();
        line(&points)
    };
    let good = Tendon::new("good", path(2));
    world.add_tendon(good.clone()).unwrap();
    for (bad, word) in [
        (good.clone(), "exists already"),
        (Tendon::new("a", path(1)), "two or more"),
        (Tendon::new("a", TendonPath::Points(Vec::new())), "branches"),
        (
            Tendon {
                stiffness: -1.0,
                ..Tendon::new("a", path(2))
            },
            "stiffness",
        ),
        (
            Tendon {
                limits: [2.0, 1.0],
                ..Tendon::new("a", path(2))
            },
            "limits",
        ),
        (
            Tendon {
                rest: [0.0, f64::NAN],
                ..Tendon::new("a", path(2))
            },
            "rest",
        ),
    ] {
        let message = world.add_tendon(bad).unwrap_err().to_string();
        assert!(message.contains(word), "{word}: {message}");
    }
    let (mut world, robot) = two_wheels(settings(), [1.0, 1.0]);
    let unknown = TendonPath::Joints {
        robot,
        terms: vec![(7, 1.0)],
    };
    assert!(world.add_tendon(Tendon::new("a", unknown)).is_err());
    let twice = joints(&world, robot, [("first", 1.0), ("first", 1.0)]);
    assert!(world.add_tendon(Tendon::new("a", twice)).is_err());
    assert!(world.find_tendon("nobody").is_err());
}

#[test]
fn a_tendon_over_five_bodies_is_one_row() {
    let mut world = World::new(Settings {
        gravity: Vector3::zeros(),
        ..settings()
    })
    .unwrap();
    let bodies: Vec<_> = (0..5)
        .map(|index| {
            let body = RigidBody::free(&format!("ball {index}"), Inertia::solid_sphere(1.0, 0.1));
            // A zigzag, its ends flying apart.
            let outward = Vector3::new((index as f64 - 2.0) * 0.5, 0.0, 0.0);
            let side = if index % 2 == 0 { 0.2 } else { -0.2 };
            let body = body.at_position(index as f64 * 0.3, side, 0.0);
            world
                .add_body(body.moving(outward, Vector3::zeros()))
                .unwrap()
        })
        .collect();
    let points: Vec<_> = bodies.iter().map(|&body| (body, [0.0; 3])).collect();
    let longest = 4.0 * (0.3f64 * 0.3 + 0.4 * 0.4).sqrt() + 0.05;
    let tendon = world
        .add_tendon(Tendon {
            limits: [0.0, longest],
            ..Tendon::new("rope", line(&points))
        })
        .unwrap();
    let (before, _) = world.momentum().unwrap();
    let mut was_tight = false;
    for _ in 0..240 {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0);
        let state = world.tendon_state(tendon).unwrap();
        assert!(state.length < longest + 1e-3, "{state:?}");
        was_tight |= state.force < 0.0;
    }
    assert!(was_tight);
    let (after, _) = world.momentum().unwrap();
    assert!((after - before).norm() < 1e-9);
}

/// A bob that swings on a hard rope: what a step leaves of its error does not add up.
#[test]
fn a_hard_rope_stays_as_long_as_it_may_be() {
    let mut world = World::new(Settings::default()).unwrap();
    let hook = world.add_body(RigidBody::fixed("hook")).unwrap();
    let bob = RigidBody::free("bob", Inertia::solid_sphere(1.0, 0.05)).at_position(0.6, 0.2, 0.0);
    let bob = world.add_body(bob).unwrap();
    let points = vec![(hook, Point3::origin()), (bob, Point3::origin())];
    let path = TendonPath::Points(vec![TendonBranch {
        divisor: 1.0,
        points,
    }]);
    let rope = Tendon {
        limits: [f64::NEG_INFINITY, 0.6],
        ..Tendon::new("rope", path)
    };
    world.add_tendon(rope).unwrap();
    for step in 0..2400 {
        world.step().unwrap();
        // It starts 3 cm too long, and comes back at half a metre per second.
        let error = world.worst_position_error();
        assert!(step < 60 || error <= 1e-6, "step {step}: {error:e}");
    }
}
