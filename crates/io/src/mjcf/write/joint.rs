//! Joints of robots as joints of MuJoCo, and their coordinates.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use stiction_dynamics::{DofProperties, JointKind, WORLD};

use super::Writer;
use crate::scene_file::RobotJointDescription;
use crate::xml::XmlWriter;

/// A limit that no joint reaches, where a file must have one.
const FAR: f64 = 1e9;

/// A joint or free body, whose coordinates come next in MuJoCo's list.
pub(super) struct Slot {
    pub(super) owner: Owner,
    /// Pose of the joint in the world, for joints that move freely in it.
    pub(super) placed: Isometry3<f64>,
    pub(super) kind: JointKind,
    /// Coordinates at the start, as in the scene.
    pub(super) q: Vec<f64>,
    /// Velocities at the start, as in the scene.
    pub(super) v: Vec<f64>,
}

/// Whose coordinates.
#[derive(PartialEq)]
pub(super) enum Owner {
    /// A body, with its centre of mass in its frame.
    Body(String, Vector3<f64>),
    /// Robot and joint.
    Joint(String, String),
}

impl Slot {
    /// Whether anything is other than MuJoCo assumes without a keyframe.
    pub(super) fn is_neutral(&self) -> bool {
        let moved = !self.q.is_empty() && self.q != neutral(&self.kind);
        let is_joint = matches!(self.owner, Owner::Joint(..));
        !(moved && is_joint) && self.v.iter().all(|value| *value == 0.0)
    }

    /// Coordinates and velocities as MuJoCo counts them.
    pub(super) fn coordinates(&self, q: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let neutral = neutral(&self.kind);
        let q = if q.len() == neutral.len() {
            q
        } else {
            &neutral
        };
        let rest = vec![0.0; self.kind.nv()];
        let v = if v.len() == rest.len() { v } else { &rest };
        match &self.kind {
            JointKind::Helical { pitch, .. } => {
                (vec![q[0], pitch * q[0]], vec![v[0], pitch * v[0]])
            }
            // Ours moves in the axes of the body, MuJoCo's in those of the plane.
            JointKind::Planar { .. } => {
                let (sin, cos) = q[2].sin_cos();
                let along = [cos * v[0] - sin * v[1], sin * v[0] + cos * v[1]];
                (q.to_vec(), vec![along[0], along[1], v[2]])
            }
            JointKind::Spherical => (vec![q[3], q[0], q[1], q[2]], v.to_vec()),
            JointKind::Free => {
                let pose = self.placed * pose(q);
                let linear = pose.rotation * Vector3::new(v[0], v[1], v[2]);
                (free(&pose), linear.iter().chain(&v[3..]).copied().collect())
            }
            _ => (q.to_vec(), v.to_vec()),
        }
    }
}

/// Position and quaternion (w, x, y, z).
pub(super) fn free(pose: &Isometry3<f64>) -> Vec<f64> {
    let p = pose.translation.vector;
    let q = pose.rotation;
    vec![p.x, p.y, p.z, q.w, q.i, q.j, q.k]
}

/// The pose of seven coordinates.
fn pose(q: &[f64]) -> Isometry3<f64> {
    let rotation = Quaternion::new(q[6], q[3], q[4], q[5]);
    Isometry3::from_parts(
        Translation3::new(q[0], q[1], q[2]),
        UnitQuaternion::new_normalize(rotation),
    )
}

/// The coordinates of a joint that is at rest.
fn neutral(kind: &JointKind) -> Vec<f64> {
    let mut q = vec![0.0; kind.nq()];
    if matches!(kind, JointKind::Spherical | JointKind::Free)
        && let Some(w) = q.last_mut()
    {
        *w = 1.0;
    }
    q
}

/// The name of the MuJoCo joint that carries a coordinate.
pub(super) fn component_name(joint: &RobotJointDescription, prefix: &str, at: usize) -> String {
    let name = format!("{prefix}{}", joint.name);
    match (&joint.kind, at) {
        (JointKind::Cylindrical { .. }, 0) => format!("{name} slide"),
        (JointKind::Cylindrical { .. }, _) => format!("{name} turn"),
        (JointKind::Universal { .. }, 0) => format!("{name} first"),
        (JointKind::Universal { .. }, _) => format!("{name} second"),
        (JointKind::Planar { .. }, 0) => format!("{name} x"),
        (JointKind::Planar { .. }, 1) => format!("{name} y"),
        _ => name,
    }
}

impl Writer<'_, '_> {
    /// What the names of a robot's joints begin with: nothing where there is one robot.
    pub(super) fn joint_prefix(&self, robot: &str) -> String {
        match self.scene.robots.len() {
            1 => String::new(),
            _ => format!("{robot}/"),
        }
    }

    /// The name of a joint with one coordinate, or of a coordinate.
    pub(super) fn joint_name(&self, robot: &str, joint: &str, component: usize) -> String {
        let prefix = self.joint_prefix(robot);
        let robot = self.scene.robots.iter().find(|known| known.name == robot);
        let found = robot.and_then(|robot| robot.joints.iter().find(|known| known.name == joint));
        match found {
            Some(found) => component_name(found, &prefix, component),
            None => format!("{prefix}{joint}"),
        }
    }

    /// Writes the joints of a link.
    pub(super) fn joint(
        &mut self,
        xml: &mut XmlWriter,
        robot: &str,
        joint: &RobotJointDescription,
        base: &Isometry3<f64>,
    ) {
        if joint.kind == JointKind::Fixed {
            return;
        }
        let prefix = self.joint_prefix(robot);
        let name = |at: usize| component_name(joint, &prefix, at);
        let plain = DofProperties::default();
        let own = &joint.properties;
        let at_root = joint.parent == WORLD;
        if own.velocity_limit.is_finite() {
            self.left_out
                .add("speed limits of joints", "MuJoCo has none");
        }
        match &joint.kind {
            JointKind::Revolute { axis } => one(xml, "hinge", &name(0), axis, own, true),
            JointKind::Continuous { axis } => one(xml, "hinge", &name(0), axis, own, false),
            JointKind::Prismatic { axis } => one(xml, "slide", &name(0), axis, own, true),
            JointKind::Helical { axis, pitch } => {
                let (turn, slide) = (name(0), format!("{} slide", name(0)));
                one(xml, "hinge", &turn, axis, own, true);
                one(xml, "slide", &slide, axis, &plain, false);
                self.equalities
                    .begin("joint")
                    .attribute("joint1", slide)
                    .attribute("joint2", turn)
                    .numbers("polycoef", &[0.0, *pitch, 0.0, 0.0, 0.0])
                    .end();
            }
            JointKind::Cylindrical { axis } => {
                one(xml, "slide", &name(0), axis, own, false);
                one(xml, "hinge", &name(1), axis, own, false);
            }
            JointKind::Universal {
                first_axis,
                second_axis,
            } => {
                one(xml, "hinge", &name(0), first_axis, own, true);
                one(xml, "hinge", &name(1), second_axis, own, true);
            }
            JointKind::Planar { normal } => {
                // The same directions as in the dynamics: z turned to the normal the shortest way.
                let turn =
                    UnitQuaternion::rotation_between(&Vector3::z(), normal).unwrap_or_else(|| {
                        let half = std::f64::consts::PI;
                        UnitQuaternion::from_axis_angle(&Vector3::x_axis(), half)
                    });
                one(xml, "slide", &name(0), &(turn * Vector3::x()), own, false);
                one(xml, "slide", &name(1), &(turn * Vector3::y()), own, false);
                one(xml, "hinge", &name(2), normal, own, false);
            }
            JointKind::Spherical => {
                xml.begin("joint")
                    .attribute("name", name(0))
                    .attribute("type", "ball");
                losses(xml, own);
                xml.end();
            }
            JointKind::Free if at_root => {
                xml.begin("freejoint").attribute("name", name(0)).end();
            }
            JointKind::Free => {
                for (axis, letter) in [Vector3::x(), Vector3::y(), Vector3::z()]
                    .iter()
                    .zip("xyz".chars())
                {
                    one(
                        xml,
                        "slide",
                        &format!("{} {letter}", name(0)),
                        axis,
                        own,
                        false,
                    );
                }
                xml.begin("joint")
                    .attribute("name", name(0))
                    .attribute("type", "ball");
                losses(xml, own);
                xml.end();
            }
            _ => self
                .left_out
                .add("joints of unknown kinds", "are written as fixed"),
        }
        self.slots.push(Slot {
            owner: Owner::Joint(robot.to_owned(), joint.name.clone()),
            placed: match at_root {
                true => base * joint.pose,
                false => Isometry3::identity(),
            },
            kind: joint.kind.clone(),
            q: joint.initial.clone(),
            v: joint.initial_velocity.clone(),
        });
    }
}

/// A joint with one coordinate.
fn one(
    xml: &mut XmlWriter,
    word: &str,
    name: &str,
    axis: &Vector3<f64>,
    own: &DofProperties,
    ranged: bool,
) {
    xml.begin("joint")
        .attribute("name", name)
        .attribute("type", word)
        .numbers("axis", axis.iter());
    if ranged && (own.lower.is_finite() || own.upper.is_finite()) {
        // A file gives both sides, and they differ.
        let (lower, upper) = (own.lower.max(-FAR), own.upper.min(FAR));
        let upper = if upper > lower { upper } else { lower + 1e-9 };
        xml.numbers("range", &[lower, upper]);
    }
    if own.effort_limit.is_finite() {
        xml.numbers("actuatorfrcrange", &[-own.effort_limit, own.effort_limit]);
    }
    xml.unless("stiffness", own.stiffness, 0.0);
    xml.unless("springref", own.reference, 0.0);
    losses(xml, own);
    xml.end();
}

fn losses(xml: &mut XmlWriter, own: &DofProperties) {
    xml.unless("damping", own.damping, 0.0)
        .unless("frictionloss", own.friction_loss, 0.0)
        .unless("armature", own.total_armature(), 0.0);
}
