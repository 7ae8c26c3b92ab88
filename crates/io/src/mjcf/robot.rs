//! The robot: everything of a file that has joints.

use std::collections::HashSet;

use nalgebra::{Isometry3, Translation3, Vector3};
use stiction_dynamics::{DofProperties, JointKind, WORLD};

use super::joint::{Joint, Kind};
use super::layout::{Role, motion};
use super::scene::Builder;
use crate::scene_file::{
    LinkDescription, MassDescription, RobotDescription, RobotFrameDescription,
    RobotJointDescription,
};

impl Builder<'_, '_> {
    pub(super) fn add_robot(&mut self) {
        let roles = self.layout.roles.iter().enumerate();
        let links: Vec<usize> = roles
            .filter(|&(_, &role)| role == Role::Link)
            .map(|(index, _)| index)
            .collect();
        if links.is_empty() {
            return;
        }
        self.scene.robots.push(RobotDescription {
            name: self.robot.clone(),
            skip_overlaps: false,
            base: Isometry3::identity(),
            links: Vec::new(),
            joints: Vec::new(),
            frames: Vec::new(),
            couplings: Vec::new(),
        });
        let root = self.context.root.place();
        self.places.insert("robots[0]".to_owned(), root);
        for index in links {
            self.add_link(index);
        }
        self.add_frames();
    }

    /// Sites of links, where nothing else has their name.
    fn add_frames(&mut self) {
        let robot = &mut self.scene.robots[0];
        let mut taken: HashSet<&str> = robot.links.iter().map(|link| link.name.as_str()).collect();
        taken.insert(WORLD);
        for site in &self.tree.sites {
            if self.layout.roles[site.body] == Role::Link
                && !site.name.is_empty()
                && taken.insert(&site.name)
            {
                let key = format!("robots[0].frames[{}]", robot.frames.len());
                self.places.insert(key, site.element.place());
                robot.frames.push(RobotFrameDescription {
                    name: site.name.clone(),
                    link: self.tree.bodies[site.body].name.clone(),
                    pose: site.pose,
                });
            }
        }
    }

    /// A link with the joints that carry it, from the parent on.
    ///
    /// The frame of a link is that of its joint. A joint about another point than the origin of its
    /// body, and every joint but the last of several, therefore ends in a link without mass, named
    /// `BODY:JOINT`.
    fn add_link(&mut self, index: usize) {
        let key = format!("robots[0].links[{}]", self.scene.robots[0].links.len());
        let shapes = self.shapes(&key, index, &[index]);
        let body = &self.tree.bodies[index];
        let is_on_link = self.layout.roles[body.parent] == Role::Link;
        self.places.insert(key, body.element.place());
        if body.joints.len() > 1 && is_on_link {
            // Neighbours don't touch, however many joints are between them, nor what is welded to them.
            let link = |&index: &usize| format!("{}/{}", self.robot, self.tree.bodies[index].name);
            let welded = |index: usize| &self.layout.welded[self.layout.weld_root[index]];
            let mut pairs = Vec::new();
            for a in welded(body.parent) {
                pairs.extend(welded(index).iter().map(|b| [link(a), link(b)]));
            }
            let element = body.element;
            pairs
                .into_iter()
                .for_each(|pair| self.exclude(pair, element));
        }
        let body = &self.tree.bodies[index];
        let parent = &self.tree.bodies[body.parent];
        let robot = &mut self.scene.robots[0];
        let mut add_link = |name: &str, mass, gravity_compensation, shapes| {
            robot.links.push(LinkDescription {
                name: name.to_owned(),
                mass,
                gravity_compensation,
                shapes,
            });
            format!("robots[0].links[{}]", robot.links.len() - 1)
        };
        add_link(
            &body.name,
            self.inertias[index].map(|inertia| MassDescription::Inertia(inertia.into())),
            body.gravity_compensation,
            shapes,
        );
        let mut add_joint = |joint: RobotJointDescription| {
            robot.joints.push(joint);
            format!("robots[0].joints[{}]", robot.joints.len() - 1)
        };
        // The link that carries the next joint, and the frame of the body as seen from it.
        let (mut carrier, mut frame) = match is_on_link {
            true => (parent.name.clone(), body.pose),
            false => (WORLD.to_owned(), self.layout.poses[index]),
        };
        for (number, joint) in body.joints.iter().enumerate() {
            let is_last = number + 1 == body.joints.len();
            let child = match is_last && joint.anchor == Vector3::zeros() {
                true => body.name.clone(),
                false => {
                    let name = format!("{}:{}", body.name, joint.name);
                    let key = add_link(&name, None, 0.0, Vec::new());
                    self.places.insert(key, joint.element.place());
                    name
                }
            };
            let key = add_joint(RobotJointDescription {
                name: joint.name.clone(),
                kind: kind(joint),
                parent: carrier,
                child: child.clone(),
                pose: match joint.kind {
                    Kind::Free => Isometry3::identity(),
                    _ => frame * Translation3::from(joint.anchor) * start(joint),
                },
                properties: joint.properties,
                initial: initial(joint, &self.layout.poses[index]),
                initial_velocity: Vec::new(),
            });
            self.places.insert(key, joint.element.place());
            frame = Isometry3::translation(-joint.anchor.x, -joint.anchor.y, -joint.anchor.z);
            carrier = child;
        }
        if carrier != body.name {
            let key = add_joint(RobotJointDescription {
                name: format!("{}:fixed", body.name),
                kind: JointKind::Fixed,
                parent: carrier,
                child: body.name.clone(),
                pose: frame,
                properties: DofProperties::default(),
                initial: Vec::new(),
                initial_velocity: Vec::new(),
            });
            self.places.insert(key, body.element.place());
        }
    }
}

fn kind(joint: &Joint<'_>) -> JointKind {
    match joint.kind {
        Kind::Free => JointKind::Free,
        Kind::Ball => JointKind::Spherical,
        Kind::Slide => JointKind::Prismatic { axis: joint.axis },
        Kind::Hinge => JointKind::Revolute { axis: joint.axis },
    }
}

/// The joint's frame at coordinate zero, seen from where the file describes it: −reference away.
fn start(joint: &Joint<'_>) -> Isometry3<f64> {
    match joint.reference == 0.0 {
        true => Isometry3::identity(),
        false => {
            let anchor = Translation3::from(joint.anchor);
            anchor.inverse() * motion(joint, 0.0) * anchor
        }
    }
}

/// Coordinates in the pose that the file describes; empty for the neutral ones.
fn initial(joint: &Joint<'_>, pose: &Isometry3<f64>) -> Vec<f64> {
    match joint.kind {
        Kind::Free => coordinates(pose).to_vec(),
        Kind::Ball => Vec::new(),
        Kind::Slide | Kind::Hinge if joint.reference == 0.0 => Vec::new(),
        Kind::Slide | Kind::Hinge => vec![joint.reference],
    }
}

/// Position and quaternion (x, y, z, w).
pub(super) fn coordinates(pose: &Isometry3<f64>) -> [f64; 7] {
    let p = pose.translation.vector;
    let q = pose.rotation.coords;
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w]
}
