//! Which bodies of a file become what: the world and what stands still, what a hand moves, free
//! bodies, and links of the robot.

use std::collections::HashMap;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion};

use super::Context;
use super::body::{Body, Tree};
use super::joint::{Joint, Kind};

/// What a body becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Stands still.
    Fixed,
    /// Moves with this body, which a hand moves.
    Driven(usize),
    /// Moves with this body, which nothing holds.
    Free(usize),
    /// A link of the robot.
    Link,
    /// A node of a soft body or string.
    Node,
}

/// What bodies become, and where they are in the pose that the file describes.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) roles: Vec<Role>,
    /// In the world.
    pub(super) poses: Vec<Isometry3<f64>>,
    /// The bodies that are part of each free or driven one, itself first.
    pub(super) members: HashMap<usize, Vec<usize>>,
    /// The body that each one without joints is welded to, through others too; itself where it has joints.
    pub(super) weld_root: Vec<usize>,
    /// The bodies with geoms that are welded to each of those, itself among them.
    pub(super) welded: Vec<Vec<usize>>,
}

impl Layout {
    pub(super) fn new(context: &Context<'_>, tree: &Tree<'_>) -> Self {
        let bodies = &tree.bodies;
        let mut roles = vec![Role::Fixed];
        let mut poses = vec![Isometry3::identity()];
        let free = free_bodies(bodies);
        for (index, body) in bodies.iter().enumerate().skip(1) {
            poses.push(poses[body.parent] * body.pose);
            if body.is_node {
                roles.push(Role::Node);
                continue;
            }
            roles.push(match (body.joints.is_empty(), roles[body.parent]) {
                (false, _) if free[index] => Role::Free(index),
                (false, Role::Driven(_)) => {
                    context.defaults.notes.ignore(
                        bodies[body.parent].element,
                        "<body mocap> with joints on it",
                        "the joints hang on the world, where the body is at the start",
                    );
                    Role::Link
                }
                (false, _) => Role::Link,
                (true, _) if body.is_mocap => Role::Driven(index),
                (true, role) => role,
            });
        }
        let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
        for (index, role) in roles.iter().enumerate() {
            if let Role::Free(root) | Role::Driven(root) = role {
                members.entry(*root).or_default().push(index);
            }
        }
        let mut weld_root: Vec<usize> = Vec::with_capacity(bodies.len());
        let mut welded = vec![Vec::new(); bodies.len()];
        for (index, body) in bodies.iter().enumerate() {
            let is_welded = index != 0 && body.joints.is_empty();
            let root = if is_welded {
                weld_root[body.parent]
            } else {
                index
            };
            weld_root.push(root);
            if !body.geoms.is_empty() {
                welded[root].push(index);
            }
        }
        Self {
            roles,
            poses,
            members,
            weld_root,
            welded,
        }
    }
}

/// Bodies that only a free joint holds, with nothing jointed on them. One with damping, friction
/// or armature, or with parts that gravity pulls differently, is left to the robot.
fn free_bodies(bodies: &[Body<'_>]) -> Vec<bool> {
    let mut root = vec![0; bodies.len()];
    let mut free = vec![false; bodies.len()];
    let others = bodies.iter().enumerate().skip(1);
    for (index, body) in others.filter(|(_, body)| !body.is_node) {
        let above = root[body.parent];
        root[index] = match (above, body.joints.is_empty()) {
            (0, true) => 0,
            (0, false) => index,
            (above, _) => above,
        };
        if root[index] == index {
            let is_bare = |joint: &Joint<'_>| {
                let p = &joint.properties;
                joint.kind == Kind::Free && [p.damping, p.armature, p.friction_loss] == [0.0; 3]
            };
            free[index] = body.joints.iter().all(is_bare);
        } else if root[index] != 0 {
            let of_root = bodies[root[index]].gravity_compensation;
            if !body.joints.is_empty() || body.gravity_compensation != of_root {
                free[root[index]] = false;
            }
        }
    }
    free
}

/// How a joint moves its body from where the file describes it, in the frame of the body.
pub(super) fn motion(joint: &Joint<'_>, coordinate: f64) -> Isometry3<f64> {
    let by = coordinate - joint.reference;
    match joint.kind {
        Kind::Slide => Isometry3::from_parts(
            Translation3::from(joint.axis * by),
            UnitQuaternion::identity(),
        ),
        Kind::Hinge => {
            let axis = Unit::new_unchecked(joint.axis);
            let turn = UnitQuaternion::from_axis_angle(&axis, by);
            let anchor = Translation3::from(joint.anchor);
            anchor * turn * anchor.inverse()
        }
        Kind::Ball | Kind::Free => Isometry3::identity(),
    }
}

/// Where bodies are when every hinge and slide is where its spring is slack.
pub(super) fn slack_poses(bodies: &[Body<'_>]) -> Vec<Isometry3<f64>> {
    let mut poses = vec![Isometry3::identity()];
    for body in &bodies[1..] {
        let mut pose = poses[body.parent] * body.pose;
        for joint in &body.joints {
            pose *= motion(joint, joint.properties.reference);
        }
        poses.push(pose);
    }
    poses
}
