//! Triangle meshes from OBJ and STL files.

mod obj;
mod stl;

use std::path::Path;

use nalgebra::Point3;

use crate::error::{IoError, Result};

/// Vertices and triangles as a file has them, in the file's unit of length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshData {
    /// Corner positions.
    pub vertices: Vec<Point3<f64>>,
    /// Corner indices, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
}

/// Reads a mesh; the file's name must end in `.obj` or `.stl`.
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
    let parse = match kind.as_deref() {
        Some("obj") => parse_obj,
        Some("stl") => parse_stl,
        _ => return Err(refuse("is neither .obj nor .stl".to_owned())),
    };
    let bytes = std::fs::read(path).map_err(|error| refuse(error.to_string()))?;
    parse(&bytes, &file)
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

fn refuse(file: &str, line: usize, problem: impl Into<String>) -> IoError {
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
