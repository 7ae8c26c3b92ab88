//! Names that tendons, actuators, sensors, keyframes and contact pairs use.

use std::collections::HashSet;

use super::super::SceneFile;
use super::super::actuator::ActuatorTarget;
use super::super::sensor::SensorKind;
use super::super::suggest;
use super::super::tendon::TendonPath;
use super::{Bodies, Role, Shapes, unique};
use crate::error::Result;

/// Refuses names that nobody has, or that two have.
pub(super) fn references(file: &SceneFile, bodies: &Bodies, shapes: &Shapes) -> Result<()> {
    contact_pairs(file, shapes)?;
    tendons(file, bodies)?;
    actuators(file, bodies)?;
    sensors(file, bodies)?;
    keyframes(file, bodies)
}

fn contact_pairs(file: &SceneFile, shapes: &Shapes) -> Result<()> {
    let scene = &file.scene;
    for (index, pair) in scene.contact_pairs.iter().enumerate() {
        let key = format!("contact_pairs[{index}].shapes");
        for name in &pair.shapes {
            if !shapes.names.contains(name) {
                let known = shapes.in_order.iter().map(String::as_str);
                let advice = suggest::advice("shapes", name, known);
                return Err(file.error(&key, format!("there is no shape \"{name}\""), advice));
            }
            if shapes.drawn.contains(name) {
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

/// The names of a list.
struct Names<'a> {
    what: &'a str,
    in_order: Vec<&'a str>,
    all: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn new(what: &'a str, names: impl Iterator<Item = &'a str>) -> Self {
        let in_order: Vec<&str> = names.collect();
        Self {
            what,
            all: in_order.iter().copied().collect(),
            in_order,
        }
    }

    fn of_tendons(file: &'a SceneFile) -> Self {
        let tendons = file.scene.tendons.iter();
        Self::new("tendon", tendons.map(|tendon| tendon.name.as_str()))
    }

    fn of_actuators(file: &'a SceneFile) -> Self {
        let actuators = file.scene.actuators.iter();
        Self::new("actuator", actuators.map(|actuator| actuator.name.as_str()))
    }

    /// A name must be in the list.
    fn find(&self, file: &SceneFile, key: &str, name: &str) -> Result<()> {
        if self.all.contains(name) {
            return Ok(());
        }
        let what = self.what;
        let names = self.in_order.iter().copied();
        let advice = suggest::advice(&format!("{what}s"), name, names);
        Err(file.error(key, format!("there is no {what} \"{name}\""), advice))
    }
}

fn actuators(file: &SceneFile, bodies: &Bodies) -> Result<()> {
    let actuators = &file.scene.actuators;
    let names = actuators.iter().map(|actuator| actuator.name.as_str());
    unique(file, "actuator", "actuators", names)?;
    let tendons = Names::of_tendons(file);
    for (index, description) in actuators.iter().enumerate() {
        match &description.target {
            ActuatorTarget::Joint { .. } => {}
            ActuatorTarget::Tendon(name) => {
                tendons.find(file, &format!("actuators[{index}].tendon"), name)?;
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
    let (tendons, actuators) = (Names::of_tendons(file), Names::of_actuators(file));
    for (index, sensor) in sensors.iter().enumerate() {
        let key = |part: &str| format!("sensors[{index}].{part}");
        match &sensor.kind {
            SensorKind::JointPosition { .. } | SensorKind::JointVelocity { .. } => {}
            SensorKind::TendonLength(name) | SensorKind::TendonVelocity(name) => {
                tendons.find(file, &key("tendon"), name)?;
            }
            SensorKind::ActuatorForce(name) => actuators.find(file, &key("actuator"), name)?,
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
    let actuators = Names::of_actuators(file);
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
            actuators.find(file, &format!("keyframes[{index}].controls"), name)?;
        }
    }
    Ok(())
}
