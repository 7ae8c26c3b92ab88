//! Triangle meshes: checked when built, so that everything after can rely on them.

use nalgebra::{Point3, Vector3};

use super::edges::DirectedEdges;
use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::error::{CollisionError, Result};

/// Indexed triangles, counter-clockwise seen from outside, m.
#[derive(Debug, Clone)]
pub struct TriangleMesh {
    vertices: Vec<Point3<f64>>,
    faces: Vec<[u32; 3]>,
    normals: Vec<Vector3<f64>>,
    bvh: Bvh,
    closed: bool,
    /// Face across each edge (from corner k to k + 1), `u32::MAX` if none.
    neighbours: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// A mesh that bounds a volume: not empty, every edge shared by exactly two faces that agree on
    /// its direction, no degenerate face, positive volume. `name` is put in errors.
    pub fn watertight(
        name: &str,
        vertices: Vec<Point3<f64>>,
        faces: Vec<[u32; 3]>,
    ) -> Result<Self> {
        check_indices(name, &vertices, &faces)?;
        check_edges(name, &faces)?;
        let mesh = Self::assemble(name, vertices, faces, true)?;
        let volume = mesh.volume();
        if volume <= 0.0 {
            return Err(invalid(
                name,
                format!("volume {volume:e} m³ is not positive: the faces are inside out"),
            ));
        }
        Ok(mesh)
    }

    /// A surface that need not close (terrain): solid behind the faces, one-sided.
    pub fn open_surface(
        name: &str,
        vertices: Vec<Point3<f64>>,
        faces: Vec<[u32; 3]>,
    ) -> Result<Self> {
        check_indices(name, &vertices, &faces)?;
        Self::assemble(name, vertices, faces, false)
    }

    fn assemble(
        name: &str,
        vertices: Vec<Point3<f64>>,
        faces: Vec<[u32; 3]>,
        closed: bool,
    ) -> Result<Self> {
        let mut normals = Vec::with_capacity(faces.len());
        for (i, f) in faces.iter().enumerate() {
            let corners @ [a, b, c] = f.map(|v| vertices[v as usize]);
            if !has_area(&corners) {
                return Err(invalid(name, format!("face {i} {f:?} has no area")));
            }
            normals.push((b - a).cross(&(c - a)).normalize());
        }
        let bvh = Bvh::new(&vertices, &faces);
        let neighbours = neighbours(&faces);
        Ok(Self {
            vertices,
            faces,
            normals,
            bvh,
            closed,
            neighbours,
        })
    }

    /// Face across edge `k` (from corner k to k + 1) of a face.
    pub fn neighbour(&self, face: usize, k: usize) -> Option<usize> {
        let neighbour = self.neighbours[face][k];
        (neighbour != u32::MAX).then_some(neighbour as usize)
    }

    /// Corner positions, m.
    pub fn vertices(&self) -> &[Point3<f64>] {
        &self.vertices
    }

    /// Corner indices of each face.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Outward unit normals of the faces.
    pub fn normals(&self) -> &[Vector3<f64>] {
        &self.normals
    }

    /// Whether the mesh bounds a volume.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Corners of a face.
    pub fn triangle(&self, face: usize) -> [Point3<f64>; 3] {
        self.faces[face].map(|v| self.vertices[v as usize])
    }

    /// Box around the mesh.
    pub fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    /// Enclosed volume, m³ (meaningful for closed meshes).
    pub fn volume(&self) -> f64 {
        let origin = self.bounds().center();
        (0..self.faces.len())
            .map(|f| {
                let [a, b, c] = self.triangle(f).map(|v| v - origin);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum()
    }

    pub(crate) fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    /// Signed distance to the surface and the outward direction of steepest ascent, by the closest
    /// face and its angle-weighted pseudo-normal (Bærentzen & Aanæs 2005). Sign is meaningful for
    /// closed meshes.
    pub fn signed_distance(&self, p: &Point3<f64>) -> (f64, Vector3<f64>) {
        let distance_squared = |face: usize| {
            let (closest, _) = closest_on_triangle(p, &self.triangle(face));
            (p - closest).norm_squared()
        };
        let Some((face, d)) = self.bvh.closest(p, f64::INFINITY, distance_squared) else {
            return (f64::INFINITY, Vector3::z());
        };
        let distance = d.sqrt();
        let (closest, _) = closest_on_triangle(p, &self.triangle(face));
        // sum of the normals of all faces at (numerically) the same distance, weighted by angle:
        // for a vertex or edge that is the pseudo-normal
        let reach = distance + 1e-9 * (1.0 + distance);
        let mut pseudo = Vector3::zeros();
        self.bvh.visit(
            |aabb, _, _| aabb.distance(p) <= reach,
            |f| {
                let triangle = self.triangle(f);
                let (q, _) = closest_on_triangle(p, &triangle);
                if (q - closest).norm() <= 1e-9 * (1.0 + distance) {
                    pseudo += self.normals[f] * angle_at(&closest, &triangle);
                }
            },
        );
        let sign = if (p - closest).dot(&pseudo) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let direction = if distance > 1e-12 {
            (p - closest) * (sign / distance)
        } else {
            pseudo.try_normalize(1e-12).unwrap_or(self.normals[face])
        };
        (sign * distance, direction)
    }
}

fn neighbours(faces: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let edges = DirectedEdges::new(faces);
    let across = |f: &[u32; 3], k: usize| edges.face(f[(k + 1) % 3], f[k]);
    faces
        .iter()
        .map(|f| [0, 1, 2].map(|k| across(f, k).unwrap_or(u32::MAX)))
        .collect()
}

/// Angle the triangle subtends at a point of it: π on an edge, 2π inside, its corner's angle there.
pub(crate) fn angle_at(q: &Point3<f64>, triangle: &[Point3<f64>; 3]) -> f64 {
    let mut total = 0.0;
    for i in 0..3 {
        let (u, v) = (triangle[i] - q, triangle[(i + 1) % 3] - q);
        let (nu, nv) = (u.norm(), v.norm());
        if nu < 1e-9 || nv < 1e-9 {
            continue;
        }
        total += (u.dot(&v) / (nu * nv)).clamp(-1.0, 1.0).acos();
    }
    total
}

fn invalid(shape: &str, reason: String) -> CollisionError {
    CollisionError::InvalidMesh {
        shape: shape.to_owned(),
        reason,
    }
}

/// Whether a triangle is more than a line, so that its normal means something.
pub(super) fn has_area(&[a, b, c]: &[Point3<f64>; 3]) -> bool {
    let longest = (b - a).norm().max((c - a).norm()).max((c - b).norm());
    (b - a).cross(&(c - a)).norm() > 1e-12 * longest * longest
}

pub(super) fn check_indices(
    name: &str,
    vertices: &[Point3<f64>],
    faces: &[[u32; 3]],
) -> Result<()> {
    if vertices.is_empty() || faces.is_empty() {
        return Err(invalid(name, "no vertices or no faces".to_owned()));
    }
    if let Some(i) = vertices
        .iter()
        .position(|v| !v.iter().all(|x| x.is_finite()))
    {
        return Err(invalid(name, format!("vertex {i} is not finite")));
    }
    for (i, f) in faces.iter().enumerate() {
        if let Some(v) = f.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(invalid(
                name,
                format!("face {i} uses vertex {v} of {}", vertices.len()),
            ));
        }
        if f[0] == f[1] || f[1] == f[2] || f[2] == f[0] {
            return Err(invalid(name, format!("face {i} {f:?} repeats a vertex")));
        }
    }
    Ok(())
}

/// Refuses faces that do not close, or that disagree about an edge.
pub(crate) fn check_edges(name: &str, faces: &[[u32; 3]]) -> Result<()> {
    let edges = DirectedEdges::new(faces);
    if let Some(([other, i], edge)) = edges.shared() {
        return Err(invalid(
            name,
            format!(
                "faces {other} and {i} run along edge {edge:?} in the same direction: \
                 one is inverted, or the edge has more than two faces"
            ),
        ));
    }
    for (i, f) in faces.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            if edges.face(b, a).is_none() {
                return Err(invalid(
                    name,
                    format!("edge ({a}, {b}) of face {i} has no second face: the mesh is open"),
                ));
            }
        }
    }
    Ok(())
}

/// Closest point of a triangle and its barycentric weights (Ericson, "Real-Time Collision
/// Detection", §5.1.5).
pub(crate) fn closest_on_triangle(
    p: &Point3<f64>,
    triangle: &[Point3<f64>; 3],
) -> (Point3<f64>, [f64; 3]) {
    let [a, b, c] = triangle;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, [1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, [0.0, 1.0, 0.0]);
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return (a + ab * v, [1.0 - v, v, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, [0.0, 0.0, 1.0]);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return (a + ac * w, [1.0 - w, 0.0, w]);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * w, [0.0, 1.0 - w, w]);
    }
    let denom = va + vb + vc;
    let (v, w) = (vb / denom, vc / denom);
    (a + ab * v + ac * w, [1.0 - v - w, v, w])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
        (
            vec![
                Point3::origin(),
                Point3::new(1.0, 0.0, 0.0),
                Point3::new(0.0, 1.0, 0.0),
                Point3::new(0.0, 0.0, 1.0),
            ],
            vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        )
    }

    #[test]
    fn bad_meshes_are_refused_by_name_and_reason() {
        let (v, f) = tetrahedron();
        let reason = |faces: Vec<[u32; 3]>| {
            TriangleMesh::watertight("wedge", v.clone(), faces)
                .unwrap_err()
                .to_string()
        };
        assert!(TriangleMesh::watertight("wedge", v.clone(), f.clone()).is_ok());
        assert!(reason(vec![]).contains("\"wedge\""));
        assert!(reason(f[..3].to_vec()).contains("open"));
        let mut one_inverted = f.clone();
        one_inverted[2] = [0, 2, 3];
        assert!(reason(one_inverted).contains("inverted"));
        let all_inverted = f.iter().map(|f| [f[1], f[0], f[2]]).collect();
        assert!(reason(all_inverted).contains("inside out"));
        assert!(reason(vec![[0, 1, 9]]).contains("vertex 9"));
        let mut nan = v.clone();
        nan[1].x = f64::NAN;
        assert!(TriangleMesh::watertight("wedge", nan, f.clone()).is_err());
        let flat = v.iter().map(|p| Point3::new(p.x, 0.0, 0.0)).collect();
        assert!(TriangleMesh::watertight("wedge", flat, f).is_err());
    }

    #[test]
    fn signed_distance_of_a_tetrahedron() {
        let (v, f) = tetrahedron();
        let mesh = TriangleMesh::watertight("wedge", v, f).unwrap();
        let (d, n) = mesh.signed_distance(&Point3::new(0.2, 0.2, 0.1));
        assert!((d + 0.1).abs() < 1e-15 && (n + Vector3::z()).norm() < 1e-12);
        // outside next to a corner: the closest point is the corner
        let (d, n) = mesh.signed_distance(&Point3::new(2.0, 0.0, 0.0));
        assert!((d - 1.0).abs() < 1e-15 && (n - Vector3::x()).norm() < 1e-12);
        let (d, _) = mesh.signed_distance(&Point3::new(-0.3, -0.4, 0.0));
        assert!((d - 0.5).abs() < 1e-15);
    }
}
