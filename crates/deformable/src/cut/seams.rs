//! Nodes that several pieces share.

use super::Piece;
use super::partition::{is_outside, neighbours};
use crate::mesh::TetMesh;

/// A node of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeCopy {
    /// Number of the piece.
    pub piece: u32,
    /// Number of the node within the piece.
    pub node: u32,
}

/// Two copies of a node that move alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Join {
    /// The node of the whole mesh.
    pub node: u32,
    /// Its copies, the lower piece first.
    pub copies: [NodeCopy; 2],
}

/// The copies of each node by piece.
pub(super) fn copies(nodes: usize, pieces: &[Piece]) -> Vec<Vec<NodeCopy>> {
    let mut copies = vec![Vec::new(); nodes];
    for (number, piece) in pieces.iter().enumerate() {
        for (local, &node) in piece.nodes().iter().enumerate() {
            copies[node as usize].push(NodeCopy {
                piece: number as u32,
                node: local as u32,
            });
        }
    }
    copies
}

/// Chains, never all pairs.
pub(super) fn joins(copies: &[Vec<NodeCopy>]) -> Vec<Join> {
    let mut joins = Vec::new();
    for (node, copies) in copies.iter().enumerate() {
        for pair in copies.windows(2) {
            joins.push(Join {
                node: node as u32,
                copies: [pair[0], pair[1]],
            });
        }
    }
    joins
}

/// The copy with the largest share of each node's volume, the first of equals. A node that no
/// tetrahedron has is nobody's: it gets the first node of the first piece, which no list of such a mesh
/// reads, since a body refuses it.
pub(super) fn owners(copies: &[Vec<NodeCopy>], pieces: &[Piece]) -> Vec<NodeCopy> {
    let shares: Vec<Vec<f64>> = pieces.iter().map(shares).collect();
    let share = |copy: &NodeCopy| shares[copy.piece as usize][copy.node as usize];
    let owner = |copies: &Vec<NodeCopy>| {
        let mut owner = NodeCopy { piece: 0, node: 0 };
        let mut largest = 0.0;
        for &copy in copies {
            // Shares that are equal but for rounding go to the lower piece.
            if share(&copy) > largest * (1.0 + 1e-9) {
                (owner, largest) = (copy, share(&copy));
            }
        }
        owner
    };
    copies.iter().map(owner).collect()
}

/// Volume of the tetrahedra at each node of a piece, m³.
fn shares(piece: &Piece) -> Vec<f64> {
    let (nodes, tets) = (piece.mesh().nodes(), piece.mesh().tets());
    let mut shares = vec![0.0; nodes.len()];
    for corners in tets {
        let [a, b, c, d] = corners.map(|node| nodes[node as usize]);
        let volume = (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0;
        for &node in corners {
            shares[node as usize] += volume;
        }
    }
    shares
}

/// The nodes of faces with nothing behind them, ascending.
pub(super) fn surface_nodes(mesh: &TetMesh) -> Vec<u32> {
    let mut is_surface = vec![false; mesh.nodes().len()];
    for (corners, behind) in mesh.tets().iter().zip(neighbours(mesh.tets())) {
        for opposite in 0..4 {
            if is_outside(behind[opposite]) {
                for k in 1..4 {
                    is_surface[corners[(opposite + k) % 4] as usize] = true;
                }
            }
        }
    }
    (0..mesh.nodes().len() as u32)
        .filter(|&node| is_surface[node as usize])
        .collect()
}
