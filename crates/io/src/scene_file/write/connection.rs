//! Joints between bodies.

use nalgebra::Isometry3;
use stiction_modeling::ConnectionKind;
use toml_edit::Table;

use super::super::description::{Anchors, ConnectionDescription};
use super::table::{Lines, list, pose_value};

pub(super) fn connection(joint: &ConnectionDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &joint.name);
    let (word, values): (&str, Vec<(&str, f64)>) = match joint.kind {
        ConnectionKind::Ball => ("ball", Vec::new()),
        ConnectionKind::Hinge => ("hinge", Vec::new()),
        ConnectionKind::Weld => ("weld", Vec::new()),
        ConnectionKind::Distance { length } => ("distance", vec![("length", length)]),
        ConnectionKind::Spring {
            stiffness,
            damping,
            rest_length,
        } => (
            "spring",
            vec![
                ("stiffness", stiffness),
                ("damping", damping),
                ("rest_length", rest_length),
            ],
        ),
        ConnectionKind::Rolling { radius } => ("rolling", vec![("radius", radius)]),
        ConnectionKind::NoSideSlip => ("no-side-slip", Vec::new()),
    };
    out.text("kind", word);
    for (key, value) in values {
        out.number(key, value);
    }
    out.line("bodies", list(joint.bodies.iter().map(Into::into)));
    match &joint.anchors {
        Anchors::InWorld(pose) => out.line("at", pose_value(pose)),
        Anchors::OnBodies(poses) => {
            for (key, pose) in ["anchor_a", "anchor_b"].into_iter().zip(poses) {
                if *pose != Isometry3::identity() {
                    out.line(key, pose_value(pose));
                }
            }
        }
    }
    if let Some(collide) = joint.collide {
        out.line("collide", collide);
    }
    out
}
