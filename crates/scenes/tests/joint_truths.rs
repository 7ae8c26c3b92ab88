//! Truths about joints: dry friction, limits and stiff gains, each against a number.

use std::f64::consts::TAU;

use stiction_sim::{
    DofProperties, Inertia, JointKind, ModelDescription, RobotHandle, Settings, Symmetric3,
    Tracking, Transform, Vector3, World, solvers,
};

/// Inertia of the door handle about its hinge, kg·m².
const INERTIA: f64 = 0.02;
/// Dry friction of its hinge, N·m.
const FRICTION: f64 = 0.5;

/// A handle that turns about its hinge only.
fn door_handle(
    solver: &str,
    tolerance: f64,
    properties: DofProperties,
) -> (World, RobotHandle, usize) {
    let mut world = World::new(Settings {
        gravity: Vector3::zeros(),
        tolerance,
        ..Settings::default()
    })
    .unwrap();
    world.set_solver(solver).unwrap();
    let mut model = ModelDescription::new("door");
    let about_center = Symmetric3::diagonal(INERTIA, INERTIA, INERTIA);
    model.add_body(
        "handle",
        Inertia::from_com(0.4, Vector3::zeros(), about_center),
    );
    model
        .add_joint(
            "hinge",
            JointKind::Revolute { axis: Vector3::x() },
            "world",
            "handle",
        )
        .with_properties(properties);
    let robot = world.add_robot("door", model.build().unwrap()).unwrap();
    let dof = world.dof(robot, "hinge").unwrap();
    (world, robot, dof)
}

/// Largest error of speed while it should stick, and while it slips.
fn stick_and_slip(solver: &str, tolerance: f64) -> [f64; 2] {
    let (mut world, robot, dof) = door_handle(
        solver,
        tolerance,
        DofProperties {
            friction_loss: FRICTION,
            ..DofProperties::default()
        },
    );
    let dt = world.settings().time_step;
    let mut errors = [0.0_f64; 2];
    // A torque that grows to just under the friction: the handle does not move at all.
    for step in 0..240 {
        let torque = 0.999 * FRICTION * f64::from(step) / 239.0;
        world.commands().set_torque(robot, dof, torque).unwrap();
        world.step().unwrap();
        let speed = world.joint_state(robot, "hinge").unwrap().velocity;
        errors[0] = errors[0].max(speed.abs());
    }
    // Above it, it accelerates by what is left, which implicit Euler integrates exactly.
    let torque = 1.7 * FRICTION;
    world.commands().set_torque(robot, dof, torque).unwrap();
    for step in 1..=240 {
        world.step().unwrap();
        let known = (torque - FRICTION) / INERTIA * dt * f64::from(step);
        let speed = world.joint_state(robot, "hinge").unwrap().velocity;
        errors[1] = errors[1].max((speed - known).abs());
    }
    errors
}

#[test]
fn a_door_handle_sticks_below_its_friction_and_slips_above() {
    for solver in ["canal", "subadmm"] {
        let [stick, slip] = stick_and_slip(solver, 1e-13);
        assert!(stick < 1e-12, "{solver} creeps at {stick:e} rad/s");
        assert!(slip < 1e-11, "{solver} is {slip:e} rad/s off");
    }
}

/// Factor on what errors may be. Every solver knows the laws of joints; `convex` solves its soft convex model of
/// them, and the nodes of COND lag behind by λ/k_v unless they are shifted.
fn looseness(solver: &str) -> f64 {
    match solver {
        // The second ends where no halved step leads down, which may be short of the tolerance.
        "convex" | "newton-damped" => 1e2,
        // Converged by the residual, which is measured with effective masses: rates may be some times as far off.
        "newton-fb" | "newton-natural" | "newton-dogleg" | "al-dogleg" | "al-damped"
        | "al-edge-aware" => 5.0,
        "cond-shifted" => 1.0,
        _ if solver.starts_with("cond") => 2e5,
        _ => 1.0,
    }
}

/// All but `mujoco-like`, whose joints creep under dry friction and give way at their limits: that is its model.
fn solvers_of_the_laws() -> impl Iterator<Item = (&'static str, &'static str)> {
    solvers::all().filter(|(name, _)| *name != "mujoco-like")
}

#[test]
fn every_solver_knows_joint_friction() {
    let tolerance = Settings::default().tolerance;
    for (solver, _) in solvers_of_the_laws() {
        let bound = 1e-8 * looseness(solver);
        let errors = stick_and_slip(solver, tolerance);
        assert!(errors.iter().all(|&e| e < bound), "{solver}: {errors:?}");
    }
}

fn farthest(solver: &str, limit: f64) -> f64 {
    let (mut world, robot, dof) = door_handle(
        solver,
        Settings::default().tolerance,
        DofProperties {
            lower: -limit,
            upper: limit,
            friction_loss: FRICTION,
            ..DofProperties::default()
        },
    );
    let mut farthest: f64 = 0.0;
    for step in 0..1200 {
        let torque = 3.0 * FRICTION * (TAU * 1.3 * f64::from(step) / 240.0).sin();
        world.commands().set_torque(robot, dof, torque).unwrap();
        world.step().unwrap();
        let position = world.joint_state(robot, "hinge").unwrap().position;
        farthest = farthest.max(position.abs());
    }
    farthest
}

#[test]
fn a_door_handle_under_periodic_torque_never_passes_its_limits() {
    for (solver, _) in solvers_of_the_laws() {
        let bound = match looseness(solver) {
            factor if factor < 1e2 => 1e-9,
            factor => 1e-6 * factor,
        };
        let beyond = farthest(solver, 0.6) - 0.6;
        assert!(beyond.abs() < bound, "{solver}: beyond by {beyond:e} rad");
    }
}

/// Seven hinges in a row, as in a usual arm.
fn arm(settings: Settings) -> (World, RobotHandle) {
    let mut world = World::new(settings).unwrap();
    let mut model = ModelDescription::new("arm");
    let mut parent = "world".to_owned();
    for index in 0..7 {
        let link = format!("link{index}");
        let mass = 4.0 - 0.45 * f64::from(index);
        let inertia = Inertia::from_com(
            mass,
            Vector3::new(0.0, 0.02, 0.1),
            Symmetric3::diagonal(0.01 * mass, 0.01 * mass, 0.004 * mass),
        );
        model.add_body(&link, inertia);
        let axis = [Vector3::z(), Vector3::y()][index as usize % 2];
        model
            .add_joint(
                format!("joint{index}"),
                JointKind::Revolute { axis },
                &parent,
                &link,
            )
            .at(Transform::from_translation(Vector3::new(0.0, 0.0, 0.2)));
        parent = link;
    }
    let robot = world.add_robot("arm", model.build().unwrap()).unwrap();
    (world, robot)
}

#[test]
fn an_arm_with_gains_of_a_hundred_thousand_is_stable_at_240_hz() {
    for solver in ["canal", "subadmm", "pgs"] {
        let (mut world, robot) = arm(Settings::default());
        world.set_solver(solver).unwrap();
        let targets = [0.4, -0.8, 0.3, 1.2, -0.5, 0.7, -0.2];
        for (dof, position) in targets.into_iter().enumerate() {
            let tracking = Tracking {
                position,
                stiffness: 1e5,
                damping: 200.0,
                ..Tracking::default()
            };
            world.commands().track(robot, dof, tracking).unwrap();
        }
        for _ in 0..960 {
            world.step().unwrap();
            let (q, _) = world.robot_state(robot).unwrap();
            assert!(q.iter().all(|q| q.abs() < 2.0), "{solver}: {q:?}");
        }
        let (q, v) = world.robot_state(robot).unwrap();
        // Gravity bends it by less than 60 N·m over the stiffness.
        for dof in 0..7 {
            assert!((q[dof] - targets[dof]).abs() < 6e-4, "{solver}: {q:?}");
            assert!(v[dof].abs() < 1e-6, "{solver}: {v:?}");
        }
    }
}
