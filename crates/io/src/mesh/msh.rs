//! MSH, MuJoCo's own binary meshes.
//!
//! Four numbers of things (vertices, normals, texture coordinates, faces) as 32-bit integers, then as
//! many vertices (3 floats), normals (3 floats), texture coordinates (2 floats) and faces (3 integers),
//! little-endian.

use nalgebra::Point3;

use super::{MeshData, refuse};
use crate::error::Result;

/// Bytes of a number.
const WORD: usize = 4;

pub(super) fn parse(bytes: &[u8], file: &str) -> Result<MeshData> {
    let (words, rest) = bytes.as_chunks::<WORD>();
    let wrong_length = || refuse(file, 1, "has another length than its header gives");
    let [vertices, normals, texture, faces, words @ ..] = words else {
        return Err(wrong_length());
    };
    let count = |word: &[u8; WORD]| usize::try_from(i32::from_le_bytes(*word)).ok();
    let lengths = [(vertices, 3), (normals, 3), (texture, 2), (faces, 3)]
        .map(|(number, width)| count(number).and_then(|number| number.checked_mul(width)));
    let [Some(vertices), Some(normals), Some(texture), Some(faces)] = lengths else {
        return Err(wrong_length());
    };
    let skipped = normals.saturating_add(texture);
    let whole = vertices.saturating_add(skipped).saturating_add(faces);
    if words.len() != whole || !rest.is_empty() {
        return Err(wrong_length());
    }
    if faces == 0 {
        return Err(refuse(file, 1, "there is no triangle"));
    }
    let (vertices, words) = words.split_at(vertices);
    let (vertices, _) = vertices.as_chunks::<3>();
    let (faces, _) = words[skipped..].as_chunks::<3>();
    let corner = |word: &[u8; WORD]| {
        let corner = u32::from_le_bytes(*word);
        ((corner as usize) < vertices.len()).then_some(corner)
    };
    let mut mesh = MeshData::default();
    for (index, vertex) in vertices.iter().enumerate() {
        let place = Point3::from(vertex.map(|word| f64::from(f32::from_le_bytes(word))));
        if !place.iter().all(|value| value.is_finite()) {
            let problem = format!("vertex {index} is not finite");
            return Err(refuse(file, 1, problem));
        }
        mesh.vertices.push(place);
    }
    for (index, face) in faces.iter().enumerate() {
        let [Some(a), Some(b), Some(c)] = face.each_ref().map(corner) else {
            let problem = format!("face {index} has a corner that is no vertex");
            return Err(refuse(file, 1, problem));
        };
        mesh.faces.push([a, b, c]);
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with one normal and two texture coordinates.
    fn tetrahedron() -> Vec<u8> {
        let mut bytes = Vec::new();
        for count in [4, 1, 2, 4] {
            bytes.extend(i32::to_le_bytes(count));
        }
        let vertices = [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.];
        for value in vertices.into_iter().chain([7.0; 3 + 4]) {
            bytes.extend(f32::to_le_bytes(value));
        }
        for corner in [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3] {
            bytes.extend(i32::to_le_bytes(corner));
        }
        bytes
    }

    #[test]
    fn vertices_and_faces_are_found() {
        let mesh = parse(&tetrahedron(), "t.msh").unwrap();
        assert_eq!(mesh.vertices[3], Point3::new(0.0, 0.0, 1.0));
        let shape =
            stiction_collision::Shape::triangle_mesh("t", mesh.vertices, mesh.faces).unwrap();
        assert!((shape.surface().unwrap().volume() - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn broken_files_are_refused() {
        let refused = |bytes: &[u8], problem: &str| {
            let error = parse(bytes, "t.msh").unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        };
        let good = tetrahedron();
        for end in 0..good.len() {
            refused(&good[..end], "length");
        }
        let with = |at: usize, word: [u8; WORD]| {
            let mut bytes = good.clone();
            bytes[WORD * at..WORD * (at + 1)].copy_from_slice(&word);
            bytes
        };
        refused(&with(0, (-4i32).to_le_bytes()), "length");
        refused(&with(3, i32::MAX.to_le_bytes()), "length");
        refused(&with(4, f32::NAN.to_le_bytes()), "vertex 0 is not finite");
        refused(&with(4 + 12 + 7, 4i32.to_le_bytes()), "face 0 has a corner");
        refused(&[0; 16], "no triangle");
    }
}
