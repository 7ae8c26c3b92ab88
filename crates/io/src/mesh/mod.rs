//! Triangle meshes from OBJ, STL, COLLADA, glTF and MSH files.

mod builder;
mod copies;
mod dae;
mod gltf;
mod msh;
mod obj;
mod stl;

use std::path::Path;

use nalgebra::Point3;

use crate::bounded;
use crate::error::{IoError, Result};
use crate::tet_mesh;
use builder::Builder;

/// Endings of the names of mesh files.
pub const EXTENSIONS: [&str; 6] = ["obj", "stl", "dae", "glb", "gltf", "msh"];

/// Vertices and triangles as a file has them, in the file's unit of length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshData {
    /// Corner positions.
    pub vertices: Vec<Point3<f64>>,
    /// Corner indices, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
}

/// Reads a mesh; the file's name must end in one of the [`EXTENSIONS`].
///
/// COLLADA and glTF files come in metres, with the transforms of their scenes applied and the axes of
/// the file kept; the others in whatever unit they are in. MSH files are MuJoCo's or Gmsh's, by their
/// beginning.
///
/// # Errors
/// A file that cannot be read, of another kind, or with a line that makes no sense.
pub fn read(path: &Path) -> Result<MeshData> {
    let file = path.display().to_string();
    let kind = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let refuse = |problem: String| IoError::File {
        file: file.clone(),
        problem,
    };
    let kind = kind.unwrap_or_default();
    if !EXTENSIONS.contains(&kind.as_str()) {
        return Err(refuse(
            "is neither .obj, .stl, .dae, .glb, .gltf nor .msh; convert the mesh to one of them"
                .to_owned(),
        ));
    }
    let bytes = bounded::data(path).map_err(refuse)?;
    match kind.as_str() {
        "obj" => parse_obj(&bytes, &file),
        "stl" => parse_stl(&bytes, &file),
        "dae" => parse_dae(&bytes, &file),
        "msh" if tet_mesh::is_gmsh(&bytes) => tet_mesh::parse_gmsh_surface(&bytes, &file),
        "msh" => parse_msh(&bytes, &file),
        _ => parse_gltf(&bytes, &file, path.parent().unwrap_or(Path::new(""))),
    }
}

/// Reads Wavefront OBJ: `v` and `f` lines; polygons are cut into fans, other lines passed over.
///
/// # Errors
/// A line that makes no sense, named by its number.
pub fn parse_obj(bytes: &[u8], file: &str) -> Result<MeshData> {
    obj::parse(&String::from_utf8_lossy(bytes), file)
}

/// Reads STL, binary or text; corners at the same place become one vertex.
///
/// # Errors
/// A file that is cut off, or a line that makes no sense.
pub fn parse_stl(bytes: &[u8], file: &str) -> Result<MeshData> {
    stl::parse(bytes, file)
}

/// Reads COLLADA: everything that its scene shows, in metres. `<up_axis>` is left alone, as in RViz:
/// robot files place meshes by their own axes.
///
/// # Errors
/// Text that is not XML, references to nothing, numbers that make no sense; each with its line.
pub fn parse_dae(bytes: &[u8], file: &str) -> Result<MeshData> {
    dae::parse(&String::from_utf8_lossy(bytes), file)
}

/// Reads MSH, the binary format of MuJoCo (not that of Gmsh): vertices and faces; normals and texture
/// coordinates are passed over.
///
/// # Errors
/// A file of another length than its header gives, or without faces.
pub fn parse_msh(bytes: &[u8], file: &str) -> Result<MeshData> {
    msh::parse(bytes, file)
}

/// Reads glTF, binary or text: the triangles that its scene shows; `folder` is where further files of
/// it are.
///
/// # Errors
/// A file that is cut off or not glTF, sparse or compressed meshes.
pub fn parse_gltf(bytes: &[u8], file: &str, folder: &Path) -> Result<MeshData> {
    gltf::parse(bytes, file, folder)
}

impl MeshData {
    /// The same with corners at the same place as one vertex, and without the faces that have
    /// fewer than three corners then.
    pub(crate) fn welded(self) -> Self {
        let mut builder = Builder::default();
        for face in &self.faces {
            let corners = face.map(|corner| self.vertices.get(corner as usize).copied());
            if let [Some(a), Some(b), Some(c)] = corners {
                builder.add([a, b, c]);
            }
        }
        let mut mesh = builder.mesh;
        let whole = |[a, b, c]: &[u32; 3]| a != b && b != c && c != a;
        mesh.faces.retain(whole);
        mesh
    }

    /// The same without faces that have no area.
    pub(crate) fn without_thin_faces(mut self) -> Self {
        let vertices = &self.vertices;
        self.faces.retain(|face| {
            let [Some(a), Some(b), Some(c)] = face.map(|corner| vertices.get(corner as usize))
            else {
                return true;
            };
            let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
            (b - a).cross(&(c - a)).norm() > 1e-11 * longest * longest
        });
        self
    }
}

pub(crate) fn refuse(file: &str, line: usize, problem: impl Into<String>) -> IoError {
    IoError::Mesh {
        file: file.to_owned(),
        line,
        problem: problem.into(),
    }
}

/// Three finite numbers.
fn point<'a>(
    words: &mut impl Iterator<Item = &'a str>,
    file: &str,
    line: usize,
) -> Result<Point3<f64>> {
    let mut out = Point3::origin();
    for value in out.iter_mut() {
        let word = words
            .next()
            .ok_or_else(|| refuse(file, line, "a vertex needs three numbers"))?;
        *value = word
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .ok_or_else(|| refuse(file, line, format!("\"{word}\" is not a finite number")))?;
    }
    Ok(out)
}
