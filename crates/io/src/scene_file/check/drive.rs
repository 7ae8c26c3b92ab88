//! Names that tendons, actuators, sensors, keyframes and contact pairs use.

use std::collections::HashSet;

use super::super::SceneFile;
use super::super::actuator::ActuatorTarget;
use super::super::description::ShapeDescription;
use super::super::sensor::SensorKind;
use super::super::suggest;
use super::super::tendon::TendonPath;
use super::{Bodies, Role, unique};
use crate::error::Result;

/// Refuses names that nobody has, or that two have.
pub(super) fn references(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    contact_pairs(file)?;
    tendons(file, bodies)?;
    actuators(file, bodies)?;
    sensors(file, bodies)?;
    keyframes(file, bodies)
}

fn contact_pairs(file: &SceneFile) -> Result<()> {
    let scene = &file.scene;
    let (mut names, mut drawn) = (Vec::new(), HashSet::new());
    let mut collect = |owner: &str, shapes: &[ShapeDescription]| {
        for shape in shapes {
            let name = format!("{owner}/{}", shape.name);
            if shape.visual_only {
                drawn.insert(name.clone());
            }
            names.push(name);
        }
    };
    for body in &scene.bodies {
        collect(&body.name, &body.shapes);
    }
    for robot in &scene.robots {
        for link in &robot.links {
            collect(&format!("{}/{}", robot.name, link.name), &link.shapes);
        }
    }
    for (index, pair) in scene.contact_pairs.iter().enumerate() {
        let key = format!("contact_pairs[{index}].shapes");
        for name in &pair.shapes {
            if !names.contains(name) {
                let known = names.iter().map(String::as_str);
                let advice = suggest::advice("shapes", name, known);
                return Err(file.error(&key, format!("there is no shape \"{name}\""), advice));
            }
            if drawn.contains(name) {
                let problem = format!("the shape \"{name}\" is only drawn");
                return Err(file.error(&key, problem, "leave out visual_only there"));
            }
        }
        if pair.shapes[0] == pair.shapes[1] {
            return Err(file.error(&key, "are one and the same", "name two shapes"));
        }
    }
    Ok(())
}

fn tendons(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    let tendons = &file.scene.tendons;
    let names = tendons.iter().map(|tendon| tendon.name.as_str());
    unique(file, "tendon", "tendons", names)?;
    for (index, tendon) in tendons.iter().enumerate() {
        if let TendonPath::Points(branches) = &tendon.path {
            for (body, _) in branches.iter().flat_map(|branch| &branch.points) {
                bodies.find(file, &format!("tendons[{index}]"), body)?;
            }
        }
    }
    Ok(())
}

/// A name of a list must be in it.
fn known<'a>(
    file: &SceneFile,
    key: &str,
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<()> {
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    let advice = suggest::advice(&format!("{what}s"), name, names);
    Err(file.error(key, format!("there is no {what} \"{name}\""), advice))
}

fn tendon(file: &SceneFile, key: &str, name: &str) -> Result<()> {
    let names = file.scene.tendons.iter().map(|tendon| tendon.name.as_str());
    known(file, key, "tendon", name, names)
}

fn actuator(file: &SceneFile, key: &str, name: &str) -> Result<()> {
    let actuators = file.scene.actuators.iter();
    let names = actuators.map(|actuator| actuator.name.as_str());
    known(file, key, "actuator", name, names)
}

fn actuators(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    let actuators = &file.scene.actuators;
    let names = actuators.iter().map(|actuator| actuator.name.as_str());
    unique(file, "actuator", "actuators", names)?;
    for (index, description) in actuators.iter().enumerate() {
        match &description.target {
            ActuatorTarget::Joint { .. } => {}
            ActuatorTarget::Tendon(name) => {
                tendon(file, &format!("actuators[{index}].tendon"), name)?;
            }
            ActuatorTarget::Frame { body, .. } => {
                let key = format!("actuators[{index}].body");
                let role = bodies.find(file, &key, body)?;
                if matches!(role, Role::Fixed | Role::Driven) {
                    let problem = format!("forces don't move the body \"{body}\"");
                    return Err(file.error(&key, problem, "name a free body or a link"));
                }
            }
        }
    }
    Ok(())
}

fn sensors(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    let sensors = &file.scene.sensors;
    let names = sensors.iter().map(|sensor| sensor.name.as_str());
    unique(file, "sensor", "sensors", names)?;
    for (index, sensor) in sensors.iter().enumerate() {
        let key = |part: &str| format!("sensors[{index}].{part}");
        match &sensor.kind {
            SensorKind::JointPosition { .. } | SensorKind::JointVelocity { .. } => {}
            SensorKind::TendonLength(name) | SensorKind::TendonVelocity(name) => {
                tendon(file, &key("tendon"), name)?;
            }
            SensorKind::ActuatorForce(name) => actuator(file, &key("actuator"), name)?,
            SensorKind::ContactForce { on, from } => {
                touching(file, bodies, &key("on"), on)?;
                if let Some(from) = from {
                    touching(file, bodies, &key("from"), from)?;
                }
            }
            SensorKind::SoftStress { soft, .. } => {
                let known = file.scene.soft.iter().map(|soft| soft.name.as_str());
                known_name(
                    file,
                    &key("soft"),
                    ("soft body", "soft bodies"),
                    soft,
                    known,
                )?;
            }
            SensorKind::RodForce { rod, .. } | SensorKind::RodMoment { rod, .. } => {
                let known = file.scene.rods.iter().map(|rod| rod.name.as_str());
                known_name(file, &key("rod"), ("rod", "rods"), rod, known)?;
            }
            SensorKind::Frame { body, quantity, .. } => {
                let role = match is_link_of_rod(file, body) {
                    true => Role::Free,
                    false => bodies.find(file, &key("body"), body)?,
                };
                let is_load = quantity.is_load();
                if is_load && role != Role::Link {
                    let problem = format!("no joint carries the body \"{body}\"");
                    return Err(file.error(&key("body"), problem, "name a link of a robot"));
                }
            }
        }
    }
    Ok(())
}

/// Whether a name is that of a link of a rod; which numbers there are is known once it is made.
fn is_link_of_rod(file: &SceneFile, name: &str) -> bool {
    let split = name
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['));
    split.is_some_and(|(rod, number)| {
        number.parse::<u32>().is_ok() && file.scene.rods.iter().any(|known| known.name == rod)
    })
}

/// Refuses what is no body, soft body or rod.
fn touching(file: &SceneFile, bodies: &Bodies, key: &str, name: &str) -> Result<()> {
    let scene = &file.scene;
    let is_known = scene.soft.iter().any(|soft| soft.name == name)
        || scene.rods.iter().any(|rod| rod.name == name);
    match is_known {
        true => Ok(()),
        false => bodies.find(file, key, name).map(|_| ()),
    }
}

/// Refuses a name that is not among those there are.
fn known_name<'a>(
    file: &SceneFile,
    key: &str,
    (one, many): (&str, &str),
    name: &str,
    mut known: impl Iterator<Item = &'a str> + Clone,
) -> Result<()> {
    let all = known.clone();
    match known.any(|known| known == name) {
        true => Ok(()),
        false => {
            let advice = suggest::advice(many, name, all);
            Err(file.error(key, format!("there is no {one} \"{name}\""), advice))
        }
    }
}

fn keyframes(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    let keyframes = &file.scene.keyframes;
    let names = keyframes.iter().map(|keyframe| keyframe.name.as_str());
    unique(file, "keyframe", "keyframes", names)?;
    for (index, keyframe) in keyframes.iter().enumerate() {
        for (number, body) in keyframe.bodies.iter().enumerate() {
            let key = format!("keyframes[{index}].bodies[{number}].body");
            match bodies.find(file, &key, &body.body)? {
                Role::Free | Role::Driven => {}
                Role::Fixed | Role::Link => {
                    let problem = format!("\"{}\" is neither free nor driven", body.body);
                    return Err(file.error(&key, problem, "name joints of robots instead"));
                }
            }
        }
        for (name, _) in &keyframe.controls {
            actuator(file, &format!("keyframes[{index}].controls"), name)?;
        }
    }
    Ok(())
}
