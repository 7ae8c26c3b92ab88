//! A description back as TOML.

mod actuator;
mod body;
mod connection;
mod controller;
mod keyframe;
mod robot;
mod rod;
mod sensor;
mod settings;
mod shape;
mod soft;
mod table;
mod tendon;
mod touch;

use toml_edit::{DocumentMut, Item, Table};

use super::contact_pair::ContactPairDescription;
use super::description::{SceneDescription, SettingsDescription};
use table::{Lines, list, tables};

/// Writes a scene as the text of a scene file. Reading it again gives the same scene, as long as
/// the scene is one that a file may have.
pub fn to_toml(scene: &SceneDescription) -> String {
    let mut document = DocumentMut::new();
    let out = document.as_table_mut();
    out.text("name", &scene.name);
    out.number("seconds", scene.seconds);
    if !scene.exclude.is_empty() {
        let pairs = scene.exclude.iter();
        let pairs = pairs.map(|pair| list(pair.iter().map(Into::into)));
        out.line("exclude", list(pairs));
    }
    if scene.settings != SettingsDescription::default() {
        let settings = settings::settings(&scene.settings);
        out.insert("settings", Item::Table(settings));
    }
    if !scene.materials.is_empty() {
        let mut materials = Table::new();
        materials.set_implicit(true);
        for (name, material) in &scene.materials {
            materials.insert(name, Item::Table(settings::material(material)));
        }
        out.insert("materials", Item::Table(materials));
    }
    tables(out, "bodies", &scene.bodies, body::body);
    tables(out, "robots", &scene.robots, robot::robot);
    tables(out, "soft", &scene.soft, soft::soft);
    tables(out, "rod", &scene.rods, rod::rod);
    tables(out, "joints", &scene.joints, connection::connection);
    tables(
        out,
        "controllers",
        &scene.controllers,
        controller::controller,
    );
    tables(out, "contact_pairs", &scene.contact_pairs, contact_pair);
    tables(out, "tendons", &scene.tendons, tendon::tendon);
    tables(out, "actuators", &scene.actuators, actuator::actuator);
    tables(out, "sensors", &scene.sensors, sensor::sensor);
    tables(out, "keyframes", &scene.keyframes, keyframe::keyframe);
    document.to_string()
}

fn contact_pair(pair: &ContactPairDescription) -> Table {
    let mut out = Table::new();
    out.line("shapes", list(pair.shapes.iter().map(Into::into)));
    if let Some(friction) = pair.friction {
        out.number("friction", friction);
    }
    out
}
