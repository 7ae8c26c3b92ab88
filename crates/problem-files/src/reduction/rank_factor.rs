//! Rank-revealing factorisation W ≈ L Lᵀ of a symmetric positive semidefinite matrix.
//!
//! A Delassus matrix has far fewer independent rows than rows (several contacts on each body), and
//! its rows are sparse (contacts without a common body do not see each other). A diagonally
//! pivoted Cholesky factorisation keeps both: it stops at the rank, and among the pivots that are
//! numerically good it takes the one with the fewest neighbours. On a stack that order eliminates
//! body after body from the ground up, and L stays almost as sparse as the Jacobian that W was
//! made of. Where W is not semidefinite (matrices printed with a few digits), pivots of noise
//! would spoil the factor; then the eigenvalues are computed and the negative ones clipped.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};

use crate::csc_matrix::CscMatrix;

/// A pivot at or below this share of its row's diagonal is taken for zero.
const RANK_TOLERANCE: f64 = 1e-12;
/// Off-diagonal remainders at or below this share of their rows' diagonals are rounding.
const DROP_TOLERANCE: f64 = 1e-13;
/// A pivot may be this much smaller than the largest one when it has fewer neighbours.
const PIVOT_THRESHOLD: f64 = 0.1;
/// Cholesky's error above which the eigenvalues are computed.
const EIGEN_ERROR: f64 = 1e-10;
/// Negative eigenvalues of the matrix scaled to unit diagonal, relative to the largest, that are
/// still taken for noise.
const INDEFINITE_TOLERANCE: f64 = 1e-6;
/// Largest block whose eigenvalues are computed (n² numbers are stored).
const LARGEST_EIGEN_BLOCK: usize = 2500;
/// Largest number of entries that the factor's remainder may fill up to.
const LARGEST_FILL: usize = 50_000_000;

/// L by rows, `(column, value)` with columns ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct RankFactor {
    pub(crate) rows: Vec<Vec<(usize, f64)>>,
    pub(crate) rank: usize,
    /// Largest |W − L Lᵀ| relative to the diagonals of its row and column.
    pub(crate) error: f64,
}

/// Factorises one block. `diagonal_scale` is the largest diagonal of the whole matrix.
pub(crate) fn factorize(block: &CscMatrix, diagonal_scale: f64) -> Result<RankFactor, String> {
    let diagonal = block.diagonal();
    for (i, &value) in diagonal.iter().enumerate() {
        if value < -INDEFINITE_TOLERANCE * diagonal_scale {
            return Err(format!("its diagonal {i} is {value}, it is indefinite"));
        }
    }
    for (i, j, value) in block.entries() {
        let allowed = (diagonal[i].max(0.0) * diagonal[j].max(0.0)).sqrt();
        // |W_ij| ≤ √(W_ii W_jj) in every semidefinite matrix.
        if value.abs() > 1.01 * allowed + INDEFINITE_TOLERANCE * diagonal_scale {
            return Err(format!(
                "({i}, {j}) is {value}, more than its diagonals {} and {} admit: it is indefinite",
                diagonal[i], diagonal[j]
            ));
        }
    }
    let by_cholesky = pivoted_cholesky(block, &diagonal)?;
    if by_cholesky.error <= EIGEN_ERROR {
        return Ok(by_cholesky);
    }
    if block.columns() > LARGEST_EIGEN_BLOCK {
        return if by_cholesky.error <= INDEFINITE_TOLERANCE {
            Ok(by_cholesky)
        } else {
            Err(format!(
                "a block of {} rows is not positive semidefinite (factor error {:.1e})",
                block.columns(),
                by_cholesky.error
            ))
        };
    }
    let by_eigenvalues = clipped_eigenvalues(block, &diagonal)?;
    Ok(if by_eigenvalues.error < by_cholesky.error {
        by_eigenvalues
    } else {
        by_cholesky
    })
}

fn pivoted_cholesky(block: &CscMatrix, diagonal: &[f64]) -> Result<RankFactor, String> {
    let n = block.columns();
    // What is left of W after the pivots so far, by rows; a row leaves when it is a pivot.
    let mut remainder: Vec<Vec<(usize, f64)>> = (0..n)
        .map(|i| block.column(i).filter(|&(_, value)| value != 0.0).collect())
        .collect();
    let mut fill: usize = remainder.iter().map(Vec::len).sum();
    let root: Vec<f64> = diagonal.iter().map(|d| d.max(0.0).sqrt()).collect();
    let mut left: Vec<f64> = diagonal
        .iter()
        .map(|&d| if d > 0.0 { 1.0 } else { 0.0 })
        .collect();
    let mut is_pivot = vec![false; n];
    let mut factor = RankFactor {
        rows: vec![Vec::new(); n],
        ..RankFactor::default()
    };
    let mut merged = Vec::new();
    while let Some(pivot) = next_pivot(&left, &is_pivot, &remainder) {
        is_pivot[pivot] = true;
        let mut column = std::mem::take(&mut remainder[pivot]);
        column.retain(|&(j, _)| j == pivot || !is_pivot[j]);
        let Some(&(_, square)) = column.iter().find(|&&(j, _)| j == pivot) else {
            continue;
        };
        let scale = 1.0 / square.sqrt();
        for (_, value) in &mut column {
            *value *= scale;
        }
        for &(j, value) in &column {
            factor.rows[j].push((factor.rank, value));
        }
        factor.rank += 1;
        for &(j, l_j) in &column {
            if j == pivot {
                continue;
            }
            subtract(&remainder[j], l_j, &column, pivot, &mut merged);
            merged.retain(|&(m, value)| {
                m == j || (!is_pivot[m] && value.abs() > DROP_TOLERANCE * root[j] * root[m])
            });
            fill = fill + merged.len() - remainder[j].len();
            std::mem::swap(&mut remainder[j], &mut merged);
            let square = remainder[j].iter().find(|&&(m, _)| m == j);
            left[j] = square.map_or(0.0, |&(_, value)| value / diagonal[j]);
        }
        if fill > LARGEST_FILL {
            return Err("its factor does not fit into memory".into());
        }
    }
    for i in (0..n).filter(|&i| !is_pivot[i]) {
        for &(j, value) in &remainder[i] {
            let size = root[i] * root[j];
            if !is_pivot[j] && size > 0.0 {
                factor.error = factor.error.max(value.abs() / size);
            }
        }
    }
    Ok(factor)
}

/// The pivot with the fewest neighbours among those that are large enough.
fn next_pivot(left: &[f64], is_pivot: &[bool], remainder: &[Vec<(usize, f64)>]) -> Option<usize> {
    let candidates = || (0..left.len()).filter(|&i| !is_pivot[i] && left[i] > RANK_TOLERANCE);
    let largest = candidates().map(|i| left[i]).fold(0.0, f64::max);
    candidates()
        .filter(|&i| left[i] >= PIVOT_THRESHOLD * largest)
        .min_by(|&a, &b| {
            (remainder[a].len().cmp(&remainder[b].len())).then(left[b].total_cmp(&left[a]))
        })
}

/// out = row − factor · column, without the pivot's entry.
fn subtract(
    row: &[(usize, f64)],
    factor: f64,
    column: &[(usize, f64)],
    pivot: usize,
    out: &mut Vec<(usize, f64)>,
) {
    out.clear();
    let (mut a, mut b) = (0, 0);
    while a < row.len() || b < column.len() {
        let from_row = row.get(a).map_or(usize::MAX, |entry| entry.0);
        let from_column = column.get(b).map_or(usize::MAX, |entry| entry.0);
        let index = from_row.min(from_column);
        let mut value = 0.0;
        if from_row == index {
            value = row[a].1;
            a += 1;
        }
        if from_column == index {
            value -= factor * column[b].1;
            b += 1;
        }
        if index != pivot {
            out.push((index, value));
        }
    }
}

fn clipped_eigenvalues(block: &CscMatrix, diagonal: &[f64]) -> Result<RankFactor, String> {
    let n = block.columns();
    let root: Vec<f64> = diagonal.iter().map(|d| d.max(0.0).sqrt()).collect();
    let mut scaled = Mat::<f64>::zeros(n, n);
    for (i, j, value) in block.entries() {
        if root[i] > 0.0 && root[j] > 0.0 {
            scaled[(i, j)] = value / (root[i] * root[j]);
        }
    }
    let mut vectors = Mat::<f64>::zeros(n, n);
    let mut values = faer::diag::Diag::<f64>::zeros(n);
    let scratch =
        self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    self_adjoint_evd(
        scaled.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        // One thread: the bits must not depend on how many there are.
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| "its eigenvalues could not be computed".to_owned())?;
    let values: Vec<f64> = values.column_vector().iter().copied().collect();
    let largest = values.iter().fold(0.0, |a: f64, b| a.max(*b));
    let smallest = values.iter().fold(0.0, |a: f64, b| a.min(*b));
    if smallest < -INDEFINITE_TOLERANCE * largest {
        return Err(format!(
            "it is indefinite: scaled to unit diagonal, its eigenvalues reach from {smallest:.3e} to {largest:.3e}"
        ));
    }
    let kept: Vec<usize> = (0..n)
        .filter(|&k| values[k] > RANK_TOLERANCE * largest)
        .collect();
    let clipped: Vec<usize> = (0..n)
        .filter(|&k| values[k].abs() > 1e-15 * largest && values[k] <= RANK_TOLERANCE * largest)
        .collect();
    let mut error: f64 = 0.0;
    for i in 0..n {
        for j in 0..=i {
            let rest = |&k: &usize| values[k] * vectors[(i, k)] * vectors[(j, k)];
            error = error.max(clipped.iter().map(rest).sum::<f64>().abs());
        }
    }
    let row = |i: usize| {
        let entry =
            |(column, &k): (usize, &usize)| (column, root[i] * values[k].sqrt() * vectors[(i, k)]);
        kept.iter().enumerate().map(entry).collect()
    };
    Ok(RankFactor {
        rows: (0..n).map(row).collect(),
        rank: kept.len(),
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(factor: &RankFactor, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for &(a, x) in &factor.rows[i] {
            for &(b, y) in &factor.rows[j] {
                if a == b {
                    sum += x * y;
                }
            }
        }
        sum
    }

    fn dense(n: usize, at: impl Fn(usize, usize) -> f64) -> CscMatrix {
        let entries: Vec<_> = (0..n * n)
            .map(|k| (k / n, k % n, at(k / n, k % n)))
            .collect();
        CscMatrix::from_entries(n, n, &entries).unwrap()
    }

    #[test]
    fn rank_is_found_and_the_product_is_the_matrix() {
        // Five vectors in a plane of five-space: rank 2.
        let v = |i: usize| [1.0 + i as f64, (i as f64 * 0.7).sin(), 0.0];
        let w = dense(5, |i, j| v(i).iter().zip(v(j)).map(|(a, b)| a * b).sum());
        let factor = factorize(&w, 25.0).unwrap();
        assert_eq!(factor.rank, 2);
        assert!(factor.error < 1e-13);
        for (i, j, value) in w.entries() {
            assert!((product(&factor, i, j) - value).abs() < 1e-12);
        }
    }

    #[test]
    fn a_chain_stays_sparse() {
        // Bodies in a row, one pair of rows between neighbours: W is block tridiagonal and
        // singular at the free end. L must not fill in.
        let n = 60;
        let w = dense(n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let factor = factorize(&w, 2.0).unwrap();
        assert_eq!(factor.rank, n);
        let entries: usize = factor.rows.iter().map(Vec::len).sum();
        assert!(entries < 3 * n, "{entries}");
    }

    #[test]
    fn slight_indefiniteness_is_clipped_and_a_strong_one_refused() {
        let almost = |epsilon: f64| {
            dense(4, |i, j| {
                if i == j {
                    1.0
                } else if i + j == 3 {
                    1.0 + epsilon
                } else {
                    0.0
                }
            })
        };
        let factor = factorize(&almost(1e-7), 1.0).unwrap();
        assert!(factor.error < 2e-7 && factor.rank == 2);
        assert!(
            factorize(&almost(1e-3), 1.0)
                .unwrap_err()
                .contains("indefinite")
        );
        assert!(factorize(&dense(1, |_, _| -1.0), 1.0).is_err());
    }
}
