//! Robots: links, joints, frames, couplings.

use nalgebra::Vector3;
use stiction_dynamics::{CouplingDescription, DofProperties, JointKind};
use toml_edit::Table;

use super::super::description::{
    LinkDescription, RobotDescription, RobotFrameDescription, RobotJointDescription,
};
use super::body::{mass, shape};
use super::table::{Lines, count, float, list, quaternion, table, tables};

pub(super) fn robot(robot: &RobotDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &robot.name);
    out.pose(&robot.base);
    if robot.skip_overlaps {
        out.line("skip_overlaps", true);
    }
    tables(&mut out, "links", &robot.links, link);
    tables(&mut out, "joints", &robot.joints, joint);
    tables(&mut out, "frames", &robot.frames, frame);
    tables(&mut out, "couplings", &robot.couplings, coupling);
    out
}

fn link(link: &LinkDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &link.name);
    if let Some(mass) = &link.mass {
        self::mass(&mut out, mass);
    }
    out.unless("gravity_compensation", link.gravity_compensation, 0.0);
    tables(&mut out, "shapes", &link.shapes, shape);
    out
}

fn frame(frame: &RobotFrameDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &frame.name);
    out.text("link", &frame.link);
    out.pose(&frame.pose);
    out
}

fn coupling(coupling: &CouplingDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &coupling.name);
    let terms = coupling.terms.iter();
    let terms = terms.map(|(joint, component, coefficient)| {
        table([
            ("joint", joint.into()),
            ("component", count(*component)),
            ("coefficient", float(*coefficient)),
        ])
    });
    out.line("terms", list(terms));
    out.unless("offset", coupling.offset, 0.0);
    out
}

fn joint(joint: &RobotJointDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &joint.name);
    let axes: Vec<(&str, &Vector3<f64>)> = match &joint.kind {
        JointKind::Revolute { axis }
        | JointKind::Continuous { axis }
        | JointKind::Prismatic { axis }
        | JointKind::Helical { axis, .. }
        | JointKind::Cylindrical { axis } => vec![("axis", axis)],
        JointKind::Universal {
            first_axis,
            second_axis,
        } => vec![("axis", first_axis), ("second_axis", second_axis)],
        JointKind::Planar { normal } => vec![("normal", normal)],
        _ => Vec::new(),
    };
    out.text("kind", joint.kind.word());
    out.text("parent", &joint.parent);
    out.text("child", &joint.child);
    out.pose(&joint.pose);
    for (key, axis) in axes {
        out.numbers(key, axis.iter());
    }
    if let JointKind::Helical { pitch, .. } = joint.kind {
        out.number("pitch", pitch);
    }
    if joint.kind.word() != "fixed" {
        properties(&mut out, &joint.properties);
    }
    match (&joint.kind, joint.initial.as_slice()) {
        (_, []) => {}
        (JointKind::Spherical, q) => out.line("initial_rotation", quaternion(q)),
        (JointKind::Free, q) => {
            let (position, rotation) = q.split_at(q.len().min(3));
            out.numbers("initial_position", position);
            out.line("initial_rotation", quaternion(rotation));
        }
        (_, q) => out.numbers("initial", q),
    }
    if !joint.initial_velocity.is_empty() {
        out.numbers("initial_velocity", &joint.initial_velocity);
    }
    out
}

fn properties(out: &mut Table, properties: &DofProperties) {
    let default = DofProperties::default();
    for (key, value, default) in [
        ("lower", properties.lower, default.lower),
        ("upper", properties.upper, default.upper),
        (
            "velocity_limit",
            properties.velocity_limit,
            default.velocity_limit,
        ),
        (
            "effort_limit",
            properties.effort_limit,
            default.effort_limit,
        ),
        ("friction", properties.friction_loss, default.friction_loss),
        ("damping", properties.damping, default.damping),
        ("armature", properties.armature, default.armature),
        (
            "rotor_inertia",
            properties.rotor_inertia,
            default.rotor_inertia,
        ),
        ("gear_ratio", properties.gear_ratio, default.gear_ratio),
        ("stiffness", properties.stiffness, default.stiffness),
        ("reference", properties.reference, default.reference),
    ] {
        out.unless(key, value, default);
    }
}
