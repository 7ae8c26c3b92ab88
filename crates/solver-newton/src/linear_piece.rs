//! What a Newton step sees of one constraint.

use nalgebra::{Matrix3, Vector3};

/// The linear relation that a function of (z, λ) becomes at a point: Δλ = −K J Δv̂ − f, with K symmetric and
/// positive semidefinite, and how far the point is from the law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearPiece {
    /// K in kg.
    pub(crate) stiffness: Matrix3<f64>,
    /// f in N·s: the change of λ at rest that would satisfy the relation, with its sign turned.
    pub(crate) force: Vector3<f64>,
    /// The function's value in m/s, for the line search.
    pub(crate) error: Vector3<f64>,
}
