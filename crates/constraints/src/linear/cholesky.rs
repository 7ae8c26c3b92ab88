//! Cholesky of small dense matrices, in place.

use super::dot;

/// L of A = L Lᵀ over the lower triangle of an n × n matrix by rows; the strict upper triangle is not read.
/// The diagonal becomes that of 1/L: divisions would dominate small systems. `false` when a pivot is not
/// positive.
pub fn cholesky_in_place(n: usize, a: &mut [f64]) -> bool {
    for i in 0..n {
        let (above, row_i) = a.split_at_mut(i * n);
        for j in 0..i {
            let row_j = &above[j * n..j * n + j + 1];
            let sum = dot(&row_i[..j], &row_j[..j]);
            row_i[j] = (row_i[j] - sum) * row_j[j];
        }
        let pivot = row_i[i] - dot(&row_i[..i], &row_i[..i]);
        if pivot <= 0.0 || pivot.is_nan() {
            return false;
        }
        row_i[i] = 1.0 / pivot.sqrt();
    }
    true
}

/// x ← (L Lᵀ)⁻¹ x with the factor of [`cholesky_in_place`].
pub fn cholesky_solve(l: &[f64], x: &mut [f64]) {
    cholesky_solve_from(0, l, x);
}

/// The same for x that is zero before `first`; only the entries from there on are computed.
pub fn cholesky_solve_from(first: usize, l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in first..n {
        let row = &l[i * n..i * n + i + 1];
        x[i] = (x[i] - dot(&row[first..i], &x[first..i])) * row[i];
    }
    for i in (first..n).rev() {
        let row = &l[i * n..i * n + i + 1];
        x[i] *= row[i];
        let value = x[i];
        for (below, entry) in x[first..i].iter_mut().zip(&row[first..]) {
            *below -= entry * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: usize, i: usize, j: usize) -> f64 {
        if i == j {
            n as f64
        } else {
            1.0 / (1.0 + (i + j) as f64)
        }
    }

    #[test]
    fn what_was_multiplied_is_found_again() {
        for n in [0, 1, 2, 7, 30] {
            for first in [0, n / 2] {
                let mut factor: Vec<f64> = (0..n * n).map(|k| entry(n, k / n, k % n)).collect();
                assert!(cholesky_in_place(n, &mut factor));
                // A right-hand side that is zero before `first`.
                let mut x: Vec<f64> = (0..n)
                    .map(|i| {
                        if i < first {
                            0.0
                        } else {
                            (0.7 * i as f64).sin()
                        }
                    })
                    .collect();
                let b = x.clone();
                let mut whole = x.clone();
                cholesky_solve_from(first, &factor, &mut x);
                cholesky_solve(&factor, &mut whole);
                for i in 0..n {
                    let sum: f64 = (0..n).map(|j| entry(n, i, j) * whole[j]).sum();
                    assert!((sum - b[i]).abs() < 1e-13, "n = {n}: {sum}");
                    assert!(i < first || (x[i] - whole[i]).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert!(!cholesky_in_place(2, &mut [1.0, 0.0, 1.0, 1.0]));
        assert!(!cholesky_in_place(2, &mut [1.0, 0.0, 2.0, 1.0]));
        assert!(!cholesky_in_place(1, &mut [f64::NAN]));
    }
}
