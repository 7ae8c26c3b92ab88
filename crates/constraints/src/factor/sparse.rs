//! Sparse block: faer's Cholesky, symbolic part kept while the pattern stays.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side, Spec};

use crate::subsystem::SparseSymmetric;

/// A sparse symmetric positive definite matrix with its Cholesky factor. The ordering and the
/// pattern of the factor are computed once and kept while the pattern of the matrix stays.
#[derive(Default)]
pub struct SparseFactor {
    matrix: Option<SparseSymmetric>,
    symbolic: Option<SymbolicCholesky<usize>>,
    factor: Vec<f64>,
    scratch: Option<MemBuffer>,
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
    /// Factorises; `Err` when the matrix is not positive definite.
    #[expect(
        clippy::result_unit_err,
        reason = "the caller knows which block it is and names it"
    )]
    pub fn update(&mut self, matrix: &SparseSymmetric) -> Result<(), ()> {
        // faer does not check that the pattern is the one it analysed: that is ours to do.
        match &mut self.matrix {
            Some(known) if known.same_pattern(matrix) => {
                known.values_mut().copy_from_slice(matrix.values());
            }
            _ => {
                self.matrix = Some(matrix.clone());
                self.analyze()?;
            }
        }
        self.factorize()
    }

    fn analyze(&mut self) -> Result<(), ()> {
        let Some(matrix) = &self.matrix else {
            return Err(());
        };
        let symbolic = factorize_symbolic_cholesky(
            pattern(matrix),
            Side::Lower,
            SymmetricOrdering::Amd,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| ())?;
        self.factor.resize(symbolic.len_val(), 0.0);
        let request = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        self.scratch = Some(MemBuffer::try_new(request).map_err(|_| ())?);
        self.symbolic = Some(symbolic);
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
            .factorize_numeric_llt(
                &mut self.factor,
                SparseColMatRef::new(pattern(matrix), matrix.values()),
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
            LltRef::<'_, usize, f64>::new(symbolic, &self.factor).solve_in_place_with_conj(
                Conj::No,
                MatMut::from_column_major_slice_mut(x, rows, 1),
                Par::Seq,
                MemStack::new(scratch),
            );
        }
    }

    pub(super) fn for_each_lower_entry(&self, mut visit: impl FnMut(usize, usize, f64)) {
        let Some(matrix) = &self.matrix else { return };
        for column in 0..matrix.dimension() {
            for k in matrix.column_start()[column]..matrix.column_start()[column + 1] {
                visit(matrix.row_index()[k], column, matrix.values()[k]);
            }
        }
    }
}

fn pattern(matrix: &SparseSymmetric) -> SymbolicSparseColMatRef<'_, usize> {
    SymbolicSparseColMatRef::new_checked(
        matrix.dimension(),
        matrix.dimension(),
        matrix.column_start(),
        None,
        matrix.row_index(),
    )
}
