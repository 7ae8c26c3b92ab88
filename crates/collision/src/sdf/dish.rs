//! The dish family of [AL, Appendix B]: bowls, plates, pots and bottles.
//!
//! In the half plane (r, z) the wall follows the segments O–A and A–B, O the origin, and is padded
//! to the thickness d on both sides, [AL, (46)]:
//!
//! φ(r, z) = min(dist((r, z), OA), dist((r, z), AB)) − d
//!
//! revolved about z. Outside the solid this is the exact distance.

use nalgebra::{Point2, Point3, Vector2, Vector3};

use super::primitives::direction_or;
use super::profile::offset_from_segment;
use super::{Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, finite, non_negative, positive};

/// A dish: floor O–A, wall A–B, padding d.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dish {
    a: Point2<f64>,
    b: Point2<f64>,
    thickness: f64,
}

impl Dish {
    /// Points A and B as (r, z) in m, padding `thickness` (d, half of the wall's full thickness) in m.
    pub fn new(a: Point2<f64>, b: Point2<f64>, thickness: f64) -> Result<Self> {
        positive("dish", "radius of A", a.x)?;
        finite("dish", "height of A", a.y)?;
        non_negative("dish", "radius of B", b.x)?;
        finite("dish", "height of B", b.y)?;
        positive("dish", "thickness", thickness)?;
        if (b - a).norm() < 1e-12 * a.coords.norm() {
            return Err(CollisionError::InvalidParameter {
                element: "dish".to_owned(),
                field: "distance A–B",
                value: (b - a).norm(),
                reason: "must not be zero",
            });
        }
        Ok(Self { a, b, thickness })
    }

    /// Flat floor of radius `foot`, wall opening to `rim` over `height`.
    pub fn bowl(foot: f64, rim: f64, height: f64, thickness: f64) -> Result<Self> {
        Self::new(Point2::new(foot, 0.0), Point2::new(rim, height), thickness)
    }

    /// Shallow dish: wide floor of radius `floor`, low border out to `rim`.
    pub fn plate(floor: f64, rim: f64, height: f64, thickness: f64) -> Result<Self> {
        Self::new(Point2::new(floor, 0.0), Point2::new(rim, height), thickness)
    }

    /// Straight upright wall.
    pub fn pot(radius: f64, height: f64, thickness: f64) -> Result<Self> {
        Self::new(
            Point2::new(radius, 0.0),
            Point2::new(radius, height),
            thickness,
        )
    }

    /// Wall that closes in from `radius` to `neck` over `height`.
    pub fn bottle(radius: f64, neck: f64, height: f64, thickness: f64) -> Result<Self> {
        Self::new(
            Point2::new(radius, 0.0),
            Point2::new(neck, height),
            thickness,
        )
    }

    /// Point A (r, z), m.
    pub fn a(&self) -> Point2<f64> {
        self.a
    }

    /// Point B (r, z), m.
    pub fn b(&self) -> Point2<f64> {
        self.b
    }

    /// Padding d, m.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    fn branch(
        &self,
        offset: Vector2<f64>,
        radial: Vector3<f64>,
        fallback: Vector2<f64>,
    ) -> SdfSample {
        let norm = offset.norm();
        let g = if norm > 1e-150 {
            offset / norm
        } else {
            fallback
        };
        SdfSample {
            value: norm - self.thickness,
            gradient: radial * g.x + Vector3::z() * g.y,
        }
    }

    fn both(&self, p: &Point3<f64>) -> [SdfSample; 2] {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        let q = Point2::new(r, p.z);
        // on the centre line itself: leave by its upper or inner side
        let normal_of = |v: Vector2<f64>| Vector2::new(-v.y, v.x).normalize();
        [
            self.branch(
                offset_from_segment(&q, &Point2::origin(), &self.a),
                radial,
                normal_of(self.a.coords),
            ),
            self.branch(
                offset_from_segment(&q, &self.a, &self.b),
                radial,
                normal_of(self.b - self.a),
            ),
        ]
    }
}

impl Sdf for Dish {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let [floor, wall] = self.both(p);
        if floor.value <= wall.value {
            floor
        } else {
            wall
        }
    }

    fn bounds(&self) -> Aabb {
        let r = self.a.x.max(self.b.x) + self.thickness;
        let low = self.a.y.min(self.b.y).min(0.0) - self.thickness;
        let high = self.a.y.max(self.b.y).max(0.0) + self.thickness;
        Aabb {
            min: Point3::new(-r, -r, low),
            max: Point3::new(r, r, high),
        }
    }

    fn feature_size(&self) -> f64 {
        self.thickness
    }

    fn branches(&self, p: &Point3<f64>, visit: &mut dyn FnMut(u64, SdfSample)) {
        let [floor, wall] = self.both(p);
        visit(0, floor);
        // Beyond the joint both segments have A as closest point: one contact, not two.
        if (floor.gradient - wall.gradient).norm() > 1e-9 {
            visit(1, wall);
        }
    }
}
