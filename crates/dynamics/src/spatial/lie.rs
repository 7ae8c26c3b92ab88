//! Exponential and logarithm of SO(2), SO(3) and SE(3), accurate near the identity.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::small::cross;
use super::{Motion, Transform};

/// Below this angle (rad) the coefficients are taken from their Taylor series: the neglected term
/// is then under 1e-16 relative, while the closed form would lose digits to cancellation.
const SMALL_ANGLE: f64 = 1e-2;

/// (sin θ)/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³
fn exp_coefficients(angle: f64) -> (f64, f64, f64) {
    let t = angle * angle;
    if angle < SMALL_ANGLE {
        (
            1.0 - t / 6.0 * (1.0 - t / 20.0 * (1.0 - t / 42.0)),
            0.5 - t / 24.0 * (1.0 - t / 30.0 * (1.0 - t / 56.0)),
            1.0 / 6.0 - t / 120.0 * (1.0 - t / 42.0 * (1.0 - t / 72.0)),
        )
    } else {
        let (s, c) = angle.sin_cos();
        (s / angle, (1.0 - c) / t, (angle - s) / (t * angle))
    }
}

/// The rotation reached after turning with rotation vector `w` (rad).
pub fn exp_rotation(w: &Vector3<f64>) -> UnitQuaternion<f64> {
    let half = 0.5 * w.norm();
    // sin(half)/half through the same series as above
    let (sinc, _, _) = exp_coefficients(half);
    let q = Quaternion::from_parts(half.cos(), w * (0.5 * sinc));
    UnitQuaternion::new_normalize(q)
}

/// The rotation vector (rad) of the shortest turn to `rotation`; its norm is at most π.
pub fn log_rotation(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let q = rotation.quaternion();
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    let imaginary = q.imag() * sign;
    let (s, c) = (imaginary.norm(), q.w * sign);
    // 2 atan2(s, c)/s, with its series at s = 0
    let scale = if s < 1e-5 {
        let r = s / c;
        2.0 / c * (1.0 - r * r / 3.0)
    } else {
        2.0 * s.atan2(c) / s
    };
    imaginary * scale
}

/// The displacement reached in unit time at constant body velocity `m` (m/s, rad/s), as rotation
/// and translation of the moved frame in the start frame.
pub fn exp_pose(m: &Motion) -> (UnitQuaternion<f64>, Vector3<f64>) {
    let w = &m.angular;
    let (_, b, c) = exp_coefficients(w.norm());
    let wv = cross(w, &m.linear);
    let translation = m.linear + wv * b + cross(w, &wv) * c;
    (exp_rotation(w), translation)
}

/// The constant body velocity that reaches the displacement in unit time; inverse of [`exp_pose`].
pub fn log_pose(rotation: &UnitQuaternion<f64>, translation: &Vector3<f64>) -> Motion {
    let w = log_rotation(rotation);
    let d = inverse_coefficient(w.norm());
    let wp = cross(&w, translation);
    Motion::new(translation - wp * 0.5 + cross(&w, &wp) * d, w)
}

/// (1/θ²)(1 − (θ/2) cot(θ/2))
fn inverse_coefficient(angle: f64) -> f64 {
    let t = angle * angle;
    if angle < SMALL_ANGLE {
        (1.0 + t / 60.0 * (1.0 + t / 42.0)) / 12.0
    } else {
        (1.0 - 0.5 * angle / (0.5 * angle).tan()) / t
    }
}

/// Jr(u)⁻¹ w = w + ½ u × w + d u × (u × w): the rate of the rotation vector u of a frame that turns with
/// angular velocity w in its own axes.
pub fn rotation_rate(u: &Vector3<f64>, w: &Vector3<f64>) -> Vector3<f64> {
    let first = cross(u, w);
    w + first * 0.5 + cross(u, &first) * inverse_coefficient(u.norm())
}

/// Jr(u)⁻¹ v on SE(3): the rate of u where exp(u) moves with body velocity v. The series of
/// x/(1 − e⁻ˣ) in ad_u, summed by ad⁵ = −2θ² ad³ − θ⁴ ad (Selig, "Cayley maps for SE(3)", 2007).
pub fn pose_rate(u: &Motion, v: &Motion) -> Motion {
    let angle = u.angular.norm();
    let t = angle * angle;
    // Below this angle the closed form loses more digits than the series neglects.
    let (second, fourth) = if angle < 0.3 {
        (
            1.0 / 12.0 - t * t / 30240.0 * (1.0 + t / 20.0 * (1.0 + t / 26.4)),
            -1.0 / 720.0 - t / 15120.0 * (1.0 + t / 26.666_666_666_666_668 * (1.0 + t / 29.7)),
        )
    } else {
        let (s, c) = angle.sin_cos();
        (
            2.0 / t + (angle + 3.0 * s) / (4.0 * angle * (c - 1.0)),
            1.0 / (t * t) + (angle + s) / (4.0 * angle * t * (c - 1.0)),
        )
    };
    let a1 = u.cross(v);
    let a2 = u.cross(&a1);
    let a4 = u.cross(&u.cross(&a2));
    *v + a1 * 0.5 + a2 * second + a4 * fourth
}

/// An angle (rad) brought to (−π, π].
pub fn wrap_angle(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    let wrapped = angle.rem_euclid(TAU);
    if wrapped > PI { wrapped - TAU } else { wrapped }
}

/// Rotation matrix and translation as a [`Transform`].
pub fn pose_to_transform(rotation: &UnitQuaternion<f64>, translation: Vector3<f64>) -> Transform {
    Transform::new(*rotation.to_rotation_matrix().matrix(), translation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_undoes_exp_from_tiny_to_nearly_half_a_turn() {
        let axis = Vector3::new(0.3, -0.5, 0.8).normalize();
        for angle in [0.0, 1e-12, 1e-7, 1e-3, 0.00999, 0.0101, 0.5, 2.0, 3.1] {
            let m = Motion::new(Vector3::new(0.7, -0.2, 1.3), axis * angle);
            let (r, p) = exp_pose(&m);
            let back = log_pose(&r, &p);
            assert!((back - m).to_vector().norm() < 1e-13, "angle {angle}");
        }
    }

    #[test]
    fn two_half_steps_make_one_step() {
        let m = Motion::from_array([0.7, -0.2, 1.3, 0.4, 1.1, -0.6]);
        let (r, p) = exp_pose(&(m * 0.5));
        let (full_r, full_p) = exp_pose(&m);
        assert!((r * r).angle_to(&full_r) < 1e-14);
        assert!((p + r * p - full_p).norm() < 1e-14);
    }

    /// exp(u(t)) with u̇ = Jr(u)⁻¹ v moves with body velocity v.
    #[test]
    fn rates_are_those_of_the_exponential() {
        let axis = Vector3::new(0.3, -0.5, 0.8).normalize();
        let v = Motion::from_array([0.7, -0.2, 1.3, 0.4, 1.1, -0.6]);
        for angle in [0.0, 1e-3, 0.1, 0.29, 0.31, 1.0, 2.5] {
            let u = Motion::new(Vector3::new(0.2, 0.9, -0.4), axis * angle);
            let rate = pose_rate(&u, &v);
            let eps = 1e-5;
            let [(r0, p0), (r1, p1)] = [-eps, eps].map(|t| exp_pose(&(u + rate * t)));
            let back = r0.inverse();
            let moved = log_pose(&(back * r1), &(back * (p1 - p0))) * (0.5 / eps);
            assert!((moved - v).to_vector().norm() < 1e-8, "angle {angle}");
            let turn = rotation_rate(&u.angular, &v.angular);
            assert!((turn - rate.angular).norm() < 1e-13, "angle {angle}");
        }
    }

    #[test]
    fn wrapping_keeps_plus_pi_and_folds_the_rest() {
        use std::f64::consts::PI;
        assert_eq!(wrap_angle(PI), PI);
        assert!((wrap_angle(-3.0 * PI + 0.1) - (-PI + 0.1)).abs() < 1e-14);
        assert!((wrap_angle(7.0) - (7.0 - 2.0 * PI)).abs() < 1e-14);
    }
}
