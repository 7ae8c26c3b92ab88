//! Sparse block: faer's Cholesky, its symbolic part kept with the pattern of the matrix.

use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::LltRef;
use faer::{Conj, MatMut, Par, Side, Spec};

use super::gram::Gram;
use super::reach::Reach;
use super::symbolic::{SymbolicFactor, columns};
use crate::subsystem::SparseSymmetric;

/// A sparse symmetric positive definite matrix with its Cholesky factor. The order of elimination and
/// the places of the factor's entries are found once for each
/// [pattern](crate::SparsePattern) and kept with it, whoever factorises matrices of that pattern.
#[derive(Default)]
pub struct SparseFactor {
    matrix: Option<SparseSymmetric>,
    symbolic: Option<Arc<SymbolicFactor>>,
    factor: Vec<f64>,
    scratch: Option<MemBuffer>,
    reach: Reach,
}

impl std::fmt::Debug for SparseFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dimension = self.matrix.as_ref().map_or(0, SparseSymmetric::dimension);
        f.debug_struct("SparseFactor")
            .field("dimension", &dimension)
            .finish_non_exhaustive()
    }
}

impl SparseFactor {
    /// Factorises; `Err` when the matrix is not positive definite. Patterns are compared by identity
    /// first, then entry by entry; a matrix of another pattern is taken in without analysis if its
    /// pattern was analysed before.
    #[expect(
        clippy::result_unit_err,
        reason = "the caller knows which block it is and names it"
    )]
    pub fn update(&mut self, matrix: &SparseSymmetric) -> Result<(), ()> {
        // faer does not check that the pattern is the one it analysed: that is ours to do.
        let is_known = self.holds(matrix);
        match &mut self.matrix {
            Some(known) => {
                if is_known {
                    matrix.pattern().learn(known.pattern());
                }
                known.copy_from(matrix);
            }
            None => self.matrix = Some(matrix.clone()),
        }
        if !is_known || self.symbolic.is_none() {
            self.symbolic = None;
            self.prepare(matrix)?;
        }
        self.factorize()
    }

    /// Whether the matrix has the pattern of the one that was factorised last.
    pub(super) fn holds(&self, matrix: &SparseSymmetric) -> bool {
        let known = self.matrix.as_ref();
        known.is_some_and(|known| known.same_pattern(matrix))
    }

    /// Storage for a matrix of another pattern than before.
    fn prepare(&mut self, matrix: &SparseSymmetric) -> Result<(), ()> {
        let symbolic = matrix.pattern().symbolic().ok_or(())?;
        let cholesky = symbolic.cholesky();
        self.factor.resize(cholesky.len_val(), 0.0);
        let request = cholesky
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(cholesky.solve_in_place_scratch::<f64>(1, Par::Seq));
        let is_enough = |buffer: &mut MemBuffer| MemStack::new(buffer).can_hold(request);
        if !self.scratch.as_mut().is_some_and(is_enough) {
            self.scratch = Some(MemBuffer::try_new(request).map_err(|_| ())?);
        }
        self.reach.prepare(symbolic);
        self.symbolic = Some(Arc::clone(symbolic));
        Ok(())
    }

    fn factorize(&mut self) -> Result<(), ()> {
        let (Some(matrix), Some(symbolic), Some(scratch)) =
            (&self.matrix, &self.symbolic, &mut self.scratch)
        else {
            return Err(());
        };
        // Sequential: the same bits for any number of threads.
        symbolic
            .cholesky()
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(columns(matrix.pattern()), matrix.values()),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(scratch),
                Spec::default(),
            )
            .map(|_| ())
            .map_err(|_| ())
    }

    /// out = A v.
    pub fn mul(&self, v: &[f64], out: &mut [f64]) {
        if let Some(matrix) = &self.matrix {
            matrix.mul(v, out);
        }
    }

    /// x ← A⁻¹ x.
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        if let (Some(symbolic), Some(scratch)) = (&self.symbolic, &mut self.scratch) {
            let rows = x.len();
            LltRef::<'_, usize, f64>::new(symbolic.cholesky(), &self.factor)
                .solve_in_place_with_conj(
                    Conj::No,
                    MatMut::from_column_major_slice_mut(x, rows, 1),
                    Par::Seq,
                    MemStack::new(scratch),
                );
        }
    }

    /// Σ xᵀ A⁻¹ x over the four columns x of `columns`, which may leave out degrees of freedom at the
    /// end where they are zero. Only the columns of the factor that they reach are visited.
    pub(super) fn inverse_norms_squared(&mut self, columns: &[[f64; 4]]) -> f64 {
        match &self.symbolic {
            Some(symbolic) => self.reach.norms_squared(symbolic, &self.factor, columns),
            None => 0.0,
        }
    }

    /// Products of all columns of `gram` with A⁻¹.
    pub(super) fn gram(&self, gram: &mut Gram) {
        if let Some(symbolic) = &self.symbolic {
            gram.update(symbolic, &self.factor);
        }
    }

    /// Products of each column of `gram` with itself by A⁻¹.
    pub(super) fn inverse_norms(&self, gram: &mut Gram) {
        if let Some(symbolic) = &self.symbolic {
            gram.update_norms(symbolic, &self.factor);
        }
    }

    /// Largest diagonal entry of A over what is left of it as a pivot: how much is lost.
    pub(super) fn largest_pivot_ratio(&self) -> f64 {
        let (Some(matrix), Some(symbolic)) = (&self.matrix, &self.symbolic) else {
            return f64::INFINITY;
        };
        let mut largest: f64 = 0.0;
        for (dof, &position) in symbolic.position().iter().enumerate() {
            let panel = &symbolic.panels()[symbolic.panel_of(position)];
            let k = position - panel.columns.start;
            let pivot = self.factor[panel.first_value + k * (panel.height() + 1)];
            let diagonal = matrix.values()[matrix.column_start()[dof]];
            largest = largest.max(diagonal / (pivot * pivot));
        }
        largest
    }

    pub(super) fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        let Some(matrix) = &self.matrix else { return };
        let (column_start, row_index) = (matrix.column_start(), matrix.row_index());
        for column in 0..matrix.dimension() {
            for k in column_start[column]..column_start[column + 1] {
                visit(row_index[k], column, matrix.values()[k]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(n: usize, stiffness: f64) -> SparseSymmetric {
        let entries: Vec<_> = (0..n)
            .flat_map(|i| [(i, i, 3.0), (i, i.saturating_sub(1), -stiffness)])
            .collect();
        SparseSymmetric::from_lower_entries(n, &entries).unwrap()
    }

    fn analysis(factor: &SparseFactor) -> *const SymbolicFactor {
        Arc::as_ptr(factor.symbolic.as_ref().unwrap())
    }

    #[test]
    fn a_pattern_is_analysed_once_whoever_factorises() {
        let (first, other) = (chain(7, 1.0), chain(5, 1.0));
        let (mut a, mut b) = (SparseFactor::default(), SparseFactor::default());
        a.update(&first).unwrap();
        let analysed = analysis(&a);
        // Another factor, a copy, a matrix of zeros that is filled.
        let mut copy = first.with_zeros();
        copy.values_mut().copy_from_slice(first.values());
        assert_eq!(copy, first);
        b.update(&copy).unwrap();
        assert_eq!(analysis(&b), analysed);
        // The same places found again: what is known is handed on.
        let again = chain(7, 0.5);
        a.update(&again).unwrap();
        assert_eq!(analysis(&a), analysed);
        assert!(Arc::ptr_eq(
            again.pattern(),
            a.matrix.as_ref().unwrap().pattern()
        ));
        // There and back.
        a.update(&other).unwrap();
        assert_ne!(analysis(&a), analysed);
        a.update(&again).unwrap();
        assert_eq!(analysis(&a), analysed);
        let mut x = vec![1.0; 7];
        let mut back = vec![0.0; 7];
        a.solve_in_place(&mut x);
        again.mul(&x, &mut back);
        assert!(back.iter().all(|value| (value - 1.0).abs() < 1e-14));
    }

    /// Nodes of three degrees of freedom on a grid, each tied to its neighbours.
    fn grid(n: usize) -> SparseSymmetric {
        let mut entries = Vec::new();
        for node in 0..n * n * n {
            let place = [node % n, node / n % n, node / (n * n)];
            for axis in 0..3 {
                let dof = 3 * node + axis;
                entries.push((dof, dof, 7.0 + 0.1 * (dof % 5) as f64));
                for (along, step) in [1, n, n * n].into_iter().enumerate() {
                    if place[along] + 1 < n {
                        let other = 3 * (node + step);
                        entries.push((other + axis, dof, -1.0));
                        entries.push((other + (axis + 1) % 3, dof, 0.1));
                    }
                }
            }
        }
        SparseSymmetric::from_lower_entries(3 * n * n * n, &entries).unwrap()
    }

    /// For factors in columns and in panels.
    #[test]
    fn what_is_reached_is_all_there_is() {
        for (matrix, is_in_panels) in [(chain(40, 1.0), false), (grid(9), true)] {
            let mut factor = SparseFactor::default();
            factor.update(&matrix).unwrap();
            let n = matrix.dimension();
            let symbolic = Arc::clone(factor.symbolic.as_ref().unwrap());
            assert_eq!(symbolic.panels().len() < n, is_in_panels);
            // The second time everything must have been left as it was.
            for first in [0, n / 3, n - 7, n / 3] {
                let mut columns = vec![[0.0; 4]; first + 7];
                for (k, column) in columns[first..].iter_mut().enumerate() {
                    *column = [1.0 + k as f64, -0.5, (k % 2) as f64, 0.0];
                }
                let mut expected = 0.0;
                for lane in 0..3 {
                    let mut x: Vec<f64> = columns.iter().map(|column| column[lane]).collect();
                    x.resize(n, 0.0);
                    factor.solve_in_place(&mut x);
                    let products = x.iter().zip(&columns).map(|(x, column)| x * column[lane]);
                    expected += products.sum::<f64>();
                }
                let found = factor.inverse_norms_squared(&columns);
                assert!(
                    (found - expected).abs() < 1e-13 * expected,
                    "{found} {expected}"
                );
            }
        }
    }

    /// Columns of few entries, of many, and of none; the second time in storage that was used.
    #[test]
    fn products_of_many_columns_are_those_of_single_solves() {
        let mut gram = Gram::default();
        for (matrix, columns) in [(chain(40, 1.0), 9), (grid(9), 60), (grid(4), 20)] {
            let mut factor = SparseFactor::default();
            factor.update(&matrix).unwrap();
            let n = matrix.dimension();
            let mut dense = vec![vec![0.0; n]; columns];
            gram.clear();
            for (k, column) in dense.iter_mut().enumerate() {
                gram.push_column();
                for entry in 0..k % 5 {
                    let dof = (37 * k + 11 * entry * entry) % n;
                    let value = 1.0 + (k + entry) as f64;
                    gram.push_entry(dof, value);
                    column[dof] += value;
                }
            }
            factor.gram(&mut gram);
            for i in 0..columns {
                let mut solved = dense[i].clone();
                factor.solve_in_place(&mut solved);
                factor.inverse_norms(&mut gram);
                let expected: f64 = solved.iter().zip(&dense[i]).map(|(a, b)| a * b).sum();
                let found = gram.norm_squared(i);
                assert!((found - expected).abs() < 1e-12 * (1.0 + expected));
                for k in 0..columns {
                    let expected: f64 = solved.iter().zip(&dense[k]).map(|(a, b)| a * b).sum();
                    let found = gram.value(i, k);
                    assert!((found - expected).abs() < 1e-12 * (1.0 + expected.abs()));
                }
            }
        }
    }

    #[test]
    fn pivots_are_those_of_the_order_of_elimination() {
        for matrix in [chain(12, 1.4), grid(4)] {
            let mut factor = SparseFactor::default();
            factor.update(&matrix).unwrap();
            let n = matrix.dimension();
            let symbolic = Arc::clone(factor.symbolic.as_ref().unwrap());
            let mut dense = nalgebra::DMatrix::<f64>::zeros(n, n);
            factor.for_each_lower_entry(|row, column, value| {
                let (i, j) = (symbolic.position()[row], symbolic.position()[column]);
                dense[(i, j)] = value;
                dense[(j, i)] = value;
            });
            let lower = dense.clone().cholesky().unwrap().unpack();
            let ratio = |i: usize| dense[(i, i)] / (lower[(i, i)] * lower[(i, i)]);
            let expected = (0..n).map(ratio).fold(0.0, f64::max);
            assert!((factor.largest_pivot_ratio() - expected).abs() < 1e-12 * expected);
            assert!(expected > 1.1);
        }
    }
}
