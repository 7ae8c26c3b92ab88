//! Names and places of bodies and links.

use std::collections::HashMap;
use std::path::Path;

use nalgebra::Isometry3;
use stiction_dynamics::{Data, JointKind, WORLD, frame_placement, joint_jacobians};

use super::Inertias;
use crate::error::{IoError, Result};
use crate::scene_file::{BodyKind, RobotDescription, SceneDescription};
use crate::written;

/// The world among the keys of bodies: no body is called like this.
pub(super) const GROUND: &str = "";

/// Finds all masses.
pub(super) fn inertias(scene: &SceneDescription, folder: &Path) -> Result<Inertias> {
    let mut bodies = Vec::new();
    for body in &scene.bodies {
        bodies.push(match &body.kind {
            BodyKind::Free(mass) => Some(written::inertia(&body.name, mass, &body.shapes, folder)?),
            BodyKind::Fixed | BodyKind::Driven => None,
        });
    }
    let mut links = Vec::new();
    for robot in &scene.robots {
        let mut of_robot = Vec::new();
        for link in &robot.links {
            let name = format!("{}/{}", robot.name, link.name);
            let inertia = link.mass.as_ref();
            let inertia = inertia.map(|mass| written::inertia(&name, mass, &link.shapes, folder));
            of_robot.push(inertia.transpose()?);
        }
        links.push(of_robot);
    }
    Ok(Inertias { bodies, links })
}

/// Names in MJCF, and poses in the world.
pub(super) struct Places {
    names: HashMap<String, String>,
    /// Where MuJoCo has things before any coordinate is set.
    neutral: HashMap<String, Isometry3<f64>>,
    /// Where they start.
    start: HashMap<String, Isometry3<f64>>,
    /// Frames of robots: the link they are on, and their pose there.
    frames: HashMap<String, (String, Isometry3<f64>)>,
}

impl Places {
    pub(super) fn new(scene: &SceneDescription, inertias: &Inertias) -> Result<Self> {
        let mut out = Self {
            names: HashMap::new(),
            neutral: HashMap::new(),
            start: HashMap::new(),
            frames: HashMap::new(),
        };
        let clash = |robot: &RobotDescription| {
            let links = robot.links.iter();
            links
                .into_iter()
                .any(|link| scene.bodies.iter().any(|body| body.name == link.name))
        };
        // One robot needs no prefix.
        let plain = scene.robots.len() == 1 && !scene.robots.iter().any(clash);
        for body in &scene.bodies {
            let name = match body.name == WORLD {
                true => "world body".to_owned(),
                false => body.name.clone(),
            };
            out.names.insert(body.name.clone(), name);
            out.neutral.insert(body.name.clone(), body.pose);
            out.start.insert(body.name.clone(), body.pose);
        }
        for (robot, inertias) in scene.robots.iter().zip(&inertias.links) {
            let key = |name: &str| format!("{}/{name}", robot.name);
            out.names.insert(key(WORLD), WORLD.to_owned());
            out.names.insert(GROUND.to_owned(), WORLD.to_owned());
            for link in &robot.links {
                let name = match plain {
                    true => link.name.clone(),
                    false => key(&link.name),
                };
                out.names.insert(key(&link.name), name);
            }
            for frame in &robot.frames {
                let value = (key(&frame.link), frame.pose);
                out.frames.insert(key(&frame.name), value);
            }
            out.place(robot, inertias)?;
        }
        Ok(out)
    }

    /// Finds where the links of a robot are.
    fn place(
        &mut self,
        robot: &RobotDescription,
        inertias: &[Option<crate::scene_file::InertiaDescription>],
    ) -> Result<()> {
        let refuse = |error: stiction_dynamics::DynamicsError| IoError::File {
            file: robot.name.clone(),
            problem: error.to_string(),
        };
        let inertias: Vec<_> = inertias
            .iter()
            .map(|inertia| inertia.map(|inertia| inertia.to_inertia()))
            .collect();
        let model = robot.model(&inertias).build().map_err(refuse)?;
        let mut data = Data::new(&model);
        let neutral = model.neutral();
        let mut start = neutral.clone();
        for joint in &robot.joints {
            if let Some(info) = model.joint(&joint.name)
                && info.q.len() == joint.initial.len()
            {
                start[info.q.clone()].copy_from_slice(&joint.initial);
            }
        }
        for (q, poses) in [(neutral, &mut self.neutral), (start, &mut self.start)] {
            joint_jacobians(&model, &mut data, &q).map_err(refuse)?;
            let links = robot.links.iter().map(|link| link.name.as_str());
            for name in links.chain(robot.frames.iter().map(|frame| frame.name.as_str())) {
                let Some(frame) = model.frame_id(name) else {
                    continue;
                };
                let pose = frame_placement(&model, &data, frame).map_err(refuse)?;
                poses.insert(format!("{}/{name}", robot.name), pose.to_isometry());
            }
            poses.insert(format!("{}/{WORLD}", robot.name), robot.base);
        }
        Ok(())
    }

    /// Whether this is the name of a body or link, and not of a shape.
    pub(super) fn is_body(&self, name: &str) -> bool {
        self.names.contains_key(name) || name == GROUND
    }

    /// The name in MJCF.
    pub(super) fn name(&self, name: &str) -> String {
        self.names
            .get(name)
            .cloned()
            .unwrap_or_else(|| name.to_owned())
    }

    /// The body or link that a frame moves with, and its pose there. The world of a robot is the
    /// world, where the robot stands.
    pub(super) fn carrier(&self, name: &str) -> (String, Isometry3<f64>) {
        let (mut name, mut offset) = (name.to_owned(), Isometry3::identity());
        if let Some((link, pose)) = self.frames.get(&name) {
            (name, offset) = (link.clone(), *pose);
        }
        if self.name(&name) == WORLD {
            offset = self.start.get(&name).copied().unwrap_or_default() * offset;
            GROUND.clone_into(&mut name);
        }
        (name, offset)
    }

    /// Pose at the start.
    pub(super) fn start(&self, name: &str) -> Isometry3<f64> {
        self.start.get(name).copied().unwrap_or_default()
    }

    /// Pose before any coordinate is set.
    pub(super) fn neutral(&self, name: &str) -> Isometry3<f64> {
        self.neutral.get(name).copied().unwrap_or_default()
    }
}

/// Whether a link is fixed to the world through fixed joints alone.
pub(super) fn is_static(robot: &RobotDescription, link: &str) -> bool {
    let mut at = link;
    for _ in 0..=robot.joints.len() {
        if at == WORLD {
            return true;
        }
        match robot.joints.iter().find(|joint| joint.child == at) {
            Some(joint) if joint.kind == JointKind::Fixed => at = &joint.parent,
            _ => return false,
        }
    }
    false
}
