//! Bodies and links.

use nalgebra::{Isometry3, Vector3};
use stiction_dynamics::{JointKind, WORLD};

use super::joint::{Owner, Slot};
use super::{Writer, place};
use crate::error::Result;
use crate::scene_file::{BodyKind, InertiaDescription, RobotDescription};
use crate::written;
use crate::xml::XmlWriter;

/// Mass and inertia of links without, which MuJoCo does not let move: kg and kg·m².
const HARDLY_ANY: [f64; 2] = [1e-9, 1e-12];

impl Writer<'_, '_> {
    /// The section with all bodies.
    pub(super) fn bodies(&mut self) -> Result<String> {
        let mut xml = XmlWriter::inside("worldbody");
        self.write_sites(&mut xml, place::GROUND);
        let scene = self.scene;
        for (index, body) in scene.bodies.iter().enumerate() {
            xml.begin("body")
                .attribute("name", self.body_name(&body.name));
            if body.kind == BodyKind::Driven {
                xml.attribute("mocap", "true");
                if body.velocity != Vector3::zeros() || body.angular_velocity != Vector3::zeros() {
                    let reason = "MuJoCo's mocap bodies are placed, not driven";
                    self.left_out.add("velocities of driven bodies", reason);
                }
            }
            xml.unless("gravcomp", body.gravity_compensation, 0.0);
            pose(&mut xml, &body.pose);
            let is_free = matches!(body.kind, BodyKind::Free(_));
            if is_free {
                let name = format!("{} free", self.body_name(&body.name));
                xml.begin("freejoint").attribute("name", name).end();
                let inertia = self.inertias.bodies[index];
                self.inertial(&mut xml, inertia);
                let center = inertia.map_or_else(Vector3::zeros, |inertia| inertia.center);
                // As the dynamics have it: the velocity of the origin, both in the body's axes.
                let turn = body.pose.rotation.inverse();
                let spin = body.angular_velocity;
                let origin = body.velocity - spin.cross(&(body.pose.rotation * center));
                let (linear, angular) = (turn * origin, turn * spin);
                self.slots.push(Slot {
                    owner: Owner::Body(body.name.clone(), center),
                    placed: body.pose,
                    kind: JointKind::Free,
                    q: Vec::new(),
                    v: linear.iter().chain(angular.iter()).copied().collect(),
                });
            }
            self.geoms(&mut xml, &body.name, &body.shapes, body.color, !is_free)?;
            self.write_sites(&mut xml, &body.name);
            xml.end();
        }
        for (index, robot) in scene.robots.iter().enumerate() {
            self.children(&mut xml, robot, index, WORLD)?;
        }
        Ok(xml.finish_section())
    }

    /// Writes the links that a link carries, and those on them.
    fn children(
        &mut self,
        xml: &mut XmlWriter,
        robot: &RobotDescription,
        index: usize,
        parent: &str,
    ) -> Result<()> {
        for joint in robot.joints.iter().filter(|joint| joint.parent == parent) {
            let found = robot
                .links
                .iter()
                .enumerate()
                .find(|(_, link)| link.name == joint.child);
            let Some((number, link)) = found else {
                continue;
            };
            let key = format!("{}/{}", robot.name, link.name);
            xml.begin("body").attribute("name", self.body_name(&key));
            xml.unless("gravcomp", link.gravity_compensation, 0.0);
            let base = match parent == WORLD {
                true => robot.base,
                false => Isometry3::identity(),
            };
            pose(xml, &(base * joint.pose));
            self.joint(xml, &robot.name, joint, &base);
            let inertia = self.inertias.links[index][number];
            let moves = joint.kind != JointKind::Fixed;
            if inertia.is_some() || moves {
                self.inertial(xml, inertia);
            }
            let is_static = place::is_static(robot, &link.name);
            // MuJoCo lets a link touch a parent that never moves.
            if parent != WORLD && moves && place::is_static(robot, parent) {
                let parent = self.body_name(&format!("{}/{parent}", robot.name));
                let child = self.body_name(&key);
                self.excluded.push([parent, child]);
            }
            self.geoms(xml, &key, &link.shapes, None, is_static)?;
            self.write_sites(xml, &key);
            self.children(xml, robot, index, &link.name)?;
            xml.end();
        }
        Ok(())
    }

    fn inertial(&mut self, xml: &mut XmlWriter, inertia: Option<InertiaDescription>) {
        xml.begin("inertial");
        match inertia {
            Some(inertia) => {
                let i = &inertia.about_center;
                self.balance |= !written::is_real(i);
                xml.numbers("pos", inertia.center.iter())
                    .numbers("mass", [&inertia.mass])
                    .numbers("fullinertia", &[i.xx, i.yy, i.zz, i.xy, i.xz, i.yz]);
            }
            None => {
                let reason = "MuJoCo wants a mass of everything that moves; 1e-9 kg are written";
                self.left_out.add("links without mass", reason);
                let [mass, moment] = HARDLY_ANY;
                xml.numbers("pos", &[0.0; 3])
                    .numbers("mass", [&mass])
                    .numbers("diaginertia", &[moment; 3]);
            }
        }
        xml.end();
    }

    fn write_sites(&self, xml: &mut XmlWriter, body: &str) {
        for (name, at) in self.sites.get(body).into_iter().flatten() {
            xml.begin("site").attribute("name", name);
            pose(xml, at);
            xml.end();
        }
    }
}

/// Position and rotation of an element.
pub(super) fn pose(xml: &mut XmlWriter, pose: &Isometry3<f64>) {
    if pose.translation.vector != Vector3::zeros() {
        xml.numbers("pos", pose.translation.vector.iter());
    }
    let q = pose.rotation;
    if q != Default::default() {
        xml.numbers("quat", &[q.w, q.i, q.j, q.k]);
    }
}
