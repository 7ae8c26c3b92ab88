//! How good a mesh is.

use std::fmt;

use nalgebra::Vector3;

use super::{Bounds, Pinch, TetMesh};

/// A figure and the tetrahedron it was found at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// The figure.
    pub value: f64,
    /// Number of the tetrahedron.
    pub tet: usize,
}

/// How good a mesh is.
#[derive(Debug, Clone, PartialEq)]
pub struct Quality {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of tetrahedra.
    pub tets: usize,
    /// Number of triangles of the surface.
    pub surface_triangles: usize,
    /// Volume of the body, m³.
    pub volume: f64,
    /// Volume of the smallest tetrahedron, m³.
    pub smallest_volume: Worst,
    /// Smallest angle between two faces of a tetrahedron, degrees.
    pub smallest_angle: Worst,
    /// Largest angle between two faces of a tetrahedron, degrees.
    pub largest_angle: Worst,
    /// Smallest 3 r/R of inscribed and circumscribed sphere: 1 for a regular tetrahedron, 0 for a flat
    /// one.
    pub worst_aspect: Worst,
    /// Mean of 3 r/R.
    pub mean_aspect: f64,
    /// Box around the body.
    pub bounds: Bounds,
    /// Where the surface touches itself; `None` if it is closed and touches itself nowhere.
    pub pinch: Option<Pinch>,
}

impl TetMesh {
    /// Angles, shapes, volumes and surface of the mesh.
    pub fn quality(&self) -> Quality {
        let boundary = self.boundary();
        let mut report = Quality {
            nodes: self.nodes().len(),
            tets: self.tets().len(),
            surface_triangles: boundary.triangles.len(),
            volume: 0.0,
            smallest_volume: Worst {
                value: f64::INFINITY,
                tet: 0,
            },
            smallest_angle: Worst {
                value: 180.0,
                tet: 0,
            },
            largest_angle: Worst { value: 0.0, tet: 0 },
            worst_aspect: Worst { value: 1.0, tet: 0 },
            mean_aspect: 0.0,
            bounds: self.bounds(),
            pinch: boundary.pinch(),
        };
        for tet in 0..self.tets().len() {
            let corners = self.corners(tet);
            let volume = self.tet_volume(tet);
            let aspect = aspect(&corners, volume);
            report.volume += volume;
            report.mean_aspect += aspect / self.tets().len() as f64;
            report.smallest_volume.lower(volume, tet);
            report.worst_aspect.lower(aspect, tet);
            for angle in dihedral_angles(&corners) {
                report.smallest_angle.lower(angle.to_degrees(), tet);
                report.largest_angle.raise(angle.to_degrees(), tet);
            }
        }
        report
    }
}

impl Worst {
    fn lower(&mut self, value: f64, tet: usize) {
        if value < self.value {
            *self = Self { value, tet };
        }
    }

    fn raise(&mut self, value: f64, tet: usize) {
        if value > self.value {
            *self = Self { value, tet };
        }
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} nodes, {} tetrahedra, {} triangles outside, {:.6e} m³",
            self.nodes, self.tets, self.surface_triangles, self.volume
        )?;
        writeln!(
            f,
            "angles between faces {:.2}° (tetrahedron {}) to {:.2}° (tetrahedron {})",
            self.smallest_angle.value,
            self.smallest_angle.tet,
            self.largest_angle.value,
            self.largest_angle.tet
        )?;
        writeln!(
            f,
            "3 r/R from {:.3} (tetrahedron {}), mean {:.3}; smallest volume {:.3e} m³ (tetrahedron {})",
            self.worst_aspect.value,
            self.worst_aspect.tet,
            self.mean_aspect,
            self.smallest_volume.value,
            self.smallest_volume.tet
        )?;
        match self.pinch {
            None => write!(f, "the surface is closed"),
            Some(Pinch::Edge([a, b])) => {
                write!(
                    f,
                    "the surface touches itself at the edge of nodes {a} and {b}"
                )
            }
            Some(Pinch::Node(node)) => write!(f, "the surface touches itself at node {node}"),
        }
    }
}

/// Angles between the faces at the six edges, rad.
fn dihedral_angles(corners: &[Vector3<f64>; 4]) -> [f64; 6] {
    const EDGES: [[usize; 4]; 6] = [
        [0, 1, 2, 3],
        [0, 2, 3, 1],
        [0, 3, 1, 2],
        [1, 2, 0, 3],
        [1, 3, 2, 0],
        [2, 3, 0, 1],
    ];
    EDGES.map(|[a, b, c, d]| {
        let along = corners[b] - corners[a];
        let first = along.cross(&(corners[c] - corners[a]));
        let second = along.cross(&(corners[d] - corners[a]));
        // Exact near 0 and π too, unlike the arc cosine.
        first.cross(&second).norm().atan2(first.dot(&second))
    })
}

/// Three times the radius of the inscribed over that of the circumscribed sphere.
fn aspect([a, b, c, d]: &[Vector3<f64>; 4], volume: f64) -> f64 {
    let [u, v, w] = [b - a, c - a, d - a];
    let twice_area = u.cross(&v).norm()
        + v.cross(&w).norm()
        + w.cross(&u).norm()
        + (v - u).cross(&(w - u)).norm();
    let inscribed = 6.0 * volume / twice_area;
    let to_centre = v.cross(&w) * u.norm_squared()
        + w.cross(&u) * v.norm_squared()
        + u.cross(&v) * w.norm_squared();
    let circumscribed = to_centre.norm() / (12.0 * volume);
    3.0 * inscribed / circumscribed
}
