//! What factorising a sparse matrix needs to know of its pattern: the order of elimination and the
//! places of the factor's entries.

use faer::Side;
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};

use crate::subsystem::SparsePattern;

/// The symbolic Cholesky factor of a pattern.
#[derive(Debug)]
pub(crate) struct SymbolicFactor {
    cholesky: SymbolicCholesky<usize>,
}

impl SymbolicFactor {
    /// Analyses a pattern; `None` when there is no memory for it.
    pub(crate) fn of(pattern: &SparsePattern) -> Option<Self> {
        let cholesky = factorize_symbolic_cholesky(
            columns(pattern),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .ok()?;
        Some(Self { cholesky })
    }

    /// As faer keeps it.
    pub(super) fn cholesky(&self) -> &SymbolicCholesky<usize> {
        &self.cholesky
    }
}

/// The pattern as faer reads it.
pub(super) fn columns(pattern: &SparsePattern) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(
        pattern.dimension(),
        pattern.dimension(),
        pattern.column_start(),
        None,
        pattern.row_index(),
    )
}
