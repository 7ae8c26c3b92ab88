//! Sums of products in a fixed order that leaves room for vector instructions.

/// Independent partial sums of a dot product.
const LANES: usize = 8;

/// Σ a b, in [`LANES`] interleaved partial sums.
#[inline]
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
#[inline]
pub(crate) fn add_scaled(y: &mut [f64], scale: f64, x: &[f64]) {
    for (sum, value) in y.iter_mut().zip(x) {
        *sum += scale * value;
    }
}

/// √Σ a².
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
