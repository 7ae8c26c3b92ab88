//! Positions and rotations.

use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

use super::super::node::{Node, Table};
use super::super::units::{ANGLE, PLAIN};
use crate::error::Result;

/// Reads the keys `position` and `rotation` of a table; both may be missing.
pub(super) fn read(table: &Table<'_>) -> Result<Isometry3<f64>> {
    let position = table.read("position", |node| node.position())?;
    let rotation = table.read("rotation", |node| rotation(&node))?;
    Ok(Isometry3::from_parts(
        Translation3::from(position.unwrap_or_default()),
        rotation.unwrap_or_default(),
    ))
}

/// Reads a pose that is a value of its own: `[x, y, z]` or `{ position = …, rotation = … }`.
pub(super) fn value(node: &Node<'_>) -> Result<Isometry3<f64>> {
    if node.is_list() {
        return Ok(Isometry3::from(Translation3::from(node.position()?)));
    }
    read(&node.table(&["position", "rotation"])?)
}

const ROTATION_KEYS: &[&str] = &[
    "quaternion_xyzw",
    "euler_xyz",
    "euler_xyz_deg",
    "axis",
    "angle",
    "angle_deg",
    "z_axis",
];

/// Reads a rotation given in one of several ways.
pub(super) fn rotation(node: &Node<'_>) -> Result<UnitQuaternion<f64>> {
    let table = node.table(ROTATION_KEYS)?;
    let ways = [
        "quaternion_xyzw",
        "euler_xyz",
        "euler_xyz_deg",
        "axis",
        "z_axis",
    ];
    let given: Vec<&str> = ways
        .into_iter()
        .filter(|way| table.get(way).is_some())
        .collect();
    let advice =
        "give one of quaternion_xyzw, euler_xyz, euler_xyz_deg, z_axis, or axis with angle";
    let [way] = given[..] else {
        let problem = match given.len() {
            0 => "says nothing".to_owned(),
            _ => format!("is given twice, by {}", given.join(" and ")),
        };
        return Err(node.fail(problem, advice));
    };
    if way != "axis"
        && let Some(angle) = table.get("angle").or_else(|| table.get("angle_deg"))
    {
        return Err(angle.fail(format!("does not go with {way}"), advice));
    }
    match way {
        "quaternion_xyzw" => quaternion(&table.need("quaternion_xyzw")?),
        "euler_xyz" => Ok(euler(table.need("euler_xyz")?.numbers(ANGLE)?)),
        "euler_xyz_deg" => {
            let degrees = table.need("euler_xyz_deg")?.numbers(PLAIN)?;
            Ok(euler(degrees.map(f64::to_radians)))
        }
        "z_axis" => {
            let direction = table.need("z_axis")?.direction()?;
            // Straight down there are many shortest ways; about x is one.
            Ok(
                UnitQuaternion::rotation_between(&Vector3::z(), &direction).unwrap_or_else(|| {
                    UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
                }),
            )
        }
        _ => {
            let axis = Unit::new_normalize(table.need("axis")?.direction()?);
            let angle = match (table.get("angle"), table.get("angle_deg")) {
                (Some(angle), None) => angle.number(ANGLE)?,
                (None, Some(degrees)) => degrees.number(PLAIN)?.to_radians(),
                _ => return Err(node.fail("needs one angle with its axis", advice)),
            };
            Ok(UnitQuaternion::from_axis_angle(&axis, angle))
        }
    }
}

/// Turns about the fixed x axis, then y, then z.
fn euler([x, y, z]: [f64; 3]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_euler_angles(x, y, z)
}

fn quaternion(node: &Node<'_>) -> Result<UnitQuaternion<f64>> {
    let [x, y, z, w] = node.numbers(PLAIN)?;
    let quaternion = Quaternion::new(w, x, y, z);
    let norm = quaternion.norm();
    if norm < 1e-9 {
        return Err(node.fail("has no length", "give x, y, z, w, such as [0, 0, 0, 1]"));
    }
    Ok(match (norm - 1.0).abs() < 1e-14 {
        // What was written with all its digits stays as it was.
        true => UnitQuaternion::new_unchecked(quaternion),
        false => UnitQuaternion::new_normalize(quaternion),
    })
}
