//! The joints of a model, each with all that is known of it.

use std::ops::Range;

use super::{BodyId, DofProperties, FrameId, Model};
use crate::joint::JointKind;
use crate::spatial::Transform;

/// A joint of a model: what its description says of it, and where the model has it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointView<'a> {
    /// Its name.
    pub name: &'a str,
    /// How it moves.
    pub kind: &'a JointKind,
    /// Name of the body that it is mounted on, or `"world"`.
    pub parent: &'a str,
    /// Name of the body that it moves.
    pub child: &'a str,
    /// Pose of the joint frame in the parent body's frame.
    pub placement: &'a Transform,
    /// The body that it moves; for a fixed joint the body that its child is merged into.
    pub body: BodyId,
    /// Frame of the child.
    pub frame: FrameId,
    /// Its coordinates in the configuration vector q; empty for a fixed joint.
    pub q: Range<usize>,
    /// Its degrees of freedom in the velocity vector v; empty for a fixed joint.
    pub v: Range<usize>,
    /// Limits, losses and drive of each of its degrees of freedom.
    pub dofs: &'a [DofProperties],
}

impl Model {
    /// All joints, fixed ones too, in the order of the description.
    ///
    /// ```
    /// use stiction_dynamics::{DofProperties, Inertia, JointKind, ModelDescription, nalgebra::Vector3};
    ///
    /// let mut door = ModelDescription::new("door");
    /// door.add_body("leaf", Inertia::solid_box(20.0, Vector3::new(0.9, 0.04, 2.0)));
    /// let hinge = JointKind::Revolute { axis: Vector3::z() };
    /// let limits = DofProperties { lower: 0.0, upper: 1.8, ..Default::default() };
    /// door.add_joint("hinge", hinge, "world", "leaf").with_properties(limits);
    /// let model = door.build()?;
    /// let joint = model.joints().next().unwrap();
    /// assert_eq!((joint.name, joint.kind.word(), joint.parent), ("hinge", "revolute", "world"));
    /// assert_eq!((joint.v, joint.dofs[0].upper), (0..1, 1.8));
    /// # Ok::<(), stiction_dynamics::DynamicsError>(())
    /// ```
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointView<'_>> {
        let described = self.description.joints.iter();
        described.zip(&self.joints).map(|(joint, found)| JointView {
            name: &joint.name,
            kind: &joint.kind,
            parent: &joint.parent,
            child: &joint.child,
            placement: &joint.placement,
            body: found.body,
            frame: found.frame,
            q: found.q.clone(),
            v: found.v.clone(),
            dofs: &self.dofs[found.v.clone()],
        })
    }
}
