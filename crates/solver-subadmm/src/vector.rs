//! Sums of products in a fixed order that leaves room for vector instructions.

use stiction_constraints::linear::partial_sums;

/// Σ a b, in eight interleaved partial sums.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (sums, rest) = partial_sums::<8>(a, b);
    sums.iter().fold(rest, |total, sum| total + sum)
}

/// y += scale x.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f64], scale: f64, x: &[f64]) {
    for (sum, value) in y.iter_mut().zip(x) {
        *sum += scale * value;
    }
}

/// √Σ a².
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// y += M x with M by columns, four columns in a pass.
#[inline(always)]
pub(crate) fn add_product(y: &mut [f64], matrix: &[f64], x: &[f64]) {
    let n = y.len();
    let (quads, rest) = x.as_chunks::<4>();
    let (columns, last_columns) = matrix.split_at(4 * n * quads.len());
    for (quad, columns) in quads.iter().zip(columns.chunks_exact((4 * n).max(1))) {
        let (a, b) = columns.split_at(2 * n);
        let ((a, b), (c, d)) = (a.split_at(n), b.split_at(n));
        for ((((sum, a), b), c), d) in y.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *sum += (quad[0] * a + quad[1] * b) + (quad[2] * c + quad[3] * d);
        }
    }
    for (&value, column) in rest.iter().zip(last_columns.chunks_exact(n.max(1))) {
        add_scaled(y, value, column);
    }
}
