//! Robots to measure on: the tree and the joint types of well-known machines, made-up masses.

use nalgebra::Vector3;
use stiction_dynamics::*;

/// A slender link of `mass` kg along `to` (m) from its joint.
fn link_inertia(mass: f64, to: Vector3<f64>) -> Inertia {
    let box_ = Inertia::solid_box(mass, Vector3::new(0.08, 0.08, 0.08) + to.abs());
    Inertia::from_com(
        mass,
        to * 0.5 + Vector3::new(0.01, -0.02, 0.005),
        box_.about_com(),
    )
}

/// Appends one joint and its link, its frame turned by these angles; returns the link's name.
fn limb(
    robot: &mut ModelDescription,
    parent: &str,
    name: &str,
    axis: char,
    to: [f64; 3],
    turned: [f64; 3],
) -> String {
    let axis = match axis {
        'x' => Vector3::x(),
        'y' => Vector3::y(),
        _ => Vector3::z(),
    };
    let to = Vector3::from(to);
    robot.add_body(name, link_inertia(1.5, to));
    robot
        .add_joint(name, JointKind::Revolute { axis }, parent, name)
        .at(Transform::from_xyz_rpy(to, turned[0], turned[1], turned[2]));
    name.to_owned()
}

/// A chain of links below `parent`, one axis letter each.
fn chain(
    robot: &mut ModelDescription,
    parent: &str,
    prefix: &str,
    axes: &str,
    to: [f64; 3],
) -> String {
    axes.chars()
        .enumerate()
        .fold(parent.to_owned(), |parent, (k, axis)| {
            limb(
                robot,
                &parent,
                &format!("{prefix}{k}"),
                axis,
                to,
                [0.3, -0.2, 0.1],
            )
        })
}

/// Seven revolute joints about z, as a Panda.
pub(crate) fn arm() -> Model {
    let mut robot = ModelDescription::new("arm7");
    chain(&mut robot, WORLD, "link", "zzzzzzz", [0.0, 0.1, 0.3]);
    robot.build().expect("the arm is valid")
}

fn floating(name: &str) -> ModelDescription {
    let mut robot = ModelDescription::new(name);
    robot.add_body("base", link_inertia(10.0, Vector3::new(0.5, 0.2, 0.1)));
    robot.add_joint("base", JointKind::Free, WORLD, "base");
    robot
}

/// A free base and four legs of three joints, as a Solo-12: 18 degrees of freedom.
pub(crate) fn quadruped() -> Model {
    let mut robot = floating("quadruped18");
    for leg in ["fl", "fr", "hl", "hr"] {
        chain(&mut robot, "base", leg, "xyy", [0.02, 0.1, -0.2]);
    }
    robot.build().expect("the quadruped is valid")
}

/// A free base, two legs of six, a torso of two that carries a head of two and two arms of eight,
/// as a Talos: 38 degrees of freedom.
pub(crate) fn humanoid() -> Model {
    let mut robot = floating("humanoid38");
    for leg in ["left_leg", "right_leg"] {
        chain(&mut robot, "base", leg, "zxyyyx", [0.0, 0.05, -0.2]);
    }
    let torso = chain(&mut robot, "base", "torso", "zy", [0.0, 0.0, 0.2]);
    for arm in ["left_arm", "right_arm"] {
        chain(&mut robot, &torso, arm, "zxzyzxyy", [0.0, 0.1, -0.1]);
    }
    chain(&mut robot, &torso, "head", "yz", [0.0, 0.0, 0.15]);
    robot.build().expect("the humanoid is valid")
}

/// A Talos: its tree, axes, distances between joints and masses (rounded), all joint frames with the axes of their
/// parents as in its own description, or turned by an angle (rad), however small.
#[allow(dead_code, reason = "not every bench has one")]
pub(crate) fn talos(turned: f64) -> Model {
    let mut robot = floating("talos38");
    let mut chain = |parent: &str, prefix: &str, joints: &[(char, [f64; 3])]| {
        let joints = joints.iter().enumerate();
        joints.fold(parent.to_owned(), |parent, (k, &(axis, to))| {
            let name = format!("{prefix}{k}");
            limb(&mut robot, &parent, &name, axis, to, [0.0, 0.0, turned])
        })
    };
    for (leg, side) in [("left_leg", 1.0), ("right_leg", -1.0)] {
        let joints = [
            ('z', [-0.02, 0.085 * side, -0.271]),
            ('x', [0.0, 0.0, 0.0]),
            ('y', [0.0, 0.0, 0.0]),
            ('y', [0.0, 0.0, -0.38]),
            ('y', [0.0, 0.0, -0.325]),
            ('x', [0.0, 0.0, 0.0]),
        ];
        chain("base", leg, &joints);
    }
    let torso = chain(
        "base",
        "torso",
        &[('z', [0.0, 0.0, 0.0722]), ('y', [0.0, 0.0, 0.0])],
    );
    for (arm, side) in [("left_arm", 1.0), ("right_arm", -1.0)] {
        let joints = [
            ('z', [0.0, 0.1575 * side, 0.232]),
            ('x', [0.0049, 0.1365 * side, 0.0467]),
            ('z', [0.0, 0.0, 0.0]),
            ('y', [0.02, 0.0, -0.273]),
            ('z', [-0.02, 0.0, -0.2643]),
            ('x', [0.0, 0.0, 0.0]),
            ('y', [0.0, 0.0, 0.0]),
            ('x', [0.0, 0.0, -0.1]),
        ];
        chain(&torso, arm, &joints);
    }
    chain(
        &torso,
        "head",
        &[('y', [0.02, 0.0, 0.321]), ('z', [0.0, 0.0, 0.0])],
    );
    robot.build().expect("the Talos is valid")
}

/// A state away from every special value.
pub(crate) fn state(model: &Model) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let wave = |k: usize, phase: f64| (0.7 * k as f64 + phase).sin();
    let v: Vec<f64> = (0..model.nv()).map(|k| wave(k, 0.3)).collect();
    let a: Vec<f64> = (0..model.nv()).map(|k| wave(k, 1.9)).collect();
    let mut q = model.neutral();
    let from = q.clone();
    integrate(model, &from, &v, 0.8, &mut q).expect("lengths match");
    (q, v, a)
}
