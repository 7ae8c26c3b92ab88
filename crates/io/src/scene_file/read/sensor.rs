//! `[[sensors]]`: what is measured.

use stiction_modeling::FrameQuantity;

use super::super::description::RobotDescription;
use super::super::node::Node;
use super::super::sensor::{SensorDescription, SensorKind};
use super::super::units::MIXED;
use super::controller::{joint_named, robot_named, single};
use super::pose;
use crate::error::Result;

const JOINT: &[&str] = &["name", "kind", "cutoff", "robot", "joint"];
const TENDON: &[&str] = &["name", "kind", "cutoff", "tendon"];
const ROD: &[&str] = &["name", "kind", "cutoff", "rod", "joint"];
const FRAME: &[&str] = &["name", "kind", "cutoff", "body", "position", "rotation"];

/// The keys of each kind.
const KINDS: &[(&str, &[&str])] = &[
    ("joint-position", JOINT),
    ("joint-velocity", JOINT),
    ("tendon-length", TENDON),
    ("tendon-velocity", TENDON),
    ("actuator-force", &["name", "kind", "cutoff", "actuator"]),
    ("contact-force", &["name", "kind", "cutoff", "on", "from"]),
    ("soft-stress", &["name", "kind", "cutoff", "soft", "node"]),
    ("rod-force", ROD),
    ("rod-moment", ROD),
    ("frame-position", FRAME),
    ("frame-orientation", FRAME),
    ("frame-linear-velocity", FRAME),
    ("frame-angular-velocity", FRAME),
    ("velocimeter", FRAME),
    ("gyro", FRAME),
    ("accelerometer", FRAME),
    ("force", FRAME),
    ("torque", FRAME),
];

/// Quantities of frames by the word for them.
pub(in crate::scene_file) const QUANTITIES: &[(&str, FrameQuantity)] = &[
    ("frame-position", FrameQuantity::Position),
    ("frame-orientation", FrameQuantity::Orientation),
    ("frame-linear-velocity", FrameQuantity::LinearVelocity),
    ("frame-angular-velocity", FrameQuantity::AngularVelocity),
    ("velocimeter", FrameQuantity::Velocimeter),
    ("gyro", FrameQuantity::Gyro),
    ("accelerometer", FrameQuantity::Accelerometer),
    ("force", FrameQuantity::Force),
    ("torque", FrameQuantity::Torque),
];

pub(super) fn read(node: &Node<'_>, robots: &[RobotDescription]) -> Result<SensorDescription> {
    let (word, table) = node.table_by_kind(KINDS)?;
    let joint = || {
        let robot = robot_named(&table, robots)?;
        let node = table.need("joint")?;
        let joint = joint_named(&node, robot)?;
        single(&node, joint)?;
        Ok::<_, crate::IoError>((robot.name.clone(), joint.name.clone()))
    };
    let rod_joint = || {
        let joint = table.need("joint")?.count(u32::MAX as usize)?;
        Ok::<_, crate::IoError>((table.need("rod")?.name()?, joint))
    };
    let kind = match word {
        "joint-position" => {
            let (robot, joint) = joint()?;
            SensorKind::JointPosition { robot, joint }
        }
        "joint-velocity" => {
            let (robot, joint) = joint()?;
            SensorKind::JointVelocity { robot, joint }
        }
        "tendon-length" => SensorKind::TendonLength(table.need("tendon")?.name()?),
        "tendon-velocity" => SensorKind::TendonVelocity(table.need("tendon")?.name()?),
        "actuator-force" => SensorKind::ActuatorForce(table.need("actuator")?.name()?),
        "contact-force" => SensorKind::ContactForce {
            on: table.need("on")?.name()?,
            from: table.read("from", |node| node.name())?,
        },
        "soft-stress" => SensorKind::SoftStress {
            soft: table.need("soft")?.name()?,
            node: table.read("node", |node| node.count(u32::MAX as usize))?,
        },
        "rod-force" => {
            let (rod, joint) = rod_joint()?;
            SensorKind::RodForce { rod, joint }
        }
        "rod-moment" => {
            let (rod, joint) = rod_joint()?;
            SensorKind::RodMoment { rod, joint }
        }
        _ => {
            let quantity = QUANTITIES.iter().find(|&&(known, _)| known == word);
            SensorKind::Frame {
                body: table.need("body")?.name()?,
                pose: pose::read(&table)?,
                quantity: quantity.map_or(FrameQuantity::Position, |&(_, quantity)| quantity),
            }
        }
    };
    Ok(SensorDescription {
        name: table.need("name")?.name()?,
        kind,
        cutoff: table.read("cutoff", |node| node.positive(MIXED))?,
    })
}
