//! The kinematic tree: constant after it is built.

mod builder;
mod coupling;
mod description;
mod joint_view;
mod limit;
pub(crate) mod topology;
mod validate;

pub use coupling::{Coupling, CouplingTerm};
pub use description::{
    BodyDescription, CouplingDescription, DofProperties, FrameDescription, JointDescription,
    ModelDescription,
};
pub use joint_view::JointView;
pub use validate::ModelWarning;

use std::collections::HashMap;
use std::ops::Range;

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::error::{DynamicsError, Result};
use crate::joint::Joint;
use crate::spatial::{Inertia, Transform};
use topology::Topology;

/// Name of the immovable root of every model.
pub const WORLD: &str = "world";

/// A moving body of a model (index 1 and up) or the world (index 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BodyId(pub(crate) usize);

impl BodyId {
    /// The immovable world.
    pub const WORLD: BodyId = BodyId(0);

    /// Position in per-body arrays such as external forces; the world is 0.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A frame fixed to a body: a body of the description, or a frame added by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FrameId(pub(crate) usize);

impl FrameId {
    /// Position among the frames of the model; the world is 0.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A frame and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Name of the body or frame in the description.
    pub name: String,
    /// The moving body (or the world) it is fixed to.
    pub body: BodyId,
    /// Its pose in that body's frame.
    pub placement: Transform,
}

/// Where a joint of the description is found in the model.
#[derive(Clone, Debug, PartialEq)]
pub struct JointInfo {
    /// The body that the joint moves, or for a fixed joint the body its child is merged into.
    pub body: BodyId,
    /// Frame of the child body.
    pub frame: FrameId,
    /// Its coordinates in the configuration vector q; empty for a fixed joint.
    pub q: Range<usize>,
    /// Its degrees of freedom in the velocity vector v; empty for a fixed joint.
    pub v: Range<usize>,
}

/// One moving body with the joint that carries it: what the inner loops read.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) joint: Joint,
    /// Pose of the joint in the parent body's frame, at zero joint motion.
    pub(crate) placement: Transform,
    /// Inertia of the body and of everything fixed to it, in the body's frame.
    pub(crate) inertia: Inertia,
    /// Parent body index; the world is 0.
    pub(crate) parent: usize,
    pub(crate) q_start: usize,
    pub(crate) v_start: usize,
}

impl Link {
    #[inline(always)]
    pub(crate) fn q(&self) -> Range<usize> {
        self.q_start..self.q_start + self.joint.nq()
    }

    #[inline(always)]
    pub(crate) fn v(&self) -> Range<usize> {
        self.v_start..self.v_start + self.joint.nv()
    }
}

/// A robot, or several: bodies in depth-first order, so that a parent comes before its children
/// and every subtree is a contiguous range of bodies and of degrees of freedom.
///
/// Made by [`ModelDescription::build`]. It is saved and loaded as its description.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "ModelDescription", into = "ModelDescription")]
pub struct Model {
    pub(crate) description: ModelDescription,
    pub(crate) gravity: Vector3<f64>,
    /// Moving bodies; body i is `links[i - 1]`.
    pub(crate) links: Vec<Link>,
    pub(crate) link_names: Vec<String>,
    pub(crate) topology: Topology,
    pub(crate) world_inertia: Inertia,
    pub(crate) dofs: Vec<DofProperties>,
    /// Armature plus reflected rotor inertia of each degree of freedom (kg·m² or kg).
    pub(crate) armature: Vec<f64>,
    pub(crate) nq: usize,
    pub(crate) frames: Vec<Frame>,
    pub(crate) frame_by_name: HashMap<String, usize>,
    pub(crate) joints: Vec<JointInfo>,
    pub(crate) joint_by_name: HashMap<String, usize>,
    pub(crate) couplings: Vec<Coupling>,
    pub(crate) warnings: Vec<ModelWarning>,
}

impl Model {
    /// Name of the model.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// The description this model was built from.
    pub fn description(&self) -> &ModelDescription {
        &self.description
    }

    /// Acceleration of free fall (m/s²) in world axes, (0, 0, −9.81) unless set otherwise.
    pub fn gravity(&self) -> Vector3<f64> {
        self.gravity
    }

    /// Changes the acceleration of free fall (m/s², world axes).
    pub fn set_gravity(&mut self, gravity: Vector3<f64>) -> Result<()> {
        validate::gravity(self.name(), &gravity)?;
        self.gravity = gravity;
        self.description.gravity = gravity;
        Ok(())
    }

    /// Number of configuration coordinates.
    pub fn nq(&self) -> usize {
        self.nq
    }

    /// Number of degrees of freedom.
    pub fn nv(&self) -> usize {
        self.topology.dof_parent.len()
    }

    /// Number of moving bodies plus one for the world: the length of per-body arrays.
    pub fn n_bodies(&self) -> usize {
        self.links.len() + 1
    }

    /// All bodies, the world first.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.n_bodies()).map(BodyId)
    }

    /// Parent of a body; `None` for the world and for an unknown body.
    pub fn parent(&self, body: BodyId) -> Option<BodyId> {
        self.link(body).map(|link| BodyId(link.parent))
    }

    /// Name of a body: that of the description, or `"JOINT/cross"` for the massless cross of a
    /// universal joint.
    pub fn body_name(&self, body: BodyId) -> Option<&str> {
        match body.0 {
            0 => Some(WORLD),
            i => self.link_names.get(i - 1).map(String::as_str),
        }
    }

    /// Inertia of a body with everything fixed to it, in the body's frame; for the world, of what
    /// is fixed to the world.
    pub fn inertia(&self, body: BodyId) -> Option<&Inertia> {
        match body.0 {
            0 => Some(&self.world_inertia),
            i => self.links.get(i - 1).map(|link| &link.inertia),
        }
    }

    /// Degrees of freedom of the joint that carries a body, as a range in v.
    pub fn dofs_of_body(&self, body: BodyId) -> Option<Range<usize>> {
        self.link(body).map(Link::v)
    }

    /// Mass of all moving bodies (kg); what is fixed to the world is not counted.
    pub fn total_mass(&self) -> f64 {
        self.links.iter().map(|link| link.inertia.mass).sum()
    }

    /// The trees that hang on the world, each as its range of body indices. Trees share no degree
    /// of freedom: the mass matrix is block diagonal over them.
    pub fn trees(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (1..self.n_bodies())
            .filter(|&i| self.links[i - 1].parent == 0)
            .map(|i| i..self.topology.subtree_end[i])
    }

    /// Coordinates of a range of bodies that [`trees`](Self::trees) gave, as a range in q.
    pub fn coordinates_of(&self, tree: Range<usize>) -> Range<usize> {
        let bodies = tree.filter_map(|body| self.links.get(body.checked_sub(1)?));
        let ranges = bodies.map(Link::q);
        ranges
            .reduce(|all, one| all.start.min(one.start)..all.end.max(one.end))
            .unwrap_or(0..0)
    }

    /// The movable or fixed joint of that name.
    pub fn joint(&self, name: &str) -> Option<&JointInfo> {
        self.joint_by_name.get(name).map(|&i| &self.joints[i])
    }

    /// The frame of that name: a body of the description, an added frame, or `"world"`.
    pub fn frame_id(&self, name: &str) -> Option<FrameId> {
        self.frame_by_name.get(name).map(|&i| FrameId(i))
    }

    /// A frame by its id.
    pub fn frame(&self, id: FrameId) -> Result<&Frame> {
        self.frames.get(id.0).ok_or(DynamicsError::UnknownIndex {
            kind: "frame",
            index: id.0,
            count: self.frames.len(),
        })
    }

    /// All frames, the world first.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The moving body of that name; for a body merged by a fixed joint, the one it moves with.
    pub fn body_id(&self, name: &str) -> Option<BodyId> {
        self.frame_id(name).map(|id| self.frames[id.0].body)
    }

    /// Limits, friction, damping and rotor properties of each degree of freedom.
    pub fn dof_properties(&self) -> &[DofProperties] {
        &self.dofs
    }

    /// Armature plus reflected rotor inertia of each degree of freedom, the diagonal that RNEA,
    /// CRBA and ABA add to the mass matrix (kg·m² for turning, kg for sliding).
    pub fn armature(&self) -> &[f64] {
        &self.armature
    }

    /// Equality rows between joints (mimic and other couplings).
    pub fn couplings(&self) -> &[Coupling] {
        &self.couplings
    }

    /// What was found odd but accepted.
    pub fn warnings(&self) -> &[ModelWarning] {
        &self.warnings
    }

    fn link(&self, body: BodyId) -> Option<&Link> {
        body.0.checked_sub(1).and_then(|i| self.links.get(i))
    }

    /// Name of the joint that owns a degree of freedom.
    pub(crate) fn joint_name_of_dof(&self, dof: usize) -> String {
        let owner = self.joints.iter().zip(&self.description.joints);
        owner
            .filter(|(info, _)| info.v.contains(&dof))
            .map(|(_, joint)| joint.name.clone())
            .next()
            .unwrap_or_default()
    }
}

impl TryFrom<ModelDescription> for Model {
    type Error = DynamicsError;
    fn try_from(description: ModelDescription) -> Result<Self> {
        description.build()
    }
}

impl From<Model> for ModelDescription {
    fn from(model: Model) -> Self {
        model.description
    }
}
