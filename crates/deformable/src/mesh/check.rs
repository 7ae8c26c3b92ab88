//! Refuses meshes that no equation of motion can be made of.

use nalgebra::Vector3;

use super::boundary::{Face, sorted_faces};
use super::tet_mesh::volume;
use super::{Bounds, MeshError, TetMesh};

/// A tetrahedron whose volume is less than this share of the cube over its longest edge is flat: its
/// shape functions' gradients would be lost in rounding.
const FLAT: f64 = 1e-12;

pub(super) fn check(nodes: &[Vector3<f64>], tets: &[[u32; 4]]) -> Result<(), MeshError> {
    if tets.is_empty() {
        return Err(MeshError::Empty);
    }
    if u32::try_from(nodes.len()).is_err() {
        return Err(MeshError::TooManyNodes { nodes: nodes.len() });
    }
    let finite = |place: &Vector3<f64>| place.iter().all(|value| value.is_finite());
    if let Some(node) = nodes.iter().position(|place| !finite(place)) {
        let place = nodes[node];
        return Err(MeshError::NotFinite { node, place });
    }
    let mut used = vec![false; nodes.len()];
    for (tet, corners) in tets.iter().enumerate() {
        for &node in corners {
            let Some(used) = used.get_mut(node as usize) else {
                let nodes = nodes.len();
                return Err(MeshError::NoSuchNode { tet, node, nodes });
            };
            *used = true;
        }
        let corners = corners.map(|node| nodes[node as usize]);
        let volume = volume(&corners);
        let size = Bounds::around(&corners).sides().norm();
        if !(volume > FLAT * size.powi(3)) {
            return Err(MeshError::NotPositive { tet, volume });
        }
    }
    if let Some(node) = used.iter().position(|used| !used) {
        return Err(MeshError::UnusedNode { node });
    }
    check_faces(&sorted_faces(tets))?;
    check_pieces(nodes, tets)
}

/// At most two tetrahedra to a face, and these on either side of it.
fn check_faces(faces: &[Face]) -> Result<(), MeshError> {
    for same in faces.chunk_by(|a, b| a.key == b.key) {
        if same.len() > 2 || (same.len() == 2 && same[0].is_even == same[1].is_even) {
            let tets = same.iter().take(3).map(|face| face.tet as usize).collect();
            let face = same[0].key;
            return Err(MeshError::CrowdedFace { face, tets });
        }
    }
    Ok(())
}

/// A chain of common nodes from each tetrahedron to the first.
fn check_pieces(nodes: &[Vector3<f64>], tets: &[[u32; 4]]) -> Result<(), MeshError> {
    let mut pieces = Pieces::new(nodes.len());
    for &[first, ref others @ ..] in tets {
        others.iter().for_each(|&other| pieces.join(first, other));
    }
    let first = pieces.of(tets[0][0]);
    match tets.iter().position(|tet| pieces.of(tet[0]) != first) {
        Some(tet) => {
            let place = nodes[tets[tet][0] as usize];
            Err(MeshError::Pieces { tet, place })
        }
        None => Ok(()),
    }
}

/// Refuses parts that hang on others by a node or an edge alone, and swing there as on a hinge.
pub(super) fn check_hinges(mesh: &TetMesh) -> Result<(), MeshError> {
    let mut pieces = Pieces::new(mesh.tets().len());
    for same in sorted_faces(mesh.tets()).chunk_by(|a, b| a.key == b.key) {
        if let [first, second] = same {
            pieces.join(first.tet, second.tet);
        }
    }
    match (0..mesh.tets().len()).find(|&tet| pieces.of(tet as u32) != 0) {
        Some(tet) => {
            let place = mesh.corners(tet)[0];
            Err(MeshError::Hinge { tet, place })
        }
        None => Ok(()),
    }
}

/// Things of which some are joined; the smallest of each piece stands for it.
struct Pieces {
    parents: Vec<u32>,
}

impl Pieces {
    fn new(count: usize) -> Self {
        let parents = (0..count as u32).collect();
        Self { parents }
    }

    fn of(&mut self, mut thing: u32) -> u32 {
        while self.parents[thing as usize] != thing {
            let parent = self.parents[thing as usize];
            self.parents[thing as usize] = self.parents[parent as usize];
            thing = parent;
        }
        thing
    }

    fn join(&mut self, a: u32, b: u32) {
        let [a, b] = [self.of(a), self.of(b)];
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
