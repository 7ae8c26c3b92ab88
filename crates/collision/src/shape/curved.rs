//! A mesh together with the curved surface it stands for: every face is a *patch*, the piece of the
//! true surface its points are carried to by the gradient.
//!
//! What does not depend on poses is computed once: where a patch's middle is, and the surface normals
//! at its middle and corners, each on the patch's own side where the surface has a crease.

use nalgebra::{Point3, Vector3};

use super::TriangleMesh;
use crate::aabb::Aabb;
use crate::sdf::Sdf;

/// Mesh of a solid whose signed distance is known.
#[derive(Debug, Clone)]
pub(crate) struct CurvedMesh {
    mesh: TriangleMesh,
    patches: Vec<Patch>,
    bulge: f64,
    size: f64,
}

/// The curved piece of surface over one face.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patch {
    /// Middle of the face carried to the surface; the middle of the flat face where that fails.
    pub(crate) center: Point3<f64>,
    /// Whether `center` is on the surface.
    pub(crate) center_on_surface: bool,
    /// Unit normal of the surface at the centre.
    pub(crate) center_normal: Vector3<f64>,
    /// Unit normals of the surface at the corners, seen from this patch.
    pub(crate) corner_normals: [Vector3<f64>; 3],
    /// No point of the patch is farther from the centre than this, m.
    pub(crate) radius: f64,
}

impl CurvedMesh {
    pub(crate) fn new(mesh: TriangleMesh, surface: &dyn Sdf) -> Self {
        let patches: Vec<Patch> = (0..mesh.faces().len())
            .map(|face| Patch::new(&mesh, face, surface))
            .collect();
        let bulge = (0..patches.len())
            .map(|face| (patches[face].center - middle(&mesh.triangle(face))).norm())
            .fold(0.0, f64::max);
        let size = patches.iter().map(|p| p.radius).sum::<f64>() / patches.len().max(1) as f64;
        Self {
            mesh,
            patches,
            bulge,
            size,
        }
    }

    pub(crate) fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    pub(crate) fn patch(&self, face: usize) -> &Patch {
        &self.patches[face]
    }

    /// Largest distance (m) of a patch's middle from its flat face: how far bounding volumes of the
    /// mesh must be grown to bound the surface.
    pub(crate) fn bulge(&self) -> f64 {
        self.bulge
    }

    /// Mean radius of the patches, m.
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// Box around the surface in its frame.
    pub(crate) fn bounds(&self) -> Aabb {
        self.mesh.bounds().grown(2.0 * self.bulge)
    }
}

fn middle(triangle: &[Point3<f64>; 3]) -> Point3<f64> {
    let [a, b, c] = triangle;
    Point3::from((a.coords + b.coords + c.coords) / 3.0)
}

impl Patch {
    fn new(mesh: &TriangleMesh, face: usize, surface: &dyn Sdf) -> Self {
        let corners = mesh.triangle(face);
        let face_normal = mesh.normals()[face];
        let flat = middle(&corners);
        let reach = corners
            .iter()
            .map(|v| (v - flat).norm())
            .fold(0.0, f64::max);
        let carried = project(surface, &flat, reach);
        let (center, center_normal) = carried.map_or((flat, face_normal), |(p, gradient)| {
            (p, same_side(gradient, face_normal).unwrap_or(face_normal))
        });
        let corner_normals = corners.map(|v| {
            let at = |p: &Point3<f64>| same_side(surface.sample(p).gradient, center_normal);
            // on a crease the gradient may be that of the other side: look from a little inside
            at(&v)
                .or_else(|| at(&(v + (center - v) * 1e-3)))
                .unwrap_or(center_normal)
        });
        let radius = corners
            .iter()
            .map(|v| (v - center).norm())
            .fold(0.0, f64::max);
        Self {
            center,
            center_on_surface: carried.is_some(),
            center_normal,
            corner_normals,
            radius: radius + (center - flat).norm(),
        }
    }
}

/// The gradient as a unit normal if it is within about 37° of `reference`.
pub(crate) fn same_side(gradient: Vector3<f64>, reference: Vector3<f64>) -> Option<Vector3<f64>> {
    let norm = gradient.norm();
    (gradient.dot(&reference) > 0.8 * norm && norm > 1e-9).then(|| gradient / norm)
}

/// Closest surface point and the gradient there, by Newton steps along the gradient (at a crease
/// these become alternating projections on its two sides); `None` if farther than `reach` (m) or not
/// reached.
pub(crate) fn project(
    surface: &dyn Sdf,
    from: &Point3<f64>,
    reach: f64,
) -> Option<(Point3<f64>, Vector3<f64>)> {
    let mut p = *from;
    let mut best = (f64::INFINITY, p, Vector3::zeros());
    for _ in 0..12 {
        let s = surface.sample(&p);
        if s.value.abs() < best.0 {
            best = (s.value.abs(), p, s.gradient);
        }
        let slope = s.gradient.norm_squared();
        if s.value.abs() < 1e-9 || slope < 0.25 {
            break;
        }
        p -= s.gradient * (s.value / slope);
    }
    // a point that did not arrive (between creases, or in a core without slope) is no surface point
    (best.0 < 1e-7 && (best.1 - from).norm() <= reach).then_some((best.1, best.2))
}
