//! Revolution of a plane profile about z.

use std::fmt::Debug;

use nalgebra::{Isometry3, Point2, Point3, Vector2, Vector3};

use super::change::way_but_turning;
use super::primitives::direction_or;
use super::{Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result};

/// Signed distance in the half plane (r ≥ 0, z).
pub trait Profile: Send + Sync + Debug {
    /// Value and gradient (∂r, ∂z) at (r, z).
    fn sample(&self, p: &Point2<f64>) -> (f64, Vector2<f64>);

    /// Largest radius, smallest and largest z of the region.
    fn extent(&self) -> (f64, f64, f64);

    /// Size of the smallest feature, m.
    fn feature_size(&self) -> f64;
}

/// Distance from `p` to the segment `a`–`b` as the vector from the closest point to `p`.
pub(crate) fn offset_from_segment(
    p: &Point2<f64>,
    a: &Point2<f64>,
    b: &Point2<f64>,
) -> Vector2<f64> {
    let ab = b - a;
    let ap = p - a;
    let length_squared = ab.norm_squared();
    let t = if length_squared > 0.0 {
        (ap.dot(&ab) / length_squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    ap - ab * t
}

/// Solid of revolution: φ(p) = profile(√(x² + y²), z).
#[derive(Debug, Clone)]
pub struct Revolution<P> {
    profile: P,
}

impl<P: Profile> Revolution<P> {
    /// Turns `profile` about z.
    pub fn new(profile: P) -> Self {
        Self { profile }
    }
}

impl<P: Profile> Sdf for Revolution<P> {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        let (value, g) = self.profile.sample(&Point2::new(r, p.z));
        SdfSample {
            value,
            gradient: radial * g.x + Vector3::z() * g.y,
        }
    }

    fn bounds(&self) -> Aabb {
        let (r, low, high) = self.profile.extent();
        Aabb {
            min: Point3::new(-r, -r, low),
            max: Point3::new(r, r, high),
        }
    }

    fn feature_size(&self) -> f64 {
        self.profile.feature_size()
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        way_but_turning(motion, region)
    }
}

/// Simple polygon in the half plane r ≥ 0, exact distance. Edges on the axis are not surface.
#[derive(Debug, Clone)]
pub struct Polygon {
    vertices: Vec<Point2<f64>>,
}

impl Polygon {
    /// Vertices (r, z) in order, either sense; at least three, r ≥ 0, area not zero.
    pub fn new(vertices: Vec<Point2<f64>>) -> Result<Self> {
        let refuse = |field, value, reason| {
            Err(CollisionError::InvalidParameter {
                element: "polygon profile".to_owned(),
                field,
                value,
                reason,
            })
        };
        if vertices.len() < 3 {
            return refuse(
                "number of vertices",
                vertices.len() as f64,
                "must be at least 3",
            );
        }
        for v in &vertices {
            if !(v.x.is_finite() && v.y.is_finite()) {
                return refuse("vertex", v.x + v.y, "must be finite");
            }
            if v.x < 0.0 {
                return refuse("vertex radius", v.x, "must not be negative");
            }
        }
        let n = vertices.len();
        let twice_area: f64 = (0..n)
            .map(|i| vertices[i].coords.perp(&vertices[(i + 1) % n].coords))
            .sum();
        let size = vertices.iter().map(|v| v.coords.norm()).fold(0.0, f64::max);
        if twice_area.abs() <= 1e-12 * size * size {
            return refuse("area", 0.5 * twice_area, "must not be zero");
        }
        Ok(Self { vertices })
    }

    fn edges(&self) -> impl Iterator<Item = (&Point2<f64>, &Point2<f64>)> {
        let n = self.vertices.len();
        (0..n).map(move |i| (&self.vertices[i], &self.vertices[(i + 1) % n]))
    }
}

impl Profile for Polygon {
    fn sample(&self, p: &Point2<f64>) -> (f64, Vector2<f64>) {
        let mut best = f64::INFINITY;
        let mut offset = Vector2::zeros();
        let mut edge_direction = Vector2::x();
        let mut inside = false;
        for (a, b) in self.edges() {
            // crossing rule along +r
            if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
                inside = !inside;
            }
            if a.x == 0.0 && b.x == 0.0 {
                continue;
            }
            let o = offset_from_segment(p, a, b);
            let d = o.norm_squared();
            if d < best {
                best = d;
                offset = o;
                edge_direction = b - a;
            }
        }
        let distance = best.sqrt();
        let sign = if inside { -1.0 } else { 1.0 };
        let gradient = if distance > 1e-150 {
            offset * (sign / distance)
        } else {
            Vector2::new(edge_direction.y, -edge_direction.x).normalize()
        };
        (sign * distance, gradient)
    }

    fn extent(&self) -> (f64, f64, f64) {
        self.vertices.iter().fold(
            (0.0, f64::INFINITY, f64::NEG_INFINITY),
            |(r, low, high), v| (r.max(v.x), low.min(v.y), high.max(v.y)),
        )
    }

    fn feature_size(&self) -> f64 {
        // half of the shortest edge: re-entrant corners have several minima within an edge's length
        0.5 * self
            .edges()
            .map(|(a, b)| (b - a).norm())
            .filter(|&length| length > 0.0)
            .fold(f64::INFINITY, f64::min)
    }
}
