//! `[[joints]]`: joints between any two bodies.

use stiction_modeling::ConnectionKind;

use super::super::description::{Anchors, ConnectionDescription};
use super::super::node::{Node, Table};
use super::super::units::{DAMPING, LENGTH, STIFFNESS};
use super::pose;
use crate::error::Result;

/// The keys that every kind has, and further ones.
macro_rules! keys {
    ($($more:literal),*) => {
        &["name", "kind", "bodies", "anchor_a", "anchor_b", "at", "collide", $($more),*]
    };
}

/// The keys of each kind.
const KINDS: &[(&str, &[&str])] = &[
    ("ball", keys![]),
    ("hinge", keys![]),
    ("weld", keys![]),
    ("distance", keys!["length"]),
    ("spring", keys!["stiffness", "damping", "rest_length"]),
    ("rolling", keys!["radius"]),
    ("no-side-slip", keys![]),
];

pub(super) fn read(node: &Node<'_>) -> Result<ConnectionDescription> {
    let (word, table) = node.table_by_kind(KINDS)?;
    let kind = match word {
        "ball" => ConnectionKind::Ball,
        "hinge" => ConnectionKind::Hinge,
        "weld" => ConnectionKind::Weld,
        "distance" => ConnectionKind::Distance {
            length: table.need("length")?.positive(LENGTH)?,
        },
        "spring" => spring(&table)?,
        "rolling" => ConnectionKind::Rolling {
            radius: table.need("radius")?.positive(LENGTH)?,
        },
        _ => ConnectionKind::NoSideSlip,
    };
    let bodies = table.need("bodies")?;
    let [a, b] = bodies.items_exactly::<2>("the names of two bodies")?;
    let names = [a.name()?, b.name()?];
    if names[0] == names[1] {
        return Err(bodies.fail("are one and the same", "name two different bodies"));
    }
    Ok(ConnectionDescription {
        name: table.need("name")?.name()?,
        kind,
        bodies: names,
        anchors: anchors(&table)?,
        collide: table.read("collide", |node| node.flag())?,
    })
}

fn spring(table: &Table<'_>) -> Result<ConnectionKind> {
    let stiffness = table.read("stiffness", |node| node.not_negative(STIFFNESS))?;
    let damping = table.read("damping", |node| node.not_negative(DAMPING))?;
    let (stiffness, damping) = (stiffness.unwrap_or(0.0), damping.unwrap_or(0.0));
    if stiffness + damping == 0.0 {
        return Err(table.node.fail(
            "the spring has neither stiffness nor damping",
            "add stiffness = … in N/m or damping = … in N*s/m",
        ));
    }
    Ok(ConnectionKind::Spring {
        stiffness,
        damping,
        rest_length: table
            .read("rest_length", |node| node.not_negative(LENGTH))?
            .unwrap_or(0.0),
    })
}

fn anchors(table: &Table<'_>) -> Result<Anchors> {
    let on_bodies = ["anchor_a", "anchor_b"].map(|key| table.get(key));
    match (table.get("at"), on_bodies) {
        (Some(at), [None, None]) => Ok(Anchors::InWorld(pose::value(&at)?)),
        (Some(at), _) => Err(at.fail(
            "does not go with anchor_a and anchor_b",
            "give either one frame in the world with at, or one on each body",
        )),
        (None, [a, b]) => {
            let read = |node: Option<Node<'_>>| {
                node.map(|node| pose::value(&node))
                    .transpose()
                    .map(Option::unwrap_or_default)
            };
            Ok(Anchors::OnBodies([read(a)?, read(b)?]))
        }
    }
}
