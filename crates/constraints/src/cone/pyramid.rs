//! The friction pyramid: the cone with its disc replaced by a polygon around it, [CMC, §III].

use std::f64::consts::PI;

use nalgebra::{Vector2, Vector3};

/// A pyramid around the friction cone: the section at normal impulse λ_n is a regular polygon about the disc
/// of radius μ λ_n (about the ellipse, where friction depends on direction), so that friction is too strong
/// towards its corners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pyramid {
    facets: usize,
    orientation: f64,
    /// The first corner for μ λ_n = 1, and cosine and sine of the angle from one corner to the next.
    corner: [f64; 2],
    turn: [f64; 2],
}

impl Default for Pyramid {
    /// |λ_t1| ≤ μ λ_n and |λ_t2| ≤ μ λ_n, as in [CMC, Alg. 1].
    fn default() -> Self {
        Self {
            facets: 4,
            orientation: 0.0,
            corner: [1.0, 1.0],
            turn: [0.0, 1.0],
        }
    }
}

impl Pyramid {
    /// Numbers of facets that a pyramid may have. At 64 it is 0.12 % too wide at its corners.
    pub const FACETS: std::ops::RangeInclusive<usize> = 4..=64;

    /// The pyramid with this many facets, the middle of the first one at the angle `orientation` (rad) from
    /// t1 towards t2. `None` for a number that is not in [`FACETS`](Self::FACETS), or no finite angle.
    pub fn new(facets: usize, orientation: f64) -> Option<Self> {
        if !Self::FACETS.contains(&facets) || !orientation.is_finite() {
            return None;
        }
        if facets == 4 && orientation == 0.0 {
            return Some(Self::default());
        }
        let half = PI / facets as f64;
        let radius = 1.0 / half.cos();
        let (sin, cos) = (orientation + half).sin_cos();
        let (turn_sin, turn_cos) = (2.0 * half).sin_cos();
        Some(Self {
            facets,
            orientation,
            corner: [radius * cos, radius * sin],
            turn: [turn_cos, turn_sin],
        })
    }

    /// Number of facets, which is that of corners.
    pub fn facets(&self) -> usize {
        self.facets
    }

    /// Angle of the middle of the first facet from t1 towards t2, rad.
    pub fn orientation(&self) -> f64 {
        self.orientation
    }

    /// The corners of the section for μ λ_n = 1, counterclockwise.
    pub fn corners(&self) -> impl Iterator<Item = Vector2<f64>> {
        let [mut x, mut y] = self.corner;
        let [cos, sin] = self.turn;
        (0..self.facets).map(move |_| {
            let corner = Vector2::new(x, y);
            (x, y) = (cos * x - sin * y, sin * x + cos * y);
            corner
        })
    }

    /// Normal part first, then the tangential part to the nearest point of the section at that normal
    /// impulse: what [`project_strict`](super::project_strict) is for the cone.
    pub fn project_strict(&self, s: &Vector3<f64>, friction: [f64; 2]) -> Vector3<f64> {
        let normal = s.z.max(0.0);
        let axes = friction.map(|friction| friction * normal);
        let tangential = self.project_section(Vector2::new(s.x, s.y), axes);
        Vector3::new(tangential.x, tangential.y, normal)
    }

    /// The nearest point of the section about the ellipse with these semi-axes, μ λ_n along t1 and t2 (N·s).
    pub fn project_section(&self, point: Vector2<f64>, axes: [f64; 2]) -> Vector2<f64> {
        let [along, across] = axes;
        if along <= 0.0 || across <= 0.0 {
            return Vector2::zeros();
        }
        if self.facets == 4 && self.orientation == 0.0 {
            return Vector2::new(
                point.x.max(-along).min(along),
                point.y.max(-across).min(across),
            );
        }
        let scaled = |corner: Vector2<f64>| Vector2::new(along * corner.x, across * corner.y);
        let [cos, sin] = self.turn;
        let first = Vector2::new(self.corner[0], self.corner[1]);
        // The corner before the first.
        let before = Vector2::new(cos * first.x + sin * first.y, cos * first.y - sin * first.x);
        let mut from = scaled(before);
        let (mut nearest, mut least, mut is_inside) = (point, f64::INFINITY, true);
        for corner in self.corners() {
            let to = scaled(corner);
            let (edge, offset) = (to - from, point - from);
            // The section lies on the left of its edges.
            if edge.x * offset.y - edge.y * offset.x < 0.0 {
                is_inside = false;
            }
            let share = (offset.dot(&edge) / edge.norm_squared()).clamp(0.0, 1.0);
            let candidate = from + edge * share;
            let distance = (point - candidate).norm_squared();
            if distance < least {
                (nearest, least) = (candidate, distance);
            }
            from = to;
        }
        if is_inside { point } else { nearest }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_pyramids_are_made() {
        assert!(Pyramid::new(3, 0.0).is_none() && Pyramid::new(65, 0.0).is_none());
        assert!(Pyramid::new(4, f64::NAN).is_none());
        assert_eq!(Pyramid::new(4, 0.0), Some(Pyramid::default()));
    }

    proptest! {
        /// The nearest point: in the section, and no corner is on the far side of it.
        #[test]
        fn projections_are_the_nearest_points(
            facets in 4usize..12,
            orientation in -4.0f64..4.0,
            point in prop::array::uniform2(-3.0f64..3.0),
            axes in prop::array::uniform2(0.1f64..2.0),
        ) {
            let pyramid = Pyramid::new(facets, orientation).unwrap();
            let point = Vector2::new(point[0], point[1]);
            let found = pyramid.project_section(point, axes);
            let corners: Vec<_> = pyramid
                .corners()
                .map(|corner| Vector2::new(axes[0] * corner.x, axes[1] * corner.y))
                .collect();
            for (k, from) in corners.iter().enumerate() {
                let to = corners[(k + 1) % facets];
                let (edge, offset) = (to - from, found - from);
                prop_assert!(edge.x * offset.y - edge.y * offset.x > -1e-12);
                prop_assert!((point - found).dot(&(from - found)) < 1e-12);
            }
        }

        /// The square of the default is what the general way finds; a quarter turn changes nothing.
        #[test]
        fn a_quarter_turn_of_four_facets_is_none(
            point in prop::array::uniform2(-3.0f64..3.0),
            axes in prop::array::uniform2(0.1f64..2.0),
        ) {
            let point = Vector2::new(point[0], point[1]);
            let turned = Pyramid::new(4, PI / 2.0).unwrap().project_section(point, axes);
            let plain = Pyramid::default().project_section(point, axes);
            prop_assert!((turned - plain).norm() < 1e-12);
        }
    }
}
