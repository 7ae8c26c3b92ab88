//! Polygon meshes against convex shapes and against each other.

use nalgebra::{Isometry3, Point3};

use super::faces::{FaceScratch, FaceSide, against_sdf, feature, minima};
use super::{NarrowSettings, Remembered};
use crate::aabb::Aabb;
use crate::contact::{ShapeContact, mix};
use crate::sdf::{Sdf, SdfSample};
use crate::shape::{Convex, Core, TriangleMesh};

/// Convex shape (first) against a mesh: faces against the convex shape's exact distance, and its
/// corners against the mesh. Frame of the convex shape.
pub(super) fn against_convex(
    convex: &Convex,
    mesh: &TriangleMesh,
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    memory: &Remembered<'_>,
    scratch: &mut FaceScratch,
    out: &mut Vec<ShapeContact>,
) {
    let pose_in_mesh = pose.inverse();
    let side = FaceSide { mesh };
    // the distance to a convex solid is convex: one descent finds the only minimum
    let settings = &settings.with_local_search();
    let knows = |feature| memory.knows(feature);
    minima(&side, convex, &pose_in_mesh, settings, None, knows, scratch);
    for hit in &scratch.hits {
        let face_normal = mesh.normals()[hit.face as usize];
        // from the mesh to the convex shape
        let mut normal = -hit.outward;
        let mut gap = hit.gap;
        let facing = normal.dot(&face_normal);
        if hit.gap < 0.0 && facing < -0.9 {
            // The shape's centre is behind a face that cuts it: out is where the face looks.
            let local = pose.rotation * -face_normal;
            let deepest = pose_in_mesh * Point3::from(convex.core.support(&local));
            normal = face_normal;
            gap = (deepest - hit.point).dot(&face_normal) - convex.radius;
        } else if facing < 0.0 {
            // a face that looks away: one across its edge, or on the other side, is touched instead
            continue;
        }
        let point = hit.point + normal * (0.5 * gap);
        out.push(ShapeContact {
            feature: feature(hit.face),
            point: pose * point,
            normal: -(pose.rotation * normal),
            gap,
        });
    }
    if matches!(convex.core, Core::Point) {
        return;
    }
    let reach = mesh.bounds().grown(settings.margin + convex.radius);
    convex.core.key_points(|id, p| {
        let q = pose_in_mesh * Point3::from(p);
        if reach.distance(&q) > 0.0 {
            return;
        }
        let (distance, direction) = mesh.signed_distance(&q);
        let gap = distance - convex.radius;
        if gap <= settings.margin {
            let normal = -(pose.rotation * direction);
            out.push(ShapeContact {
                feature: mix(u64::from(id), 0xc0de),
                point: Point3::from(p) + normal * (convex.radius + 0.5 * gap),
                normal,
                gap,
            });
        }
    });
}

/// A closed mesh as the exact signed distance to its faces.
#[derive(Debug)]
struct MeshDistance<'a>(&'a TriangleMesh);

impl Sdf for MeshDistance<'_> {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (value, gradient) = self.0.signed_distance(p);
        SdfSample { value, gradient }
    }

    fn bounds(&self) -> Aabb {
        self.0.bounds()
    }

    fn feature_size(&self) -> f64 {
        // about the edge length of evenly spread faces
        let half = self.0.bounds().half_extents();
        2.0 * half.max() / (self.0.faces().len() as f64).sqrt().max(1.0)
    }
}

/// Mesh against mesh: the faces of each against the distance of the other. Frame of the first.
pub(super) fn against_mesh(
    a: &TriangleMesh,
    b: &TriangleMesh,
    pose: &Isometry3<f64>,
    settings: &NarrowSettings,
    scratch: &mut FaceScratch,
    out: &mut Vec<ShapeContact>,
) {
    let side = |mesh| FaceSide { mesh };
    let start = out.len();
    // gradients of a polyhedron's distance jump everywhere: splitting faces over that has no end
    let settings = &settings.with_local_search();
    against_sdf(
        &side(b),
        &MeshDistance(a),
        &pose.inverse(),
        settings,
        Remembered::nothing(),
        scratch,
        out,
    );
    for contact in &mut out[start..] {
        contact.point = pose * contact.point;
        contact.normal = -(pose.rotation * contact.normal);
        contact.feature = mix(contact.feature, 1);
    }
    against_sdf(
        &side(a),
        &MeshDistance(b),
        pose,
        settings,
        Remembered::nothing(),
        scratch,
        out,
    );
}
