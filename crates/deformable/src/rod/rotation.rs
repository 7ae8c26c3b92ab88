//! Relative rotations φ of two links and what their halves do.
//!
//! With t = |φ| and both angular velocities seen from the frame half-way between the links, two
//! functions of t² carry everything (`joint.rs` derives them):
//!
//! ```text
//! b(t) = (t/2)/sin(t/2)        c = (1 − b)/t²        s(t) = tan(t/4)/(2t)
//! ```

use std::f64::consts::PI;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// b, c, s at t² and their derivatives with respect to t².
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct HalfAngle {
    pub(super) b: f64,
    pub(super) b_slope: f64,
    pub(super) c: f64,
    pub(super) c_slope: f64,
    pub(super) s: f64,
    pub(super) s_slope: f64,
}

/// Σ (1 − 2^(1−2k)) ζ(2k) and Σ (1 − 2^(−2k)) ζ(2k), k = 1…8: with y = t²/(4π²),
/// b = 1 + 2 Σ η_k y^k and s = Σ λ_k y^(k−1) / π².
const ETA: [f64; 8] = [
    0.822_467_033_424_113_2,
    0.947_032_829_497_246,
    0.985_551_091_297_435_2,
    0.996_233_001_852_647_9,
    0.999_039_507_598_271_6,
    0.999_757_685_143_858_1,
    0.999_939_170_345_979_7,
    0.999_984_764_214_906_1,
];
const LAMBDA: [f64; 8] = [
    1.233_700_550_136_169_8,
    1.014_678_031_604_192,
    1.001_447_076_640_942,
    1.000_155_179_025_296,
    1.000_017_041_363_044_8,
    1.000_001_885_848_583,
    1.000_000_209_240_519_2,
    1.000_000_023_237_157_4,
];

impl HalfAngle {
    /// At t² < (2π)².
    pub(super) fn new(square: f64) -> Self {
        // Below this the closed forms lose digits to cancellation and the series have all of them.
        if square < 0.25 {
            Self::series(square)
        } else {
            Self::closed(square)
        }
    }

    fn series(square: f64) -> Self {
        let scale = 1.0 / (4.0 * PI * PI);
        let y = square * scale;
        // Σ η_k y^(k−1) and Σ λ_k y^(k−1) with their derivatives, by Horner's rule.
        let sum = |coefficients: &[f64; 8]| {
            coefficients
                .iter()
                .rev()
                .fold((0.0, 0.0), |(value, slope), &coefficient| {
                    (value * y + coefficient, slope * y + value)
                })
        };
        let (eta, eta_slope) = sum(&ETA);
        let (lambda, lambda_slope) = sum(&LAMBDA);
        Self {
            b: 1.0 + 2.0 * y * eta,
            b_slope: 2.0 * scale * (eta + y * eta_slope),
            c: -2.0 * scale * eta,
            c_slope: -2.0 * scale * scale * eta_slope,
            s: lambda / (PI * PI),
            s_slope: lambda_slope * scale / (PI * PI),
        }
    }

    fn closed(square: f64) -> Self {
        let t = square.sqrt();
        let (sin, cos) = (0.5 * t).sin_cos();
        let tan = (0.25 * t).tan();
        let b = 0.5 * t / sin;
        let b_slope = (sin - 0.5 * t * cos) / (4.0 * t * sin * sin);
        let c = (1.0 - b) / square;
        let s = tan / (2.0 * t);
        Self {
            b,
            b_slope,
            c,
            c_slope: -(b_slope + c) / square,
            s,
            s_slope: ((1.0 + tan * tan) / 8.0 - s) / (2.0 * square),
        }
    }
}

/// The rotation vector of the shorter way from `from` to `to`, in the axes of `from`, rad.
pub(super) fn rotation_between(
    from: &UnitQuaternion<f64>,
    to: &UnitQuaternion<f64>,
) -> Vector3<f64> {
    let turn = from.inverse() * to;
    let (real, imaginary) = match turn.w >= 0.0 {
        true => (turn.w, turn.imag()),
        false => (-turn.w, -turn.imag()),
    };
    let sine = imaginary.norm();
    let ratio = match sine < 1e-8 * real {
        true => 2.0 / real,
        false => 2.0 * sine.atan2(real) / sine,
    };
    imaginary * ratio
}

/// The orientation half-way, by the shorter way.
pub(super) fn middle(from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let [a, b]: [&Quaternion<f64>; 2] = [from.quaternion(), to.quaternion()];
    let sum = if a.dot(b) >= 0.0 { a + b } else { a - b };
    UnitQuaternion::new_normalize(sum)
}

/// The orientation after turning with angular velocity `angular` (world axes, rad/s) for `time`.
///
/// The Cayley map, as for rigid bodies and driven ones: a link that turns with the velocity of a body
/// that holds it stays with it. It differs from the exponential by O(time³), below the error of the
/// step, turns about the same axis, so that R⁺ᵀω = Rᵀω, and needs no trigonometry.
pub(super) fn turn(
    rotation: &UnitQuaternion<f64>,
    angular: &Vector3<f64>,
    time: f64,
) -> UnitQuaternion<f64> {
    let increment = Quaternion::from_parts(1.0, angular * (0.5 * time));
    UnitQuaternion::new_normalize(increment * rotation.quaternion())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_and_closed_forms_agree_where_they_meet() {
        for square in [0.2, 0.25, 0.3] {
            let [a, b] = [HalfAngle::series(square), HalfAngle::closed(square)];
            for (a, b, tolerance) in [
                (a.b, b.b, 1e-15),
                (a.b_slope, b.b_slope, 1e-14),
                (a.c, b.c, 1e-14),
                (a.c_slope, b.c_slope, 1e-13),
                (a.s, b.s, 1e-15),
                (a.s_slope, b.s_slope, 1e-14),
            ] {
                assert!((a - b).abs() < tolerance, "{square}: {a} {b}");
            }
        }
    }

    #[test]
    fn slopes_are_derivatives() {
        for square in [1e-6_f64, 0.1, 0.9, 4.0, 9.0] {
            let step = 1e-5 * square.max(0.1);
            let [low, high] = [square - step, square + step].map(HalfAngle::new);
            let at = HalfAngle::new(square);
            for (low, high, slope) in [
                (low.b, high.b, at.b_slope),
                (low.c, high.c, at.c_slope),
                (low.s, high.s, at.s_slope),
            ] {
                let difference = (high - low) / (2.0 * step);
                assert!((difference - slope).abs() < 1e-9, "{square}");
            }
        }
    }

    #[test]
    fn rotations_between_links_are_found_at_any_angle() {
        let axis = Vector3::new(0.6, -0.64, 0.48);
        let from = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 2.0, -1.0));
        for angle in [0.0, 1e-12, 1e-9, 1e-5, 0.1, 2.0, 3.1] {
            let to = from * UnitQuaternion::from_scaled_axis(axis * angle);
            // The other quaternion of the same rotation gives the same.
            let other = UnitQuaternion::new_unchecked(-to.into_inner());
            for to in [to, other] {
                let found = rotation_between(&from, &to);
                assert!((found - axis * angle).norm() < 1e-15 + 1e-15 * angle);
                let half = from * UnitQuaternion::from_scaled_axis(axis * (0.5 * angle));
                assert!(middle(&from, &to).angle_to(&half) < 1e-7);
            }
        }
    }
}
