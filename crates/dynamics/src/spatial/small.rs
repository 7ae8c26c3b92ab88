//! Products of 3-vectors and 3×3 matrices written out component by component.
//!
//! These are the innermost operations of every algorithm. Written out, they compile to straight
//! code at any optimisation level, without the loops and shape checks of the general routines.

use nalgebra::{Matrix3, Vector3};

use super::Symmetric3;

/// The zero that leaves every number it is added to as it is, so that compilers leave the addition out.
pub(crate) const NOTHING: f64 = -0.0;

/// a × b
#[inline(always)]
pub(crate) fn cross(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(
        a.y * b.z - a.z * b.y,
        a.z * b.x - a.x * b.z,
        a.x * b.y - a.y * b.x,
    )
}

/// a × s e, e being the unit vector along the x (0), y (1) or z (2) axis
#[inline(always)]
pub(crate) fn cross_unit<const AXIS: usize>(a: &Vector3<f64>, s: f64) -> Vector3<f64> {
    match AXIS {
        0 => Vector3::new(0.0, a.z * s, -a.y * s),
        1 => Vector3::new(-a.z * s, 0.0, a.x * s),
        _ => Vector3::new(a.y * s, -a.x * s, 0.0),
    }
}

/// M x
#[inline(always)]
pub(crate) fn mul(m: &Matrix3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(
        m.m11 * x.x + m.m12 * x.y + m.m13 * x.z,
        m.m21 * x.x + m.m22 * x.y + m.m23 * x.z,
        m.m31 * x.x + m.m32 * x.y + m.m33 * x.z,
    )
}

/// Mᵀ x
#[inline(always)]
pub(crate) fn tr_mul(m: &Matrix3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    Vector3::new(
        m.m11 * x.x + m.m21 * x.y + m.m31 * x.z,
        m.m12 * x.x + m.m22 * x.y + m.m32 * x.z,
        m.m13 * x.x + m.m23 * x.y + m.m33 * x.z,
    )
}

/// A B
#[inline(always)]
pub(crate) fn mat_mul(a: &Matrix3<f64>, b: &Matrix3<f64>) -> Matrix3<f64> {
    from_columns(
        &mul(a, &column::<0>(b)),
        &mul(a, &column::<1>(b)),
        &mul(a, &column::<2>(b)),
    )
}

/// Column `K` of M.
#[inline(always)]
pub(crate) fn column<const K: usize>(m: &Matrix3<f64>) -> Vector3<f64> {
    match K {
        0 => Vector3::new(m.m11, m.m21, m.m31),
        1 => Vector3::new(m.m12, m.m22, m.m32),
        _ => Vector3::new(m.m13, m.m23, m.m33),
    }
}

/// The two columns of M that follow on column `K`, in turn.
#[inline(always)]
pub(crate) fn columns_after<const K: usize>(m: &Matrix3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    match K {
        0 => (column::<1>(m), column::<2>(m)),
        1 => (column::<2>(m), column::<0>(m)),
        _ => (column::<0>(m), column::<1>(m)),
    }
}

/// The matrix with the given columns.
#[inline(always)]
pub(crate) fn from_columns(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z)
}

/// The matrix [x]× with [x]× y = x × y.
#[inline(always)]
pub(crate) fn skew(x: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -x.z, x.y, x.z, 0.0, -x.x, -x.y, x.x, 0.0)
}

/// [x]× M, column by column.
#[inline(always)]
pub(crate) fn skew_mul(x: &Vector3<f64>, m: &Matrix3<f64>) -> Matrix3<f64> {
    from_columns(
        &cross(x, &column::<0>(m)),
        &cross(x, &column::<1>(m)),
        &cross(x, &column::<2>(m)),
    )
}

/// R M Rᵀ
#[inline(always)]
pub(crate) fn congruence(r: &Matrix3<f64>, m: &Matrix3<f64>) -> Matrix3<f64> {
    let y = mat_mul(r, m);
    Matrix3::new(
        y.m11 * r.m11 + y.m12 * r.m12 + y.m13 * r.m13,
        y.m11 * r.m21 + y.m12 * r.m22 + y.m13 * r.m23,
        y.m11 * r.m31 + y.m12 * r.m32 + y.m13 * r.m33,
        y.m21 * r.m11 + y.m22 * r.m12 + y.m23 * r.m13,
        y.m21 * r.m21 + y.m22 * r.m22 + y.m23 * r.m23,
        y.m21 * r.m31 + y.m22 * r.m32 + y.m23 * r.m33,
        y.m31 * r.m11 + y.m32 * r.m12 + y.m33 * r.m13,
        y.m31 * r.m21 + y.m32 * r.m22 + y.m33 * r.m23,
        y.m31 * r.m31 + y.m32 * r.m32 + y.m33 * r.m33,
    )
}

/// R S Rᵀ for a symmetric S
#[inline(always)]
pub(crate) fn congruence_symmetric(r: &Matrix3<f64>, s: &Symmetric3) -> Symmetric3 {
    let a = s.mul(&Vector3::new(r.m11, r.m12, r.m13)); // S times the rows of R
    let b = s.mul(&Vector3::new(r.m21, r.m22, r.m23));
    let c = s.mul(&Vector3::new(r.m31, r.m32, r.m33));
    Symmetric3 {
        xx: r.m11 * a.x + r.m12 * a.y + r.m13 * a.z,
        xy: r.m21 * a.x + r.m22 * a.y + r.m23 * a.z,
        xz: r.m31 * a.x + r.m32 * a.y + r.m33 * a.z,
        yy: r.m21 * b.x + r.m22 * b.y + r.m23 * b.z,
        yz: r.m31 * b.x + r.m32 * b.y + r.m33 * b.z,
        zz: r.m31 * c.x + r.m32 * c.y + r.m33 * c.z,
    }
}

/// R M Rᵀ where column `AXIS` of M is zero, which is not looked at.
#[inline(always)]
pub(crate) fn congruence_without<const AXIS: usize>(
    r: &Matrix3<f64>,
    m: &Matrix3<f64>,
) -> Matrix3<f64> {
    let ((ra, rb), (ma, mb)) = (columns_after::<AXIS>(r), columns_after::<AXIS>(m));
    let (a, b) = (mul(r, &ma), mul(r, &mb));
    from_columns(
        &(a * ra.x + b * rb.x),
        &(a * ra.y + b * rb.y),
        &(a * ra.z + b * rb.z),
    )
}

/// R S Rᵀ for a symmetric S whose row and column `AXIS` are zero, which are not looked at.
#[inline(always)]
pub(crate) fn congruence_symmetric_without<const AXIS: usize>(
    r: &Matrix3<f64>,
    s: &Symmetric3,
) -> Symmetric3 {
    let (ra, rb) = columns_after::<AXIS>(r);
    let (aa, ab, bb) = s.block_after::<AXIS>();
    let (a, b) = (ra * aa + rb * ab, ra * ab + rb * bb);
    Symmetric3 {
        xx: ra.x * a.x + rb.x * b.x,
        xy: ra.x * a.y + rb.x * b.y,
        xz: ra.x * a.z + rb.x * b.z,
        yy: ra.y * a.y + rb.y * b.y,
        yz: ra.y * a.z + rb.y * b.z,
        zz: ra.z * a.z + rb.z * b.z,
    }
}

/// R x for a rotation about the x (0), y (1) or z (2) axis with this cosine and sine.
#[inline(always)]
pub(crate) fn turn<const AXIS: usize>(c: f64, s: f64, x: &Vector3<f64>) -> Vector3<f64> {
    match AXIS {
        0 => Vector3::new(x.x, c * x.y - s * x.z, s * x.y + c * x.z),
        1 => Vector3::new(c * x.x + s * x.z, x.y, c * x.z - s * x.x),
        _ => Vector3::new(c * x.x - s * x.y, s * x.x + c * x.y, x.z),
    }
}

/// Cosine and sine of a rotation about that axis.
#[inline(always)]
pub(crate) fn cosine_and_sine<const AXIS: usize>(r: &Matrix3<f64>) -> (f64, f64) {
    match AXIS {
        0 => (r.m22, r.m32),
        1 => (r.m33, r.m13),
        _ => (r.m11, r.m21),
    }
}

/// R M Rᵀ for a rotation about that axis; `FREED` where that column of M is zero, which is not looked at then.
#[inline(always)]
pub(crate) fn turn_matrix<const AXIS: usize, const FREED: bool>(
    c: f64,
    s: f64,
    m: &Matrix3<f64>,
) -> Matrix3<f64> {
    // Columns, then rows.
    let turned = |is_axis: bool, column: Vector3<f64>| match FREED && is_axis {
        true => Vector3::repeat(NOTHING),
        false => turn::<AXIS>(c, s, &column),
    };
    let columns = from_columns(
        &turned(AXIS == 0, column::<0>(m)),
        &turned(AXIS == 1, column::<1>(m)),
        &turned(AXIS == 2, column::<2>(m)),
    );
    let y = &columns;
    let rows = [
        turn::<AXIS>(c, s, &Vector3::new(y.m11, y.m12, y.m13)),
        turn::<AXIS>(c, s, &Vector3::new(y.m21, y.m22, y.m23)),
        turn::<AXIS>(c, s, &Vector3::new(y.m31, y.m32, y.m33)),
    ];
    let [a, b, c] = &rows;
    Matrix3::new(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z)
}

/// The same for a symmetric matrix; `FREED` where that row and column are zero.
#[inline(always)]
pub(crate) fn turn_symmetric<const AXIS: usize, const FREED: bool>(
    c: f64,
    s: f64,
    m: &Symmetric3,
) -> Symmetric3 {
    // The block of the plane that turns, from its first axis to its second.
    let (cc, ss, cs) = (c * c, s * s, c * s);
    let plane = |aa: f64, ab: f64, bb: f64| {
        let twice = 2.0 * cs * ab;
        (
            cc * aa - twice + ss * bb,
            cs * (aa - bb) + (cc - ss) * ab,
            ss * aa + twice + cc * bb,
        )
    };
    let row = |a: f64, b: f64| match FREED {
        true => (NOTHING, NOTHING),
        false => (c * a - s * b, s * a + c * b),
    };
    let axis = |aa: f64| if FREED { NOTHING } else { aa };
    match AXIS {
        0 => {
            let (yy, yz, zz) = plane(m.yy, m.yz, m.zz);
            let (xy, xz) = row(m.xy, m.xz);
            Symmetric3 {
                xx: axis(m.xx),
                xy,
                xz,
                yy,
                yz,
                zz,
            }
        }
        1 => {
            let (zz, xz, xx) = plane(m.zz, m.xz, m.xx);
            let (yz, xy) = row(m.yz, m.xy);
            Symmetric3 {
                xx,
                xy,
                xz,
                yy: axis(m.yy),
                yz,
                zz,
            }
        }
        _ => {
            let (xx, xy, yy) = plane(m.xx, m.xy, m.yy);
            let (xz, yz) = row(m.xz, m.yz);
            Symmetric3 {
                xx,
                xy,
                xz,
                yy,
                yz,
                zz: axis(m.zz),
            }
        }
    }
}
