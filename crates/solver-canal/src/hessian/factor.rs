//! LU of small dense matrices by rows, in place.

use stiction_constraints::linear::dot;

/// A diagonal entry is taken for the pivot unless it is smaller than this part of the largest in its
/// column: exchanges fill in what is empty. Much smaller parts cost accuracy that shows: stones of an
/// arch at rest begin to move.
const DIAGONAL_SHARE: f64 = 0.3;

/// Row exchanges and the shape of an LU factor.
#[derive(Debug, Default)]
pub(crate) struct LuShape {
    /// The row that was exchanged with row k, in the order k = n − 1, …, 0.
    exchanged: Vec<usize>,
    /// The first column of each row that is not empty.
    first: Vec<usize>,
}

impl LuShape {
    /// Makes room for `n` rows.
    pub(crate) fn reserve(&mut self, n: usize) {
        for list in [&mut self.exchanged, &mut self.first] {
            list.clear();
            list.reserve(n);
        }
    }
}

/// LU with pivoting from the last row and column to the first; `false` when a column has no usable
/// pivot.
///
/// That order suits trees, whose degrees of freedom are numbered from the root to the leaves: a leaf
/// sees only the bodies that carry it, and robots that do not touch see nothing of each other. What
/// is empty is skipped.
pub(crate) fn lu_in_place(n: usize, a: &mut [f64], shape: &mut LuShape) -> bool {
    let LuShape { exchanged, first } = shape;
    exchanged.clear();
    first.clear();
    first.extend(
        a.chunks_exact(n.max(1))
            .map(|row| row.iter().position(|&entry| entry != 0.0).unwrap_or(n)),
    );
    for k in (0..n).rev() {
        let column = a[k..].iter().step_by(n).take(k);
        let largest = column
            .clone()
            .fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        let best = if a[k * n + k].abs() >= DIAGONAL_SHARE * largest {
            k
        } else {
            column
                .into_iter()
                .position(|entry| entry.abs() == largest)
                .unwrap_or(k)
        };
        let pivot = a[best * n + k];
        if pivot == 0.0 || !pivot.is_finite() {
            return false;
        }
        exchanged.push(best);
        if best != k {
            let (low, high) = a.split_at_mut(k * n);
            low[best * n..best * n + n].swap_with_slice(&mut high[..n]);
            first.swap(best, k);
        }
        let (above, own) = a.split_at_mut(k * n);
        let start = first[k].min(k);
        let own = &own[start..k];
        let inverse = 1.0 / pivot;
        for (row, first) in above.chunks_exact_mut(n).zip(&mut *first) {
            if row[k] == 0.0 {
                continue;
            }
            let factor = row[k] * inverse;
            row[k] = factor;
            *first = start.min(*first);
            for (entry, own) in row[start..k].iter_mut().zip(own) {
                *entry -= factor * own;
            }
        }
    }
    true
}

/// Whether det A > 0, from the factor of [`lu_in_place`]: numbering rows and columns backwards alike
/// keeps the sign, exchanging two rows turns it.
pub(crate) fn lu_is_positive(n: usize, lu: &[f64], shape: &LuShape) -> bool {
    let order = (0..n).rev().zip(&shape.exchanged);
    let turned = order.filter(|(k, row)| k != *row).count();
    let negative = (0..n).filter(|k| lu[k * n + k] < 0.0).count();
    (turned + negative).is_multiple_of(2)
}

/// x ← A⁻¹ x with the factor of [`lu_in_place`].
pub(crate) fn lu_solve(n: usize, lu: &[f64], shape: &LuShape, x: &mut [f64]) {
    for (k, &row) in (0..n).rev().zip(&shape.exchanged) {
        x.swap(k, row);
    }
    for k in (0..n).rev() {
        let row = &lu[k * n..(k + 1) * n];
        x[k] -= dot(&row[k + 1..], &x[k + 1..n]);
    }
    for k in 0..n {
        let row = &lu[k * n..(k + 1) * n];
        let start = shape.first[k].min(k);
        x[k] = (x[k] - dot(&row[start..k], &x[start..k])) / row[k];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn times(a: &[f64], x: &[f64]) -> Vec<f64> {
        a.chunks_exact(x.len())
            .map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
            .collect()
    }

    proptest! {
        /// Trees, with their empty places, and anything else.
        #[test]
        fn lu_solves_what_it_factorised(
            n in 1..14_usize,
            entries in prop::collection::vec(-1.0..1.0_f64, 14 * 14),
            is_tree in any::<bool>(),
            empty_diagonal in prop::option::of(0..14_usize),
        ) {
            let parent = |i: usize| (i > 0).then(|| (i - 1) / 2);
            let carries = |a: usize, b: usize| {
                std::iter::successors(Some(b), |&i| parent(i)).any(|i| i == a)
            };
            let mut a: Vec<f64> = entries[..n * n].to_vec();
            for i in 0..n {
                for j in 0..n {
                    if is_tree && !carries(i, j) && !carries(j, i) {
                        a[i * n + j] = 0.0;
                    }
                }
                a[i * n + i] += if empty_diagonal == Some(i) { -a[i * n + i] } else { 3.0 };
            }
            let x: Vec<f64> = entries.iter().rev().take(n).copied().collect();
            let mut shape = LuShape::default();
            let mut factor = a.clone();
            prop_assume!(lu_in_place(n, &mut factor, &mut shape));
            let mut got = times(&a, &x);
            lu_solve(n, &factor, &shape, &mut got);
            // Random matrices may be close to singular: what counts is that A x is met.
            let missed = times(&a, &got)
                .iter()
                .zip(times(&a, &x))
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max);
            prop_assert!(missed < 1e-9, "{missed}");
        }
    }

    proptest! {
        #[test]
        fn the_sign_of_the_determinant_is_found(
            n in 1..9_usize,
            entries in prop::collection::vec(-1.0..1.0_f64, 8 * 8),
        ) {
            let mut factor = entries[..n * n].to_vec();
            let wanted = nalgebra::DMatrix::from_row_slice(n, n, &factor).determinant();
            prop_assume!(wanted.abs() > 1e-9);
            let mut shape = LuShape::default();
            prop_assert!(lu_in_place(n, &mut factor, &mut shape));
            prop_assert_eq!(lu_is_positive(n, &factor, &shape), wanted > 0.0);
        }
    }

    #[test]
    fn a_leaf_fills_nothing_in() {
        // A root with two leaves: eliminated from the leaves, their empty places stay empty.
        let a = [4.0, 1.0, 2.0, 1.0, 3.0, 0.0, 2.0, 0.0, 5.0];
        let (mut factor, mut shape) = (a, LuShape::default());
        assert!(lu_in_place(3, &mut factor, &mut shape));
        assert_eq!((factor[5], factor[7]), (0.0, 0.0));
    }

    #[test]
    fn a_column_without_a_usable_pivot_is_refused() {
        let mut shape = LuShape::default();
        assert!(!lu_in_place(2, &mut [1.0, 0.0, 1.0, 0.0], &mut shape));
        assert!(!lu_in_place(2, &mut [1.0, 0.0, 1.0, f64::NAN], &mut shape));
        assert!(lu_in_place(0, &mut [], &mut shape));
    }
}
