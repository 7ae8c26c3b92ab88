//! Sums of products in a fixed order that leaves room for vector instructions.

/// Independent partial sums of a dot product.
const LANES: usize = 8;

/// Σ a b, in [`LANES`] interleaved partial sums.
#[inline(always)]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_chunks, a_rest) = a.as_chunks::<LANES>();
    let (b_chunks, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let mut total = 0.0;
    for (x, y) in a_rest.iter().zip(b_rest) {
        total += x * y;
    }
    for sum in sums {
        total += sum;
    }
    total
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
