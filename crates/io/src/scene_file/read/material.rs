//! `[materials.NAME]`: surfaces.

use std::collections::BTreeMap;

use nalgebra::Unit;
use stiction_collision::{CombineRule, Friction, Material};

use super::super::node::Node;
use super::super::units::{COMPLIANCE, CREEP, PLAIN};
use crate::error::Result;

const KEYS: &[&str] = &[
    "friction",
    "restitution",
    "compliance",
    "tangential_compliance",
    "friction_rule",
    "restitution_rule",
    "priority",
    "frictionless",
];

/// Priorities that 64-bit numbers of a file keep exactly, and nobody needs more of.
const MOST_PRIORITY: f64 = 1e6;

/// Rules by name.
pub(in crate::scene_file) const RULES: &[(&str, CombineRule)] = &[
    ("mean", CombineRule::Mean),
    ("geometric-mean", CombineRule::GeometricMean),
    ("min", CombineRule::Min),
    ("product", CombineRule::Product),
    ("max", CombineRule::Max),
];

pub(super) fn read_all(node: &Node<'_>) -> Result<BTreeMap<String, Material>> {
    let mut materials = BTreeMap::new();
    for (name, node) in node.any_table(&["NAME"])?.entries() {
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(node.fail("has no name", "write [materials.NAME] with letters as NAME"));
        }
        materials.insert(name, read(&node)?);
    }
    Ok(materials)
}

fn read(node: &Node<'_>) -> Result<Material> {
    let table = node.table(KEYS)?;
    let default = Material::default();
    Ok(Material {
        friction: table
            .read("friction", |node| friction(&node))?
            .unwrap_or(default.friction),
        restitution: table
            .read("restitution", |node| {
                node.ranged(
                    PLAIN,
                    |value| (0.0..=1.0).contains(&value),
                    "must be in [0, 1]",
                )
            })?
            .unwrap_or(default.restitution),
        compliance: table
            .read("compliance", |node| node.not_negative(COMPLIANCE))?
            .unwrap_or(default.compliance),
        tangential_compliance: table
            .read("tangential_compliance", |node| node.not_negative(CREEP))?
            .unwrap_or(default.tangential_compliance),
        friction_rule: table
            .read("friction_rule", |node| rule(&node))?
            .unwrap_or(default.friction_rule),
        restitution_rule: table
            .read("restitution_rule", |node| rule(&node))?
            .unwrap_or(default.restitution_rule),
        priority: table
            .read("priority", |node| {
                let is_good = |value: f64| value.fract() == 0.0 && value.abs() <= MOST_PRIORITY;
                let number =
                    node.ranged(PLAIN, is_good, "must be a whole number of at most 1e6")?;
                Ok(number as i32)
            })?
            .unwrap_or(default.priority),
        frictionless: table
            .read("frictionless", |node| node.flag())?
            .unwrap_or(default.frictionless),
    })
}

fn friction(node: &Node<'_>) -> Result<Friction> {
    if !node.is_table() {
        return Ok(Friction::Isotropic(node.not_negative(PLAIN)?));
    }
    let table = node.table(&["along", "across", "direction"])?;
    let direction = table.need("direction")?.direction()?;
    Ok(Friction::TwoAxis {
        along: table.need("along")?.not_negative(PLAIN)?,
        across: table.need("across")?.not_negative(PLAIN)?,
        direction: match (direction.norm() - 1.0).abs() < 1e-14 {
            // What was written with all its digits stays as it was.
            true => Unit::new_unchecked(direction),
            false => Unit::new_normalize(direction),
        },
    })
}

fn rule(node: &Node<'_>) -> Result<CombineRule> {
    let words: Vec<&'static str> = RULES.iter().map(|&(word, _)| word).collect();
    let word = node.one_of(&words)?;
    let found = RULES.iter().find(|&&(known, _)| known == word);
    Ok(found.map_or_else(CombineRule::default, |&(_, rule)| rule))
}
