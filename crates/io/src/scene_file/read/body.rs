//! `[[bodies]]`, and the mass of bodies and links.

use nalgebra::Vector3;
use stiction_dynamics::Symmetric3;

use super::super::description::{BodyDescription, BodyKind, InertiaDescription, MassDescription};
use super::super::node::{Node, Table};
use super::super::units::{DENSITY, INERTIA, MASS, PLAIN, SPEED, TURN_RATE};
use super::{pose, shape};
use crate::error::Result;

const KEYS: &[&str] = &[
    "name",
    "kind",
    "position",
    "rotation",
    "velocity",
    "angular_velocity",
    "mass",
    "density",
    "inertia",
    "color",
    "gravity_compensation",
    "shapes",
];

/// Lightest and heaviest body, kg.
const MASSES: std::ops::RangeInclusive<f64> = 1e-12..=1e12;

pub(super) fn read(node: &Node<'_>) -> Result<BodyDescription> {
    let table = node.table(KEYS)?;
    let name = table.need("name")?.name()?;
    let shapes = shape::read_all(&table)?;
    let kind = table.need("kind")?;
    let word = kind.one_of(&["fixed", "driven", "free"])?;
    let mass = mass(&table, shapes.is_empty(), Owner::Body)?;
    let velocity = table.read("velocity", |node| node.vector(SPEED))?;
    let angular_velocity = table.read("angular_velocity", |node| node.vector(TURN_RATE))?;
    let kind = match (word, mass) {
        ("free", Some(mass)) => BodyKind::Free(mass),
        ("free", None) => {
            return Err(node.fail(
                format!("the free body \"{name}\" has no mass"),
                "add mass, density or inertia, or make it fixed or driven",
            ));
        }
        (_, Some(_)) => {
            return Err(kind.fail(
                format!("a {word} body has no mass"),
                "leave out mass, density and inertia, or write kind = \"free\"",
            ));
        }
        ("driven", None) => BodyKind::Driven,
        _ => BodyKind::Fixed,
    };
    if kind == BodyKind::Fixed
        && let Some(moving) = table
            .get("velocity")
            .or_else(|| table.get("angular_velocity"))
    {
        return Err(moving.fail("a fixed body does not move", "leave it out"));
    }
    Ok(BodyDescription {
        name,
        kind,
        pose: pose::read(&table)?,
        velocity: velocity.unwrap_or_default(),
        angular_velocity: angular_velocity.unwrap_or_default(),
        color: table.read("color", |node| color(&node))?,
        gravity_compensation: gravity_compensation(&table)?,
        shapes,
    })
}

/// Reads the share of the weight that something unseen carries.
pub(super) fn gravity_compensation(table: &Table<'_>) -> Result<f64> {
    let share = table.read("gravity_compensation", |node| {
        node.ranged(
            PLAIN,
            |value| value.abs() <= 1e3,
            "must be between -1000 and 1000",
        )
    })?;
    Ok(share.unwrap_or(0.0))
}

/// Whose mass is read. What a body needs to move by itself, a link may leave to what carries it or
/// what it carries, which the model of the whole robot tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    Body,
    Link,
}

/// Reads `mass`, `density` or `inertia` of a body or link.
pub(super) fn mass(
    table: &Table<'_>,
    no_shapes: bool,
    owner: Owner,
) -> Result<Option<MassDescription>> {
    let ways = ["mass", "density", "inertia"].map(|key| table.get(key));
    let advice = "give one of mass, density and inertia";
    match ways {
        [None, None, None] => Ok(None),
        [Some(mass), None, None] => {
            if no_shapes {
                return Err(mass.fail(
                    "there is no shape to spread the mass over",
                    "add shapes, or give inertia = { mass, diagonal } instead",
                ));
            }
            Ok(Some(MassDescription::Mass(kilograms(&mass)?)))
        }
        [None, Some(density), None] => {
            if no_shapes {
                return Err(
                    density.fail("there is no shape to fill", "add shapes, or give inertia")
                );
            }
            Ok(Some(MassDescription::Density(density.positive(DENSITY)?)))
        }
        [None, None, Some(node)] => Ok(Some(MassDescription::Inertia(inertia(&node, owner)?))),
        [_, Some(second), _] | [_, _, Some(second)] => {
            Err(second.fail("the mass is given twice", advice))
        }
    }
}

fn kilograms(node: &Node<'_>) -> Result<f64> {
    node.ranged(
        MASS,
        |value| MASSES.contains(&value),
        "must be positive, from 1e-12 kg to 1e12 kg",
    )
}

fn inertia(node: &Node<'_>, owner: Owner) -> Result<InertiaDescription> {
    let table = node.table(&["mass", "center", "diagonal", "full"])?;
    let mass = table.need("mass")?;
    let mass = match owner {
        Owner::Link if mass.number(MASS)? == 0.0 => 0.0,
        _ => kilograms(&mass)?,
    };
    let center = table
        .read("center", |node| node.position())?
        .unwrap_or_else(Vector3::zeros);
    let (given, about_center) = match (table.get("diagonal"), table.get("full")) {
        (Some(node), None) => {
            let [x, y, z] = node.numbers(INERTIA)?;
            (node, Symmetric3::diagonal(x, y, z))
        }
        (None, Some(node)) => {
            let [xx, xy, xz, yy, yz, zz] = node.numbers(INERTIA)?;
            (
                node,
                Symmetric3 {
                    xx,
                    xy,
                    xz,
                    yy,
                    yz,
                    zz,
                },
            )
        }
        _ => {
            return Err(node.fail(
                "needs the rotational inertia about the centre of mass",
                "give diagonal = [xx, yy, zz] or full = [xx, xy, xz, yy, yz, zz] in kg*m^2",
            ));
        }
    };
    let smallest = about_center.eigenvalues()[0];
    let is_singular = !(smallest > 0.0) || about_center.to_matrix().cholesky().is_none();
    if owner == Owner::Body && is_singular {
        return Err(given.fail(
            format!("is not positive definite: its smallest principal moment is {smallest} kg*m^2"),
            "give the moments of a real body",
        ));
    }
    Ok(InertiaDescription {
        mass,
        center,
        about_center,
    })
}

/// Red, green, blue and perhaps opacity, 0 to 1.
pub(super) fn color(node: &Node<'_>) -> Result<[f32; 4]> {
    let parts = node.items()?;
    if !(3..=4).contains(&parts.len()) {
        let problem = format!("has {} entries", parts.len());
        return Err(node.fail(problem, "give red, green, blue and perhaps opacity, 0 to 1"));
    }
    let mut color = [1.0; 4];
    for (out, part) in color.iter_mut().zip(&parts) {
        let good = |value| (0.0..=1.0).contains(&value);
        *out = part.ranged(PLAIN, good, "must be in [0, 1]")? as f32;
    }
    Ok(color)
}
