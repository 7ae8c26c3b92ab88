//! Refuses meshes that no equation of motion can be made of.

use nalgebra::Vector3;

use super::boundary::{Face, sorted_faces};
use super::tet_mesh::volume;
use super::{Bounds, MeshError};

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
    let faces = sorted_faces(tets);
    check_faces(&faces)?;
    check_pieces(nodes, tets, &faces)
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

/// A chain of common faces from each tetrahedron to the first.
fn check_pieces(
    nodes: &[Vector3<f64>],
    tets: &[[u32; 4]],
    faces: &[Face],
) -> Result<(), MeshError> {
    // The smallest tetrahedron of each piece stands for it.
    let mut parent: Vec<u32> = (0..tets.len() as u32).collect();
    let root = |parent: &mut [u32], mut tet: u32| {
        while parent[tet as usize] != tet {
            parent[tet as usize] = parent[parent[tet as usize] as usize];
            tet = parent[tet as usize];
        }
        tet
    };
    for same in faces.chunk_by(|a, b| a.key == b.key) {
        if let [first, second] = same {
            let roots = [first, second].map(|face| root(&mut parent, face.tet));
            parent[roots[0].max(roots[1]) as usize] = roots[0].min(roots[1]);
        }
    }
    match (0..tets.len()).find(|&tet| root(&mut parent, tet as u32) != 0) {
        Some(tet) => {
            let place = nodes[tets[tet][0] as usize];
            Err(MeshError::Pieces { tet, place })
        }
        None => Ok(()),
    }
}
