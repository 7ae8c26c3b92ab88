//! Keyframes.

use nalgebra::Vector3;
use toml_edit::Table;

use super::super::keyframe::{KeyframeBody, KeyframeDescription, KeyframeJoint};
use super::table::{Lines, float, table, tables};

pub(super) fn keyframe(keyframe: &KeyframeDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &keyframe.name);
    if !keyframe.controls.is_empty() {
        let controls = keyframe.controls.iter();
        out.line(
            "controls",
            table(controls.map(|(name, value)| (name.as_str(), float(*value)))),
        );
    }
    tables(&mut out, "joints", &keyframe.joints, joint);
    tables(&mut out, "bodies", &keyframe.bodies, body);
    out
}

fn joint(joint: &KeyframeJoint) -> Table {
    let mut out = Table::new();
    out.text("robot", &joint.robot);
    out.text("joint", &joint.joint);
    out.numbers("position", &joint.position);
    if !joint.velocity.is_empty() {
        out.numbers("velocity", &joint.velocity);
    }
    out
}

fn body(body: &KeyframeBody) -> Table {
    let mut out = Table::new();
    out.text("body", &body.body);
    out.pose(&body.pose);
    for (key, vector) in [
        ("velocity", &body.velocity),
        ("angular_velocity", &body.angular_velocity),
    ] {
        if *vector != Vector3::zeros() {
            out.numbers(key, vector.iter());
        }
    }
    out
}
