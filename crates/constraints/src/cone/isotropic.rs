//! The circular cone: closed forms.

use nalgebra::{Matrix3, Vector3};

/// Strict friction-cone operator Π_C^strict, [AL, (18)]: clamp the normal part, then ratio the
/// tangential part into the disc of radius μ λ_n. Solves (14) for a contact exactly
/// [AL, Prop. 2].
#[inline]
pub fn project_strict(s: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    let normal = s.z.max(0.0);
    let radius = friction * normal;
    let length_squared = s.x * s.x + s.y * s.y;
    if length_squared <= radius * radius {
        Vector3::new(s.x, s.y, normal)
    } else {
        let scale = radius / length_squared.sqrt();
        Vector3::new(s.x * scale, s.y * scale, normal)
    }
}

/// [`project_strict`] of several contacts side by side, by components and without branches: the
/// shape of vector registers. The same to rounding.
#[inline(always)]
pub fn project_strict_side_by_side<const N: usize>(
    [x, y, z]: &[[f64; N]; 3],
    friction: &[f64; N],
) -> [[f64; N]; 3] {
    let (mut x, mut y, mut z) = (*x, *y, *z);
    for k in 0..N {
        z[k] = if z[k] > 0.0 { z[k] } else { 0.0 };
        let length = (x[k] * x[k] + y[k] * y[k]).sqrt();
        let ratio = friction[k] * z[k] / length;
        // Also 1 for the NaN of 0/0.
        let scale = if ratio < 1.0 { ratio } else { 1.0 };
        x[k] *= scale;
        y[k] *= scale;
    }
    [x, y, z]
}

/// [`project_strict`] with its derivative ∂λ/∂s (one element of it at the kinks). Not symmetric
/// while slipping: the normal impulse carries the tangential one along.
#[inline]
pub fn project_strict_derivative(s: &Vector3<f64>, friction: f64) -> (Vector3<f64>, Matrix3<f64>) {
    if s.z <= 0.0 {
        return (Vector3::zeros(), Matrix3::zeros());
    }
    let radius = friction * s.z;
    let length = (s.x * s.x + s.y * s.y).sqrt();
    if length <= radius {
        return (*s, Matrix3::identity());
    }
    let (hx, hy) = (s.x / length, s.y / length);
    let turn = radius / length;
    let derivative = Matrix3::new(
        turn * hy * hy,
        -turn * hx * hy,
        friction * hx, //
        -turn * hx * hy,
        turn * hx * hx,
        friction * hy, //
        0.0,
        0.0,
        1.0,
    );
    (Vector3::new(radius * hx, radius * hy, s.z), derivative)
}

/// Proximal operator Π_C: the nearest point of the cone.
#[inline]
pub fn project(s: &Vector3<f64>, friction: f64) -> Vector3<f64> {
    let length = (s.x * s.x + s.y * s.y).sqrt();
    // The sign is tested by itself: with μ = 0 a point straight below the apex has 0 ≤ −0.
    if s.z >= 0.0 && length <= friction * s.z {
        *s
    } else if friction * length <= -s.z {
        Vector3::zeros()
    } else {
        let normal = (s.z + friction * length) / (1.0 + friction * friction);
        let scale = friction * normal / length;
        Vector3::new(scale * s.x, scale * s.y, normal)
    }
}

/// [`project`] with its derivative, [AL, (24)]: symmetric positive semidefinite.
#[inline]
pub fn project_derivative(s: &Vector3<f64>, friction: f64) -> (Vector3<f64>, Matrix3<f64>) {
    let length = (s.x * s.x + s.y * s.y).sqrt();
    // The sign is tested by itself: with μ = 0 a point straight below the apex has 0 ≤ −0.
    if s.z >= 0.0 && length <= friction * s.z {
        return (*s, Matrix3::identity());
    }
    if friction * length <= -s.z {
        return (Vector3::zeros(), Matrix3::zeros());
    }
    // Slip. Our copy of (24) prints the off-diagonal blocks transposed; λ_t is a column here.
    let share = 1.0 / (1.0 + friction * friction);
    let normal = share * (s.z + friction * length);
    let (hx, hy) = (s.x / length, s.y / length);
    let radial = share * friction * friction;
    let turn = friction * normal / length;
    let couple = share * friction;
    let off = (radial - turn) * hx * hy;
    let derivative = Matrix3::new(
        radial * hx * hx + turn * hy * hy,
        off,
        couple * hx, //
        off,
        radial * hy * hy + turn * hx * hx,
        couple * hy, //
        couple * hx,
        couple * hy,
        share,
    );
    let radius = friction * normal;
    (Vector3::new(radius * hx, radius * hy, normal), derivative)
}
