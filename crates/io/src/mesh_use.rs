//! What meshes of robot files collide as.

use crate::options::MeshUse;
use crate::scene_file::{MeshSource, PointSource, ShapeKind};

/// The shape of a mesh. Triangles that are not there, because only points were given, are those of
/// the hull.
pub(crate) fn mesh_shape(meshes: MeshUse, source: MeshSource) -> ShapeKind {
    let has_faces = match &source {
        MeshSource::Inline(data) => !data.faces.is_empty(),
        MeshSource::File(_) => true,
    };
    match meshes {
        MeshUse::Exact if has_faces => ShapeKind::Mesh {
            triangles: source,
            open: false,
        },
        _ => ShapeKind::Hull(match source {
            MeshSource::Inline(data) => PointSource::Inline(data.vertices),
            MeshSource::File(file) => PointSource::File(file),
        }),
    }
}
