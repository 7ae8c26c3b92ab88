//! Deforming meshes over time: a file for each moment.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use nalgebra::Vector3;

use super::vtu::{Field, write_vtu};
use crate::error::{IoError, Result};

/// Writes cells of so many corners as `NAME_00000.vtu`, `NAME_00001.vtu`, … and in the end `NAME.pvd`, which says when each was; or
/// the surface alone as `NAME_00000.obj`, ….
#[derive(Debug, Clone)]
pub struct Series<const CORNERS: usize> {
    folder: PathBuf,
    name: String,
    cells: Vec<[u32; CORNERS]>,
    /// Times and names of the files written.
    written: Vec<(f64, String)>,
    surfaces: usize,
}

impl<const CORNERS: usize> Series<CORNERS> {
    /// A series of one mesh of segments, triangles or tetrahedra in a folder, which is made where it is
    /// missing.
    ///
    /// # Errors
    /// A folder that cannot be made, a name with other than letters, digits, `-` and `_`.
    pub fn new(folder: &Path, name: &str, cells: &[[u32; CORNERS]]) -> Result<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_plain) {
            let problem =
                format!("a series cannot have the name {name:?}: letters, digits, - and _");
            return Err(IoError::File {
                file: folder.display().to_string(),
                problem,
            });
        }
        std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        Ok(Self {
            folder: folder.to_owned(),
            name: name.to_owned(),
            cells: cells.to_vec(),
            written: Vec::new(),
            surfaces: 0,
        })
    }

    /// Writes the mesh as it is at this time, s, with nodes where they are now, m.
    ///
    /// # Errors
    /// A file that cannot be written, and as [`write_vtu`].
    pub fn write(
        &mut self,
        time: f64,
        nodes: &[Vector3<f64>],
        node_fields: &[Field<'_>],
        cell_fields: &[Field<'_>],
    ) -> Result<()> {
        let name = format!("{}_{:05}.vtu", self.name, self.written.len());
        let text = write_vtu(&name, nodes, &self.cells, node_fields, cell_fields)?;
        self.save(&name, &text)?;
        self.written.push((time, name));
        Ok(())
    }

    /// Writes triangles of the mesh as they are now.
    ///
    /// # Errors
    /// A file that cannot be written, and as [`write_obj`].
    pub fn write_surface(&mut self, nodes: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Result<()> {
        let name = format!("{}_{:05}.obj", self.name, self.surfaces);
        let text = write_obj(&name, nodes, triangles)?;
        self.save(&name, &text)?;
        self.surfaces += 1;
        Ok(())
    }

    /// Writes which `.vtu` file belongs to which time.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(&self) -> Result<()> {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
        );
        for (time, file) in &self.written {
            let _ = writeln!(
                text,
                "<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>"
            );
        }
        text += "</Collection>\n</VTKFile>\n";
        self.save(&format!("{}.pvd", self.name), &text)
    }

    /// A file is there whole or not at all.
    fn save(&self, name: &str, text: &str) -> Result<()> {
        let path = self.folder.join(name);
        let part = self
            .folder
            .join(format!(".{name}.{}.part", std::process::id()));
        let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, &path));
        written.map_err(|error| {
            // The error is on its way to the user; a failed removal adds nothing.
            let _ = std::fs::remove_file(&part);
            failed(&path, &error)
        })
    }
}

/// Triangles as the text of an OBJ file, with only the nodes that they have.
///
/// # Errors
/// Triangles that name no node, nodes that are not finite; each named, as a problem of `file`.
pub fn write_obj(file: &str, nodes: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Result<String> {
    let refuse = |problem: String| IoError::File {
        file: file.to_owned(),
        problem,
    };
    let mut numbers = vec![0; nodes.len()];
    for (triangle, corners) in triangles.iter().enumerate() {
        for &node in corners {
            let Some(number) = numbers.get_mut(node as usize) else {
                let count = nodes.len();
                return Err(refuse(format!(
                    "triangle {triangle} names node {node} of {count}"
                )));
            };
            *number = 1;
        }
    }
    let mut text = String::new();
    let mut count = 0;
    for (node, (place, number)) in nodes.iter().zip(&mut numbers).enumerate() {
        if *number == 0 {
            continue;
        }
        if !place.iter().all(|value| value.is_finite()) {
            return Err(refuse(format!("node {node} is not at a finite place")));
        }
        count += 1;
        *number = count;
        let _ = writeln!(text, "v {} {} {}", place.x, place.y, place.z);
    }
    for corners in triangles {
        let [a, b, c] = corners.map(|node| numbers[node as usize]);
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    Ok(text)
}

fn failed(path: &Path, error: &std::io::Error) -> IoError {
    IoError::File {
        file: path.display().to_string(),
        problem: error.to_string(),
    }
}
