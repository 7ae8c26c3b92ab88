//! STL, binary and text.

use nalgebra::Point3;

use super::{Builder, MeshData, point, refuse};
use crate::error::Result;

/// Text before the number of triangles, bytes.
const HEADER: usize = 80;
/// A triangle: normal, three corners, attributes, bytes.
const TRIANGLE: usize = 50;

pub(super) fn parse(bytes: &[u8], file: &str) -> Result<MeshData> {
    // Binary files may begin with "solid" too, so their length decides.
    if let Some(count) = triangle_count(bytes)
        && bytes.len() == HEADER + 4 + count * TRIANGLE
    {
        return binary(&bytes[HEADER + 4..], file);
    }
    if bytes.trim_ascii_start().starts_with(b"solid") {
        return text(&String::from_utf8_lossy(bytes), file);
    }
    Err(refuse(
        file,
        1,
        "is neither text STL nor binary STL of the length that its header gives",
    ))
}

fn triangle_count(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(HEADER..HEADER + 4)?;
    usize::try_from(u32::from_le_bytes(count.try_into().ok()?)).ok()
}

fn binary(triangles: &[u8], file: &str) -> Result<MeshData> {
    let mut builder = Builder::default();
    for (index, triangle) in triangles.chunks_exact(TRIANGLE).enumerate() {
        let mut corners = [Point3::origin(); 3];
        // The normal in the first 12 bytes follows from the corners.
        let numbers = triangle[12..48].chunks_exact(4);
        let places = corners.iter_mut().flat_map(|corner| corner.iter_mut());
        for (place, number) in places.zip(numbers) {
            let mut raw = [0; 4];
            raw.copy_from_slice(number);
            *place = f64::from(f32::from_le_bytes(raw));
            if !place.is_finite() {
                return Err(refuse(file, index + 1, "a corner is not finite"));
            }
        }
        builder.add(corners);
    }
    builder.finish(file)
}

fn text(text: &str, file: &str) -> Result<MeshData> {
    let mut builder = Builder::default();
    let mut corners = Vec::with_capacity(3);
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => corners.push(point(&mut words, file, number)?),
            Some("endfacet") => {
                let Ok(triangle) = <[Point3<f64>; 3]>::try_from(corners.as_slice()) else {
                    let found = corners.len();
                    return Err(refuse(
                        file,
                        number,
                        format!("a facet with {found} corners"),
                    ));
                };
                builder.add(triangle);
                corners.clear();
            }
            _ => {}
        }
    }
    builder.finish(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f32; 3]; 4] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ];
    const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    fn as_binary() -> Vec<u8> {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(HEADER, 0);
        bytes.extend(4u32.to_le_bytes());
        for face in FACES {
            bytes.extend([0; 12]);
            for value in face.iter().flat_map(|&corner| CORNERS[corner]) {
                bytes.extend(value.to_le_bytes());
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn as_text() -> String {
        let mut text = "solid tetrahedron\n".to_owned();
        for face in FACES {
            text += "facet normal 0 0 0\nouter loop\n";
            for corner in face {
                let [x, y, z] = CORNERS[corner];
                text += &format!("vertex {x} {y} {z}\n");
            }
            text += "endloop\nendfacet\n";
        }
        text + "endsolid\n"
    }

    #[test]
    fn both_forms_give_the_same_closed_mesh() {
        let mesh = parse(&as_binary(), "t.stl").unwrap();
        assert_eq!(mesh, parse(as_text().as_bytes(), "t.stl").unwrap());
        assert_eq!((mesh.vertices.len(), mesh.faces.len()), (4, 4));
        let shape =
            stiction_collision::Shape::triangle_mesh("t", mesh.vertices, mesh.faces).unwrap();
        assert!((shape.surface().unwrap().volume() - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn broken_files_are_refused() {
        let mut bytes = as_binary();
        bytes.pop();
        assert!(parse(&bytes, "t.stl").is_err());
        let mut bytes = as_binary();
        bytes[HEADER + 4 + 12..HEADER + 4 + 16].copy_from_slice(&f32::NAN.to_le_bytes());
        assert!(
            parse(&bytes, "t.stl")
                .unwrap_err()
                .to_string()
                .contains("not finite")
        );
        let text = as_text().replacen("vertex 0 0 0\n", "", 1);
        let message = parse(text.as_bytes(), "t.stl").unwrap_err().to_string();
        assert!(
            message.contains("t.stl:7: a facet with 2 corners"),
            "{message}"
        );
        assert!(parse(b"", "t.stl").is_err());
        assert!(parse(b"solid\nendsolid\n", "t.stl").is_err());
    }
}
