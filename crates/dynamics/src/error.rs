//! Everything that can go wrong, with the element, the value and the reason.

use thiserror::Error;

/// Result of this crate's fallible functions.
pub type Result<T> = std::result::Result<T, DynamicsError>;

/// Why a model was refused or an algorithm could not run.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum DynamicsError {
    /// Two elements of the same kind share a name.
    #[error("{kind} \"{name}\": the name is used twice")]
    DuplicateName {
        /// "body", "joint", "frame" or "coupling".
        kind: &'static str,
        /// The repeated name.
        name: String,
    },
    /// The name cannot be used for this element.
    #[error("{kind} \"{name}\": {reason}")]
    BadName {
        /// "body", "joint", "frame" or "coupling".
        kind: &'static str,
        /// The name.
        name: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// An element refers to something that does not exist.
    #[error("{kind} \"{name}\": {field} \"{target}\" does not exist")]
    UnknownReference {
        /// Kind of the referring element.
        kind: &'static str,
        /// Name of the referring element.
        name: String,
        /// Which reference: "parent body", "child body", "joint", …
        field: &'static str,
        /// What it refers to.
        target: String,
    },
    /// A body is the child of two joints.
    #[error("body \"{body}\": is the child of both joint \"{first}\" and joint \"{second}\"")]
    TwoParents {
        /// The body.
        body: String,
        /// The joint added first.
        first: String,
        /// The joint added second.
        second: String,
    },
    /// Following parents never reaches the world.
    #[error(
        "joints {} form a cycle that is not attached to the world",
        quoted(joints)
    )]
    Cycle {
        /// The joints of the cycle, from child to parent.
        joints: Vec<String>,
    },
    /// A body has no joint that leads to the world.
    #[error("body \"{body}\": no joint attaches it to another body or to the world")]
    Unattached {
        /// The body.
        body: String,
    },
    /// A motion that left the range of numbers.
    #[error("the motion is not finite")]
    NotFinite,
    /// A number of a joint is out of range.
    #[error("joint \"{joint}\": {field} = {value}: {reason}")]
    BadJoint {
        /// The joint.
        joint: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A mass or inertia is not that of a body that can move.
    #[error("body \"{body}\": {field} = {value}: {reason}")]
    BadInertia {
        /// The body.
        body: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A pose is not finite or its matrix is not a rotation.
    #[error("{kind} \"{name}\": placement: {reason} (defect {value})")]
    BadPlacement {
        /// "joint" or "frame".
        kind: &'static str,
        /// The element.
        name: String,
        /// How far the matrix is from a rotation; NaN when an entry is not finite.
        value: f64,
        /// Why it is refused.
        reason: &'static str,
    },
    /// Gravity is not finite.
    #[error("model \"{model}\": gravity component {axis} = {value} is not finite")]
    BadGravity {
        /// The model.
        model: String,
        /// 0, 1, 2 for x, y, z.
        axis: usize,
        /// Its value.
        value: f64,
    },
    /// A coupling between joints makes no sense.
    #[error("coupling \"{coupling}\": {field} = {value}: {reason}")]
    BadCoupling {
        /// The coupling.
        coupling: String,
        /// The field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A slice or matrix has the wrong size.
    #[error("{argument}: expected length {expected}, got {actual}")]
    WrongLength {
        /// The argument.
        argument: &'static str,
        /// The length the model asks for.
        expected: usize,
        /// The length given.
        actual: usize,
    },
    /// An index does not belong to the model.
    #[error("{kind} index {index} is out of range: the model has {count}")]
    UnknownIndex {
        /// "body" or "frame".
        kind: &'static str,
        /// The index.
        index: usize,
        /// Number of such elements.
        count: usize,
    },
    /// The quaternion of a joint has no direction.
    #[error("joint \"{joint}\": its quaternion has length zero or is not finite")]
    BadQuaternion {
        /// The joint.
        joint: String,
    },
    /// The inertia seen by a degree of freedom is not positive.
    #[error(
        "joint \"{joint}\": the inertia about degree of freedom {dof} is {value}, not positive; \
         the masses below the joint do not resist its motion, or an input is not finite"
    )]
    NotPositiveDefinite {
        /// The joint.
        joint: String,
        /// Index of the degree of freedom in the velocity vector.
        dof: usize,
        /// The pivot.
        value: f64,
    },
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Refuses a slice whose length is not the model's.
#[inline]
pub(crate) fn check_length(argument: &'static str, actual: usize, expected: usize) -> Result<()> {
    if actual == expected {
        Ok(())
    } else {
        Err(DynamicsError::WrongLength {
            argument,
            expected,
            actual,
        })
    }
}
