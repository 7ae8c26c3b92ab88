//! Any bytes into the reader of Gmsh's files.

use stiction_deformable::TetMesh;
use stiction_io::tet_mesh::{parse_gmsh, parse_gmsh_surface};

/// Reads bytes as a file of Gmsh. Whatever they are, the answer is tetrahedra, each with nodes and in one
/// group, that are a mesh or refused by name; or an error.
pub fn read_tet_mesh(bytes: &[u8]) {
    match parse_gmsh(bytes, "fuzzed") {
        Ok(file) => {
            let grouped: usize = file.groups.iter().map(|group| group.tets.len()).sum();
            assert_eq!(grouped, file.tets.len());
            assert_eq!(file.tags.len(), file.tets.len());
            let nodes = file.nodes.iter().map(|node| node.coords).collect();
            match TetMesh::new(nodes, file.tets) {
                Ok(mesh) => assert!(mesh.quality().smallest_volume.value > 0.0),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(surface) = parse_gmsh_surface(bytes, "fuzzed") {
        let count = surface.vertices.len();
        let corners = surface.faces.iter().flatten();
        assert!(corners.into_iter().all(|&corner| (corner as usize) < count));
    }
}
