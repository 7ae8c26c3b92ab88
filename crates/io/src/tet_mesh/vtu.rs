//! VTU, the unstructured grids of VTK, which ParaView and others show.

use std::fmt::{Display, Write as _};

use nalgebra::Vector3;

use crate::error::{IoError, Result};

/// A kind of cell.
struct CellKind {
    /// VTK's number of it.
    number: u8,
    name: &'static str,
    names: &'static str,
}

/// The kind of cell that has so many corners.
fn kind_of_cell(corners: usize) -> Option<CellKind> {
    let (number, name, names) = match corners {
        2 => (3, "segment", "segments"),
        3 => (5, "triangle", "triangles"),
        4 => (10, "tetrahedron", "tetrahedra"),
        _ => return None,
    };
    Some(CellKind {
        number,
        name,
        names,
    })
}

/// Numbers for each node or each cell.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// One number each.
    Scalars(&'a [f64]),
    /// A vector each.
    Vectors(&'a [Vector3<f64>]),
    /// A symmetric tensor each, as xx, yy, zz, xy, yz, xz.
    SymmetricTensors(&'a [[f64; 6]]),
}

/// Named numbers for each node or each cell.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// What they are, such as `displacement`.
    pub name: &'a str,
    /// The numbers.
    pub values: Values<'a>,
}

/// A mesh of segments, triangles or tetrahedra (cells of 2, 3 or 4 corners) with fields of its nodes and of its
/// cells, as the text of a `.vtu` file.
///
/// # Errors
/// Cells of other kinds or that name no node, fields of another length, numbers that are not finite; each named, as
/// a problem of `file`.
pub fn write_vtu<const CORNERS: usize>(
    file: &str,
    nodes: &[Vector3<f64>],
    cells: &[[u32; CORNERS]],
    node_fields: &[Field<'_>],
    cell_fields: &[Field<'_>],
) -> Result<String> {
    let refuse = |problem: String| IoError::File {
        file: file.to_owned(),
        problem,
    };
    let Some(kind) = kind_of_cell(CORNERS) else {
        return Err(refuse(format!("cells cannot have {CORNERS} corners")));
    };
    let finite = |place: &Vector3<f64>| place.iter().all(|value| value.is_finite());
    if let Some(node) = nodes.iter().position(|place| !finite(place)) {
        return Err(refuse(format!("node {node} is not at a finite place")));
    }
    for (cell, corners) in cells.iter().enumerate() {
        if let Some(node) = corners.iter().find(|&&node| node as usize >= nodes.len()) {
            return Err(refuse(format!(
                "{} {cell} names node {node} of {}",
                kind.name,
                nodes.len()
            )));
        }
    }
    check_fields(node_fields, nodes.len(), "nodes").map_err(refuse)?;
    check_fields(cell_fields, cells.len(), kind.names).map_err(refuse)?;

    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" \
         byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n",
    );
    let (points, count) = (nodes.len(), cells.len());
    // Writing into a string cannot fail.
    let _ = writeln!(
        text,
        "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{count}\">"
    );
    text += "<Points>\n";
    array(&mut text, "Float64", "points", 3, nodes.iter().flatten());
    text += "</Points>\n<Cells>\n";
    array(
        &mut text,
        "Int64",
        "connectivity",
        1,
        cells.iter().flatten(),
    );
    array(
        &mut text,
        "Int64",
        "offsets",
        1,
        (1..=count).map(|cell| CORNERS * cell),
    );
    array(
        &mut text,
        "UInt8",
        "types",
        1,
        cells.iter().map(|_| kind.number),
    );
    text += "</Cells>\n<PointData>\n";
    node_fields.iter().for_each(|field| field.write(&mut text));
    text += "</PointData>\n<CellData>\n";
    cell_fields.iter().for_each(|field| field.write(&mut text));
    text += "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
    Ok(text)
}

impl Field<'_> {
    fn len(&self) -> usize {
        match self.values {
            Values::Scalars(values) => values.len(),
            Values::Vectors(values) => values.len(),
            Values::SymmetricTensors(values) => values.len(),
        }
    }

    fn numbers(&self) -> Box<dyn Iterator<Item = &f64> + '_> {
        match self.values {
            Values::Scalars(values) => Box::new(values.iter()),
            Values::Vectors(values) => Box::new(values.iter().flatten()),
            Values::SymmetricTensors(values) => Box::new(values.iter().flatten()),
        }
    }

    fn width(&self) -> usize {
        match self.values {
            Values::Scalars(_) => 1,
            Values::Vectors(_) => 3,
            Values::SymmetricTensors(_) => 6,
        }
    }

    fn write(&self, text: &mut String) {
        array(text, "Float64", self.name, self.width(), self.numbers());
    }
}

fn check_fields(fields: &[Field<'_>], count: usize, of: &str) -> std::result::Result<(), String> {
    for (index, field) in fields.iter().enumerate() {
        let name = field.name;
        if name.is_empty() || name.contains(['<', '>', '&', '"']) || name.contains(char::is_control)
        {
            return Err(format!("a field cannot have the name {name:?}"));
        }
        if fields[..index].iter().any(|other| other.name == name) {
            return Err(format!("there are two fields \"{name}\""));
        }
        if field.len() != count {
            return Err(format!(
                "field \"{name}\" has {} values for {count} {of}",
                field.len()
            ));
        }
        if let Some(at) = field.numbers().position(|value| !value.is_finite()) {
            let at = at / field.width();
            return Err(format!(
                "field \"{name}\" is not finite at number {at} of the {of}"
            ));
        }
    }
    Ok(())
}

/// Numbers as text, which reads back to the same bits.
fn array<T: Display>(
    text: &mut String,
    kind: &str,
    name: &str,
    width: usize,
    values: impl Iterator<Item = T>,
) {
    let _ = writeln!(
        text,
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"ascii\">"
    );
    for (index, value) in values.enumerate() {
        // Eighteen are whole rows of every width.
        let end = if index % 18 == 17 { '\n' } else { ' ' };
        let _ = write!(text, "{value}{end}");
    }
    text.push_str("\n</DataArray>\n");
}
