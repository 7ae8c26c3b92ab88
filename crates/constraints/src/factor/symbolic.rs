//! What factorising a sparse matrix needs to know of its pattern: the order of elimination and the
//! places of the factor's entries.

use std::ops::Range;

use faer::Side;
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};

use crate::subsystem::SparsePattern;

/// The symbolic Cholesky factor of a pattern: P A Pᵀ = L Lᵀ.
///
/// L is kept in panels of consecutive columns that have their entries in the same rows (supernodes; of
/// one column each where faer finds that they do not pay). A panel is a full matrix by columns: its
/// own columns' rows on top, of which only the lower triangle counts, then `rows`.
#[derive(Debug)]
pub(crate) struct SymbolicFactor {
    cholesky: SymbolicCholesky<usize>,
    panels: Vec<Panel>,
    /// The panel of each column.
    panel_of: Vec<usize>,
    /// Where elimination puts each degree of freedom.
    position: Vec<usize>,
}

/// Some columns of the factor.
#[derive(Debug, Clone)]
pub(super) struct Panel {
    pub(super) columns: Range<usize>,
    /// Where its rows below the own ones are in [`SymbolicFactor::rows`].
    rows: Range<usize>,
    pub(super) first_value: usize,
    /// The panel of the first row below: where all that this panel changes goes on to.
    pub(super) parent: Option<usize>,
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
        let mut panels: Vec<Panel> = match cholesky.raw() {
            SymbolicCholeskyRaw::Simplicial(factor) => (0..factor.ncols())
                .map(|column| {
                    let (start, end) = (factor.col_ptr()[column], factor.col_ptr()[column + 1]);
                    Panel {
                        columns: column..column + 1,
                        rows: start + 1..end,
                        first_value: start,
                        parent: None,
                    }
                })
                .collect(),
            SymbolicCholeskyRaw::Supernodal(factor) => (0..factor.n_supernodes())
                .map(|index| {
                    let first_row = factor.col_ptr_for_row_idx()[index];
                    Panel {
                        columns: factor.supernode_begin()[index]..factor.supernode_end()[index],
                        rows: first_row..first_row + factor.supernode(index).pattern().len(),
                        first_value: factor.col_ptr_for_val()[index],
                        parent: None,
                    }
                })
                .collect(),
        };
        let mut panel_of = vec![0; pattern.dimension()];
        for (index, panel) in panels.iter().enumerate() {
            panel_of[panel.columns.clone()].fill(index);
        }
        let all_rows = row_index(&cholesky);
        for panel in &mut panels {
            let next = all_rows[panel.rows.clone()].iter().min();
            panel.parent = next.map(|&row| panel_of[row]);
        }
        let position = match cholesky.perm() {
            Some(order) => order.arrays().1.to_vec(),
            None => (0..pattern.dimension()).collect(),
        };
        Some(Self {
            cholesky,
            panels,
            panel_of,
            position,
        })
    }

    /// As faer keeps it.
    pub(super) fn cholesky(&self) -> &SymbolicCholesky<usize> {
        &self.cholesky
    }

    pub(super) fn panels(&self) -> &[Panel] {
        &self.panels
    }

    /// The panel that has a column.
    pub(super) fn panel_of(&self, column: usize) -> usize {
        self.panel_of[column]
    }

    /// Where elimination puts each degree of freedom.
    pub(super) fn position(&self) -> &[usize] {
        &self.position
    }

    /// The rows of a panel below its own columns.
    pub(super) fn rows(&self, panel: &Panel) -> &[usize] {
        &row_index(&self.cholesky)[panel.rows.clone()]
    }
}

impl Panel {
    /// Rows of the panel, its own columns' included: from one column to the next in memory.
    pub(super) fn height(&self) -> usize {
        self.columns.len() + self.rows.len()
    }
}

fn row_index(cholesky: &SymbolicCholesky<usize>) -> &[usize] {
    match cholesky.raw() {
        SymbolicCholeskyRaw::Simplicial(factor) => factor.row_idx(),
        SymbolicCholeskyRaw::Supernodal(factor) => factor.row_idx(),
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
