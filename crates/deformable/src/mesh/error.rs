//! What can be wrong with a mesh, and where.

use nalgebra::Vector3;
use thiserror::Error;

use super::surface::SurfaceError;

/// What is wrong with a mesh, or with what it should be made of.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no tetrahedron.
    #[error("the mesh has no tetrahedron")]
    Empty,
    /// More nodes than can be numbered.
    #[error("the mesh has {nodes} nodes, more than can be numbered")]
    TooManyNodes {
        /// How many there are.
        nodes: usize,
    },
    /// A node that is nowhere.
    #[error("node {node} is at ({}, {}, {}) m, which is not finite", .place.x, .place.y, .place.z)]
    NotFinite {
        /// Number of the node.
        node: usize,
        /// Where it is, m.
        place: Vector3<f64>,
    },
    /// A tetrahedron names a node that does not exist.
    #[error("tetrahedron {tet} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Number of the tetrahedron.
        tet: usize,
        /// What it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// A tetrahedron is flat or turned inside out.
    #[error(
        "tetrahedron {tet} is {}: its volume is {volume:e} m³",
        if *.volume < 0.0 { "turned inside out" } else { "flat" }
    )]
    NotPositive {
        /// Number of the tetrahedron.
        tet: usize,
        /// Its volume, m³.
        volume: f64,
    },
    /// A node without mass.
    #[error("node {node} belongs to no tetrahedron; leave it out")]
    UnusedNode {
        /// Number of the node.
        node: usize,
    },
    /// More than two tetrahedra on a face.
    #[error(
        "tetrahedra {tets:?} overlap at the face of nodes {face:?}: it has one on either side at most"
    )]
    CrowdedFace {
        /// Nodes of the face.
        face: [u32; 3],
        /// Three of its tetrahedra, or two on the same side.
        tets: Vec<usize>,
    },
    /// A mesh of several pieces.
    #[error(
        "the mesh falls into pieces: no chain of common nodes joins tetrahedron {tet} near \
         ({}, {}, {}) m to tetrahedron 0; mesh each piece on its own, or choose smaller cells if \
         a wall thinner than about 1.5 cells was torn", .place.x, .place.y, .place.z
    )]
    Pieces {
        /// A tetrahedron of another piece than that of the first one.
        tet: usize,
        /// One of its nodes, m.
        place: Vector3<f64>,
    },
    /// A part of a filled body that hangs on by a node or an edge alone.
    #[error(
        "tetrahedron {tet} near ({}, {}, {}) m hangs on the rest by a node or an edge alone; choose \
         smaller cells: a wall thinner than about 1.5 cells was torn", .place.x, .place.y, .place.z
    )]
    Hinge {
        /// A tetrahedron of the part.
        tet: usize,
        /// One of its nodes, m.
        place: Vector3<f64>,
    },
    /// A length that is none.
    #[error("{what} is {value} m; it must be positive and finite")]
    BadLength {
        /// What it is the length of.
        what: &'static str,
        /// Its value, m.
        value: f64,
    },
    /// A number of cells that is none.
    #[error("{what} is zero; there must be at least one")]
    NoCells {
        /// What was counted.
        what: &'static str,
    },
    /// Too many cells for the memory.
    #[error(
        "cells of {size:e} m would be {cells:e} in number, and more than {} are refused; \
         choose larger cells",
        super::MOST_CELLS
    )]
    TooManyCells {
        /// Size of a cell, m.
        size: f64,
        /// How many there would be.
        cells: f64,
    },
    /// A signed distance that is no number.
    #[error("the signed distance at ({}, {}, {}) m is not a number", .place.x, .place.y, .place.z)]
    NoDistance {
        /// Where, m.
        place: Vector3<f64>,
    },
    /// A body that reaches out of the box it was said to be in.
    #[error(
        "the body reaches out of its bounding box: the signed distance at ({}, {}, {}) m is not \
         positive", .place.x, .place.y, .place.z
    )]
    OutOfBounds {
        /// A place outside of the box and inside of the body, m.
        place: Vector3<f64>,
    },
    /// No cell has a corner in the body.
    #[error("no corner of a cell of {size:e} m lies inside of the body; choose smaller cells")]
    NothingInside {
        /// Size of a cell, m.
        size: f64,
    },
    /// A triangle surface that bounds no body.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
}
