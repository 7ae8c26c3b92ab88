//! Cylinders with flat ends and sharp rims.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::boxes::check_length;
use super::{MOST_CELLS, MeshError, TetMesh};

/// A cylinder along z, its middle at the origin, of cells of about this size.
///
/// Rings of 6, 12, 18, … nodes around the axis make discs of nearly equilateral triangles; prisms between
/// discs become three tetrahedra each, whose diagonals turn over from layer to layer. A polygon is
/// inscribed into the circle. Nodes are numbered disc by disc from below, from the axis outwards.
///
/// # Errors
/// Lengths that are not positive, more cells than [`MOST_CELLS`].
pub fn cylinder(radius: f64, length: f64, size: f64) -> Result<TetMesh, MeshError> {
    check_length("the radius", radius)?;
    check_length("the length", length)?;
    check_length("the size of a cell", size)?;
    let rings = (radius / size).round().max(1.0);
    let layers = (length / size).round().max(1.0);
    // Two triangles, that is one prism of a square's base, count as a cell.
    let cells = 3.0 * rings * rings * layers;
    if !(cells <= MOST_CELLS as f64) {
        return Err(MeshError::TooManyCells { size, cells });
    }
    let (rings, layers) = (rings as usize, layers as usize);
    let disc = disc_nodes(rings);
    let mut nodes = Vec::with_capacity(disc.len() * (layers + 1));
    for layer in 0..=layers {
        let z = length * (layer as f64 / layers as f64 - 0.5);
        nodes.extend(
            disc.iter()
                .map(|[x, y]| Vector3::new(radius * x, radius * y, z)),
        );
    }
    let triangles = disc_triangles(rings);
    let mut tets = Vec::with_capacity(3 * layers * triangles.len());
    for layer in 0..layers {
        let below = (layer * disc.len()) as u32;
        let above = below + disc.len() as u32;
        for &triangle in &triangles {
            tets.extend(prism(triangle, [below, above], layer % 2 == 1));
        }
    }
    TetMesh::new(nodes, tets)
}

/// Where ring `ring` of a disc begins.
fn ring_start(ring: usize) -> usize {
    match ring {
        0 => 0,
        _ => 1 + 3 * ring * (ring - 1),
    }
}

/// Places on a disc of radius 1.
fn disc_nodes(rings: usize) -> Vec<[f64; 2]> {
    let mut nodes = vec![[0.0; 2]];
    for ring in 1..=rings {
        let radius = ring as f64 / rings as f64;
        for step in 0..6 * ring {
            let (sin, cos) = (TAU * step as f64 / (6 * ring) as f64).sin_cos();
            nodes.push([radius * cos, radius * sin]);
        }
    }
    nodes
}

/// Triangles of a disc, counter-clockwise.
fn disc_triangles(rings: usize) -> Vec<[u32; 3]> {
    let node = |ring: usize, sextant: usize, step: usize| {
        let around = if ring == 0 {
            0
        } else {
            (sextant * ring + step) % (6 * ring)
        };
        (ring_start(ring) + around) as u32
    };
    let mut triangles = Vec::with_capacity(6 * rings * rings);
    for ring in 1..=rings {
        for sextant in 0..6 {
            let inner = |step| node(ring - 1, sextant, step);
            let outer = |step| node(ring, sextant, step);
            for step in 0..ring {
                triangles.push([inner(step), outer(step), outer(step + 1)]);
                if step + 1 < ring {
                    triangles.push([inner(step), outer(step + 1), inner(step + 1)]);
                }
            }
        }
    }
    triangles
}

/// Three tetrahedra of the prism over a counter-clockwise triangle. Diagonals rise towards the larger
/// number, or the smaller one if turned, so that neighbours agree.
fn prism(triangle: [u32; 3], [below, above]: [u32; 2], turned: bool) -> [[u32; 4]; 3] {
    // Turned about so that the first corner is the one from which both diagonals rise.
    let first = match turned {
        false => triangle.iter().min(),
        true => triangle.iter().max(),
    };
    let start = triangle
        .iter()
        .position(|corner| Some(corner) == first)
        .unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|step| triangle[(start + step) % 3]);
    let [a0, b0, c0] = [a, b, c].map(|corner| corner + below);
    let [a1, b1, c1] = [a, b, c].map(|corner| corner + above);
    let rises_to_c = (b < c) != turned;
    let sides = match rises_to_c {
        true => [[a0, b0, c0, c1], [a0, b0, c1, b1]],
        false => [[a0, b0, c0, b1], [a0, b1, c0, c1]],
    };
    [sides[0], sides[1], [a0, b1, c1, a1]]
}
