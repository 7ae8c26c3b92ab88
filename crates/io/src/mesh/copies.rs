//! How much a mesh file draws: nodes that name each other twice, thirty deep, are a short file without end.

use crate::limits::{MESH_NODES, MESH_NUMBERS, MESH_TRIANGLES};

/// What was drawn so far, copies included.
#[derive(Debug, Default)]
pub(super) struct Copies {
    nodes: usize,
    numbers: usize,
    triangles: usize,
}

impl Copies {
    /// One more node, or a part of a mesh with so many numbers to read.
    pub(super) fn add_node(&mut self, numbers: usize) -> Result<(), String> {
        self.nodes += 1;
        match self.nodes > MESH_NODES {
            true => Err(format!(
                "the scene has more than {MESH_NODES} nodes, copies included"
            )),
            false => self.add_numbers(numbers),
        }
    }

    /// Some numbers to read.
    pub(super) fn add_numbers(&mut self, numbers: usize) -> Result<(), String> {
        self.numbers = self.numbers.saturating_add(numbers);
        match self.numbers > MESH_NUMBERS {
            true => Err(format!(
                "the scene has more than {MESH_NUMBERS} numbers, copies included"
            )),
            false => Ok(()),
        }
    }

    /// A polygon, fan or strip with so many corners.
    pub(super) fn add_corners(&mut self, corners: usize) -> Result<(), String> {
        self.triangles = self.triangles.saturating_add(corners.saturating_sub(2));
        match self.triangles > MESH_TRIANGLES {
            true => Err(format!(
                "the scene has more than {MESH_TRIANGLES} triangles, copies included"
            )),
            false => Ok(()),
        }
    }

    /// Some triangles.
    pub(super) fn add_triangles(&mut self, triangles: usize) -> Result<(), String> {
        self.add_corners(triangles.saturating_add(2))
    }
}
