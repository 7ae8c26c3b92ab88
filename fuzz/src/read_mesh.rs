//! Any bytes into the readers of mesh files.

use std::path::Path;

use stiction_io::mesh::{MeshData, parse_dae, parse_gltf, parse_msh, parse_obj, parse_stl};

/// Reads bytes as a mesh, in the format that the first byte names. Whatever they are, the answer is a
/// mesh whose faces have vertices, or an error.
pub fn read_mesh(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else {
        return;
    };
    let mesh = match kind % 5 {
        0 => parse_obj(bytes, "fuzzed"),
        1 => parse_stl(bytes, "fuzzed"),
        2 => parse_dae(bytes, "fuzzed"),
        3 => parse_gltf(bytes, "fuzzed", Path::new("")),
        _ => parse_msh(bytes, "fuzzed"),
    };
    match mesh {
        Ok(mesh) => check(&mesh),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn check(mesh: &MeshData) {
    let count = mesh.vertices.len();
    assert!(
        mesh.vertices
            .iter()
            .all(|v| v.iter().all(|x| x.is_finite()))
    );
    let corners = mesh.faces.iter().flatten();
    assert!(corners.into_iter().all(|&corner| (corner as usize) < count));
}
