//! Sensors.

use toml_edit::Table;

use super::super::read::QUANTITIES;
use super::super::sensor::{SensorDescription, SensorKind};
use super::table::{Lines, count};

pub(super) fn sensor(sensor: &SensorDescription) -> Table {
    let mut out = Table::new();
    out.text("name", &sensor.name);
    match &sensor.kind {
        SensorKind::JointPosition { robot, joint } => {
            out.text("kind", "joint-position");
            out.text("robot", robot);
            out.text("joint", joint);
        }
        SensorKind::JointVelocity { robot, joint } => {
            out.text("kind", "joint-velocity");
            out.text("robot", robot);
            out.text("joint", joint);
        }
        SensorKind::TendonLength(tendon) => {
            out.text("kind", "tendon-length");
            out.text("tendon", tendon);
        }
        SensorKind::TendonVelocity(tendon) => {
            out.text("kind", "tendon-velocity");
            out.text("tendon", tendon);
        }
        SensorKind::ActuatorForce(actuator) => {
            out.text("kind", "actuator-force");
            out.text("actuator", actuator);
        }
        SensorKind::ContactForce { on, from } => {
            out.text("kind", "contact-force");
            out.text("on", on);
            if let Some(from) = from {
                out.text("from", from);
            }
        }
        SensorKind::SoftStress { soft, node } => {
            out.text("kind", "soft-stress");
            out.text("soft", soft);
            if let Some(node) = node {
                out.line("node", count(*node));
            }
        }
        SensorKind::RodForce { rod, joint } => {
            out.text("kind", "rod-force");
            out.text("rod", rod);
            out.line("joint", count(*joint));
        }
        SensorKind::RodMoment { rod, joint } => {
            out.text("kind", "rod-moment");
            out.text("rod", rod);
            out.line("joint", count(*joint));
        }
        SensorKind::Frame {
            body,
            pose,
            quantity,
        } => {
            let word = QUANTITIES.iter().find(|(_, known)| known == quantity);
            out.text("kind", word.map_or("", |&(word, _)| word));
            out.text("body", body);
            out.pose(pose);
        }
    }
    if let Some(cutoff) = sensor.cutoff {
        out.number("cutoff", cutoff);
    }
    out
}
