//! Closed triangle surfaces: checked, and the signed distance to them.

mod bvh;
mod check;
mod distance;
mod error;
mod features;
mod shells;
mod touch;
mod triangle;

use nalgebra::Vector3;

use super::Bounds;
use bvh::Bvh;
use distance::Normals;
pub use error::SurfaceError;
pub use features::Features;

/// A closed surface of triangles that touches itself nowhere, and so has an inside: one shell or several,
/// with or without holes and cavities.
#[derive(Debug, Clone)]
pub struct TriangleSurface {
    vertices: Vec<Vector3<f64>>,
    triangles: Vec<[u32; 3]>,
    /// The triangle across the edge from each corner to the next.
    across: Vec<[u32; 3]>,
    normals: Normals,
    bvh: Bvh,
}

impl TriangleSurface {
    /// A surface of triangles whose corners run counter-clockwise seen from outside, m.
    ///
    /// Vertices at the same place count as one, and triangles that have fewer than three corners then are
    /// left out.
    ///
    /// # Errors
    /// No triangle, a vertex that is not finite or does not exist, a triangle without area, an edge with
    /// one triangle or more than two, neighbours that run against each other, triangles that touch or
    /// cross, a shell turned inside out or inside of another one; each named by its numbers in the input.
    pub fn new(vertices: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Result<Self, SurfaceError> {
        let welded = check::weld(vertices, triangles)?;
        let across = check::neighbours(&welded)?;
        check::one_fan_to_a_vertex(&welded)?;
        let corners = |triangle: [u32; 3]| triangle.map(|vertex| welded.vertices[vertex as usize]);
        let shapes: Vec<_> = welded.triangles.iter().copied().map(corners).collect();
        let bvh = Bvh::new(&shapes);
        touch::refuse_touching(&welded, &shapes, &across, &bvh)?;
        shells::check(&welded, &shapes, &across)?;
        let normals = Normals::new(&welded, &shapes, &across);
        Ok(Self {
            vertices: welded.vertices,
            triangles: welded.triangles,
            across,
            normals,
            bvh,
        })
    }

    /// Where the vertices are, m.
    pub fn vertices(&self) -> &[Vector3<f64>] {
        &self.vertices
    }

    /// Corners of the triangles, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The smallest box along the axes around the surface.
    pub fn bounds(&self) -> Bounds {
        Bounds::around(&self.vertices)
    }

    /// Volume inside, m³.
    pub fn volume(&self) -> f64 {
        let signed = |triangle| {
            let [a, b, c] = self.corners(triangle);
            a.cross(&b).dot(&c) / 6.0
        };
        (0..self.triangles.len()).map(signed).sum()
    }

    fn corners(&self, triangle: usize) -> [Vector3<f64>; 3] {
        self.triangles[triangle].map(|vertex| self.vertices[vertex as usize])
    }
}
