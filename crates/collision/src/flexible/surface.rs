//! A closed surface that deforms: the signed distance of points to it.

use nalgebra::{Point3, Vector3};

use super::FlexibleSide;
use super::edges::Edges;
use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::collider::Geometry;
use crate::error::{CollisionError, Result};
use crate::shape::{angle_at, closest_on_triangle};
use crate::support::Support;

/// Tree over the faces of a surface, following its vertices.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceTree {
    bvh: Bvh,
    /// Unit outward normals at the vertices, where they are needed.
    normals: Vec<Vector3<f64>>,
    pub(super) edges: Edges,
}

/// The point of a surface closest to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurfaceHit {
    pub(super) support: Support,
    pub(super) point: Point3<f64>,
    /// Unit direction of steepest ascent of the distance: out of the body.
    pub(super) outward: Vector3<f64>,
    /// Signed distance, m.
    pub(super) gap: f64,
}

impl SurfaceTree {
    pub(crate) fn new(vertices: &[Point3<f64>], faces: &[[u32; 3]]) -> Self {
        Self {
            bvh: Bvh::new(vertices, faces),
            normals: Vec::new(),
            edges: Edges::new(faces),
        }
    }

    /// Computes the normals at the vertices (weighted by angle), for [`closest_opposite`].
    ///
    /// [`closest_opposite`]: Self::closest_opposite
    pub(crate) fn update_normals(&mut self, vertices: &[Point3<f64>], faces: &[[u32; 3]]) {
        self.normals.clear();
        self.normals.resize(vertices.len(), Vector3::zeros());
        for face in faces {
            let corners = face.map(|v| vertices[v as usize]);
            if let Some(normal) = normal(&corners) {
                for (&v, corner) in face.iter().zip(&corners) {
                    self.normals[v as usize] += normal * angle_at(corner, &corners);
                }
            }
        }
        for normal in &mut self.normals {
            *normal = normal.try_normalize(0.0).unwrap_or_default();
        }
    }

    /// Follows the vertices; the tree stays as it was built.
    pub(crate) fn refit(&mut self, vertices: &[Point3<f64>], faces: &[[u32; 3]]) {
        self.bvh.refit(vertices, faces);
    }

    pub(super) fn bounds(&self) -> Aabb {
        self.bvh.bounds()
    }

    /// Faces whose boxes come within `reach` m of that of a segment, in order.
    pub(super) fn faces_near(&self, segment: &[Point3<f64>; 2], reach: f64, faces: &mut Vec<u32>) {
        let around = Aabb::from_points(segment).grown(reach);
        faces.clear();
        self.bvh.visit(
            |aabb, _, _| aabb.overlaps(&around),
            |face| faces.push(face as u32),
        );
        faces.sort_unstable();
    }

    /// The closest point of the surface within `limit` m. Which one of several equally close, and
    /// every bit of it, depends on the positions alone and not on the tree. `near` is a buffer.
    pub(super) fn closest(
        &self,
        side: &FlexibleSide<'_>,
        p: &Point3<f64>,
        limit: f64,
        near: &mut Vec<u32>,
    ) -> Option<SurfaceHit> {
        let Geometry::Surface { nodes, faces, .. } = side.geometry else {
            return None;
        };
        let triangle = |face: usize| faces[face].map(|v| side.vertices[v as usize]);
        let squared = |face: usize| (p - closest_on_triangle(p, &triangle(face)).0).norm_squared();
        let (_, found) = self.bvh.closest(p, limit, squared)?;
        // everything that is as close, up to rounding, in the order of faces
        let reach = found.sqrt() + rounding(found.sqrt());
        near.clear();
        self.bvh.visit(
            |aabb, _, _| aabb.distance(p) <= reach,
            |face| near.push(face as u32),
        );
        near.retain(|&face| squared(face as usize) <= reach * reach);
        near.sort_unstable();
        let by_distance =
            |a: &&u32, b: &&u32| squared(**a as usize).total_cmp(&squared(**b as usize));
        let face = *near.iter().min_by(by_distance)? as usize;
        let (point, weights) = closest_on_triangle(p, &triangle(face));
        let distance = (p - point).norm();
        // angle-weighted pseudo-normal (Bærentzen & Aanæs 2005): right at edges and vertices too
        let mut pseudo = Vector3::zeros();
        for &other in near.iter() {
            let corners = triangle(other as usize);
            let (q, _) = closest_on_triangle(p, &corners);
            if (q - point).norm() <= rounding(distance)
                && let Some(normal) = normal(&corners)
            {
                pseudo += normal * angle_at(&point, &corners);
            }
        }
        let sign = if (p - point).dot(&pseudo) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let outward = if distance > 1e-9 {
            (p - point) * (sign / distance)
        } else {
            pseudo.try_normalize(1e-12)?
        };
        Some(SurfaceHit {
            support: Support::triangle(faces[face].map(|v| nodes[v as usize]), weights),
            point,
            outward,
            gap: sign * distance,
        })
    }

    /// The closest point of a part of the surface that faces a vertex of the same surface from outside,
    /// within `limit` m, or that the vertex has just passed. `near` is a buffer.
    ///
    /// What lies behind a vertex is its own body: only faces in front of it (within 60° of its normal)
    /// that look back at it count. One that the vertex has passed by less than [`PASSED`] of the face's
    /// size counts too; farther behind it cannot be told from the other side of a thin wall.
    pub(super) fn closest_opposite(
        &self,
        side: &FlexibleSide<'_>,
        vertex: usize,
        limit: f64,
        near: &mut Vec<u32>,
    ) -> Option<SurfaceHit> {
        let Geometry::Surface { nodes, faces, .. } = side.geometry else {
            return None;
        };
        let (p, up) = (side.vertices[vertex], *self.normals.get(vertex)?);
        // What decides, by face alone: position, weights, outward normal and signed gap.
        let facing = |face: usize| {
            if faces[face].contains(&(vertex as u32)) {
                return None;
            }
            let corners = faces[face].map(|v| side.vertices[v as usize]);
            let normal = normal(&corners).filter(|normal| normal.dot(&up) < -0.5)?;
            let (point, weights) = closest_on_triangle(&p, &corners);
            let apart = p - point;
            let distance = apart.norm();
            let size = (corners[1] - corners[0]).norm();
            let is_in_front = apart.dot(&normal) >= 0.0 && -apart.dot(&up) >= 0.5 * distance;
            // A vertex that has passed lies right behind the inside of the face.
            let is_passed = -apart.dot(&normal) >= (1.0 - 1e-6) * distance;
            match (is_in_front, is_passed && distance <= PASSED * size) {
                (true, _) => Some((point, weights, normal, distance)),
                (false, true) => Some((point, weights, normal, -distance)),
                (false, false) => None,
            }
        };
        near.clear();
        self.bvh.visit(
            |aabb, _, _| aabb.distance(&p) <= limit,
            |face| near.push(face as u32),
        );
        // The order of faces decides among equals, so that the tree's shape makes no difference.
        near.sort_unstable();
        let hits = near.iter().filter_map(|&face| {
            let (point, weights, normal, gap) = facing(face as usize)?;
            (gap.abs() <= limit).then_some((face as usize, point, weights, normal, gap))
        });
        let (face, point, weights, normal, gap) =
            hits.min_by(|a, b| a.4.abs().total_cmp(&b.4.abs()))?;
        let outward = match (p - point).try_normalize(1e-9) {
            Some(direction) => direction * gap.signum(),
            None => normal,
        };
        Some(SurfaceHit {
            support: Support::triangle(faces[face].map(|v| nodes[v as usize]), weights),
            point,
            outward,
            gap,
        })
    }
}

/// How far a vertex may have passed a face of its own surface, as a part of the face's size, and is still
/// pushed back.
const PASSED: f64 = 0.1;

/// Distances closer together than this, m, are the same.
fn rounding(distance: f64) -> f64 {
    1e-9 * (1.0 + distance)
}

fn normal(&[a, b, c]: &[Point3<f64>; 3]) -> Option<Vector3<f64>> {
    (b - a).cross(&(c - a)).try_normalize(0.0)
}

/// Refuses a surface that encloses a negative volume: inside and outside would be exchanged.
pub(crate) fn check_orientation(
    name: &str,
    vertices: &[Point3<f64>],
    faces: &[[u32; 3]],
) -> Result<()> {
    let Some(origin) = vertices.first() else {
        return Ok(());
    };
    let volume: f64 = faces
        .iter()
        .map(|face| {
            let [a, b, c] = face.map(|v| vertices[v as usize] - origin);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum();
    if volume < 0.0 {
        return Err(CollisionError::InvalidMesh {
            shape: name.to_owned(),
            reason: format!("volume {volume:e} m³ is negative: the faces are inside out"),
        });
    }
    Ok(())
}
