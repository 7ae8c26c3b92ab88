//! A robot as a whole: what of the scene goes along, its root, who follows whom.

use std::collections::{HashMap, HashSet};

use nalgebra::Isometry3;
use stiction_dynamics::{JointKind, WORLD};

use super::Writer;
use super::joint::{free_name, steps};
use crate::error::Result;
use crate::scene_file::{RobotDescription, RobotJointDescription, SceneDescription};

impl Writer<'_> {
    /// Notes what is beside the robot.
    pub(super) fn scene(&mut self, scene: &SceneDescription, body_written: bool) {
        let out = &mut self.left_out;
        let robots = scene.robots.len().saturating_sub(1);
        out.add_many(
            "robots",
            "a URDF file has one; the first is written",
            robots,
        );
        let bodies = scene.bodies.len() - usize::from(body_written);
        out.add_many(
            "bodies",
            "a URDF file has one robot and nothing else",
            bodies,
        );
        for (what, count) in [
            ("soft bodies", scene.soft.len()),
            ("rods", scene.rods.len()),
            ("joints between bodies", scene.joints.len()),
            ("controllers", scene.controllers.len()),
            ("pairs that never touch", scene.exclude.len()),
            ("contact pairs", scene.contact_pairs.len()),
            ("tendons", scene.tendons.len()),
            ("actuators", scene.actuators.len()),
            ("sensors", scene.sensors.len()),
            ("keyframes", scene.keyframes.len()),
        ] {
            out.add_many(what, "URDF has no word for them", count);
        }
        if scene.settings != Default::default() {
            out.add("settings", "URDF describes robots, not simulations");
        }
    }

    pub(super) fn robot(&mut self, robot: &RobotDescription) -> Result<()> {
        self.xml.begin("robot").attribute("name", &robot.name);
        let root = self.implied_root(robot);
        let stands_on_world = robot.frames.iter().any(|frame| frame.link == WORLD);
        if root.is_none() || stands_on_world {
            self.xml.begin("link").attribute("name", WORLD).end();
        }
        for link in &robot.links {
            self.link(link)?;
        }
        let mut taken: HashSet<&str> = robot.joints.iter().map(|joint| &*joint.name).collect();
        taken.extend(robot.links.iter().map(|link| &*link.name));
        let mut mimics = self.mimics(robot);
        for (index, joint) in robot.joints.iter().enumerate() {
            if root == Some(index) && !stands_on_world {
                continue;
            }
            let base = match joint.parent == WORLD {
                true => robot.base,
                false => Isometry3::identity(),
            };
            let steps = steps(joint, |name| taken.contains(name));
            self.joint(
                joint,
                &steps,
                base * joint.pose,
                mimics.remove(joint.name.as_str()),
            );
        }
        for frame in &robot.frames {
            let base = match frame.link == WORLD {
                true => robot.base,
                false => Isometry3::identity(),
            };
            self.xml.begin("link").attribute("name", &frame.name).end();
            let joint = free_name(&frame.name, |name| taken.contains(name));
            self.xml
                .begin("joint")
                .attribute("name", joint)
                .attribute("type", "fixed");
            self.ends(&frame.link, &frame.name);
            self.origin(&(base * frame.pose));
            self.xml.end();
        }
        self.xml.end();
        Ok(())
    }

    /// The joint that URDF implies between the world and the root, if there is just that.
    fn implied_root(&mut self, robot: &RobotDescription) -> Option<usize> {
        let is_root = |joint: &RobotJointDescription| joint.parent == WORLD;
        let mut roots = robot
            .joints
            .iter()
            .enumerate()
            .filter(|(_, joint)| is_root(joint));
        let (Some((index, joint)), None) = (roots.next(), roots.next()) else {
            return None;
        };
        let identity = robot.base * joint.pose == Isometry3::identity();
        match joint.kind {
            JointKind::Fixed => identity.then_some(index),
            JointKind::Free => {
                let reason = "URDF leaves it to the reader whether the root is free";
                self.left_out.add("the free base", reason);
                if !identity || !joint.initial.is_empty() {
                    self.left_out
                        .add("where the base starts", "URDF has no start positions");
                }
                Some(index)
            }
            _ => None,
        }
    }

    /// Couplings that say that one joint follows another: joint that follows, source, factor, offset.
    fn mimics(&mut self, robot: &RobotDescription) -> HashMap<String, (String, f64, f64)> {
        let mut mimics = HashMap::new();
        let single = |name: &str| {
            let joint = robot.joints.iter().find(|joint| joint.name == name);
            joint.is_some_and(|joint| {
                matches!(
                    joint.kind,
                    JointKind::Revolute { .. }
                        | JointKind::Continuous { .. }
                        | JointKind::Prismatic { .. }
                )
            })
        };
        for coupling in &robot.couplings {
            let said = match &coupling.terms[..] {
                [(follower, _, a), (source, _, b)]
                    if *a != 0.0
                        && single(follower)
                        && single(source)
                        && !mimics.contains_key(follower) =>
                {
                    let value = (source.clone(), -b / a, coupling.offset / a);
                    mimics.insert(follower.clone(), value);
                    true
                }
                _ => false,
            };
            if !said {
                let reason = "URDF can only let one joint with one coordinate follow another";
                self.left_out.add("couplings", reason);
            }
        }
        mimics
    }
}
