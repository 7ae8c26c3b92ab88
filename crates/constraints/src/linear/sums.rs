//! Sums of products.

/// Σ a b in `N` interleaved partial sums, whose additions need not wait for each other, and the sum of
/// what is left over at the end.
#[inline(always)]
pub fn partial_sums<const N: usize>(a: &[f64], b: &[f64]) -> ([f64; N], f64) {
    let (a_chunks, a_rest) = a.as_chunks::<N>();
    let (b_chunks, b_rest) = b.as_chunks::<N>();
    let mut sums = [0.0; N];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..N {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums, dot_in_order(a_rest, b_rest))
}

/// Σ a b in four partial sums: for long vectors.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (sums, rest) = partial_sums::<4>(a, b);
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Σ a b from the first to the last: for the few entries of a row.
#[inline]
pub fn dot_in_order(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_sums_everything() {
        for n in 0..20 {
            // Whole numbers: exact in any order.
            let a: Vec<f64> = (0..n).map(|i| f64::from(i * i - 7)).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(3 - 2 * i)).collect();
            let expected: f64 = (0..n).map(|i| f64::from((i * i - 7) * (3 - 2 * i))).sum();
            let (sums, rest) = partial_sums::<8>(&a, &b);
            assert_eq!(dot(&a, &b), expected);
            assert_eq!(dot_in_order(&a, &b), expected);
            assert_eq!(sums.iter().sum::<f64>() + rest, expected);
        }
    }
}
