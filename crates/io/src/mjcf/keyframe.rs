//! `<keyframe>`: states by name.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};

use super::asset::exists;
use super::defaults::Attributes;
use super::joint::{Joint, Kind};
use super::layout::Role;
use super::robot::coordinates;
use super::scene::Builder;
use crate::error::Result;
use crate::scene_file::{
    BodyKind, KeyframeBody, KeyframeDescription, KeyframeJoint, MassDescription,
};
use crate::xml::Element;

impl<'a> Builder<'_, 'a> {
    /// `actuators` are the names of all actuators; `None` for those that are not done.
    pub(super) fn add_keyframes(&mut self, actuators: &[Option<String>]) -> Result<()> {
        let root = self.context.root;
        let keys = root.children_of("keyframe").flat_map(|section| {
            section.mark_read();
            section.children_of("key")
        });
        for (number, element) in keys.enumerate() {
            let keyframe = self.keyframe(element, number, actuators)?;
            let key = format!("keyframes[{}]", self.scene.keyframes.len());
            self.places.insert(key, element.place());
            self.scene.keyframes.push(keyframe);
        }
        Ok(())
    }

    fn keyframe(
        &self,
        element: &'a Element,
        number: usize,
        actuators: &[Option<String>],
    ) -> Result<KeyframeDescription> {
        let attributes = Attributes::plain(element, &self.context.defaults.notes);
        let name = match attributes.get("name") {
            Some(value) => value.text.to_owned(),
            None => format!("key-{number}"),
        };
        if self.scene.keyframes.iter().any(|other| other.name == name) {
            return Err(exists(element, "keyframe", &name));
        }
        let mut keyframe = KeyframeDescription {
            name,
            ..KeyframeDescription::default()
        };
        attributes.report_unless("time", &[0.0])?;
        if let Some(value) = attributes.get("act") {
            let numbers = value.list(0..=usize::MAX)?;
            if numbers.iter().any(|&number| number != 0.0) {
                attributes.notes.ignore_attribute(element, "act");
            }
        }
        let joints = || {
            self.tree
                .bodies
                .iter()
                .enumerate()
                .flat_map(|(index, body)| body.joints.iter().map(move |joint| (index, joint)))
        };
        let (nq, nv) = joints().fold((0, 0), |(nq, nv), (_, joint)| {
            let (q, v) = joint.kind.sizes();
            (nq + q, nv + v)
        });
        let list = |name: &'static str, n: usize| -> Result<Option<Vec<f64>>> {
            let value = attributes
                .get(name)
                .filter(|value| !value.text.trim().is_empty());
            value.map(|value| value.list(n..=n)).transpose()
        };
        let (qpos, qvel) = (list("qpos", nq)?, list("qvel", nv)?);
        if qpos.is_some() || qvel.is_some() {
            let (mut q_start, mut v_start) = (0, 0);
            for (body, joint) in joints() {
                let (q_size, v_size) = joint.kind.sizes();
                let q = match &qpos {
                    Some(qpos) => qpos[q_start..q_start + q_size].to_vec(),
                    None => described(joint, &self.layout.poses[body]),
                };
                let v = qvel.as_ref().map(|qvel| &qvel[v_start..v_start + v_size]);
                self.add_state(&mut keyframe, body, joint, &q, v);
                (q_start, v_start) = (q_start + q_size, v_start + v_size);
            }
        }
        self.add_mocap(&attributes, &mut keyframe)?;
        if let Some(controls) = list("ctrl", actuators.len())? {
            let named = actuators.iter().zip(controls);
            keyframe.controls = named
                .filter_map(|(name, control)| Some((name.clone()?, control)))
                .collect();
        }
        Ok(keyframe)
    }

    /// The state of one joint, in MuJoCo's conventions, as the scene has it: quaternions (x, y, z,
    /// w), and the velocity of a free link in its own axes, that of a free body at its centre of
    /// mass in world axes.
    fn add_state(
        &self,
        keyframe: &mut KeyframeDescription,
        body: usize,
        joint: &Joint<'a>,
        q: &[f64],
        v: Option<&[f64]>,
    ) {
        if self.layout.roles[body] == Role::Node {
            return;
        }
        let (mut position, mut velocity) = (q.to_vec(), v.unwrap_or(&[]).to_vec());
        match joint.kind {
            Kind::Slide | Kind::Hinge => {}
            Kind::Ball => {
                let q = quaternion(q);
                position = vec![q.i, q.j, q.k, q.w];
            }
            Kind::Free => {
                let pose = pose_of(q);
                let (linear, angular) = match v {
                    Some(v) => (
                        Vector3::new(v[0], v[1], v[2]),
                        Vector3::new(v[3], v[4], v[5]),
                    ),
                    None => (Vector3::zeros(), Vector3::zeros()),
                };
                if let Role::Free(root) = self.layout.roles[body] {
                    let angular = pose.rotation * angular;
                    let center = pose.rotation * self.center_of(root);
                    keyframe.bodies.push(KeyframeBody {
                        body: self.tree.bodies[root].name.clone(),
                        pose,
                        velocity: linear + angular.cross(&center),
                        angular_velocity: angular,
                    });
                    return;
                }
                position = coordinates(&pose).to_vec();
                if v.is_some() {
                    let linear = pose.rotation.inverse() * linear;
                    velocity = linear.iter().chain(angular.iter()).copied().collect();
                }
            }
        }
        keyframe.joints.push(KeyframeJoint {
            robot: self.robot.clone(),
            joint: joint.name.clone(),
            position,
            velocity,
        });
    }

    /// Centre of mass of a free body in its frame.
    fn center_of(&self, root: usize) -> Vector3<f64> {
        let name = &self.tree.bodies[root].name;
        let body = self.scene.bodies.iter().find(|body| &body.name == name);
        match body.map(|body| body.kind) {
            Some(BodyKind::Free(MassDescription::Inertia(inertia))) => inertia.center,
            _ => Vector3::zeros(),
        }
    }

    /// Where a hand holds the bodies that it moves.
    fn add_mocap(
        &self,
        attributes: &Attributes<'a>,
        keyframe: &mut KeyframeDescription,
    ) -> Result<()> {
        let moved: Vec<usize> = (1..self.tree.bodies.len())
            .filter(|&index| self.layout.roles[index] == Role::Driven(index))
            .collect();
        let mut poses: Vec<Isometry3<f64>> = moved
            .iter()
            .map(|&index| self.layout.poses[index])
            .collect();
        let (mpos, mquat) = (attributes.get("mpos"), attributes.get("mquat"));
        if mpos.is_none() && mquat.is_none() {
            return Ok(());
        }
        if let Some(value) = mpos {
            let numbers = value.list(3 * moved.len()..=3 * moved.len())?;
            for (pose, p) in poses.iter_mut().zip(numbers.chunks_exact(3)) {
                pose.translation = Translation3::new(p[0], p[1], p[2]);
            }
        }
        if let Some(value) = mquat {
            let numbers = value.list(4 * moved.len()..=4 * moved.len())?;
            for (pose, q) in poses.iter_mut().zip(numbers.chunks_exact(4)) {
                pose.rotation = quaternion(q);
            }
        }
        for (index, pose) in moved.into_iter().zip(poses) {
            keyframe.bodies.push(KeyframeBody {
                body: self.tree.bodies[index].name.clone(),
                pose,
                velocity: Vector3::zeros(),
                angular_velocity: Vector3::zeros(),
            });
        }
        Ok(())
    }
}

/// Coordinates in the pose that the file describes, in MuJoCo's order.
fn described(joint: &Joint<'_>, pose: &Isometry3<f64>) -> Vec<f64> {
    match joint.kind {
        Kind::Slide | Kind::Hinge => vec![joint.reference],
        Kind::Ball => vec![1.0, 0.0, 0.0, 0.0],
        Kind::Free => {
            let [x, y, z, i, j, k, w] = coordinates(pose);
            vec![x, y, z, w, i, j, k]
        }
    }
}

/// From (w, x, y, z), normalised; one of length zero is no turn, as in MuJoCo.
fn quaternion(q: &[f64]) -> UnitQuaternion<f64> {
    let q = Quaternion::new(q[0], q[1], q[2], q[3]);
    UnitQuaternion::try_new(q, 1e-12).unwrap_or_else(UnitQuaternion::identity)
}

fn pose_of(q: &[f64]) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::new(q[0], q[1], q[2]), quaternion(&q[3..7]))
}
