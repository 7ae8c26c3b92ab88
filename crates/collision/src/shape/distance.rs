//! Signed distance from a point to any shape.

use nalgebra::{Point3, Vector3};

use super::{Form, Shape};
use crate::sdf::{Sdf, SdfSample};

impl Shape {
    /// Whether a point can be asked for its distance to all of this shape: not to custom shapes.
    pub fn has_signed_distance(&self) -> bool {
        match self.form() {
            Form::Convex(_) | Form::HalfSpace | Form::Mesh(_) | Form::Sdf(_) => true,
            Form::Compound(parts) => parts.iter().all(|(_, part)| part.has_signed_distance()),
            Form::Custom(_) => false,
        }
    }

    /// Signed distance and unit outward normal at a point of the shape's frame; `None` for custom
    /// shapes. For a compound, of the part that is closest.
    pub fn signed_distance(&self, p: &Point3<f64>) -> Option<SdfSample> {
        let unit = |s: SdfSample| SdfSample {
            value: s.value,
            gradient: s.normal_or(Vector3::z()),
        };
        match self.form() {
            Form::Convex(convex) => Some(convex.sample(p)),
            Form::HalfSpace => Some(SdfSample {
                value: p.z,
                gradient: Vector3::z(),
            }),
            Form::Mesh(mesh) => {
                let (value, gradient) = mesh.signed_distance(p);
                Some(SdfSample { value, gradient })
            }
            Form::Sdf(solid) => Some(unit(solid.sdf.sample(p))),
            Form::Compound(parts) => parts
                .iter()
                .filter_map(|(pose, part)| {
                    let s = part.signed_distance(&pose.inverse_transform_point(p))?;
                    Some(SdfSample {
                        value: s.value,
                        gradient: pose.rotation * s.gradient,
                    })
                })
                .min_by(|a, b| a.value.total_cmp(&b.value)),
            Form::Custom(_) => None,
        }
    }
}
