//! Sparse Cholesky of A, its symbolic part done once.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

use super::pattern::MatrixPattern;

/// The factor of matrices of one pattern.
pub(super) struct Cholesky {
    symbolic: SymbolicCholesky<usize>,
    factor: Vec<f64>,
    scratch: MemBuffer,
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entries = self.factor.len();
        f.debug_struct("Cholesky")
            .field("entries", &entries)
            .finish_non_exhaustive()
    }
}

fn columns(pattern: &MatrixPattern) -> SymbolicSparseColMatRef<'_, usize> {
    let n = pattern.dimension();
    SymbolicSparseColMatRef::new_checked(n, n, pattern.column_start(), None, pattern.row_index())
}

impl Cholesky {
    /// `None` where there is no memory for it.
    pub(super) fn new(pattern: &MatrixPattern) -> Option<Self> {
        let symbolic = factorize_symbolic_cholesky(
            columns(pattern),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        let request = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Some(Self {
            factor: vec![0.0; symbolic.len_val()],
            scratch: MemBuffer::try_new(request).ok()?,
            symbolic,
        })
    }

    /// Whether the matrix is positive definite. Sequential: the same bits for any number of threads.
    pub(super) fn factorize(&mut self, pattern: &MatrixPattern, values: &[f64]) -> bool {
        let matrix = SparseColMatRef::new(columns(pattern), values);
        self.symbolic
            .factorize_numeric_llt(
                &mut self.factor,
                matrix,
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut self.scratch),
                Spec::default(),
            )
            .is_ok()
    }

    /// x ← A⁻¹ x.
    pub(super) fn solve(&mut self, x: &mut [f64]) {
        let rows = x.len();
        LltRef::<'_, usize, f64>::new(&self.symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, rows, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
    }
}
