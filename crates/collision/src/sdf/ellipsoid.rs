//! Exact signed distance of an ellipsoid.
//!
//! The closest point x of the surface Σ (xᵢ/eᵢ)² = 1 to y satisfies yᵢ = xᵢ (1 + t/eᵢ²); t is the
//! largest root of Σ (eᵢ yᵢ/(t + eᵢ²))² = 1 (D. Eberly, "Distance from a Point to an Ellipse, an
//! Ellipsoid, or a Hyperellipsoid"), found by bisection to the last bit, then polished by nothing:
//! the bisection of a monotone function is exact and takes a bounded number of steps.

use nalgebra::{Isometry3, Point3, Vector3};

use super::change::{longest_way, way_but_turning};
use super::{Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{Result, positive};

/// Ellipsoid around the origin with its axes along x, y, z.
#[derive(Debug, Clone, Copy)]
pub struct EllipsoidSdf {
    radii: Vector3<f64>,
    /// Axis indices from the longest radius to the shortest.
    order: [usize; 3],
}

impl EllipsoidSdf {
    /// Half axes, m.
    pub fn new(radii: Vector3<f64>) -> Result<Self> {
        for i in 0..3 {
            positive("ellipsoid SDF", "radius", radii[i])?;
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| radii[j].total_cmp(&radii[i]));
        Ok(Self { radii, order })
    }

    /// Point of the surface closest to `y`, any octant.
    fn closest(&self, y: &Vector3<f64>) -> Vector3<f64> {
        let e = self.order.map(|i| self.radii[i]);
        let q = self.order.map(|i| y[i].abs());
        let x = closest_first_octant(e, q);
        let mut closest = Vector3::zeros();
        for (&axis, &coordinate) in self.order.iter().zip(&x) {
            closest[axis] = coordinate.copysign(y[axis]);
        }
        closest
    }
}

/// Closest point for `e` descending and `y` ≥ 0.
fn closest_first_octant(e: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    if y[2] > 1e-14 * e[2] {
        return scaled_by_root(e, y);
    }
    // On the plane of the two longer axes: the closest point may lie off the plane.
    let numer = [e[0] * y[0], e[1] * y[1]];
    let denom = [e[0] * e[0] - e[2] * e[2], e[1] * e[1] - e[2] * e[2]];
    if numer[0] < denom[0] && numer[1] < denom[1] {
        let (c0, c1) = (numer[0] / denom[0], numer[1] / denom[1]);
        let rest = 1.0 - c0 * c0 - c1 * c1;
        if rest > 0.0 {
            return [e[0] * c0, e[1] * c1, e[2] * rest.sqrt()];
        }
    }
    if y[1] > 1e-14 * e[1] {
        return scaled_by_root(e, [y[0], y[1], 0.0]);
    }
    let (numer, denom) = (e[0] * y[0], e[0] * e[0] - e[1] * e[1]);
    if numer < denom {
        let c = numer / denom;
        return [e[0] * c, e[1] * (1.0 - c * c).max(0.0).sqrt(), 0.0];
    }
    [e[0], 0.0, 0.0]
}

/// x = eᵢ² yᵢ/(t + eᵢ²) at the root t. The unknown is w = 1 + t/e² with e the shortest axis that `y`
/// leaves: near the centre w is tiny, and t alone would have lost its digits.
fn scaled_by_root(e: [f64; 3], y: [f64; 3]) -> [f64; 3] {
    let last = if y[2] > 0.0 { 2 } else { 1 };
    let n = last + 1;
    let ratio = e.map(|ei| (ei / e[last]) * (ei / e[last]));
    // (eᵢ² − e²)/e², without cancellation
    let excess = e.map(|ei| (ei - e[last]) * (ei + e[last]) / (e[last] * e[last]));
    let z = [y[0] / e[0], y[1] / e[1], y[2] / e[2]];
    let residual = |w: f64| {
        (0..n)
            .map(|i| (ratio[i] * z[i] / (w + excess[i])).powi(2))
            .sum::<f64>()
            - 1.0
    };
    let mut low = z[last];
    let mut high = (0..n)
        .map(|i| (ratio[i] * z[i]).powi(2))
        .sum::<f64>()
        .sqrt();
    let mut w = 0.5 * (low + high);
    while w > low && w < high {
        if residual(w) > 0.0 {
            low = w;
        } else {
            high = w;
        }
        w = 0.5 * (low + high);
    }
    let mut x = [0.0; 3];
    for i in 0..n {
        x[i] = ratio[i] * y[i] / (w + excess[i]);
    }
    x
}

impl Sdf for EllipsoidSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let closest = self.closest(&p.coords);
        let level = p.coords.component_div(&self.radii).norm();
        let normal = closest
            .component_div(&self.radii)
            .component_div(&self.radii)
            .normalize();
        let distance = (p.coords - closest).norm();
        SdfSample {
            value: if level < 1.0 { -distance } else { distance },
            gradient: normal,
        }
    }

    fn bounds(&self) -> Aabb {
        Aabb::from_center(Point3::origin(), self.radii)
    }

    fn feature_size(&self) -> f64 {
        // the smallest radius of curvature, b²/a
        let (longest, shortest) = (self.radii.max(), self.radii.min());
        shortest * shortest / longest
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, _: f64) -> f64 {
        if self.radii.x == self.radii.y {
            way_but_turning(motion, region)
        } else {
            longest_way(motion, region)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_radii_are_a_sphere() {
        let ball = EllipsoidSdf::new(Vector3::repeat(0.7)).unwrap();
        for p in [
            Point3::new(0.1, -0.2, 0.3),
            Point3::new(2.0, 0.0, 0.0),
            Point3::new(0.0, 0.0, 1e-9),
        ] {
            let s = ball.sample(&p);
            assert!((s.value - (p.coords.norm() - 0.7)).abs() < 1e-14);
        }
        assert!((ball.sample(&Point3::origin()).gradient.norm() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn centre_is_as_deep_as_the_shortest_radius() {
        let e = EllipsoidSdf::new(Vector3::new(0.3, 0.2, 0.5)).unwrap();
        let s = e.sample(&Point3::origin());
        assert!((s.value + 0.2).abs() < 1e-15);
        assert!((s.gradient.y.abs() - 1.0).abs() < 1e-15);
    }
}
