//! `[[controllers]]`: what drives a scene.

use nalgebra::{Point3, Vector3};
use stiction_modeling::Signal;

use super::super::description::{ControllerDescription, RobotDescription, RobotJointDescription};
use super::super::node::{Node, Table};
use super::super::suggest;
use super::super::units::{ANGLE, Dimension, FORCE, FREQUENCY, SPEED, TIME, TORQUE, TURN_RATE};
use super::robot::JointUnits;
use crate::error::Result;

/// The keys of each kind.
const KINDS: &[(&str, &[&str])] = &[
    (
        "pd",
        &[
            "kind",
            "robot",
            "joint",
            "stiffness",
            "damping",
            "feed_forward",
            "target",
        ],
    ),
    ("torque", &["kind", "robot", "joint", "torque"]),
    ("force", &["kind", "body", "force", "torque", "point"]),
    ("drive", &["kind", "body", "velocity", "angular_velocity"]),
];

/// Waypoints closer in time than this are a jump, s.
const SHORTEST: f64 = 1e-9;

pub(super) fn read(node: &Node<'_>, robots: &[RobotDescription]) -> Result<ControllerDescription> {
    let (word, table) = node.table_by_kind(KINDS)?;
    match word {
        "pd" => {
            let (robot, joint, units) = joint(&table, robots)?;
            let gain = |key, dimension| {
                let gain = table.read(key, |node| node.not_negative(dimension))?;
                Ok(gain.unwrap_or(0.0))
            };
            Ok(ControllerDescription::Pd {
                robot,
                joint,
                stiffness: gain("stiffness", units.stiffness)?,
                damping: gain("damping", units.damping)?,
                feed_forward: table
                    .read("feed_forward", |node| node.number(units.effort))?
                    .unwrap_or(0.0),
                target: signal(&table.need("target")?, units.position, Node::number)?,
            })
        }
        "torque" => {
            let (robot, joint, units) = joint(&table, robots)?;
            let torque = signal(&table.need("torque")?, units.effort, Node::number)?;
            Ok(ControllerDescription::Torque {
                robot,
                joint,
                torque,
            })
        }
        "force" => Ok(ControllerDescription::Force {
            body: table.need("body")?.name()?,
            force: vector(&table, "force", FORCE)?,
            torque: vector(&table, "torque", TORQUE)?,
            point: table
                .read("point", |node| node.position())?
                .map(Point3::from),
        }),
        _ => Ok(ControllerDescription::Drive {
            body: table.need("body")?.name()?,
            velocity: vector(&table, "velocity", SPEED)?,
            angular_velocity: vector(&table, "angular_velocity", TURN_RATE)?,
        }),
    }
}

/// Robot and joint by name, and the units of that joint.
fn joint(table: &Table<'_>, robots: &[RobotDescription]) -> Result<(String, String, JointUnits)> {
    let robot = robot_named(table, robots)?;
    let node = table.need("joint")?;
    let joint = joint_named(&node, robot)?;
    let units = single(&node, joint)?;
    Ok((robot.name.clone(), joint.name.clone(), units))
}

/// The robot that the key `robot` names.
pub(super) fn robot_named<'a>(
    table: &Table<'_>,
    robots: &'a [RobotDescription],
) -> Result<&'a RobotDescription> {
    let node = table.need("robot")?;
    let name = node.name()?;
    robots
        .iter()
        .find(|robot| robot.name == name)
        .ok_or_else(|| {
            let names = robots.iter().map(|robot| robot.name.as_str());
            node.fail(
                format!("there is no robot \"{name}\""),
                suggest::advice("robots", &name, names),
            )
        })
}

/// The joint of a robot that a value names.
pub(super) fn joint_named<'a>(
    node: &Node<'_>,
    robot: &'a RobotDescription,
) -> Result<&'a RobotJointDescription> {
    let name = node.name()?;
    let found = robot.joints.iter().find(|joint| joint.name == name);
    found.ok_or_else(|| {
        let names = robot.joints.iter().map(|joint| joint.name.as_str());
        node.fail(
            format!("robot \"{}\" has no joint \"{name}\"", robot.name),
            suggest::advice("joints", &name, names),
        )
    })
}

/// The units of a joint that has one degree of freedom.
pub(super) fn single(node: &Node<'_>, joint: &RobotJointDescription) -> Result<JointUnits> {
    match joint.kind.nv() {
        1 => Ok(JointUnits::of(&joint.kind)),
        count => Err(node.fail(
            format!("joint \"{}\" has {count} degrees of freedom", joint.name),
            "name a joint with one",
        )),
    }
}

fn vector(
    table: &Table<'_>,
    key: &'static str,
    dimension: Dimension,
) -> Result<Signal<Vector3<f64>>> {
    let read = table.read(key, |node| signal(&node, dimension, Node::vector))?;
    Ok(read.unwrap_or(Signal::Constant(Vector3::zeros())))
}

/// Reads a constant, `{ mean, amplitude, frequency, phase }` or `{ times, values }`.
pub(super) fn signal<'a, T: Default>(
    node: &Node<'a>,
    dimension: Dimension,
    value: impl Fn(&Node<'a>, Dimension) -> Result<T>,
) -> Result<Signal<T>> {
    if !node.is_table() {
        return Ok(Signal::Constant(value(node, dimension)?));
    }
    let table = node.table(&["mean", "amplitude", "frequency", "phase", "times", "values"])?;
    if table.get("times").is_none() && table.get("values").is_none() {
        return Ok(Signal::Sinusoid {
            mean: table
                .read("mean", |node| value(&node, dimension))?
                .unwrap_or_default(),
            amplitude: value(&table.need("amplitude")?, dimension)?,
            frequency: table.need("frequency")?.not_negative(FREQUENCY)?,
            phase: table
                .read("phase", |node| node.number(ANGLE))?
                .unwrap_or(0.0),
        });
    }
    for key in ["mean", "amplitude", "frequency", "phase"] {
        if let Some(extra) = table.get(key) {
            let advice = "give either mean, amplitude, frequency and phase, or times and values";
            return Err(extra.fail("does not go with times and values", advice));
        }
    }
    let (times, values) = (table.need("times")?, table.need("values")?);
    let (time_nodes, value_nodes) = (times.items()?, values.items()?);
    if time_nodes.is_empty() || time_nodes.len() != value_nodes.len() {
        let problem = format!(
            "{} values for {} times",
            value_nodes.len(),
            time_nodes.len()
        );
        return Err(values.fail(problem, "give one value for each time, and at least one"));
    }
    let mut points: Vec<(f64, T)> = Vec::with_capacity(time_nodes.len());
    for (time_node, value_node) in time_nodes.iter().zip(&value_nodes) {
        let time = time_node.number(TIME)?;
        if points
            .last()
            .is_some_and(|&(before, _)| !(time - before > SHORTEST))
        {
            return Err(time_node.fail(
                "is not later than the one before",
                format!("sort the times, with more than {SHORTEST:e} s between them"),
            ));
        }
        points.push((time, value(value_node, dimension)?));
    }
    Ok(Signal::Waypoints(points))
}
