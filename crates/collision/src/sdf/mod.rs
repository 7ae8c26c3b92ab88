//! Signed distance functions with analytic gradients.
//!
//! φ is negative inside, positive outside, zero on the surface. Every function here keeps
//! |φ(p) − φ(q)| ≤ `lipschitz()`·|p − q|, which is what culling relies on; functions that are exact
//! distances have |∇φ| = 1 wherever they are differentiable. At a kink (the medial axis, a crease)
//! the gradient of one side is returned: always finite, and never zero where the function is exact.

mod batch;
mod change;
mod combine;
mod dish;
mod ellipsoid;
mod grid;
mod neural;
mod primitives;
mod profile;
#[cfg(feature = "sdf-files")]
mod tensors;
mod thread;
mod transform;

use std::fmt::Debug;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};

pub use batch::SampleBatch;
pub(crate) use change::{longest_way, way_but_turning, way_of_center};
pub use combine::{Difference, Intersection, Rounded, Shell, Union};
pub use dish::Dish;
pub use ellipsoid::EllipsoidSdf;
pub use grid::GridSdf;
pub use neural::{Activation, Layer, NeuralBolt, NeuralSdf};
pub use primitives::{BoxSdf, CapsuleSdf, CylinderSdf, HalfSpaceSdf, SphereSdf, TorusSdf};
pub use profile::{Polygon, Profile, Revolution};
#[cfg(feature = "sdf-files")]
pub use tensors::distance_from_bytes;
pub use thread::{BoltSdf, MetricThread, NutSdf, ThreadEnd};
pub use transform::{Scaled, Transformed};

use crate::aabb::Aabb;

/// φ and ∇φ at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SdfSample {
    /// φ, m.
    pub value: f64,
    /// ∇φ, dimensionless.
    pub gradient: Vector3<f64>,
}

impl SdfSample {
    /// Unit normal along ∇φ; `fallback` (unit) where the gradient vanishes.
    pub fn normal_or(&self, fallback: Vector3<f64>) -> Vector3<f64> {
        let norm = self.gradient.norm();
        if norm > 1e-9 {
            self.gradient / norm
        } else {
            fallback
        }
    }
}

/// A solid described by its signed distance φ, in its own frame, metres.
pub trait Sdf: Send + Sync + Debug {
    /// φ and ∇φ at `p`.
    fn sample(&self, p: &Point3<f64>) -> SdfSample;

    /// φ at `p`.
    fn value(&self, p: &Point3<f64>) -> f64 {
        self.sample(p).value
    }

    /// φ and ∇φ at all points of `batch`: the same to the bit as [`sample`](Self::sample) gives.
    fn sample_batch(&self, batch: &mut SampleBatch) {
        batch.fill(|p| self.sample(p));
    }

    /// Box around the solid {φ ≤ 0}; may be infinite.
    fn bounds(&self) -> Aabb;

    /// Smallest L with |φ(p) − φ(q)| ≤ L |p − q| that is known.
    fn lipschitz(&self) -> f64 {
        1.0
    }

    /// Size of the smallest feature, m: on a triangle not larger than this the minimum of φ is
    /// found from a few starts, larger triangles are split first.
    fn feature_size(&self) -> f64;

    /// A bound (m) of how much φ changes at the points of `region` when they move by `motion`, values
    /// beyond ±`reach` counted as ±`reach`: |clamp φ(M p) − clamp φ(p)|. Both in the solid's frame.
    ///
    /// What is remembered of a pair is good until it has moved by this. A solid that a motion maps to
    /// itself says less than L times the way: a bowl that turns about its axis has not moved.
    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let _ = reach;
        self.lipschitz() * longest_way(motion, region)
    }

    /// Reports φ of every part of the solid that could touch near `p` (the members of a union), so
    /// that a ball in a crease gets a contact on each side. The number names the part.
    fn branches(&self, p: &Point3<f64>, visit: &mut dyn FnMut(u64, SdfSample)) {
        visit(0, self.sample(p));
    }
}

/// Shared handle to a signed distance function.
pub type SdfRef = Arc<dyn Sdf>;
