//! Small dense factorisations by rows, in place.

/// Cholesky of the lower triangle; `false` when a pivot is not positive.
pub(crate) fn cholesky_in_place(n: usize, a: &mut [f64]) -> bool {
    for i in 0..n {
        let (above, row_i) = a.split_at_mut(i * n);
        for j in 0..i {
            let row_j = &above[j * n..j * n + j + 1];
            let sum: f64 = dot(&row_i[..j], &row_j[..j]);
            row_i[j] = (row_i[j] - sum) * row_j[j];
        }
        let sum: f64 = dot(&row_i[..i], &row_i[..i]);
        let pivot = row_i[i] - sum;
        if pivot <= 0.0 || pivot.is_nan() {
            return false;
        }
        // The reciprocal is stored: divisions would dominate small systems.
        row_i[i] = 1.0 / pivot.sqrt();
    }
    true
}

/// x ← (L Lᵀ)⁻¹ x with the factor of [`cholesky_in_place`].
pub(crate) fn cholesky_solve(n: usize, l: &[f64], x: &mut [f64]) {
    for i in 0..n {
        let row = &l[i * n..i * n + i + 1];
        x[i] = (x[i] - dot(&row[..i], &x[..i])) * row[i];
    }
    for i in (0..n).rev() {
        let row = &l[i * n..i * n + i + 1];
        x[i] *= row[i];
        let value = x[i];
        for (below, entry) in x[..i].iter_mut().zip(row) {
            *below -= entry * value;
        }
    }
}

/// LU with partial pivoting; `false` when a column has no usable pivot.
pub(crate) fn lu_in_place(n: usize, a: &mut [f64], pivots: &mut Vec<usize>) -> bool {
    pivots.clear();
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[best * n + k].abs() {
                best = i;
            }
        }
        let pivot = a[best * n + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        pivots.push(best);
        if best != k {
            let (low, high) = a.split_at_mut(best * n);
            low[k * n..k * n + n].swap_with_slice(&mut high[..n]);
        }
        let (top, bottom) = a.split_at_mut((k + 1) * n);
        let row_k = &top[k * n..];
        let inverse = 1.0 / pivot;
        for row in bottom.chunks_exact_mut(n) {
            let factor = row[k] * inverse;
            row[k] = factor;
            if factor != 0.0 {
                for (entry, upper) in row[k + 1..].iter_mut().zip(&row_k[k + 1..]) {
                    *entry -= factor * upper;
                }
            }
        }
    }
    true
}

/// x ← A⁻¹ x with the factor of [`lu_in_place`].
pub(crate) fn lu_solve(n: usize, lu: &[f64], pivots: &[usize], x: &mut [f64]) {
    for (k, &pivot) in pivots.iter().enumerate() {
        x.swap(k, pivot);
    }
    for i in 0..n {
        x[i] -= dot(&lu[i * n..i * n + i], &x[..i]);
    }
    for i in (0..n).rev() {
        let row = &lu[i * n..(i + 1) * n];
        x[i] = (x[i] - dot(&row[i + 1..], &x[i + 1..n])) / row[i];
    }
}

/// Four running sums, so that the compiler may keep them in one vector register.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a4, a_rest) = a.as_chunks::<4>();
    let (b4, b_rest) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (x, y) in a4.iter().zip(b4) {
        for i in 0..4 {
            sums[i] += x[i] * y[i];
        }
    }
    let tail: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}
