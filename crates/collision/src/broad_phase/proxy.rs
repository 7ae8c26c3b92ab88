//! What the broad phase sees of a collider.

use crate::aabb::Aabb;

/// One collider for the broad phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Proxy {
    /// A bounded shape's box.
    Box(Aabb),
    /// The half-space normal·x ≤ offset (unit normal): near everything that reaches it.
    HalfSpace {
        /// Unit outward normal.
        normal: nalgebra::Vector3<f64>,
        /// Offset along the normal, m.
        offset: f64,
    },
    /// Unbounded in some other way: near everything.
    Everywhere,
}
