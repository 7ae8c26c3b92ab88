//! What can be wrong with a problem, said with the element that is wrong.

use thiserror::Error;

/// Why a problem was refused. Every variant names the element and the reason.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A subsystem's matrix or vector is unusable.
    #[error("subsystem {subsystem}: {reason}")]
    Subsystem {
        /// Index of the subsystem, in the order of pushing.
        subsystem: usize,
        /// What is wrong and, where it is known, with which element.
        reason: String,
    },
    /// A body of a tree is unusable.
    #[error("subsystem {subsystem}, body {body}: {reason}")]
    Body {
        /// Index of the subsystem.
        subsystem: usize,
        /// Index of the body inside its tree.
        body: usize,
        /// What is wrong.
        reason: String,
    },
    /// A constraint's law or error term is unusable.
    #[error("constraint {constraint}: {field} = {value}: {reason}")]
    Constraint {
        /// Index of the constraint.
        constraint: usize,
        /// Which parameter.
        field: &'static str,
        /// The value that was given.
        value: f64,
        /// Why it is refused.
        reason: &'static str,
    },
    /// A Jacobian block is unusable.
    #[error("constraint {constraint}, term {term}: {reason}")]
    Term {
        /// Index of the constraint.
        constraint: usize,
        /// Index of the term inside the constraint.
        term: usize,
        /// What is wrong.
        reason: String,
    },
}
