//! Exact signed distances of sphere, box, capsule, cylinder, torus and half-space.

use nalgebra::{Isometry3, Point3, Vector3};

use super::change::{longest_way, way_along_z, way_but_turning, way_of_center};
use super::{Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{Result, positive};

/// Unit vector along `v`, or `fallback` if `v` is (numerically) zero, and the length of `v`.
pub(super) fn direction_or(v: Vector3<f64>, fallback: Vector3<f64>) -> (Vector3<f64>, f64) {
    let norm = v.norm();
    if norm > 1e-150 {
        (v / norm, norm)
    } else {
        (fallback, norm)
    }
}

/// Ball around the origin.
#[derive(Debug, Clone, Copy)]
pub struct SphereSdf {
    radius: f64,
}

impl SphereSdf {
    /// Radius in m.
    pub fn new(radius: f64) -> Result<Self> {
        Ok(Self {
            radius: positive("sphere SDF", "radius", radius)?,
        })
    }
}

impl Sdf for SphereSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (gradient, norm) = direction_or(p.coords, Vector3::z());
        SdfSample {
            value: norm - self.radius,
            gradient,
        }
    }

    fn bounds(&self) -> Aabb {
        Aabb::from_center(Point3::origin(), Vector3::repeat(self.radius))
    }

    fn feature_size(&self) -> f64 {
        self.radius
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        way_of_center(motion).min(longest_way(motion, region))
    }
}

/// Box around the origin.
#[derive(Debug, Clone, Copy)]
pub struct BoxSdf {
    half_extents: Vector3<f64>,
}

impl BoxSdf {
    /// Half side lengths in m.
    pub fn new(half_extents: Vector3<f64>) -> Result<Self> {
        for i in 0..3 {
            positive("box SDF", "half extent", half_extents[i])?;
        }
        Ok(Self { half_extents })
    }
}

impl Sdf for BoxSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let q = p.coords.abs() - self.half_extents;
        let sign = |i: usize| 1.0_f64.copysign(p[i]);
        if q.max() > 0.0 {
            let outside = q.map(|x| x.max(0.0));
            let norm = outside.norm();
            SdfSample {
                value: norm,
                gradient: Vector3::from_fn(|i, _| sign(i) * outside[i] / norm),
            }
        } else {
            let axis = q.imax();
            let mut gradient = Vector3::zeros();
            gradient[axis] = sign(axis);
            SdfSample {
                value: q[axis],
                gradient,
            }
        }
    }

    fn bounds(&self) -> Aabb {
        Aabb::from_center(Point3::origin(), self.half_extents)
    }

    fn feature_size(&self) -> f64 {
        self.half_extents.min()
    }
}

/// Capsule along z around the origin.
#[derive(Debug, Clone, Copy)]
pub struct CapsuleSdf {
    half_length: f64,
    radius: f64,
}

impl CapsuleSdf {
    /// Half length of the segment and radius, m.
    pub fn new(half_length: f64, radius: f64) -> Result<Self> {
        Ok(Self {
            half_length: positive("capsule SDF", "half length", half_length)?,
            radius: positive("capsule SDF", "radius", radius)?,
        })
    }
}

impl Sdf for CapsuleSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let along = p.z.clamp(-self.half_length, self.half_length);
        let (gradient, norm) = direction_or(p.coords - Vector3::z() * along, Vector3::x());
        SdfSample {
            value: norm - self.radius,
            gradient,
        }
    }

    fn bounds(&self) -> Aabb {
        let r = self.radius;
        Aabb::from_center(Point3::origin(), Vector3::new(r, r, r + self.half_length))
    }

    fn feature_size(&self) -> f64 {
        self.radius
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        way_but_turning(motion, region)
    }
}

/// Cylinder along z around the origin.
#[derive(Debug, Clone, Copy)]
pub struct CylinderSdf {
    half_length: f64,
    radius: f64,
}

impl CylinderSdf {
    /// Half length and radius, m.
    pub fn new(half_length: f64, radius: f64) -> Result<Self> {
        Ok(Self {
            half_length: positive("cylinder SDF", "half length", half_length)?,
            radius: positive("cylinder SDF", "radius", radius)?,
        })
    }
}

impl Sdf for CylinderSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        let axial = Vector3::z() * 1.0_f64.copysign(p.z);
        let (dr, dz) = (r - self.radius, p.z.abs() - self.half_length);
        if dr > 0.0 && dz > 0.0 {
            let norm = dr.hypot(dz);
            SdfSample {
                value: norm,
                gradient: (radial * dr + axial * dz) / norm,
            }
        } else if dr > dz {
            SdfSample {
                value: dr,
                gradient: radial,
            }
        } else {
            SdfSample {
                value: dz,
                gradient: axial,
            }
        }
    }

    fn bounds(&self) -> Aabb {
        let r = self.radius;
        Aabb::from_center(Point3::origin(), Vector3::new(r, r, self.half_length))
    }

    fn feature_size(&self) -> f64 {
        self.radius.min(self.half_length)
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        way_but_turning(motion, region)
    }
}

/// Torus around z.
#[derive(Debug, Clone, Copy)]
pub struct TorusSdf {
    ring_radius: f64,
    tube_radius: f64,
}

impl TorusSdf {
    /// Radius of the ring's centre line and of the tube, m.
    pub fn new(ring_radius: f64, tube_radius: f64) -> Result<Self> {
        Ok(Self {
            ring_radius: positive("torus SDF", "ring radius", ring_radius)?,
            tube_radius: positive("torus SDF", "tube radius", tube_radius)?,
        })
    }
}

impl Sdf for TorusSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (radial, _) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        let (gradient, norm) = direction_or(p.coords - radial * self.ring_radius, Vector3::z());
        SdfSample {
            value: norm - self.tube_radius,
            gradient,
        }
    }

    fn bounds(&self) -> Aabb {
        let outer = self.ring_radius + self.tube_radius;
        Aabb::from_center(
            Point3::origin(),
            Vector3::new(outer, outer, self.tube_radius),
        )
    }

    fn feature_size(&self) -> f64 {
        self.tube_radius
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        way_but_turning(motion, region)
    }
}

/// The half-space z ≤ 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct HalfSpaceSdf;

impl Sdf for HalfSpaceSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        SdfSample {
            value: p.z,
            gradient: Vector3::z(),
        }
    }

    fn bounds(&self) -> Aabb {
        let mut aabb = Aabb::everything();
        aabb.max.z = 0.0;
        aabb
    }

    fn feature_size(&self) -> f64 {
        f64::INFINITY
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        way_along_z(motion, region)
    }
}
