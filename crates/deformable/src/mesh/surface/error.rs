//! What can be wrong with a surface, and where.

use nalgebra::Vector3;
use thiserror::Error;

/// Why a triangle surface bounds no body. Numbers are those of the input.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// There is no triangle.
    #[error("the surface has no triangle")]
    Empty,
    /// More than can be numbered.
    #[error(
        "the surface has {triangles} triangles and {vertices} vertices, more than can be numbered"
    )]
    TooLarge {
        /// Number of triangles.
        triangles: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// A vertex that is nowhere.
    #[error("vertex {vertex} of the surface is at ({}, {}, {}) m, which is not finite", .place.x, .place.y, .place.z)]
    NotFinite {
        /// Number of the vertex.
        vertex: usize,
        /// Where it is, m.
        place: Vector3<f64>,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are {vertices} vertices")]
    NoSuchVertex {
        /// Number of the triangle.
        triangle: usize,
        /// What it names.
        vertex: u32,
        /// How many there are.
        vertices: usize,
    },
    /// A triangle without area.
    #[error(
        "triangle {triangle} has no area: its corners lie on a line; join them or leave it out"
    )]
    Flat {
        /// Number of the triangle.
        triangle: usize,
    },
    /// An edge that one triangle alone has.
    #[error(
        "the surface is open: the edge of vertices {} and {} belongs to triangle {triangle} alone",
        .edge[0], .edge[1]
    )]
    Open {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Its triangle.
        triangle: usize,
    },
    /// Neighbours of which one is turned over.
    #[error(
        "triangles {} and {} run against each other at the edge of vertices {} and {}; turn one over",
        .triangles[0], .triangles[1], .edge[0], .edge[1]
    )]
    TurnedOver {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// Its triangles.
        triangles: [usize; 2],
    },
    /// An edge with more than two triangles.
    #[error(
        "the surface touches itself: {} triangles meet at the edge of vertices {} and {}, among them {:?}",
        .count, .edge[0], .edge[1], .triangles
    )]
    CrowdedEdge {
        /// Vertices of the edge.
        edge: [u32; 2],
        /// How many triangles it has.
        count: usize,
        /// The first three of them.
        triangles: [usize; 3],
    },
    /// A vertex at which two sheets touch.
    #[error("the surface touches itself at vertex {vertex}")]
    SplitVertex {
        /// Number of the vertex.
        vertex: u32,
    },
    /// Triangles that touch or cross.
    #[error("the surface touches or crosses itself: triangles {} and {} meet", .triangles[0], .triangles[1])]
    Touching {
        /// Numbers of the triangles.
        triangles: [usize; 2],
    },
    /// A shell whose inside is outside.
    #[error(
        "the surface is turned inside out: the triangles joined to triangle {triangle} enclose \
         {volume:e} m³; turn all of them over"
    )]
    InsideOut {
        /// A triangle of the shell.
        triangle: usize,
        /// The volume with its sign, m³.
        volume: f64,
    },
    /// A shell where the inside is inside already.
    #[error(
        "the triangles joined to triangle {triangle} are a shell inside of another one; a cavity's \
         triangles run clockwise seen from the cavity's outside, and what else lies inside is left out"
    )]
    Nested {
        /// A triangle of the shell.
        triangle: usize,
    },
    /// More shells than are compared with each other.
    #[error("the surface consists of {shells} shells, of which more than 1000 are refused")]
    TooManyShells {
        /// How many there are.
        shells: usize,
    },
}
