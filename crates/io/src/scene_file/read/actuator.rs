//! `[[actuators]]`: drives of joints, tendons and frames.

use stiction_modeling::{Activation, Signal};

use super::super::actuator::{ActuatorDescription, ActuatorTarget};
use super::super::description::RobotDescription;
use super::super::node::{Node, Table};
use super::super::units::{FORCE, MIXED, PLAIN, TIME};
use super::controller::{joint_named, robot_named, signal, single};
use super::pose;
use super::robot::JointUnits;
use crate::error::Result;

/// The keys that every actuator has, and further ones.
macro_rules! keys {
    ($($more:literal),*) => {
        &[
            "name", "kind", "robot", "joint", "tendon", "body", "position", "rotation", "force",
            "torque", "gear", "control", "control_limits", "force_limits", "activation",
            "time_constant", "activation_limits", $($more),*
        ]
    };
}

/// The keys of each kind.
const KINDS: &[(&str, &[&str])] = &[
    ("motor", keys![]),
    ("position", keys!["kp", "kd"]),
    ("velocity", keys!["kv"]),
    ("general", keys!["gain", "bias"]),
];

/// Largest gear ratio.
const GEARS: f64 = 1e6;

pub(super) fn read(node: &Node<'_>, robots: &[RobotDescription]) -> Result<ActuatorDescription> {
    let (word, table) = node.table_by_kind(KINDS)?;
    let (target, units) = target(&table, robots)?;
    let plain = JointUnits {
        position: MIXED,
        velocity: MIXED,
        effort: match target {
            ActuatorTarget::Frame { .. } => FORCE,
            _ => MIXED,
        },
        stiffness: MIXED,
        damping: MIXED,
        inertia: MIXED,
    };
    let units = units.unwrap_or(plain);
    if matches!(target, ActuatorTarget::Frame { .. }) && ["position", "velocity"].contains(&word) {
        let kind = table.need("kind")?;
        let problem = format!("a frame has no length for a {word} actuator to track");
        return Err(kind.fail(problem, "write kind = \"motor\" or \"general\""));
    }
    let (gain, bias, control_dimension) = match word {
        "motor" => (1.0, [0.0; 3], units.effort),
        "position" => {
            let kp = table.need("kp")?.not_negative(units.stiffness)?;
            let kd = table.read("kd", |node| node.not_negative(units.damping))?;
            (kp, [0.0, -kp, -kd.unwrap_or(0.0)], units.position)
        }
        "velocity" => {
            let kv = table.need("kv")?.not_negative(units.damping)?;
            (kv, [0.0, 0.0, -kv], units.velocity)
        }
        _ => (
            table.need("gain")?.number(MIXED)?,
            table
                .read("bias", |node| node.numbers(MIXED))?
                .unwrap_or([0.0; 3]),
            MIXED,
        ),
    };
    let limits = |key, dimension| table.read(key, |node| range(&node, dimension));
    let good = |value: f64| value.abs() <= GEARS;
    Ok(ActuatorDescription {
        name: table.need("name")?.name()?,
        target,
        gear: table
            .read("gear", |node| {
                node.ranged(PLAIN, good, "must be between -1e6 and 1e6")
            })?
            .unwrap_or(1.0),
        gain,
        bias,
        control_limits: limits("control_limits", control_dimension)?,
        force_limits: limits("force_limits", units.effort)?,
        activation: activation(&table)?,
        control: table
            .read("control", |node| {
                signal(&node, control_dimension, Node::number)
            })?
            .unwrap_or(Signal::Constant(0.0)),
    })
}

/// What the actuator drives, and the units of a joint.
fn target(
    table: &Table<'_>,
    robots: &[RobotDescription],
) -> Result<(ActuatorTarget, Option<JointUnits>)> {
    let ways = ["joint", "tendon", "body"].map(|key| table.get(key));
    let advice = "give one of joint (with robot), tendon and body";
    let misplaced =
        |keys: &[&'static str], reason: &str| match keys.iter().find_map(|key| table.get(key)) {
            None => Ok(()),
            Some(node) => Err(node.fail(format!("goes with {reason} only"), "leave it out")),
        };
    let frame_keys = ["position", "rotation", "force", "torque"];
    match ways {
        [Some(node), None, None] => {
            misplaced(&frame_keys, "a body")?;
            let robot = robot_named(table, robots)?;
            let joint = joint_named(&node, robot)?;
            let units = single(&node, joint)?;
            let target = ActuatorTarget::Joint {
                robot: robot.name.clone(),
                joint: joint.name.clone(),
            };
            Ok((target, Some(units)))
        }
        [None, Some(node), None] => {
            misplaced(&frame_keys, "a body")?;
            misplaced(&["robot"], "a joint")?;
            Ok((ActuatorTarget::Tendon(node.name()?), None))
        }
        [None, None, Some(node)] => {
            misplaced(&["robot"], "a joint")?;
            let vector = |key| {
                let read = table.read(key, |node: Node<'_>| node.vector(PLAIN))?;
                Ok::<_, crate::IoError>(read.unwrap_or_default())
            };
            let target = ActuatorTarget::Frame {
                body: node.name()?,
                pose: pose::read(table)?,
                force: vector("force")?,
                torque: vector("torque")?,
            };
            Ok((target, None))
        }
        [None, None, None] => Err(table.node.fail("the actuator drives nothing", advice)),
        _ => Err(table.node.fail("the actuator drives two things", advice)),
    }
}

fn activation(table: &Table<'_>) -> Result<Activation> {
    let words = ["direct", "filter", "integrator"];
    let word = table.read("activation", |node| node.one_of(&words))?;
    let (time_constant, limits) = (table.get("time_constant"), table.get("activation_limits"));
    let only = |node: &Option<Node<'_>>, kind: &str| match node {
        Some(node) if word != Some(kind) => Err(node.fail(
            format!("goes with activation = \"{kind}\" only"),
            "leave it out",
        )),
        _ => Ok(()),
    };
    only(&time_constant, "filter")?;
    only(&limits, "integrator")?;
    Ok(match word {
        Some("filter") => Activation::Filter {
            time_constant: table.need("time_constant")?.positive(TIME)?,
        },
        Some("integrator") => Activation::Integrator {
            limits: limits.map(|node| range(&node, MIXED)).transpose()?,
        },
        _ => Activation::Direct,
    })
}

/// `[lower, upper]`.
fn range(node: &Node<'_>, dimension: super::super::units::Dimension) -> Result<[f64; 2]> {
    let [lower, upper] = node.numbers(dimension)?;
    if lower <= upper {
        return Ok([lower, upper]);
    }
    Err(node.fail(
        format!("the lower limit {lower} exceeds the upper {upper}"),
        "swap them",
    ))
}
