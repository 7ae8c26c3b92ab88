//! Triangles one by one into a mesh.

use std::collections::HashMap;

use nalgebra::Point3;

use super::{MeshData, refuse};
use crate::error::Result;

/// Joins corners that lie at the same place.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) mesh: MeshData,
    known: HashMap<[u64; 3], u32>,
}

impl Builder {
    pub(super) fn add(&mut self, corners: [Point3<f64>; 3]) {
        let face = corners.map(|corner| {
            // −0 and 0 are one place.
            let key = [corner.x, corner.y, corner.z].map(|value| (value + 0.0).to_bits());
            let next = self.mesh.vertices.len() as u32;
            *self.known.entry(key).or_insert_with(|| {
                self.mesh.vertices.push(corner);
                next
            })
        });
        self.mesh.faces.push(face);
    }

    pub(super) fn finish(self, file: &str) -> Result<MeshData> {
        if self.mesh.faces.is_empty() {
            return Err(refuse(file, 1, "there is no triangle"));
        }
        Ok(self.mesh)
    }
}
