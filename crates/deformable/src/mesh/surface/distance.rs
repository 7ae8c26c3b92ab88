//! The signed distance to a closed surface.
//!
//! A point is outside where it lies on the outer side of what it is nearest to: of the face, of the mean of
//! two faces at an edge, of the mean at a vertex weighted by the faces' angles there (J. A. Bærentzen,
//! H. Aanæs, "Signed distance computation using the angle weighted pseudonormal", 2005). For a closed
//! surface that does not touch itself this is exact.

use nalgebra::Vector3;

use super::TriangleSurface;
use super::check::Welded;
use super::triangle::{Part, Triangle, nearest};

/// Outward directions, of any length.
#[derive(Debug, Clone)]
pub(super) struct Normals {
    /// Of length 1.
    pub(super) faces: Vec<Vector3<f64>>,
    edges: Vec<[Vector3<f64>; 3]>,
    vertices: Vec<Vector3<f64>>,
}

impl Normals {
    pub(super) fn new(surface: &Welded, shapes: &[Triangle], across: &[[u32; 3]]) -> Self {
        let faces: Vec<Vector3<f64>> = (shapes.iter())
            .map(|[a, b, c]| (b - a).cross(&(c - a)).normalize())
            .collect();
        let mut vertices = vec![Vector3::zeros(); surface.vertices.len()];
        for (triangle, corners) in surface.triangles.iter().enumerate() {
            for corner in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|step| shapes[triangle][(corner + step) % 3]);
                let angle = (b - a).angle(&(c - a));
                vertices[corners[corner] as usize] += faces[triangle] * angle;
            }
        }
        let edges = (across.iter().enumerate())
            .map(|(triangle, others)| others.map(|other| faces[triangle] + faces[other as usize]))
            .collect();
        Self {
            faces,
            edges,
            vertices,
        }
    }
}

impl TriangleSurface {
    /// Distance of a point to the surface, m; negative inside.
    pub fn signed_distance(&self, point: &Vector3<f64>) -> f64 {
        let mut best = f64::INFINITY;
        let mut found = (Vector3::zeros(), 0, Part::Face);
        self.bvh.near(point, |triangle| {
            let (place, part) = nearest(point, &self.corners(triangle as usize));
            let distance = (point - place).norm_squared();
            if distance < best {
                best = distance;
                found = (place, triangle as usize, part);
            }
            best
        });
        let (place, triangle, part) = found;
        let normal = match part {
            Part::Face => self.normals.faces[triangle],
            Part::Edge(side) => self.normals.edges[triangle][side],
            Part::Corner(corner) => {
                self.normals.vertices[self.triangles[triangle][corner] as usize]
            }
        };
        match (point - place).dot(&normal) < 0.0 {
            true => -best.sqrt(),
            false => best.sqrt(),
        }
    }
}
