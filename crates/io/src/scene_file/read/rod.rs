//! `[[rod]]`: cables, ropes, wires.

use stiction_deformable::rod::Damping;

use super::super::node::{Node, Table};
use super::super::rod::{
    RodAttachment, RodCurve, RodDescription, RodLink, RodSection, RodStiffness,
};
use super::super::units::{
    BENDING, DENSITY, Dimension, FORCE, LENGTH, PLAIN, PRESSURE, RATE, SPEED, TIME,
};
use super::{pose, shape, touch};
use crate::error::Result;
use crate::limits::ROD_POINTS;

const KEYS: &[&str] = &[
    "name",
    "shape",
    "normal",
    "position",
    "rotation",
    "velocity",
    "straight_at_rest",
    "radius",
    "section",
    "density",
    "young",
    "poisson",
    "stiffness",
    "damping",
    "residual_bending",
    "links_per_piece",
    "strains_as_rows",
    "attach",
    "touches",
    "material",
    "groups",
    "collides_with",
    "either_group",
    "touches_itself",
    "contact_radius",
];

const CURVES: &[(&str, &[&str])] = &[
    ("straight", &["kind", "from", "to", "links"]),
    ("helix", &["kind", "radius", "pitch", "turns", "links"]),
    ("points", &["kind", "points", "links"]),
];

const SECTIONS: &[(&str, &[&str])] = &[
    ("tube", &["kind", "outer", "inner"]),
    ("rectangle", &["kind", "sides"]),
];

pub(super) fn read(node: &Node<'_>) -> Result<RodDescription> {
    let table = node.table(KEYS)?;
    let stiffness = (table.read("stiffness", |node| stiffness(&node))?).unwrap_or_default();
    let touch = touch::read(&table, true)?;
    let contact_radius = table.read("contact_radius", |node| shape::size(&node))?;
    if contact_radius.is_some() && !touch.touches {
        let node = table.need("contact_radius")?;
        return Err(node.fail("does not go with touches = false", "leave out one of them"));
    }
    let shape = curve(&table.need("shape")?)?;
    let mut attach = Vec::new();
    for node in table.list("attach")? {
        attach.push(attachment(&node, shape.links())?);
    }
    Ok(RodDescription {
        name: table.need("name")?.name()?,
        shape,
        normal: table.read("normal", |node| node.direction())?,
        pose: pose::read(&table)?,
        velocity: (table.read("velocity", |node| node.vector(SPEED))?).unwrap_or_default(),
        straight_at_rest: flag(&table, "straight_at_rest")?,
        section: section(&table)?,
        density: table.need("density")?.positive(DENSITY)?,
        elastic: elastic(&table, &stiffness)?,
        stiffness,
        damping: (table.read("damping", |node| damping(&node))?).unwrap_or_default(),
        residual_bending: flag(&table, "residual_bending")?,
        links_per_piece: table.read("links_per_piece", |node| links(&node))?,
        strains_as_rows: flag(&table, "strains_as_rows")?,
        attach,
        touch,
        contact_radius,
    })
}

fn flag(table: &Table<'_>, key: &'static str) -> Result<bool> {
    Ok(table.read(key, |node| node.flag())?.unwrap_or(false))
}

/// A number of links, at least two.
fn links(node: &Node<'_>) -> Result<usize> {
    let links = node.count(ROD_POINTS)?;
    match links >= 2 {
        true => Ok(links),
        false => Err(node.fail(format!("is {links}"), "give at least 2 links")),
    }
}

fn curve(node: &Node<'_>) -> Result<RodCurve> {
    let (word, table) = node.table_by_kind(CURVES)?;
    Ok(match word {
        "straight" => RodCurve::Straight {
            from: table.need("from")?.position()?.into(),
            to: table.need("to")?.position()?.into(),
            links: links(&table.need("links")?)?,
        },
        "helix" => RodCurve::Helix {
            radius: shape::size(&table.need("radius")?)?,
            pitch: table.need("pitch")?.ranged(
                LENGTH,
                |value| value.abs() <= 1e6,
                "must be between -1e6 m and 1e6 m",
            )?,
            turns: table.need("turns")?.ranged(
                PLAIN,
                |value| value != 0.0 && value.abs() <= 1e4,
                "must be between -1e4 and 1e4 and not 0",
            )?,
            links: links(&table.need("links")?)?,
        },
        _ => {
            let node = table.need("points")?;
            let points = shape::points(&node)?;
            if !(2..=ROD_POINTS).contains(&points.len()) {
                let problem = format!("has {} points", points.len());
                return Err(node.fail(problem, format!("give 2 to {ROD_POINTS} points")));
            }
            RodCurve::Points {
                points,
                links: table.read("links", |node| links(&node))?,
            }
        }
    })
}

fn section(table: &Table<'_>) -> Result<RodSection> {
    match (table.get("radius"), table.get("section")) {
        (Some(radius), None) => Ok(RodSection::Round {
            radius: shape::size(&radius)?,
        }),
        (None, Some(node)) => {
            let (word, table) = node.table_by_kind(SECTIONS)?;
            if word == "rectangle" {
                let [a, b] = table.need("sides")?.items_exactly::<2>("two lengths")?;
                return Ok(RodSection::Rectangle {
                    sides: [shape::size(&a)?, shape::size(&b)?],
                });
            }
            let (outer, inner) = (table.need("outer")?, table.need("inner")?);
            let (outer, within) = (shape::size(&outer)?, shape::size(&inner)?);
            if within >= outer {
                let problem = format!("is not smaller than the outer radius of {outer} m");
                return Err(inner.fail(problem, "leave a wall"));
            }
            Ok(RodSection::Tube {
                outer,
                inner: within,
            })
        }
        _ => Err(table.node.fail(
            "needs one cross-section",
            "give either radius, or section = { kind = \"tube\", … } or { kind = \"rectangle\", … }",
        )),
    }
}

/// Young's modulus and Poisson's ratio, which may be missing where they decide nothing.
fn elastic(table: &Table<'_>, stiffness: &RodStiffness) -> Result<Option<[f64; 2]>> {
    let is_complete = stiffness.stretch.is_some()
        && stiffness.bend.is_some()
        && stiffness.twist.is_some()
        && stiffness.shear.is_some();
    if is_complete {
        let given = table.get("young").or_else(|| table.get("poisson"));
        return match given {
            None => Ok(None),
            Some(node) => Err(node.fail(
                "decides nothing where EA, EI, GJ and kGA are given",
                "leave it out, or one of them",
            )),
        };
    }
    let young = table.need("young")?.positive(PRESSURE)?;
    let poisson = table.need("poisson")?.ranged(
        PLAIN,
        |value| value > -1.0 && value <= 0.5,
        "must be above -1 and not above 1/2",
    )?;
    Ok(Some([young, poisson]))
}

fn stiffness(node: &Node<'_>) -> Result<RodStiffness> {
    let table = node.table(&["EA", "EI", "GJ", "kGA"])?;
    Ok(RodStiffness {
        stretch: table.read("EA", |node| node.positive(FORCE))?,
        bend: table.read("EI", |node| one_or_two(&node, BENDING))?,
        twist: table.read("GJ", |node| node.positive(BENDING))?,
        shear: table.read("kGA", |node| one_or_two(&node, FORCE))?,
    })
}

/// One number for both axes of a link, or one for each.
fn one_or_two(node: &Node<'_>, dimension: Dimension) -> Result<[f64; 2]> {
    if !node.is_list() {
        return Ok([node.positive(dimension)?; 2]);
    }
    let [first, second] = node.items_exactly::<2>("two numbers")?;
    Ok([first.positive(dimension)?, second.positive(dimension)?])
}

fn damping(node: &Node<'_>) -> Result<Damping> {
    let table = node.table(&["mass", "stiffness", "strain"])?;
    let strain = table.read("strain", |node| {
        let what = "six times: shear 1, shear 2, stretch, bend 1, bend 2, twist";
        let items = node.items_exactly::<6>(what)?;
        let mut times = [0.0; 6];
        for (time, item) in times.iter_mut().zip(&items) {
            *time = item.not_negative(TIME)?;
        }
        Ok(times)
    })?;
    Ok(Damping {
        mass: (table.read("mass", |node| node.not_negative(RATE))?).unwrap_or(0.0),
        stiffness: (table.read("stiffness", |node| node.not_negative(TIME))?).unwrap_or(0.0),
        strain: strain.unwrap_or_default(),
    })
}

fn attachment(node: &Node<'_>, links: usize) -> Result<RodAttachment> {
    let table = node.table(&["body", "end", "link", "pivot"])?;
    let link = match (table.get("end"), table.get("link")) {
        (Some(end), None) => match end.one_of(&["start", "end"])? {
            "start" => RodLink::Start,
            _ => RodLink::End,
        },
        (None, Some(node)) => {
            let number = node.count(ROD_POINTS)?;
            if number >= links {
                let advice = format!("the {links} links count from 0");
                return Err(node.fail(format!("there is no link {number}"), advice));
            }
            RodLink::Number(number)
        }
        _ => {
            return Err(node.fail(
                "needs one link",
                "give either end = \"start\" or \"end\", or link = a number from 0",
            ));
        }
    };
    Ok(RodAttachment {
        body: table.need("body")?.name()?,
        link,
        pivot: flag(&table, "pivot")?,
    })
}
