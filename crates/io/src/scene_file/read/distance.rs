//! Shapes that are named by their signed distances.

use super::super::distance::{Distance, DistanceSolid, Operation, Part};
use super::super::node::{Node, Table};
use super::super::shape::ShapeKind;
use super::super::units::LENGTH;
use super::{pose, shape};
use crate::error::Result;

/// Kinds of shapes that can be parts of others: all whose distance is known.
const PARTS: &[&str] = &[
    "sphere",
    "box",
    "capsule",
    "cylinder",
    "cone",
    "ellipsoid",
    "half-space",
    "mesh-distance",
    "dish",
    "bowl",
    "plate",
    "pot",
    "bottle",
    "bolt",
    "nut",
    "torus",
    "revolution",
    "distance-file",
    "union",
    "intersection",
    "difference",
];
/// Keys of shapes that a part has not: what it is made of and touches is said of the whole.
const OF_THE_WHOLE: &[&str] = &[
    "name",
    "material",
    "groups",
    "collides_with",
    "either_group",
    "visual_only",
    "color",
];
/// Deepest nesting of parts in parts.
const DEEPEST: usize = 8;

/// A shape of one of these kinds, or `None` where the word is another's.
pub(super) fn read(word: &str, table: &Table<'_>, depth: usize) -> Result<Option<ShapeKind>> {
    let distance = match word {
        "torus" => torus(table)?,
        "revolution" => Distance::Revolution {
            outline: outline(&table.need("outline")?)?,
        },
        "distance-file" => file(&table.need("file")?)?,
        "union" => combined(table, Operation::Union, depth)?,
        "intersection" => combined(table, Operation::Intersection, depth)?,
        "difference" => combined(table, Operation::Difference, depth)?,
        _ => return Ok(None),
    };
    Ok(Some(ShapeKind::Distance(DistanceSolid {
        distance,
        resolution: table.read("resolution", |node| shape::size(&node))?,
    })))
}

fn torus(table: &Table<'_>) -> Result<Distance> {
    let radius = shape::size(&table.need("radius")?)?;
    let node = table.need("tube")?;
    let tube = shape::size(&node)?;
    match tube < radius {
        true => Ok(Distance::Torus { radius, tube }),
        false => Err(node.fail(
            "leaves no hole",
            "make the tube thinner than the radius of the ring, which goes to its middle",
        )),
    }
}

/// Corners `[radius, height]`.
fn outline(node: &Node<'_>) -> Result<Vec<[f64; 2]>> {
    let mut corners = Vec::new();
    for corner in node.items()? {
        let [r, z] = corner.numbers::<2>(LENGTH)?;
        if r < 0.0 {
            return Err(corner.fail(
                "is on the other side of the axis",
                "give the distance from the axis, then the height",
            ));
        }
        corners.push([r, z]);
    }
    match corners.len() < 3 {
        true => Err(node.fail(
            format!("has {} corners", corners.len()),
            "give at least three",
        )),
        false => Ok(corners),
    }
}

fn file(node: &Node<'_>) -> Result<Distance> {
    let path = node.name()?;
    match path.to_ascii_lowercase().ends_with(".safetensors") {
        true => Ok(Distance::File { path }),
        false => Err(node.fail(
            "does not end in .safetensors",
            "write a sampled distance or a network as safetensors",
        )),
    }
}

fn combined(table: &Table<'_>, operation: Operation, depth: usize) -> Result<Distance> {
    let node = table.need("parts")?;
    if depth >= DEEPEST {
        return Err(node.fail(
            format!("is nested more than {DEEPEST} deep"),
            "put more parts into one list",
        ));
    }
    let parts = node.items()?;
    let parts = parts.iter().map(|part| self::part(part, depth + 1));
    let parts = parts.collect::<Result<Vec<_>>>()?;
    if parts.is_empty() {
        return Err(node.fail("has no parts", "give one at least"));
    }
    let length = |key| match table.get(key) {
        None => Ok(0.0),
        Some(node) => node.not_negative(LENGTH),
    };
    Ok(Distance::Combined {
        operation,
        parts,
        blend: length("blend")?,
        rounding: length("rounding")?,
    })
}

fn part(node: &Node<'_>, depth: usize) -> Result<Part> {
    let kinds = shape::KINDS.iter().copied();
    let kinds: Vec<_> = kinds.filter(|(word, _)| PARTS.contains(word)).collect();
    let (word, table) = node.table_by_kind(&kinds)?;
    for key in OF_THE_WHOLE {
        if let Some(given) = table.get(key) {
            return Err(given.fail("is no key of a part", "give it to the whole shape"));
        }
    }
    Ok(Part {
        kind: shape::kind(word, &table, depth)?,
        pose: pose::read(&table)?,
    })
}
