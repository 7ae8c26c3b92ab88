//! Rigid motion and uniform scale of a signed distance function.

use nalgebra::{Isometry3, Point3};

use super::{Sdf, SdfRef, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, positive};

/// The inner solid placed at a pose.
#[derive(Debug, Clone)]
pub struct Transformed {
    inner: SdfRef,
    pose: Isometry3<f64>,
}

impl Transformed {
    /// `pose` maps inner coordinates to outer ones.
    pub fn new(inner: SdfRef, pose: Isometry3<f64>) -> Result<Self> {
        if !pose.to_homogeneous().iter().all(|x| x.is_finite()) {
            return Err(CollisionError::InvalidParameter {
                element: "transformed SDF".to_owned(),
                field: "pose",
                value: f64::NAN,
                reason: "must be finite",
            });
        }
        Ok(Self { inner, pose })
    }

    fn turned(&self, s: SdfSample) -> SdfSample {
        SdfSample {
            value: s.value,
            gradient: self.pose.rotation * s.gradient,
        }
    }
}

impl Sdf for Transformed {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        self.turned(self.inner.sample(&self.pose.inverse_transform_point(p)))
    }

    fn bounds(&self) -> Aabb {
        self.inner.bounds().transformed(&self.pose)
    }

    fn lipschitz(&self) -> f64 {
        self.inner.lipschitz()
    }

    fn feature_size(&self) -> f64 {
        self.inner.feature_size()
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let inverse = self.pose.inverse();
        let motion = inverse * motion * self.pose;
        self.inner
            .change(&motion, &region.transformed(&inverse), reach)
    }

    fn branches(&self, p: &Point3<f64>, visit: &mut dyn FnMut(u64, SdfSample)) {
        let q = self.pose.inverse_transform_point(p);
        self.inner
            .branches(&q, &mut |branch, s| visit(branch, self.turned(s)));
    }
}

/// The inner solid scaled about the origin: s·φ(p/s), still a distance.
#[derive(Debug, Clone)]
pub struct Scaled {
    inner: SdfRef,
    factor: f64,
}

impl Scaled {
    /// Positive scale factor.
    pub fn new(inner: SdfRef, factor: f64) -> Result<Self> {
        let factor = positive("scaled SDF", "factor", factor)?;
        Ok(Self { inner, factor })
    }
}

impl Sdf for Scaled {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let s = self.inner.sample(&(p / self.factor));
        SdfSample {
            value: s.value * self.factor,
            ..s
        }
    }

    fn bounds(&self) -> Aabb {
        let b = self.inner.bounds();
        Aabb {
            min: b.min * self.factor,
            max: b.max * self.factor,
        }
    }

    fn lipschitz(&self) -> f64 {
        self.inner.lipschitz()
    }

    fn feature_size(&self) -> f64 {
        self.inner.feature_size() * self.factor
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let mut motion = *motion;
        motion.translation.vector /= self.factor;
        let region = Aabb {
            min: region.min / self.factor,
            max: region.max / self.factor,
        };
        self.factor * self.inner.change(&motion, &region, reach / self.factor)
    }

    fn branches(&self, p: &Point3<f64>, visit: &mut dyn FnMut(u64, SdfSample)) {
        self.inner.branches(&(p / self.factor), &mut |branch, s| {
            visit(
                branch,
                SdfSample {
                    value: s.value * self.factor,
                    ..s
                },
            );
        });
    }
}
