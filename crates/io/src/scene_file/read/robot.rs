//! `[[robots]]`: links, joints, frames and couplings.

use nalgebra::UnitQuaternion;
use stiction_dynamics::{CouplingDescription, DofProperties, JointKind};

use super::super::description::{
    LinkDescription, RobotDescription, RobotFrameDescription, RobotJointDescription,
};
use super::super::node::{Node, Table};
use super::super::units::{
    ANGLE, DAMPING, Dimension, FORCE, INERTIA, LENGTH, MASS, MIXED, PITCH, PLAIN, SPEED, STIFFNESS,
    TORQUE, TURN_DAMPING, TURN_RATE, TURN_STIFFNESS,
};
use super::{body, pose, shape};
use crate::error::Result;

const KEYS: &[&str] = &[
    "name",
    "position",
    "rotation",
    "skip_overlaps",
    "links",
    "joints",
    "frames",
    "couplings",
];

/// The keys that every joint has, and further ones.
macro_rules! keys {
    ($($more:literal),*) => {
        &["name", "kind", "parent", "child", "position", "rotation", $($more),*]
    };
}

/// The keys of a joint that moves.
macro_rules! moving {
    ($($more:literal),*) => {
        keys![
            "velocity_limit", "effort_limit", "friction", "damping", "armature", "rotor_inertia",
            "gear_ratio", "stiffness", "reference", "initial_velocity", $($more),*
        ]
    };
}

/// The keys of each kind of joint.
const KINDS: &[(&str, &[&str])] = &[
    ("fixed", keys![]),
    (
        "revolute",
        moving!["axis", "limits", "lower", "upper", "initial"],
    ),
    ("continuous", moving!["axis", "initial"]),
    (
        "prismatic",
        moving!["axis", "limits", "lower", "upper", "initial"],
    ),
    (
        "helical",
        moving!["axis", "pitch", "limits", "lower", "upper", "initial"],
    ),
    ("cylindrical", moving!["axis", "initial"]),
    (
        "universal",
        moving!["axis", "second_axis", "limits", "lower", "upper", "initial"],
    ),
    ("planar", moving!["normal", "initial"]),
    ("spherical", moving!["initial_rotation"]),
    ("free", moving!["initial_position", "initial_rotation"]),
];

/// Units of a joint's coordinates.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointUnits {
    pub(super) position: Dimension,
    pub(super) velocity: Dimension,
    pub(super) effort: Dimension,
    pub(super) stiffness: Dimension,
    pub(super) damping: Dimension,
    pub(super) inertia: Dimension,
}

impl JointUnits {
    /// The units of a kind of joint.
    pub(super) fn of(kind: &JointKind) -> Self {
        match kind {
            JointKind::Prismatic { .. } => Self {
                position: LENGTH,
                velocity: SPEED,
                effort: FORCE,
                stiffness: STIFFNESS,
                damping: DAMPING,
                inertia: MASS,
            },
            JointKind::Cylindrical { .. } | JointKind::Planar { .. } | JointKind::Free => Self {
                position: MIXED,
                velocity: MIXED,
                effort: MIXED,
                stiffness: MIXED,
                damping: MIXED,
                inertia: MIXED,
            },
            _ => Self {
                position: ANGLE,
                velocity: TURN_RATE,
                effort: TORQUE,
                stiffness: TURN_STIFFNESS,
                damping: TURN_DAMPING,
                inertia: INERTIA,
            },
        }
    }
}

pub(super) fn read(node: &Node<'_>) -> Result<RobotDescription> {
    let table = node.table(KEYS)?;
    let links = table.list("links")?;
    if links.is_empty() {
        return Err(node.fail("the robot has no links", "add [[robots.links]]"));
    }
    Ok(RobotDescription {
        name: table.need("name")?.name()?,
        base: pose::read(&table)?,
        skip_overlaps: table
            .read("skip_overlaps", |node| node.flag())?
            .unwrap_or(false),
        links: links.iter().map(link).collect::<Result<_>>()?,
        joints: table
            .list("joints")?
            .iter()
            .map(joint)
            .collect::<Result<_>>()?,
        frames: table
            .list("frames")?
            .iter()
            .map(frame)
            .collect::<Result<_>>()?,
        couplings: table
            .list("couplings")?
            .iter()
            .map(coupling)
            .collect::<Result<_>>()?,
    })
}

fn link(node: &Node<'_>) -> Result<LinkDescription> {
    let table = node.table(&[
        "name",
        "mass",
        "density",
        "inertia",
        "gravity_compensation",
        "shapes",
    ])?;
    let shapes = shape::read_all(&table)?;
    Ok(LinkDescription {
        name: table.need("name")?.name()?,
        mass: body::mass(&table, shapes.is_empty(), body::Owner::Link)?,
        gravity_compensation: body::gravity_compensation(&table)?,
        shapes,
    })
}

fn joint(node: &Node<'_>) -> Result<RobotJointDescription> {
    let (word, table) = node.table_by_kind(KINDS)?;
    let direction = |key| table.need(key)?.direction();
    let kind = match word {
        "fixed" => JointKind::Fixed,
        "revolute" => JointKind::Revolute {
            axis: direction("axis")?,
        },
        "continuous" => JointKind::Continuous {
            axis: direction("axis")?,
        },
        "prismatic" => JointKind::Prismatic {
            axis: direction("axis")?,
        },
        "helical" => JointKind::Helical {
            axis: direction("axis")?,
            pitch: table.need("pitch")?.number(PITCH)?,
        },
        "cylindrical" => JointKind::Cylindrical {
            axis: direction("axis")?,
        },
        "universal" => {
            let (first_axis, second_axis) = (direction("axis")?, direction("second_axis")?);
            if first_axis
                .normalize()
                .cross(&second_axis.normalize())
                .norm()
                < 1e-6
            {
                let node = table.need("second_axis")?;
                return Err(node.fail("is parallel to axis", "turn one of the two"));
            }
            JointKind::Universal {
                first_axis,
                second_axis,
            }
        }
        "planar" => JointKind::Planar {
            normal: direction("normal")?,
        },
        "spherical" => JointKind::Spherical,
        _ => JointKind::Free,
    };
    let units = JointUnits::of(&kind);
    let properties = match kind {
        JointKind::Fixed => DofProperties::default(),
        _ => properties(word, &table, units)?,
    };
    let (initial, initial_velocity) = match kind {
        JointKind::Fixed => (Vec::new(), Vec::new()),
        _ => (
            initial(&kind, &table, units)?,
            coordinates(&table, "initial_velocity", kind.nv(), units.velocity)?,
        ),
    };
    Ok(RobotJointDescription {
        name: table.need("name")?.name()?,
        parent: table.need("parent")?.name()?,
        child: table.need("child")?.name()?,
        pose: pose::read(&table)?,
        kind,
        properties,
        initial,
        initial_velocity,
    })
}

fn properties(word: &str, table: &Table<'_>, units: JointUnits) -> Result<DofProperties> {
    let default = DofProperties::default();
    let (lower, upper) = match word {
        "revolute" | "prismatic" | "helical" | "universal" => limits(table, units.position)?,
        _ => (default.lower, default.upper),
    };
    let positive = |key, dimension, default| {
        let read = table.read(key, |node| node.positive(dimension))?;
        Ok::<f64, crate::IoError>(read.unwrap_or(default))
    };
    let not_negative = |key, dimension, default| {
        let read = table.read(key, |node| node.not_negative(dimension))?;
        Ok::<f64, crate::IoError>(read.unwrap_or(default))
    };
    Ok(DofProperties {
        lower,
        upper,
        velocity_limit: positive("velocity_limit", units.velocity, default.velocity_limit)?,
        effort_limit: positive("effort_limit", units.effort, default.effort_limit)?,
        friction_loss: not_negative("friction", units.effort, default.friction_loss)?,
        damping: not_negative("damping", units.damping, default.damping)?,
        armature: not_negative("armature", units.inertia, default.armature)?,
        rotor_inertia: not_negative("rotor_inertia", units.inertia, default.rotor_inertia)?,
        gear_ratio: table
            .read("gear_ratio", |node| {
                node.ranged(
                    PLAIN,
                    |value| value.abs() <= 1e6,
                    "must be between -1e6 and 1e6",
                )
            })?
            .unwrap_or(default.gear_ratio),
        stiffness: not_negative("stiffness", units.stiffness, default.stiffness)?,
        reference: table
            .read("reference", |node| node.number(units.position))?
            .unwrap_or(default.reference),
    })
}

/// Reads `limits = [lower, upper]`, or `lower` and `upper` apart.
pub(super) fn limits(table: &Table<'_>, dimension: Dimension) -> Result<(f64, f64)> {
    let apart = ["lower", "upper"].map(|key| table.get(key));
    let (node, lower, upper) = match (table.get("limits"), apart) {
        (Some(limits), [None, None]) => {
            let [lower, upper] = limits.numbers(dimension)?;
            (limits, lower, upper)
        }
        (Some(limits), _) => {
            let advice = "give either limits or lower and upper";
            return Err(limits.fail("are given twice", advice));
        }
        (None, [lower, upper]) => {
            let read = |node: &Option<Node<'_>>, none| match node {
                Some(node) => node.number(dimension),
                None => Ok(none),
            };
            let values = (
                read(&lower, f64::NEG_INFINITY)?,
                read(&upper, f64::INFINITY)?,
            );
            match upper.or(lower) {
                Some(node) => (node, values.0, values.1),
                None => return Ok(values),
            }
        }
    };
    if lower <= upper {
        return Ok((lower, upper));
    }
    Err(node.fail(
        format!("the lower limit {lower} exceeds the upper {upper}"),
        "swap them",
    ))
}

/// Coordinates at the start; none for the neutral configuration.
fn initial(kind: &JointKind, table: &Table<'_>, units: JointUnits) -> Result<Vec<f64>> {
    match kind {
        JointKind::Spherical | JointKind::Free => {
            let rotation = table.read("initial_rotation", |node| pose::rotation(&node))?;
            let position = match kind {
                JointKind::Free => table.read("initial_position", |node| node.position())?,
                _ => None,
            };
            if rotation.is_none() && position.is_none() {
                return Ok(Vec::new());
            }
            let mut q = Vec::new();
            if *kind == JointKind::Free {
                q.extend(position.unwrap_or_default().iter());
            }
            q.extend(
                rotation
                    .unwrap_or_else(UnitQuaternion::identity)
                    .coords
                    .iter(),
            );
            Ok(q)
        }
        _ => coordinates(table, "initial", kind.nq(), units.position),
    }
}

/// One number for a joint with one coordinate, else a list; empty if it is not there.
pub(super) fn coordinates(
    table: &Table<'_>,
    key: &'static str,
    count: usize,
    dimension: Dimension,
) -> Result<Vec<f64>> {
    let Some(node) = table.get(key) else {
        return Ok(Vec::new());
    };
    if count == 1 && !node.is_list() {
        return Ok(vec![node.number(dimension)?]);
    }
    let items = node.items()?;
    if items.len() != count {
        let problem = format!("has {} entries, the joint {count} coordinates", items.len());
        return Err(node.fail(problem, format!("give {count} numbers in [ ]")));
    }
    items.iter().map(|item| item.number(dimension)).collect()
}

fn frame(node: &Node<'_>) -> Result<RobotFrameDescription> {
    let table = node.table(&["name", "link", "position", "rotation"])?;
    Ok(RobotFrameDescription {
        name: table.need("name")?.name()?,
        link: table.need("link")?.name()?,
        pose: pose::read(&table)?,
    })
}

/// `terms = [{ joint, coefficient, component }]` and `offset`: Σ coefficient · q = offset.
fn coupling(node: &Node<'_>) -> Result<CouplingDescription> {
    let table = node.table(&["name", "terms", "offset"])?;
    let mut terms = Vec::new();
    for item in table.need("terms")?.items()? {
        let term = item.table(&["joint", "coefficient", "component"])?;
        terms.push((
            term.need("joint")?.name()?,
            term.read("component", |node| node.count(6))?.unwrap_or(0),
            term.need("coefficient")?.number(PLAIN)?,
        ));
    }
    Ok(CouplingDescription {
        name: table.need("name")?.name()?,
        terms,
        offset: table
            .read("offset", |node| node.number(MIXED))?
            .unwrap_or(0.0),
    })
}
