//! What the meshes of robot files become.

use crate::options::MeshUse;
use crate::scene_file::{MeshSource, PointSource, ShapeKind};

/// The shape that a mesh collides as. One without triangles, because only points were given, collides
/// as their hull.
pub(crate) fn mesh_shape(mesh_use: MeshUse, triangles: MeshSource) -> ShapeKind {
    let has_faces = match &triangles {
        MeshSource::Inline(data) => !data.faces.is_empty(),
        MeshSource::File(_) => true,
    };
    match if has_faces { mesh_use } else { MeshUse::Hull } {
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
