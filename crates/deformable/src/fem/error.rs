//! What a soft body refuses.

use thiserror::Error;

/// What is wrong with a soft body, its settings or what a step was given.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FemError {
    /// There is nothing to simulate.
    #[error("the mesh has no tetrahedra")]
    NoTets,
    /// More tetrahedra than places of contributions can be numbered.
    #[error("{tets} tetrahedra are too many")]
    TooManyTets {
        /// How many there are.
        tets: usize,
    },
    /// A node without mass.
    #[error("node {node} belongs to no tetrahedron")]
    LooseNode {
        /// Number of the node.
        node: usize,
    },
    /// A tetrahedron so thin that its shape cannot be inverted.
    #[error("tetrahedron {tet} is too thin to be an element")]
    TooThin {
        /// Number of the tetrahedron.
        tet: usize,
    },
    /// A number of a material that makes no sense.
    #[error("material {material}: {field} {value} {reason}")]
    BadMaterial {
        /// Number of the material.
        material: usize,
        /// Which number.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        reason: &'static str,
    },
    /// A tetrahedron names a material that does not exist.
    #[error("tetrahedron {tet} is of material {material}, but there are {materials}")]
    NoSuchMaterial {
        /// Number of the tetrahedron.
        tet: usize,
        /// What it names.
        material: usize,
        /// How many there are.
        materials: usize,
    },
    /// A node that does not exist is held or read.
    #[error("node {node} does not exist: there are {nodes} nodes")]
    NoSuchNode {
        /// What was named.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// An axis that is none of x, y, z.
    #[error("axis {axis} does not exist: 0, 1 and 2 are x, y and z")]
    NoSuchAxis {
        /// What was named.
        axis: usize,
    },
    /// A list of the wrong length.
    #[error("{what}: {found} numbers for {expected} degrees of freedom")]
    WrongLength {
        /// Which list.
        what: &'static str,
        /// How long it must be.
        expected: usize,
        /// How long it is.
        found: usize,
    },
    /// A number that is not finite.
    #[error("{what} of node {node} is {value}, not finite")]
    NotFinite {
        /// Which list.
        what: &'static str,
        /// Number of the node.
        node: usize,
        /// What it is.
        value: f64,
    },
    /// A setting that makes no sense.
    #[error("{field} {value} {reason}")]
    BadSetting {
        /// Which setting.
        field: &'static str,
        /// What it is.
        value: f64,
        /// What it must be.
        reason: &'static str,
    },
    /// θ = 1/2 gains energy with one linearization unless the Hessian majorizes.
    #[error(
        "theta 1/2 with Hessian policy `{policy}` and one linearization gains energy: take `maj`, \
         repeated linearization, or theta 0"
    )]
    ThetaNeedsMajorizing {
        /// The policy's name.
        policy: &'static str,
    },
    /// A policy that is known for co-rotational materials alone.
    #[error(
        "Hessian policy `{policy}` is one of co-rotational materials, but material {material} is neo-Hookean: \
         take `psd`, `K` or `exact`"
    )]
    PolicyNeedsCorotational {
        /// The policy's name.
        policy: &'static str,
        /// Number of the material.
        material: usize,
    },
    /// An element deformed beyond what numbers hold.
    #[error("tetrahedron {tet} is deformed beyond the range of numbers")]
    Overflow {
        /// Number of the tetrahedron.
        tet: usize,
    },
    /// A could not be factorised.
    #[error("A is not positive definite with Hessian policy `{policy}`")]
    NotPositiveDefinite {
        /// The policy's name.
        policy: &'static str,
    },
}
