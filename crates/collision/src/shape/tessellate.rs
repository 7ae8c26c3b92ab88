//! Triangle meshes of convex shapes, for pairs in which they are the face side.

use std::f64::consts::{PI, TAU};

use nalgebra::{Point3, Vector3};

use super::TriangleMesh;
use super::convex::{Convex, Core};

/// Columns around an axis of revolution.
const COLUMNS: usize = 24;

/// Tessellation of `shape`; all vertices lie on its surface.
pub(super) fn convex(shape: &Convex) -> TriangleMesh {
    let (vertices, faces) = match &shape.core {
        Core::Point => ellipsoid(&Vector3::repeat(shape.radius)),
        Core::Segment { half_length } => capsule(*half_length, shape.radius),
        Core::Box { half, .. } => cuboid(half),
        Core::Cylinder {
            half_length,
            radius,
            ..
        } => revolved(&[
            (0.0, -half_length),
            (*radius, -half_length),
            (*radius, *half_length),
            (0.0, *half_length),
        ]),
        Core::Cone {
            half_length,
            radius,
            ..
        } => revolved(&[
            (0.0, -half_length),
            (*radius, -half_length),
            (0.0, *half_length),
        ]),
        Core::Ellipsoid { radii, .. } => ellipsoid(radii),
        Core::Hull(hull) => return hull.mesh().clone(),
    };
    TriangleMesh::watertight("tessellation", vertices, faces)
        .expect("tessellations of checked shapes are watertight")
}

type Soup = (Vec<Point3<f64>>, Vec<[u32; 3]>);

fn cuboid(half: &Vector3<f64>) -> Soup {
    let vertices = (0..8)
        .map(|bits| {
            Point3::from(Vector3::from_fn(|i, _| {
                if bits >> i & 1 == 1 {
                    half[i]
                } else {
                    -half[i]
                }
            }))
        })
        .collect();
    let mut faces = Vec::with_capacity(12);
    for axis in 0..3 {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let top = 1 << axis;
        faces.push([top, top | u, top | u | v]);
        faces.push([top, top | u | v, top | v]);
        faces.push([0, u | v, u]);
        faces.push([0, v, u | v]);
    }
    (vertices, faces)
}

/// Solid of revolution of an open outline (r, z) that starts and ends on the axis, going up on the
/// outside.
fn revolved(outline: &[(f64, f64)]) -> Soup {
    let rings = &outline[1..outline.len() - 1];
    let mut vertices = vec![
        Point3::new(0.0, 0.0, outline[0].1),
        Point3::new(0.0, 0.0, outline[outline.len() - 1].1),
    ];
    for &(r, z) in rings {
        for k in 0..COLUMNS {
            let angle = TAU * k as f64 / COLUMNS as f64;
            vertices.push(Point3::new(r * angle.cos(), r * angle.sin(), z));
        }
    }
    let at = |ring: usize, k: usize| (2 + ring * COLUMNS + k % COLUMNS) as u32;
    let last = rings.len() - 1;
    let mut faces = Vec::new();
    for k in 0..COLUMNS {
        faces.push([0, at(0, k + 1), at(0, k)]);
        faces.push([1, at(last, k), at(last, k + 1)]);
        for ring in 0..last {
            faces.push([at(ring, k), at(ring, k + 1), at(ring + 1, k + 1)]);
            faces.push([at(ring, k), at(ring + 1, k + 1), at(ring + 1, k)]);
        }
    }
    (vertices, faces)
}

fn capsule(half_length: f64, radius: f64) -> Soup {
    let arc = |start: f64, end: f64, offset: f64| {
        (0..=6).map(move |i| {
            let t = start + (end - start) * f64::from(i) / 6.0;
            (radius * t.cos().max(0.0), offset + radius * t.sin())
        })
    };
    let mut outline: Vec<(f64, f64)> = arc(-0.5 * PI, 0.0, -half_length)
        .chain(arc(0.0, 0.5 * PI, half_length))
        .collect();
    let last = outline.len() - 1;
    (outline[0].0, outline[last].0) = (0.0, 0.0);
    revolved(&outline)
}

fn ellipsoid(radii: &Vector3<f64>) -> Soup {
    let outline: Vec<(f64, f64)> = (0..=12)
        .map(|i| {
            let t = -0.5 * PI + PI * f64::from(i) / 12.0;
            (if i % 12 == 0 { 0.0 } else { t.cos() }, t.sin())
        })
        .collect();
    let (vertices, faces) = revolved(&outline);
    let vertices = vertices
        .iter()
        .map(|v| Point3::from(v.coords.component_mul(radii)))
        .collect();
    (vertices, faces)
}
