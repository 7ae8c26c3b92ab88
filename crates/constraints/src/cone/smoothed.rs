//! A smooth stand-in for the projection onto the circular cone.

use nalgebra::{Matrix3, Vector3};

/// Smoothed positive part (a + √(a² + 4τ²))/2 and its derivative. With it, λ = φ(λ − β w) holds
/// exactly where λ, w > 0 and λ β w = τ²: the central path of interior-point methods.
#[inline]
pub fn smoothed_positive_part(a: f64, tau: f64) -> (f64, f64) {
    let root = root(a, tau);
    if root == 0.0 {
        return (0.0, 0.5);
    }
    // For negative a the sum cancels: use the equal form 2τ²/(√… − a).
    let value = if a >= 0.0 {
        0.5 * (a + root)
    } else {
        2.0 * tau * tau / (root - a)
    };
    (value, value / root)
}

#[inline]
fn root(a: f64, tau: f64) -> f64 {
    (a * a + 4.0 * tau * tau).sqrt()
}

/// Smoothed nearest point of the cone {‖λ_t‖ ≤ μ λ_n} with its derivative, symmetric with
/// eigenvalues in [0, 1]; the plain projection at τ = 0.
///
/// In the plane of s_t and the normal, with t = ‖s_t‖, s = a₁ (−1, μ) + a₂ (μ, 1) splits s along
/// the edge of the cone and its perpendicular, and the projection is the positive part of each
/// coordinate. Each is smoothed; the first with μτ, so that the tangential part vanishes with t.
#[inline]
pub fn project_smoothed(s: &Vector3<f64>, friction: f64, tau: f64) -> (Vector3<f64>, Matrix3<f64>) {
    let length = (s.x * s.x + s.y * s.y).sqrt();
    let share = 1.0 / (1.0 + friction * friction);
    let (a1, a2) = (
        share * (friction * s.z - length),
        share * (s.z + friction * length),
    );
    let (inner, inner_slope) = smoothed_positive_part(a1, share * friction * tau);
    let (edge, edge_slope) = smoothed_positive_part(a2, share * tau);
    // μ edge − inner, written as a sum over the roots: the difference would cancel for small t.
    let roots = friction * root(a2, share * tau) + root(a1, share * friction * tau);
    let tangential = if roots > 0.0 {
        length * (friction * edge + inner) / roots
    } else {
        0.0
    };
    let normal = friction * inner + edge;
    let radial = share * (inner_slope + friction * friction * edge_slope);
    let couple = share * friction * (edge_slope - inner_slope);
    let along_normal = share * (friction * friction * inner_slope + edge_slope);
    if length <= 1e-300 {
        // The limit t → 0: every tangential direction is alike.
        let derivative = Matrix3::new(radial, 0.0, 0.0, 0.0, radial, 0.0, 0.0, 0.0, along_normal);
        return (Vector3::new(0.0, 0.0, normal), derivative);
    }
    let (hx, hy) = (s.x / length, s.y / length);
    let turn = tangential / length;
    let off = (radial - turn) * hx * hy;
    let derivative = Matrix3::new(
        radial * hx * hx + turn * hy * hy,
        off,
        couple * hx,
        off,
        radial * hy * hy + turn * hx * hx,
        couple * hy,
        couple * hx,
        couple * hy,
        along_normal,
    );
    (
        Vector3::new(tangential * hx, tangential * hy, normal),
        derivative,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_tangential_part_is_as_accurate_as_a_large_one() {
        // The projection is s_t times the derivative at t = 0, up to O(t²).
        for normal in [-2.0, 0.0, 3.0] {
            let (_, limit) = project_smoothed(&Vector3::new(0.0, 0.0, normal), 0.7, 0.1);
            for t in [1e-6, 1e-9, 1e-12, 1e-30] {
                let (value, _) = project_smoothed(&Vector3::new(t, 0.0, normal), 0.7, 0.1);
                let error = (value.x / t / limit[(0, 0)] - 1.0).abs();
                assert!(error < 10.0 * t + 1e-14, "normal {normal}, t {t}: {error}");
            }
        }
    }

    #[test]
    fn nothing_is_left_of_what_points_away_from_the_cone() {
        let (value, derivative) = project_smoothed(&Vector3::new(0.1, 0.2, -1.0), 0.5, 0.0);
        assert_eq!((value, derivative), (Vector3::zeros(), Matrix3::zeros()));
        let (value, _) = project_smoothed(&Vector3::zeros(), 0.5, 0.0);
        assert_eq!(value, Vector3::zeros());
    }
}
