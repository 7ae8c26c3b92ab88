//! Vertices at one place as one, and whether the triangles close.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::error::SurfaceError;
use crate::mesh::boundary::split_node;

/// A triangle whose height over its longest edge is less than this share of it has no area: its normal
/// would be lost in rounding.
const FLAT: f64 = 1e-12;

/// A surface whose vertices lie at different places.
pub(super) struct Welded {
    pub(super) vertices: Vec<Vector3<f64>>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Numbers of the triangles in the input.
    pub(super) sources: Vec<usize>,
    /// Numbers of the vertices in the input, the first of each place.
    vertex_sources: Vec<u32>,
}

impl Welded {
    fn edge(&self, edge: [u32; 2]) -> [u32; 2] {
        edge.map(|vertex| self.vertex_sources[vertex as usize])
    }
}

pub(super) fn weld(
    vertices: &[Vector3<f64>],
    triangles: &[[u32; 3]],
) -> Result<Welded, SurfaceError> {
    if triangles.is_empty() {
        return Err(SurfaceError::Empty);
    }
    let most = u32::MAX as usize / 3;
    if triangles.len() > most || vertices.len() > most {
        let (triangles, vertices) = (triangles.len(), vertices.len());
        return Err(SurfaceError::TooLarge {
            triangles,
            vertices,
        });
    }
    let finite = |place: &Vector3<f64>| place.iter().all(|value| value.is_finite());
    if let Some(vertex) = vertices.iter().position(|place| !finite(place)) {
        let place = vertices[vertex];
        return Err(SurfaceError::NotFinite { vertex, place });
    }
    let mut known: HashMap<[u64; 3], u32> = HashMap::new();
    let mut welded = Welded {
        vertices: Vec::new(),
        triangles: Vec::new(),
        sources: Vec::new(),
        vertex_sources: Vec::new(),
    };
    for (source, triangle) in triangles.iter().enumerate() {
        let mut corners = [0; 3];
        for (corner, &vertex) in corners.iter_mut().zip(triangle) {
            let Some(place) = vertices.get(vertex as usize) else {
                let (triangle, vertices) = (source, vertices.len());
                return Err(SurfaceError::NoSuchVertex {
                    triangle,
                    vertex,
                    vertices,
                });
            };
            // −0 and 0 are one place.
            let key = [place.x, place.y, place.z].map(|value| (value + 0.0).to_bits());
            *corner = *known.entry(key).or_insert_with(|| {
                welded.vertices.push(*place);
                welded.vertex_sources.push(vertex);
                welded.vertices.len() as u32 - 1
            });
        }
        let [a, b, c] = corners;
        if a != b && b != c && c != a {
            welded.triangles.push(corners);
            welded.sources.push(source);
        }
    }
    if welded.triangles.is_empty() {
        return Err(SurfaceError::Empty);
    }
    for (triangle, corners) in welded.triangles.iter().enumerate() {
        let [a, b, c] = corners.map(|vertex| welded.vertices[vertex as usize]);
        let longest = (b - a)
            .norm_squared()
            .max((c - b).norm_squared())
            .max((a - c).norm_squared());
        if !((b - a).cross(&(c - a)).norm() > FLAT * longest) {
            let triangle = welded.sources[triangle];
            return Err(SurfaceError::Flat { triangle });
        }
    }
    Ok(welded)
}

/// The triangle across the edge from each corner to the next, two to each edge.
pub(super) fn neighbours(surface: &Welded) -> Result<Vec<[u32; 3]>, SurfaceError> {
    // (smaller vertex, larger vertex, triangle, which of its edges)
    let mut sides = Vec::with_capacity(3 * surface.triangles.len());
    for (triangle, corners) in surface.triangles.iter().enumerate() {
        for side in 0..3 {
            let [a, b] = [corners[side], corners[(side + 1) % 3]];
            sides.push((a.min(b), a.max(b), triangle as u32, side));
        }
    }
    sides.sort_unstable();
    let source = |triangle: u32| surface.sources[triangle as usize];
    let mut across = vec![[0; 3]; surface.triangles.len()];
    for same in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let edge = surface.edge([same[0].0, same[0].1]);
        match *same {
            [(_, _, triangle, _)] => {
                let triangle = source(triangle);
                return Err(SurfaceError::Open { edge, triangle });
            }
            [(_, _, first, first_side), (_, _, second, second_side)] => {
                let start = |triangle: u32, side: usize| surface.triangles[triangle as usize][side];
                if start(first, first_side) == start(second, second_side) {
                    let triangles = [source(first), source(second)];
                    return Err(SurfaceError::TurnedOver { edge, triangles });
                }
                across[first as usize][first_side] = second;
                across[second as usize][second_side] = first;
            }
            [(_, _, a, _), (_, _, b, _), (_, _, c, _), ..] => {
                return Err(SurfaceError::CrowdedEdge {
                    edge,
                    count: same.len(),
                    triangles: [source(a), source(b), source(c)],
                });
            }
            // Chunks are never empty.
            [] => {}
        }
    }
    Ok(across)
}

pub(super) fn one_fan_to_a_vertex(surface: &Welded) -> Result<(), SurfaceError> {
    match split_node(&surface.triangles) {
        Some(vertex) => {
            let vertex = surface.vertex_sources[vertex as usize];
            Err(SurfaceError::SplitVertex { vertex })
        }
        None => Ok(()),
    }
}
