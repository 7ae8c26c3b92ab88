//! Singular values of a 3×3 matrix with rotations on both sides.

use nalgebra::{Matrix3, Vector3};

/// F = U diag(s) Vᵀ with det U = det V = +1 and s₀ ≥ s₁ ≥ |s₂|: the smallest value carries the sign of
/// det F, so that U Vᵀ is the rotation nearest to F, also where F is flat or turned inside out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignedSvd {
    pub(crate) u: Matrix3<f64>,
    pub(crate) s: Vector3<f64>,
    pub(crate) v: Matrix3<f64>,
}

const IDENTITY: Matrix3<f64> = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);

/// More sweeps than any matrix needs (convergence is quadratic, six are rare).
const MAX_SWEEPS: usize = 16;

/// Below this share of the largest singular value a column has no direction of its own.
const NO_DIRECTION: f64 = 1e-15;

impl SignedSvd {
    /// That of no deformation.
    pub(crate) const ONE: Self = Self {
        u: IDENTITY,
        s: Vector3::new(1.0, 1.0, 1.0),
        v: IDENTITY,
    };

    /// One-sided Jacobi: columns of F V are turned until they are perpendicular. Unlike the eigenvectors
    /// of FᵀF this does not square the condition, which a nearly flat element would feel.
    pub(crate) fn of(f: &Matrix3<f64>) -> Self {
        let scale = f.amax();
        if !(scale > 0.0) || !scale.is_finite() {
            let s = if scale == 0.0 { 0.0 } else { f64::NAN };
            return Self {
                u: Matrix3::identity(),
                s: Vector3::repeat(s),
                v: Matrix3::identity(),
            };
        }
        let mut b = f / scale;
        let mut v = Matrix3::identity();
        for _ in 0..MAX_SWEEPS {
            let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| turn(&mut b, &mut v, p, q));
            if turned == [false; 3] {
                break;
            }
        }
        for (p, q) in [(0, 1), (1, 2), (0, 1)] {
            if b.column(p).norm_squared() < b.column(q).norm_squared() {
                exchange(&mut b, p, q);
                exchange(&mut v, p, q);
            }
        }
        let largest = b.column(0).norm();
        let u0: Vector3<f64> = b.column(0) / largest;
        let across = |w: Vector3<f64>| w - u0 * u0.dot(&w);
        let b1 = across(b.column(1).into());
        let u1 = if b1.norm() > NO_DIRECTION * largest {
            across(b1.normalize())
        } else {
            // A line: any direction does. The one nearest to no rotation is taken; of v₁ and v₂ one is
            // far from u₀.
            let [v1, v2] = [1, 2].map(|k| across(v.column(k).into()));
            if v1.norm_squared() > 0.4 { v1 } else { v2 }
        };
        let u1 = u1.normalize();
        let u2 = u0.cross(&u1);
        let s = Vector3::new(largest, u1.dot(&b.column(1)), u2.dot(&b.column(2)));
        Self {
            u: Matrix3::from_columns(&[u0, u1, u2]),
            s: s * scale,
            v,
        }
    }
}

/// Turns columns p and q of B, and of V alike, until those of B are perpendicular; whether that was needed.
fn turn(b: &mut Matrix3<f64>, v: &mut Matrix3<f64>, p: usize, q: usize) -> bool {
    let (alpha, beta) = (b.column(p).norm_squared(), b.column(q).norm_squared());
    let gamma = b.column(p).dot(&b.column(q));
    if !(gamma.abs() > 4.0 * f64::EPSILON * alpha.sqrt() * beta.sqrt() + f64::MIN_POSITIVE) {
        return false;
    }
    let zeta = (beta - alpha) / (2.0 * gamma);
    // No `hypot`, which takes longer than all else here: where ζ² overflows, t is 0 as it should be.
    let t = zeta.signum() / (zeta.abs() + (zeta * zeta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = c * t;
    for matrix in [b, v] {
        for row in 0..3 {
            let (x, y) = (matrix[(row, p)], matrix[(row, q)]);
            matrix[(row, p)] = c * x - s * y;
            matrix[(row, q)] = s * x + c * y;
        }
    }
    true
}

/// Exchanges two columns and turns one around: a rotation stays one.
fn exchange(matrix: &mut Matrix3<f64>, p: usize, q: usize) {
    matrix.swap_columns(p, q);
    matrix.column_mut(q).neg_mut();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(f: &Matrix3<f64>) {
        let SignedSvd { u, s, v } = SignedSvd::of(f);
        let size = f.amax().max(1e-300);
        assert!((u * Matrix3::from_diagonal(&s) * v.transpose() - f).amax() < 4e-15 * size);
        for rotation in [u, v] {
            let off = rotation.transpose() * rotation - Matrix3::identity();
            assert!(off.amax() < 4e-15, "{off}");
            assert!((rotation.determinant() - 1.0).abs() < 1e-14);
        }
        let slack = 1e-15 * size;
        assert!(s[0] > s[1] - slack && s[1] > s[2].abs() - slack, "{s}");
        let det = f.determinant();
        assert!(s[2] * det >= 0.0 || det.abs() < 1e-14 * size.powi(3));
    }

    #[test]
    fn any_matrix_is_two_rotations_and_signed_values() {
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for _ in 0..500 {
            let f = Matrix3::from_fn(|_, _| random());
            check(&f);
            check(&(f * 1e-150));
            // Flat, lines, nearly so.
            for values in [
                [1.0, 0.5, 0.0],
                [2.0, 0.0, 0.0],
                [1.0, 1e-9, 1e-12],
                [1.0, 1.0, -1.0],
            ] {
                let SignedSvd { u, v, .. } = SignedSvd::of(&f);
                check(&(u * Matrix3::from_diagonal(&values.into()) * v.transpose()));
            }
        }
        check(&Matrix3::zeros());
        check(&Matrix3::identity());
        check(&-Matrix3::identity());
        check(&Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, 3.0)));
        check(&Matrix3::repeat(1.0));
    }

    #[test]
    fn small_values_keep_their_relative_accuracy() {
        // Columns of very different length: values 1e-12 and 1 apart, each to 1e-14 of itself.
        let f = Matrix3::new(1.0, 0.0, 0.0, 0.0, 1e-6, 1e-12, 0.0, 0.0, 1e-12);
        let s = SignedSvd::of(&f).s;
        assert!((s[2] - 1e-12).abs() < 1e-23, "{s}");
        // Nothing finite comes of what is not.
        assert!(SignedSvd::of(&Matrix3::repeat(f64::NAN)).s[0].is_nan());
    }
}
