//! `[[keyframes]]` and `[[contact_pairs]]`.

use super::super::contact_pair::ContactPairDescription;
use super::super::description::RobotDescription;
use super::super::keyframe::{KeyframeBody, KeyframeDescription, KeyframeJoint};
use super::super::node::Node;
use super::super::units::{MIXED, PLAIN, SPEED, TURN_RATE};
use super::controller::{joint_named, robot_named};
use super::pose;
use super::robot::{JointUnits, coordinates};
use crate::error::Result;

pub(super) fn read(node: &Node<'_>, robots: &[RobotDescription]) -> Result<KeyframeDescription> {
    let table = node.table(&["name", "joints", "bodies", "controls"])?;
    let mut keyframe = KeyframeDescription {
        name: table.need("name")?.name()?,
        ..KeyframeDescription::default()
    };
    for item in table.list("joints")? {
        keyframe.joints.push(joint(&item, robots)?);
    }
    for item in table.list("bodies")? {
        let entry = item.table(&[
            "body",
            "position",
            "rotation",
            "velocity",
            "angular_velocity",
        ])?;
        let velocity = entry.read("velocity", |node| node.vector(SPEED))?;
        let angular_velocity = entry.read("angular_velocity", |node| node.vector(TURN_RATE))?;
        keyframe.bodies.push(KeyframeBody {
            body: entry.need("body")?.name()?,
            pose: pose::read(&entry)?,
            velocity: velocity.unwrap_or_default(),
            angular_velocity: angular_velocity.unwrap_or_default(),
        });
    }
    if let Some(controls) = table.get("controls") {
        for (name, value) in controls.any_table(&["ACTUATOR"])?.entries() {
            keyframe.controls.push((name, value.number(MIXED)?));
        }
    }
    Ok(keyframe)
}

fn joint(node: &Node<'_>, robots: &[RobotDescription]) -> Result<KeyframeJoint> {
    let table = node.table(&["robot", "joint", "position", "velocity"])?;
    let robot = robot_named(&table, robots)?;
    let joint = joint_named(&table.need("joint")?, robot)?;
    let units = JointUnits::of(&joint.kind);
    table.need("position")?;
    Ok(KeyframeJoint {
        robot: robot.name.clone(),
        joint: joint.name.clone(),
        position: coordinates(&table, "position", joint.kind.nq(), units.position)?,
        velocity: coordinates(&table, "velocity", joint.kind.nv(), units.velocity)?,
    })
}

pub(super) fn contact_pair(node: &Node<'_>) -> Result<ContactPairDescription> {
    let table = node.table(&["shapes", "friction"])?;
    let shapes = table.need("shapes")?;
    let [a, b] = shapes.items_exactly::<2>("two shapes, as \"body/shape\"")?;
    Ok(ContactPairDescription {
        shapes: [a.name()?, b.name()?],
        friction: table.read("friction", |node| node.not_negative(PLAIN))?,
    })
}
