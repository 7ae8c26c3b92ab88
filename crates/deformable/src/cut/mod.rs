//! A mesh cut into pieces that move as subsystems of their own, joined where they were cut.

mod partition;
mod seams;

use nalgebra::Vector3;
use thiserror::Error;

use crate::mesh::{MeshError, TetMesh};
pub use seams::{Join, NodeCopy};

/// How large pieces are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PieceSize {
    /// One piece, however large.
    Whole,
    /// One piece up to [`AUTOMATIC_NODES`] nodes, beyond that pieces of at most so many.
    #[default]
    Automatic,
    /// Pieces of at most so many nodes, at least the four of a tetrahedron.
    AtMost(usize),
}

/// What [`PieceSize::Automatic`] takes: the factor of a box of a thousand nodes takes 3 ms, of four thousand
/// 57 ms, and grows with the square from there. Seams cost more than they save below that: in two pieces a
/// step of a thousand nodes takes half as long again.
pub const AUTOMATIC_NODES: usize = 4000;

/// What cannot be cut.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CutError {
    /// Pieces smaller than a tetrahedron.
    #[error("pieces of at most {nodes} nodes: a tetrahedron has 4")]
    PieceTooSmall {
        /// What was asked for.
        nodes: usize,
    },
    /// A piece is no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// One piece: a mesh of its own with copies of the nodes that it shares.
#[derive(Debug, Clone)]
pub struct Piece {
    mesh: TetMesh,
    nodes: Vec<u32>,
    tets: Vec<u32>,
}

impl Piece {
    /// Its mesh.
    pub fn mesh(&self) -> &TetMesh {
        &self.mesh
    }

    /// Which node of the whole mesh each of its nodes is, ascending.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Which tetrahedron of the whole mesh each of its tetrahedra is, ascending.
    pub fn tets(&self) -> &[u32] {
        &self.tets
    }

    /// Its part of a list that has an entry for each tetrahedron of the whole mesh, such as materials.
    ///
    /// # Panics
    /// If the list is shorter than that.
    pub fn of_tets<T: Copy>(&self, whole: &[T]) -> Vec<T> {
        self.tets.iter().map(|&tet| whole[tet as usize]).collect()
    }

    /// Writes its part of a list with three numbers for each node of the whole mesh.
    ///
    /// # Panics
    /// If the list is shorter than that.
    pub fn read_whole(&self, whole: &[f64], own: &mut [f64]) {
        for (own, &node) in own.chunks_exact_mut(3).zip(&self.nodes) {
            own.copy_from_slice(&whole[3 * node as usize..3 * node as usize + 3]);
        }
    }
}

/// A mesh in pieces.
///
/// Each piece has its own elements and so its own share of mass, stiffness and force of the nodes on a
/// seam. A node with copies in k pieces is joined by k − 1 equalities in a chain: between all pairs they
/// would depend on each other.
#[derive(Debug, Clone)]
pub struct Cut {
    pieces: Vec<Piece>,
    joins: Vec<Join>,
    owners: Vec<NodeCopy>,
}

impl Cut {
    /// Cuts a mesh; the same mesh is always cut alike.
    ///
    /// # Errors
    /// Pieces smaller than a tetrahedron.
    pub fn new(mesh: &TetMesh, size: PieceSize) -> Result<Self, CutError> {
        let limit = match size {
            PieceSize::Whole => usize::MAX,
            PieceSize::Automatic => AUTOMATIC_NODES,
            PieceSize::AtMost(nodes) if nodes < 4 => {
                return Err(CutError::PieceTooSmall { nodes });
            }
            PieceSize::AtMost(nodes) => nodes,
        };
        let pieces = partition::partition(mesh, limit)
            .into_iter()
            .map(|tets| piece(mesh, tets))
            .collect::<Result<Vec<_>, _>>()?;
        let copies = seams::copies(mesh.nodes().len(), &pieces);
        Ok(Self {
            joins: seams::joins(&copies),
            owners: seams::owners(&copies, &pieces),
            pieces,
        })
    }

    /// The pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Which copies of nodes move alike: one entry for each equality v₁ − v₂ = 0 of three rows, sorted by
    /// node.
    pub fn joins(&self) -> &[Join] {
        &self.joins
    }

    /// The copy that stands for a node of the whole mesh where one of them must, such as in contacts: the
    /// one with the largest share of its mass, so that a surface node touches once.
    pub fn owner(&self, node: usize) -> Option<NodeCopy> {
        self.owners.get(node).copied()
    }

    /// The owning copies of the nodes on the surface of the whole mesh, by node.
    pub fn surface_owners(&self, mesh: &TetMesh) -> Vec<(u32, NodeCopy)> {
        let nodes = seams::surface_nodes(mesh).into_iter();
        nodes
            .filter_map(|node| Some((node, self.owner(node as usize)?)))
            .collect()
    }

    /// Writes a list with three numbers for each node of the whole mesh from those of the pieces, taking
    /// the owning copies.
    ///
    /// # Panics
    /// If there are fewer lists than pieces, or one is shorter than its piece.
    pub fn write_whole(&self, of_pieces: &[&[f64]], whole: &mut [f64]) {
        for (own, copy) in whole.chunks_exact_mut(3).zip(&self.owners) {
            let at = 3 * copy.node as usize;
            own.copy_from_slice(&of_pieces[copy.piece as usize][at..at + 3]);
        }
    }
}

/// A mesh of some tetrahedra.
fn piece(mesh: &TetMesh, tets: Vec<u32>) -> Result<Piece, MeshError> {
    let corners = tets.iter().flat_map(|&tet| mesh.tets()[tet as usize]);
    let mut nodes: Vec<u32> = corners.collect();
    nodes.sort_unstable();
    nodes.dedup();
    let mut local = vec![0; mesh.nodes().len()];
    for (number, &node) in nodes.iter().enumerate() {
        local[node as usize] = number as u32;
    }
    let positions: Vec<Vector3<f64>> = nodes
        .iter()
        .map(|&node| mesh.nodes()[node as usize])
        .collect();
    let own = tets
        .iter()
        .map(|&tet| mesh.tets()[tet as usize].map(|node| local[node as usize]));
    Ok(Piece {
        mesh: TetMesh::new(positions, own.collect())?,
        nodes,
        tets,
    })
}
