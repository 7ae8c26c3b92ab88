//! Where a symmetric sparse matrix has its entries, with everything that depends on that alone.

use std::sync::{Arc, OnceLock};

use crate::factor::SymbolicFactor;

/// The places of the entries of a symmetric sparse matrix: the lower triangle (diagonal included) in
/// compressed columns, row indices ascending within each column.
///
/// A pattern is shared by all matrices that were copied from one, and carries its symbolic Cholesky
/// factor (the order of elimination and the places of the factor's entries), which is computed when
/// a matrix is first factorised and never again: matrices may change problems, positions and solvers.
#[derive(Debug)]
pub struct SparsePattern {
    dimension: usize,
    column_start: Vec<usize>,
    row_index: Vec<usize>,
    checked: OnceLock<Result<(), String>>,
    symbolic: OnceLock<Option<Arc<SymbolicFactor>>>,
}

impl PartialEq for SparsePattern {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
            || (self.dimension == other.dimension
                && self.column_start == other.column_start
                && self.row_index == other.row_index)
    }
}

impl SparsePattern {
    pub(super) fn new(dimension: usize, column_start: Vec<usize>, row_index: Vec<usize>) -> Self {
        Self {
            dimension,
            column_start,
            row_index,
            checked: OnceLock::new(),
            symbolic: OnceLock::new(),
        }
    }

    /// Number of rows and columns.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Start of each column in [`row_index`](Self::row_index), and the total.
    pub fn column_start(&self) -> &[usize] {
        &self.column_start
    }

    /// Row of each entry.
    pub fn row_index(&self) -> &[usize] {
        &self.row_index
    }

    /// Whether the pattern is possible at all, which is looked at once.
    pub(super) fn check(&self) -> Result<(), String> {
        self.checked.get_or_init(|| self.look_through()).clone()
    }

    fn look_through(&self) -> Result<(), String> {
        let n = self.dimension;
        let sizes_agree = self.column_start.len().checked_sub(1) == Some(n)
            && self.column_start[0] == 0
            && self.column_start.windows(2).all(|w| w[0] < w[1])
            && self.column_start[n] == self.row_index.len();
        if !sizes_agree {
            return Err("the sparse pattern is inconsistent (column starts, rows and values must fit, and every column needs its diagonal)".into());
        }
        for column in 0..n {
            let rows = &self.row_index[self.column_start[column]..self.column_start[column + 1]];
            if rows[0] != column
                || rows.windows(2).any(|w| w[0] >= w[1])
                || rows[rows.len() - 1] >= n
            {
                return Err(format!(
                    "column {column}: rows must ascend from the diagonal and stay below {n}"
                ));
            }
        }
        Ok(())
    }

    /// The symbolic factor, computed by whoever asks first; `None` when there is no memory for it.
    pub(crate) fn symbolic(&self) -> Option<&Arc<SymbolicFactor>> {
        self.symbolic
            .get_or_init(|| SymbolicFactor::of(self).map(Arc::new))
            .as_ref()
    }

    /// Takes over the symbolic factor of an equal pattern, unless it has its own.
    pub(crate) fn learn(&self, equal: &Self) {
        if let Some(known) = equal.symbolic.get() {
            self.symbolic.get_or_init(|| known.clone());
        }
    }
}
