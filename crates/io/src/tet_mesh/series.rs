//! Deforming meshes over time: a file for each moment.

use std::fmt::Write as _;

use nalgebra::Vector3;

use super::vtu::{Field, write_vtu};
use crate::error::{IoError, Result};

/// Makes files of cells of so many corners: `NAME_00000.vtu`, `NAME_00001.vtu`, … and in the end `NAME.pvd`, which says
/// when each was; or the surface alone as `NAME_00000.obj`, …. Who asks for them writes them, into one folder.
#[derive(Debug, Clone)]
pub struct Series<const CORNERS: usize> {
    name: String,
    cells: Vec<[u32; CORNERS]>,
    /// Times and names of the files made.
    made: Vec<(f64, String)>,
    surfaces: usize,
}

/// A file of a series: its name and its content.
pub type SeriesFile = (String, String);

impl<const CORNERS: usize> Series<CORNERS> {
    /// A series of one mesh of segments, triangles or tetrahedra.
    ///
    /// # Errors
    /// A name with other than letters, digits, `-` and `_`.
    pub fn new(name: &str, cells: &[[u32; CORNERS]]) -> Result<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(IoError::File {
                file: name.to_owned(),
                problem: "a series is named by letters, digits, - and _".to_owned(),
            });
        }
        Ok(Self {
            name: name.to_owned(),
            cells: cells.to_vec(),
            made: Vec::new(),
            surfaces: 0,
        })
    }

    /// The mesh as it is at this time, s, with nodes where they are now, m.
    ///
    /// # Errors
    /// As [`write_vtu`].
    pub fn moment(
        &mut self,
        time: f64,
        nodes: &[Vector3<f64>],
        node_fields: &[Field<'_>],
        cell_fields: &[Field<'_>],
    ) -> Result<SeriesFile> {
        let name = format!("{}_{:05}.vtu", self.name, self.made.len());
        let text = write_vtu(&name, nodes, &self.cells, node_fields, cell_fields)?;
        self.made.push((time, name.clone()));
        Ok((name, text))
    }

    /// Triangles of the mesh as they are now.
    ///
    /// # Errors
    /// As [`write_obj`].
    pub fn surface(
        &mut self,
        nodes: &[Vector3<f64>],
        triangles: &[[u32; 3]],
    ) -> Result<SeriesFile> {
        let name = format!("{}_{:05}.obj", self.name, self.surfaces);
        let text = write_obj(&name, nodes, triangles)?;
        self.surfaces += 1;
        Ok((name, text))
    }

    /// Which `.vtu` file belongs to which time.
    pub fn list(&self) -> SeriesFile {
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
        );
        for (time, file) in &self.made {
            let _ = writeln!(
                text,
                "<DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>"
            );
        }
        text += "</Collection>\n</VTKFile>\n";
        (format!("{}.pvd", self.name), text)
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
