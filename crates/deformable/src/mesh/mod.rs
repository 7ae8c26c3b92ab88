//! Meshes of tetrahedra.

use nalgebra::Vector3;
use thiserror::Error;

/// Tetrahedra that fill a body at rest.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    nodes: Vec<Vector3<f64>>,
    tets: Vec<[u32; 4]>,
}

/// What is wrong with a mesh.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MeshError {
    /// A tetrahedron names a node that does not exist.
    #[error("tetrahedron {tet} names node {node}, but there are {nodes} nodes")]
    NoSuchNode {
        /// Number of the tetrahedron.
        tet: usize,
        /// What it names.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// A tetrahedron is flat or turned inside out.
    #[error("tetrahedron {tet} has volume {volume:e} m³; it must be positive")]
    NotPositive {
        /// Number of the tetrahedron.
        tet: usize,
        /// Its volume, m³.
        volume: f64,
    },
}

impl TetMesh {
    /// A mesh of nodes, m, and tetrahedra of positive volume.
    ///
    /// # Errors
    /// Tetrahedra that name no node or whose volume is not positive.
    pub fn new(nodes: Vec<Vector3<f64>>, tets: Vec<[u32; 4]>) -> Result<Self, MeshError> {
        for (tet, corners) in tets.iter().enumerate() {
            if let Some(&node) = corners.iter().find(|&&node| node as usize >= nodes.len()) {
                let nodes = nodes.len();
                return Err(MeshError::NoSuchNode { tet, node, nodes });
            }
            let [a, b, c, d] = corners.map(|node| nodes[node as usize]);
            let volume = (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0;
            if !(volume > 0.0) {
                return Err(MeshError::NotPositive { tet, volume });
            }
        }
        Ok(Self { nodes, tets })
    }

    /// Where the nodes are at rest, m.
    pub fn nodes(&self) -> &[Vector3<f64>] {
        &self.nodes
    }

    /// Corners of the tetrahedra, of positive volume.
    pub fn tets(&self) -> &[[u32; 4]] {
        &self.tets
    }
}
