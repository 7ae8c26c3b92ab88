//! The mesh and what follows from its numbers.

use nalgebra::Vector3;

use super::{Boundary, Bounds, MeshError, check};

/// Tetrahedra that fill a body at rest.
///
/// Whatever one holds has been checked: finite nodes, each of some tetrahedron; tetrahedra of positive
/// volume, at most two to a face and on either side of it, all hanging together.
#[derive(Debug, Clone, PartialEq)]
pub struct TetMesh {
    nodes: Vec<Vector3<f64>>,
    tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// A mesh of nodes, m, and tetrahedra (a, b, c, d) of positive volume: d lies on the side of the
    /// triangle from which a, b, c run counter-clockwise.
    ///
    /// # Errors
    /// No tetrahedron, a node that is not finite or of no tetrahedron, a tetrahedron that names no node
    /// or is flat or inside out, three tetrahedra on a face, pieces without a common node; each named.
    pub fn new(nodes: Vec<Vector3<f64>>, tets: Vec<[u32; 4]>) -> Result<Self, MeshError> {
        check::check(&nodes, &tets)?;
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

    /// Where the corners of a tetrahedron are, m.
    pub fn corners(&self, tet: usize) -> [Vector3<f64>; 4] {
        self.tets[tet].map(|node| self.nodes[node as usize])
    }

    /// Volume of a tetrahedron, m³.
    pub fn tet_volume(&self, tet: usize) -> f64 {
        volume(&self.corners(tet))
    }

    /// Volumes of all tetrahedra, m³.
    pub fn volumes(&self) -> Vec<f64> {
        (0..self.tets.len())
            .map(|tet| self.tet_volume(tet))
            .collect()
    }

    /// Volume of the body, m³.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|tet| self.tet_volume(tet)).sum()
    }

    /// The smallest box along the axes around all nodes.
    pub fn bounds(&self) -> Bounds {
        Bounds::around(&self.nodes)
    }

    /// The triangles that one tetrahedron alone has, outward, and their nodes.
    pub fn boundary(&self) -> Boundary {
        Boundary::of(&self.tets)
    }

    /// Pairs of nodes that some tetrahedron joins, the smaller first, in rising order.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = Vec::with_capacity(6 * self.tets.len());
        for &[a, b, c, d] in &self.tets {
            for (a, b) in [(a, b), (a, c), (a, d), (b, c), (b, d), (c, d)] {
                edges.push([a.min(b), a.max(b)]);
            }
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// The tetrahedra at each node.
    pub fn node_tets(&self) -> NodeTets {
        let mut starts = vec![0; self.nodes.len() + 1];
        for &node in self.tets.iter().flatten() {
            starts[node as usize + 1] += 1;
        }
        for node in 0..self.nodes.len() {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut tets = vec![0; 4 * self.tets.len()];
        for (tet, corners) in self.tets.iter().enumerate() {
            for &node in corners {
                let place = &mut next[node as usize];
                tets[*place] = tet as u32;
                *place += 1;
            }
        }
        NodeTets { starts, tets }
    }
}

/// The tetrahedra at each node, in rising order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeTets {
    starts: Vec<usize>,
    tets: Vec<u32>,
}

impl NodeTets {
    /// Numbers of the tetrahedra that have this node as a corner.
    pub fn of(&self, node: usize) -> &[u32] {
        &self.tets[self.starts[node]..self.starts[node + 1]]
    }
}

/// Volume of a tetrahedron, m³; negative inside out.
pub(super) fn volume([a, b, c, d]: &[Vector3<f64>; 4]) -> f64 {
    (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
}
