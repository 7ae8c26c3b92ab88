//! Signed distance from a point to any shape.

use nalgebra::{Point3, Vector3};

use super::{Geometry, Shape};
use crate::sdf::{Sdf, SdfSample};

impl Shape {
    /// Signed distance and unit outward normal at a point of the shape's frame; `None` for custom
    /// shapes. For a compound, of the part that is closest.
    pub fn signed_distance(&self, p: &Point3<f64>) -> Option<SdfSample> {
        let unit = |s: SdfSample| SdfSample {
            value: s.value,
            gradient: s.normal_or(Vector3::z()),
        };
        match self.geometry() {
            Geometry::Convex(convex) => Some(convex.sample(p)),
            Geometry::HalfSpace => Some(SdfSample {
                value: p.z,
                gradient: Vector3::z(),
            }),
            Geometry::Mesh(mesh) => {
                let (value, gradient) = mesh.signed_distance(p);
                Some(SdfSample { value, gradient })
            }
            Geometry::Sdf(solid) => Some(unit(solid.sdf.sample(p))),
            Geometry::Compound(parts) => parts
                .iter()
                .filter_map(|(pose, part)| {
                    let s = part.signed_distance(&pose.inverse_transform_point(p))?;
                    Some(SdfSample {
                        value: s.value,
                        gradient: pose.rotation * s.gradient,
                    })
                })
                .min_by(|a, b| a.value.total_cmp(&b.value)),
            Geometry::Custom(_) => None,
        }
    }
}
