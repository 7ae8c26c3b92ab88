//! Where faces are, seen from a signed distance, and how much that changed.

use nalgebra::Isometry3;

use crate::aabb::Aabb;
use crate::sdf::Sdf;

/// Faces in front of a signed distance.
pub(super) struct Placement<'a> {
    pub(super) sdf: &'a dyn Sdf,
    /// Box around the faces and the surface they stand for, in their frame.
    pub(super) bounds: Aabb,
    /// From the frame of the faces to that of the distance.
    pub(super) pose: Isometry3<f64>,
}

impl Placement<'_> {
    /// A bound (m) of how much φ, cut at ±`reach`, has changed anywhere on the faces since they were
    /// at `then`; not a number if that is none.
    pub(super) fn change_since(&self, then: &Isometry3<f64>, reach: f64) -> f64 {
        if self.pose == *then {
            return 0.0;
        }
        let region = self.bounds.transformed(then);
        let motion = self.pose * then.inverse();
        // rounding of poses, of φ, and of the bound itself
        let size = region.min.coords.amax().max(region.max.coords.amax());
        let rounding = 64.0 * f64::EPSILON * (size + then.translation.vector.amax());
        self.sdf.change(&motion, &region, reach) + rounding
    }
}
