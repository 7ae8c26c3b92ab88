//! Height fields: a regular grid of heights over the x–y plane.

use nalgebra::Point3;

use super::TriangleMesh;
use crate::error::{CollisionError, Result, positive};

/// Heights z(x, y) on a grid centred on the origin, solid below.
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField {
    /// Number of samples along x.
    pub n_x: usize,
    /// Number of samples along y.
    pub n_y: usize,
    /// Distance between samples along x and y, m.
    pub spacing: (f64, f64),
    /// Heights in m, x fastest.
    pub heights: Vec<f64>,
}

impl HeightField {
    /// Two triangles per cell, facing up.
    pub(crate) fn mesh(&self, name: &str) -> Result<TriangleMesh> {
        positive(name, "spacing along x", self.spacing.0)?;
        positive(name, "spacing along y", self.spacing.1)?;
        let (n_x, n_y) = (self.n_x, self.n_y);
        if n_x < 2 || n_y < 2 || n_x.checked_mul(n_y) != Some(self.heights.len()) {
            return Err(CollisionError::InvalidMesh {
                shape: name.to_owned(),
                reason: format!(
                    "{n_x} × {n_y} samples do not fit {} heights",
                    self.heights.len()
                ),
            });
        }
        let middle = |n: usize| 0.5 * (n - 1) as f64;
        let vertices = self
            .heights
            .iter()
            .enumerate()
            .map(|(i, &z)| {
                Point3::new(
                    ((i % n_x) as f64 - middle(n_x)) * self.spacing.0,
                    ((i / n_x) as f64 - middle(n_y)) * self.spacing.1,
                    z,
                )
            })
            .collect();
        let mut faces = Vec::with_capacity(2 * (n_x - 1) * (n_y - 1));
        for y in 0..n_y - 1 {
            for x in 0..n_x - 1 {
                let at = |dx: usize, dy: usize| (x + dx + (y + dy) * n_x) as u32;
                faces.push([at(0, 0), at(1, 0), at(1, 1)]);
                faces.push([at(0, 0), at(1, 1), at(0, 1)]);
            }
        }
        TriangleMesh::open_surface(name, vertices, faces)
    }
}
