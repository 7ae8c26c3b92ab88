//! A flat feature of a convex shape: vertex, edge or polygon.

use nalgebra::{Isometry3, Vector3};

/// Corners a polygon may have; a face of a hull with more is thinned out.
pub(crate) const MAX_CORNERS: usize = 32;

/// One, two or more points with ids that stay with the shape.
#[derive(Debug, Clone)]
pub(crate) struct Feature {
    pub(crate) points: [Vector3<f64>; MAX_CORNERS],
    pub(crate) ids: [u32; MAX_CORNERS],
    pub(crate) n: usize,
    /// Outward normal, for polygons.
    pub(crate) normal: Option<Vector3<f64>>,
}

impl Default for Feature {
    fn default() -> Self {
        Self {
            points: [Vector3::zeros(); MAX_CORNERS],
            ids: [0; MAX_CORNERS],
            n: 0,
            normal: None,
        }
    }
}

impl Feature {
    pub(crate) fn clear(&mut self) {
        self.n = 0;
        self.normal = None;
    }

    pub(crate) fn push(&mut self, point: Vector3<f64>, id: u32) {
        if self.n < MAX_CORNERS {
            self.points[self.n] = point;
            self.ids[self.n] = id;
            self.n += 1;
        }
    }

    pub(crate) fn set_normal(&mut self, normal: Vector3<f64>) {
        self.normal = Some(normal);
    }

    /// Moves the feature to another frame.
    pub(crate) fn transform(&mut self, pose: &Isometry3<f64>) {
        for p in &mut self.points[..self.n] {
            *p = pose.rotation * *p + pose.translation.vector;
        }
        self.normal = self.normal.map(|n| pose.rotation * n);
    }
}
