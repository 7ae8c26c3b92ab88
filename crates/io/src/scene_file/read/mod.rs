//! From a TOML table to a description: one file per part of the format.

mod actuator;
mod body;
mod controller;
mod distance;
mod joint;
mod keyframe;
mod material;
mod pose;
mod robot;
mod rod;
mod sensor;
mod settings;
mod shape;
mod soft;
mod tendon;
mod touch;

pub(super) use material::RULES;
pub(super) use sensor::QUANTITIES;
pub(super) use soft::{HESSIANS, LAWS, PATTERNS};

use super::description::SceneDescription;
use super::node::Table;
use super::units::TIME;
use crate::error::Result;

/// Keys of a scene file.
pub(super) const KEYS: &[&str] = &[
    "name",
    "seconds",
    "settings",
    "materials",
    "bodies",
    "joints",
    "robots",
    "soft",
    "rod",
    "controllers",
    "exclude",
    "contact_pairs",
    "tendons",
    "actuators",
    "sensors",
    "keyframes",
];

/// Reads everything that one value alone decides; what refers to what is checked afterwards.
pub(super) fn scene(root: &Table<'_>) -> Result<SceneDescription> {
    let mut scene = SceneDescription::new(
        root.read("name", |node| node.name())?
            .unwrap_or_else(|| "scene".to_owned()),
        root.need("seconds")?.positive(TIME)?,
    );
    if let Some(node) = root.get("settings") {
        scene.settings = settings::read(&node)?;
    }
    if let Some(node) = root.get("materials") {
        scene.materials = material::read_all(&node)?;
    }
    for node in root.list("bodies")? {
        scene.bodies.push(body::read(&node)?);
    }
    for node in root.list("robots")? {
        scene.robots.push(robot::read(&node)?);
    }
    for node in root.list("soft")? {
        scene.soft.push(soft::read(&node)?);
    }
    for node in root.list("rod")? {
        scene.rods.push(rod::read(&node)?);
    }
    for node in root.list("joints")? {
        scene.joints.push(joint::read(&node)?);
    }
    for node in root.list("controllers")? {
        scene
            .controllers
            .push(controller::read(&node, &scene.robots)?);
    }
    for node in root.list("exclude")? {
        let [a, b] = node.items_exactly::<2>("the names of two bodies")?;
        scene.exclude.push([a.name()?, b.name()?]);
    }
    for node in root.list("contact_pairs")? {
        scene.contact_pairs.push(keyframe::contact_pair(&node)?);
    }
    for node in root.list("tendons")? {
        scene.tendons.push(tendon::read(&node, &scene.robots)?);
    }
    for node in root.list("actuators")? {
        scene.actuators.push(actuator::read(&node, &scene.robots)?);
    }
    for node in root.list("sensors")? {
        scene.sensors.push(sensor::read(&node, &scene.robots)?);
    }
    for node in root.list("keyframes")? {
        scene.keyframes.push(keyframe::read(&node, &scene.robots)?);
    }
    Ok(scene)
}
