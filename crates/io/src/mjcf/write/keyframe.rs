//! Keyframes: the start of the scene, and those it has.

use nalgebra::Isometry3;

use super::Writer;
use super::joint::{Owner, Slot, free};
use crate::scene_file::{KeyframeBody, KeyframeDescription};
use crate::xml::XmlWriter;

impl Writer<'_, '_> {
    /// The section with all keyframes.
    pub(super) fn keyframes(&mut self) -> String {
        let mut xml = XmlWriter::inside("keyframe");
        let scene = self.scene;
        let starts_moved = self.slots.iter().any(|slot| !slot.is_neutral());
        let starts_driven = self.controls.iter().any(|(_, control)| *control != 0.0);
        if starts_moved || starts_driven {
            let taken = |name: &str| scene.keyframes.iter().any(|key| key.name == name);
            let name = ["start", "start of the scene"]
                .into_iter()
                .find(|name| !taken(name));
            let start = KeyframeDescription {
                name: name.unwrap_or("").to_owned(),
                ..KeyframeDescription::default()
            };
            self.keyframe(&mut xml, &start);
        }
        for key in &scene.keyframes {
            self.keyframe(&mut xml, key);
        }
        xml.finish_section()
    }

    fn keyframe(&mut self, xml: &mut XmlWriter, key: &KeyframeDescription) {
        let (mut qpos, mut qvel) = (Vec::new(), Vec::new());
        let mut used = 0;
        for slot in &self.slots {
            let body = match &slot.owner {
                Owner::Body(name, _) => key.bodies.iter().find(|body| body.body == *name),
                Owner::Joint(..) => None,
            };
            let (q, v) = match body {
                Some(body) => {
                    used += 1;
                    of_body(slot, body)
                }
                None => of_joint(slot, key),
            };
            qpos.extend(q);
            qvel.extend(v);
        }
        let reason = "mocap bodies are placed by a program";
        self.left_out.add_many(
            "driven bodies in keyframes",
            reason,
            key.bodies.len() - used,
        );
        xml.begin("key");
        if !key.name.is_empty() {
            xml.attribute("name", &key.name);
        }
        xml.numbers("qpos", &qpos);
        if qvel.iter().any(|value| *value != 0.0) {
            xml.numbers("qvel", &qvel);
        }
        if !self.controls.is_empty() {
            let control = |(name, start): &(String, f64)| {
                let given = key.controls.iter().find(|(known, _)| known == name);
                given.map_or(*start, |(_, control)| *control)
            };
            let controls: Vec<f64> = self.controls.iter().map(control).collect();
            xml.numbers("ctrl", &controls);
        }
        xml.end();
    }
}

/// Coordinates of a joint, from the keyframe or else the start.
fn of_joint(slot: &Slot, key: &KeyframeDescription) -> (Vec<f64>, Vec<f64>) {
    let given = key
        .joints
        .iter()
        .find(|joint| slot.owner == Owner::Joint(joint.robot.clone(), joint.joint.clone()));
    match given {
        Some(joint) => slot.coordinates(&joint.position, &joint.velocity),
        None => slot.coordinates(&slot.q, &slot.v),
    }
}

/// Coordinates of a body: MuJoCo has the velocity of its origin, and the spin in its own axes.
fn of_body(slot: &Slot, body: &KeyframeBody) -> (Vec<f64>, Vec<f64>) {
    let center = match &slot.owner {
        Owner::Body(_, center) => *center,
        Owner::Joint(..) => Default::default(),
    };
    let pose: &Isometry3<f64> = &body.pose;
    let spin = body.angular_velocity;
    let linear = body.velocity - spin.cross(&(pose.rotation * center));
    let angular = pose.rotation.inverse() * spin;
    (
        free(pose),
        linear.iter().chain(angular.iter()).copied().collect(),
    )
}
