//! The dish family of [AL, Appendix B]: bowls, plates, pots and bottles.
//!
//! In the half plane (r, z) the wall follows the segments O–A and A–B, O the origin, and is padded
//! to the thickness d on both sides, [AL, (46)]:
//!
//! φ(r, z) = min(dist((r, z), OA), dist((r, z), AB)) − d
//!
//! revolved about z. Outside the solid this is the exact distance.

use nalgebra::{Isometry3, Point2, Point3, Vector2, Vector3};

use super::change::way_but_turning;
use super::primitives::direction_or;
use super::{SampleBatch, Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, finite, non_negative, positive};
use crate::lanes::{Kernel, vectorized};

/// A dish: floor O–A, wall A–B, padding d.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dish {
    a: Point2<f64>,
    b: Point2<f64>,
    thickness: f64,
    floor: Segment,
    wall: Segment,
}

/// A segment in the half plane with what distances to it need.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Segment {
    start: Point2<f64>,
    /// From start to end.
    span: Vector2<f64>,
    inverse_square: f64,
}

impl Segment {
    fn new(start: Point2<f64>, end: Point2<f64>) -> Self {
        let span = end - start;
        Self {
            start,
            span,
            inverse_square: 1.0 / span.norm_squared(),
        }
    }

    /// From the closest point of the segment to q.
    fn offset(&self, q: &Point2<f64>) -> Vector2<f64> {
        let from = q - self.start;
        from - self.span * (from.dot(&self.span) * self.inverse_square).clamp(0.0, 1.0)
    }

    /// Unit normal on the upper, inner side: the way out for a point on the centre line itself.
    fn inward(&self) -> Vector2<f64> {
        Vector2::new(-self.span.y, self.span.x).normalize()
    }
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
        Ok(Self {
            a,
            b,
            thickness,
            floor: Segment::new(Point2::origin(), a),
            wall: Segment::new(a, b),
        })
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

    /// Distance and gradient from the offset to the closest point of one segment.
    fn branch(&self, offset: Vector2<f64>, segment: &Segment, radial: Vector3<f64>) -> SdfSample {
        let norm = offset.norm();
        let g = if norm > 1e-150 {
            offset / norm
        } else {
            segment.inward()
        };
        SdfSample {
            value: norm - self.thickness,
            gradient: radial * g.x + Vector3::z() * g.y,
        }
    }
}

/// Floor and wall, the nearer one chosen without a branch, for all points of a batch.
struct DishPass<'a> {
    dish: &'a Dish,
    batch: &'a mut SampleBatch,
}

impl Kernel for DishPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (dish, n) = (self.dish, self.batch.len());
        let SampleBatch {
            points: [x, y, z],
            values,
            gradients: [gx, gy, gz],
            work,
        } = self.batch;
        let (x, y, z) = (&x[..n], &y[..n], &z[..n]);
        let (gx, gy, gz) = (&mut gx[..n], &mut gy[..n], &mut gz[..n]);
        let (values, work) = (&mut values[..n], &mut work[..n]);
        // in the order of operations of `sample`, so that the bits are the same
        for i in 0..n {
            let r = (x[i] * x[i] + y[i] * y[i]).sqrt();
            let (radial_x, radial_y) = (x[i] / r, y[i] / r);
            let offset = |segment: &Segment| {
                let (from_r, from_z) = (r - segment.start.x, z[i] - segment.start.y);
                let along = from_r * segment.span.x + from_z * segment.span.y;
                let t = (along * segment.inverse_square).clamp(0.0, 1.0);
                let (dr, dz) = (from_r - segment.span.x * t, from_z - segment.span.y * t);
                (dr, dz, dr * dr + dz * dz)
            };
            let (floor, wall) = (offset(&dish.floor), offset(&dish.wall));
            let is_floor = floor.2 <= wall.2;
            let dr = if is_floor { floor.0 } else { wall.0 };
            let dz = if is_floor { floor.1 } else { wall.1 };
            let norm = (if is_floor { floor.2 } else { wall.2 }).sqrt();
            let (g_r, g_z) = (dr / norm, dz / norm);
            values[i] = norm - dish.thickness;
            gx[i] = radial_x * g_r + 0.0 * g_z;
            gy[i] = radial_y * g_r + 0.0 * g_z;
            gz[i] = 0.0 * g_r + g_z;
            work[i] = if r < norm { r } else { norm };
        }
    }
}

impl Sdf for Dish {
    fn sample_batch(&self, batch: &mut SampleBatch) {
        batch.make_room();
        vectorized(DishPass { dish: self, batch });
        // on the axis and on the centre line there is no direction to divide by
        for i in 0..batch.len() {
            if !(batch.work[i] > 1e-150) {
                let sample = self.sample(&batch.point(i));
                batch.set(i, &sample);
            }
        }
    }

    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        let q = Point2::new(r, p.z);
        let (floor, wall) = (self.floor.offset(&q), self.wall.offset(&q));
        if floor.norm_squared() <= wall.norm_squared() {
            self.branch(floor, &self.floor, radial)
        } else {
            self.branch(wall, &self.wall, radial)
        }
    }

    fn value(&self, p: &Point3<f64>) -> f64 {
        let q = Point2::new((p.x * p.x + p.y * p.y).sqrt(), p.z);
        let (floor, wall) = (self.floor.offset(&q), self.wall.offset(&q));
        floor.norm_squared().min(wall.norm_squared()).sqrt() - self.thickness
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

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        way_but_turning(motion, region)
    }

    fn branches(&self, p: &Point3<f64>, visit: &mut dyn FnMut(u64, SdfSample)) {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        let q = Point2::new(r, p.z);
        let [floor, wall] = [&self.floor, &self.wall].map(|s| self.branch(s.offset(&q), s, radial));
        visit(0, floor);
        // Beyond the joint both segments have A as closest point: one contact, not two.
        if (floor.gradient - wall.gradient).norm() > 1e-9 {
            visit(1, wall);
        }
    }
}
