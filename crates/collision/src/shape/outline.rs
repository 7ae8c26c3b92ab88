//! What a shape looks like, for whoever draws or weighs it.

use nalgebra::{Isometry3, Vector3};

use super::{Core, Form, Shape, TriangleMesh};

/// The form of a shape in its own frame, lengths in m, axes of revolution along z.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Outline<'a> {
    /// Ball around the origin.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// Box around the origin.
    Box {
        /// Half side lengths.
        half_extents: Vector3<f64>,
    },
    /// Segment along z with a radius.
    Capsule {
        /// Half length of the segment.
        half_length: f64,
        /// Radius.
        radius: f64,
    },
    /// Cylinder along z.
    Cylinder {
        /// Half length.
        half_length: f64,
        /// Radius.
        radius: f64,
    },
    /// Cone with its base at −z and its apex at +z.
    Cone {
        /// Half height.
        half_length: f64,
        /// Radius of the base.
        radius: f64,
    },
    /// Ellipsoid around the origin.
    Ellipsoid {
        /// Half axes.
        radii: Vector3<f64>,
    },
    /// Everything below z = 0.
    HalfSpace,
    /// A triangulated surface.
    Mesh(&'a TriangleMesh),
    /// Several shapes at poses.
    Compound(&'a [(Isometry3<f64>, Shape)]),
    /// An unbounded distance or a user's own shape: nothing to draw.
    Hidden,
}

impl Shape {
    /// What the shape looks like.
    pub fn outline(&self) -> Outline<'_> {
        match self.form() {
            Form::Convex(convex) => match (&convex.core, convex.radius) {
                (Core::Point, radius) => Outline::Sphere { radius },
                (Core::Segment { half_length }, radius) => Outline::Capsule {
                    half_length: *half_length,
                    radius,
                },
                (Core::Box { half, .. }, 0.0) => Outline::Box {
                    half_extents: *half,
                },
                (
                    Core::Cylinder {
                        half_length,
                        radius,
                        ..
                    },
                    0.0,
                ) => Outline::Cylinder {
                    half_length: *half_length,
                    radius: *radius,
                },
                (
                    Core::Cone {
                        half_length,
                        radius,
                        ..
                    },
                    0.0,
                ) => Outline::Cone {
                    half_length: *half_length,
                    radius: *radius,
                },
                (Core::Ellipsoid { radii, .. }, 0.0) => Outline::Ellipsoid { radii: *radii },
                _ => Outline::Mesh(convex.mesh()),
            },
            Form::HalfSpace => Outline::HalfSpace,
            Form::Mesh(mesh) => Outline::Mesh(mesh),
            Form::Sdf(solid) => match &solid.faces {
                Some(faces) => Outline::Mesh(faces.mesh()),
                None => Outline::Hidden,
            },
            Form::Compound(parts) => Outline::Compound(parts),
            Form::Custom(_) => Outline::Hidden,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_are_told_by_their_numbers() {
        let capsule = Shape::capsule("c", 0.3, 0.1).unwrap();
        assert!(matches!(
            capsule.outline(),
            Outline::Capsule {
                half_length: 0.3,
                radius: 0.1
            }
        ));
        assert!(matches!(
            Shape::half_space("h").outline(),
            Outline::HalfSpace
        ));
        let parts = vec![(Isometry3::translation(1.0, 0.0, 0.0), capsule)];
        let compound = Shape::compound("two", parts).unwrap();
        assert!(matches!(compound.outline(), Outline::Compound(parts) if parts.len() == 1));
    }
}
