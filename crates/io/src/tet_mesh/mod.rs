//! Meshes of tetrahedra: Gmsh's files read, VTU and OBJ files written.

mod gmsh;
mod series;
mod vtu;
mod words;

use std::path::Path;

use nalgebra::Point3;

use crate::bounded;
use crate::error::{IoError, Result};
use crate::mesh::MeshData;
pub use series::{Series, SeriesFile, write_obj};
pub use vtu::{Field, Values, write_vtu};

/// Tetrahedra as a file has them, in the file's unit of length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMeshFile {
    /// Places of the nodes of tetrahedra, in the order of the file.
    pub nodes: Vec<Point3<f64>>,
    /// Corners of the tetrahedra, of positive volume, in the order of the file.
    pub tets: Vec<[u32; 4]>,
    /// The file's own numbers of the tetrahedra.
    pub tags: Vec<u64>,
    /// Parts of the body that may be of different materials.
    pub groups: Vec<Group>,
    /// Named parts of the surface, such as where a body is held. Triangles with other nodes than those of
    /// tetrahedra are left out.
    pub surfaces: Vec<SurfaceGroup>,
}

/// A named part of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its name; its number where it has none, and empty for tetrahedra of no group.
    pub name: String,
    /// Numbers of its tetrahedra, rising. Each tetrahedron is in one group.
    pub tets: Vec<u32>,
}

/// A named part of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceGroup {
    /// Its name; its number where it has none, and empty for triangles of no group.
    pub name: String,
    /// Corners of its triangles, as nodes of the mesh.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh of tetrahedra from a `.msh` file of Gmsh.
///
/// # Errors
/// A file that cannot be read, and as [`parse_gmsh`].
pub fn read(path: &Path) -> Result<TetMeshFile> {
    let file = path.display().to_string();
    match bounded::data(path) {
        Ok(bytes) => parse_gmsh(&bytes, &file),
        Err(problem) => Err(IoError::File { file, problem }),
    }
}

/// Reads Gmsh's MSH, versions 2 and 4, text or binary: tetrahedra of order 1, with physical groups.
///
/// # Errors
/// A file that is cut off or of another kind; numbers that make no sense, unknown nodes, tetrahedra of
/// higher order, flat or inside out, and other solids; each named by line (byte in a binary section) and
/// element.
pub fn parse_gmsh(bytes: &[u8], file: &str) -> Result<TetMeshFile> {
    gmsh::parse(bytes, file)?.tetrahedra(file)
}

/// The triangles and quadrilaterals of a file of Gmsh as a surface.
///
/// # Errors
/// As [`parse_gmsh`], and a file without triangles.
pub fn parse_gmsh_surface(bytes: &[u8], file: &str) -> Result<MeshData> {
    gmsh::parse(bytes, file)?.surface(file)
}

/// Whether a file is Gmsh's rather than MuJoCo's, whose names end in `.msh` too.
pub(crate) fn is_gmsh(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.starts_with(b"$MeshFormat") || start.starts_with(b"$Comments")
}
