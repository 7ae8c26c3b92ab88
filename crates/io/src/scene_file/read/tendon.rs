//! `[[tendons]]`: lengths with springs, limits and friction.

use nalgebra::Point3;

use super::super::description::RobotDescription;
use super::super::node::{Node, Table};
use super::super::tendon::{TendonBranch, TendonDescription, TendonPath};
use super::super::units::{DAMPING, Dimension, FORCE, LENGTH, MIXED, PLAIN, STIFFNESS};
use super::controller::{joint_named, robot_named, single};
use super::robot::limits;
use crate::error::Result;

const KEYS: &[&str] = &[
    "name",
    "robot",
    "joints",
    "points",
    "branches",
    "limits",
    "lower",
    "upper",
    "stiffness",
    "damping",
    "rest",
    "friction",
];

/// Units of a tendon's length, force, stiffness and damping.
struct Units {
    length: Dimension,
    force: Dimension,
    stiffness: Dimension,
    damping: Dimension,
}

pub(super) fn read(node: &Node<'_>, robots: &[RobotDescription]) -> Result<TendonDescription> {
    let table = node.table(KEYS)?;
    let path = path(&table, robots)?;
    let units = match path {
        TendonPath::Points(_) => Units {
            length: LENGTH,
            force: FORCE,
            stiffness: STIFFNESS,
            damping: DAMPING,
        },
        // The unit of coefficient · coordinate is the file's own affair.
        TendonPath::Joints { .. } => Units {
            length: MIXED,
            force: MIXED,
            stiffness: MIXED,
            damping: MIXED,
        },
    };
    let (lower, upper) = limits(&table, units.length)?;
    let is_limited = lower.is_finite() || upper.is_finite();
    let not_negative = |key, dimension| {
        let read = table.read(key, |node: Node<'_>| node.not_negative(dimension))?;
        Ok::<f64, crate::IoError>(read.unwrap_or(0.0))
    };
    Ok(TendonDescription {
        name: table.need("name")?.name()?,
        path,
        limits: is_limited.then_some([lower, upper]),
        stiffness: not_negative("stiffness", units.stiffness)?,
        damping: not_negative("damping", units.damping)?,
        rest: table
            .read("rest", |node| rest(&node, units.length))?
            .unwrap_or([0.0; 2]),
        friction_loss: not_negative("friction", units.force)?,
    })
}

/// One rest length, or the two between which the spring is slack.
fn rest(node: &Node<'_>, dimension: Dimension) -> Result<[f64; 2]> {
    if !node.is_list() {
        return Ok([node.number(dimension)?; 2]);
    }
    let [lower, upper] = node.numbers(dimension)?;
    if lower <= upper {
        return Ok([lower, upper]);
    }
    Err(node.fail(
        format!("the lower length {lower} exceeds the upper {upper}"),
        "swap them",
    ))
}

fn path(table: &Table<'_>, robots: &[RobotDescription]) -> Result<TendonPath> {
    let ways = ["joints", "points", "branches"].map(|key| table.get(key));
    let advice = "give one of joints (with robot), points and branches";
    if let Some(robot) = table.get("robot")
        && ways[0].is_none()
    {
        return Err(robot.fail("does not go with points", "leave it out, or give joints"));
    }
    match ways {
        [Some(joints), None, None] => {
            let robot = robot_named(table, robots)?;
            let mut terms: Vec<(String, f64)> = Vec::new();
            for item in joints.items()? {
                let term = item.table(&["joint", "coefficient"])?;
                let node = term.need("joint")?;
                let joint = joint_named(&node, robot)?;
                single(&node, joint)?;
                if terms.iter().any(|(known, _)| *known == joint.name) {
                    let problem = format!("the joint \"{}\" is named twice", joint.name);
                    return Err(node.fail(problem, "add the coefficients up"));
                }
                let coefficient = term.need("coefficient")?.number(PLAIN)?;
                terms.push((joint.name.clone(), coefficient));
            }
            if terms.is_empty() {
                return Err(joints.fail("is empty", "name at least one joint"));
            }
            Ok(TendonPath::Joints {
                robot: robot.name.clone(),
                terms,
            })
        }
        [None, Some(node), None] => Ok(TendonPath::Points(vec![TendonBranch {
            divisor: 1.0,
            points: points(&node)?,
        }])),
        [None, None, Some(node)] => {
            let mut branches = Vec::new();
            for item in node.items()? {
                let branch = item.table(&["divisor", "points"])?;
                branches.push(TendonBranch {
                    divisor: branch
                        .read("divisor", |node| node.positive(PLAIN))?
                        .unwrap_or(1.0),
                    points: points(&branch.need("points")?)?,
                });
            }
            if branches.is_empty() {
                return Err(node.fail("is empty", "give at least one branch"));
            }
            Ok(TendonPath::Points(branches))
        }
        [None, None, None] => Err(table.node.fail("the tendon has no path", advice)),
        _ => Err(table.node.fail("the path is given twice", advice)),
    }
}

/// `[{ body, point }, …]`, two or more.
fn points(node: &Node<'_>) -> Result<Vec<(String, Point3<f64>)>> {
    let mut points = Vec::new();
    for item in node.items()? {
        let entry = item.table(&["body", "point"])?;
        let point = entry.read("point", |node| node.position())?;
        points.push((
            entry.need("body")?.name()?,
            Point3::from(point.unwrap_or_default()),
        ));
    }
    if points.len() < 2 {
        let problem = format!("has {} points", points.len());
        return Err(node.fail(problem, "give two or more, each { body, point }"));
    }
    Ok(points)
}
