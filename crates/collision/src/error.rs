//! The one error type of this crate.

use thiserror::Error;

/// Everything a caller can do wrong, or a file can have wrong in it. Each variant names the offender.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CollisionError {
    /// A number that no shape, material or setting can have.
    #[error("{element}: {field} = {value} {reason}")]
    InvalidParameter {
        /// Name of the shape, material or collider.
        element: String,
        /// Which of its numbers.
        field: &'static str,
        /// The number as given.
        value: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A mesh that bounds no volume, or whose faces disagree.
    #[error("mesh \"{shape}\": {reason}")]
    InvalidMesh {
        /// Name of the shape.
        shape: String,
        /// Which face or edge, and why.
        reason: String,
    },
    /// A pose with NaN or infinite entries.
    #[error("frame {frame}: pose is not finite")]
    NonFinitePose {
        /// Index of the frame in the slice of poses.
        frame: usize,
    },
    /// A node with NaN or infinite coordinates.
    #[error("node {node}: position is not finite")]
    NonFiniteNode {
        /// Index of the node in the slice of positions.
        node: usize,
    },
    /// There are fewer frames, nodes or travels than the colliders need.
    #[error("collider \"{collider}\" needs {what} {index}, but only {given} were given")]
    MissingPlace {
        /// Name of the collider.
        collider: String,
        /// Frame, node or travel.
        what: &'static str,
        /// Which one.
        index: usize,
        /// How many came.
        given: usize,
    },
    /// Two colliders (or materials) with one name: ids could not persist.
    #[error("the name \"{name}\" is already taken")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// A name or index nobody has.
    #[error("unknown {what} \"{name}\"")]
    Unknown {
        /// What was looked for.
        what: &'static str,
        /// The name or index asked for.
        name: String,
    },
    /// Two shapes or colliders that cannot be tested against each other.
    #[error("no detection for \"{shape_a}\" ({kind_a}) against \"{shape_b}\" ({kind_b})")]
    UnsupportedPair {
        /// Name of the first shape.
        shape_a: String,
        /// Its kind.
        kind_a: &'static str,
        /// Name of the second shape.
        shape_b: String,
        /// Its kind.
        kind_b: &'static str,
    },
    /// More pairs of colliders, or of their parts, in one place than can be followed.
    #[error(
        "more than {most} pairs of shapes may touch at a time, \"{shape_a}\" and \"{shape_b}\" among them: they \
         lie in one place; spread them, or exclude pairs"
    )]
    Crowded {
        /// Name of one of the shapes.
        shape_a: String,
        /// Name of another.
        shape_b: String,
        /// The most there may be.
        most: usize,
    },
    /// A collider that asks for something its kind of geometry cannot do.
    #[error("collider \"{collider}\" ({kind}): {reason}")]
    UnsupportedCollider {
        /// Name of the collider.
        collider: String,
        /// Its kind of geometry.
        kind: &'static str,
        /// What is asked for in vain.
        reason: &'static str,
    },
    /// A file that could not be read or written, or whose content is not what it should be.
    #[error("file \"{path}\": {reason}")]
    File {
        /// The path or the name of the data.
        path: String,
        /// What is wrong.
        reason: String,
    },
}

/// Shorthand used by every constructor of this crate.
pub type Result<T> = std::result::Result<T, CollisionError>;

/// Refuses values that are not finite and strictly positive.
pub(crate) fn positive(element: &str, field: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(CollisionError::InvalidParameter {
            element: element.to_owned(),
            field,
            value,
            reason: "must be finite and positive",
        })
    }
}

/// Refuses values that are not finite or are negative.
pub(crate) fn non_negative(element: &str, field: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() && value >= 0.0 {
        Ok(value)
    } else {
        Err(CollisionError::InvalidParameter {
            element: element.to_owned(),
            field,
            value,
            reason: "must be finite and not negative",
        })
    }
}

/// Refuses NaN and infinities.
pub(crate) fn finite(element: &str, field: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(CollisionError::InvalidParameter {
            element: element.to_owned(),
            field,
            value,
            reason: "must be finite",
        })
    }
}
