//! Dense elimination with partial pivoting, in place.

/// L and U of an n × n matrix by rows, and the rows that were exchanged. `false` where a pivot is nothing.
pub(crate) fn factorize(n: usize, a: &mut [f64], exchanged: &mut Vec<usize>) -> bool {
    exchanged.clear();
    for k in 0..n {
        let largest = (k..n)
            .max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))
            .unwrap_or(k);
        exchanged.push(largest);
        if !(a[largest * n + k].abs() > f64::MIN_POSITIVE) {
            return false;
        }
        if largest != k {
            for column in 0..n {
                a.swap(k * n + column, largest * n + column);
            }
        }
        let (above, below) = a.split_at_mut((k + 1) * n);
        let pivot_row = &above[k * n..];
        for row in below.chunks_exact_mut(n) {
            let factor = row[k] / pivot_row[k];
            row[k] = factor;
            if factor != 0.0 {
                for (entry, pivot) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *entry -= factor * pivot;
                }
            }
        }
    }
    true
}

/// x ← A⁻¹ x with the factor of [`factorize`].
pub(crate) fn solve(n: usize, a: &[f64], exchanged: &[usize], x: &mut [f64]) {
    for (k, &other) in exchanged.iter().enumerate() {
        x.swap(k, other);
    }
    for i in 0..n {
        let row = &a[i * n..i * n + i];
        x[i] -= row.iter().zip(&*x).map(|(a, x)| a * x).sum::<f64>();
    }
    for i in (0..n).rev() {
        let row = &a[i * n..(i + 1) * n];
        let known: f64 = row[i + 1..]
            .iter()
            .zip(&x[i + 1..])
            .map(|(a, x)| a * x)
            .sum();
        x[i] = (x[i] - known) / row[i];
    }
}
