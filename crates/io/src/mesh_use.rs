//! What the meshes of robot files become.

use crate::options::MeshUse;
use crate::scene_file::{MeshSource, PointSource, ShapeKind};

/// The shape that a mesh collides as.
pub(crate) fn mesh_shape(mesh_use: MeshUse, triangles: MeshSource) -> ShapeKind {
    match mesh_use {
        MeshUse::Hull => ShapeKind::Hull(match triangles {
            MeshSource::Inline(data) => PointSource::Inline(data.vertices),
            MeshSource::File(file) => PointSource::File(file),
        }),
        MeshUse::Exact => ShapeKind::Mesh {
            triangles,
            open: false,
        },
        MeshUse::SignedDistance { cells } => ShapeKind::MeshDistance { triangles, cells },
        MeshUse::Decomposition { parts } => ShapeKind::MeshParts { triangles, parts },
    }
}

/// The shape of a mesh that is only drawn: its triangles, whether or not they close.
pub(crate) fn drawn_mesh(triangles: MeshSource) -> ShapeKind {
    ShapeKind::Mesh {
        triangles,
        open: true,
    }
}
