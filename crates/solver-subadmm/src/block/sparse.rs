//! A sparse matrix: faer's Cholesky on the pattern of A_j and of all terms on it.

use stiction_constraints::factor::SparseFactor;
use stiction_constraints::{JointRows, SparseSymmetric};

use super::for_each_fold_entry;
use crate::fold::Fold;
use crate::layout::{BlockLayout, Layout};
use crate::settings::CoarseMatrix;

/// The pattern is rebuilt only when the places of the entries change; every entry then knows its
/// place, and filling in needs no search.
#[derive(Default)]
pub(crate) struct SparseBlock {
    dimension: usize,
    /// Entries of A_j and of folded constraints, in the order they came.
    base_entries: Vec<(usize, usize, f64)>,
    /// Lower-triangle entries of all terms, in the order of slots.
    term_entries: Vec<(usize, usize)>,
    /// The entries for which `matrix` and `places` were built.
    known_entries: Vec<(usize, usize)>,
    base_places: Vec<usize>,
    term_places: Vec<usize>,
    base: Vec<f64>,
    weighted: Vec<f64>,
    matrix: Option<SparseSymmetric>,
    factor: SparseFactor,
}

impl std::fmt::Debug for SparseBlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SparseBlock")
            .field("dimension", &self.dimension)
            .finish_non_exhaustive()
    }
}

impl SparseBlock {
    pub(super) fn reset(&mut self, dimension: usize) {
        self.dimension = dimension;
        self.base_entries.clear();
    }

    pub(super) fn push_base_entry(&mut self, row: usize, column: usize, value: f64) {
        self.base_entries.push((row, column, value));
    }

    pub(super) fn add_fold(&mut self, joint_rows: &JointRows, block: &BlockLayout, fold: &Fold) {
        for_each_fold_entry(
            joint_rows,
            block,
            fold.constraint,
            fold.damping,
            |row, column, value| self.base_entries.push((row, column, value)),
        );
    }

    /// Takes in the pattern of the terms and fills the base.
    pub(super) fn finish_pattern(&mut self, layout: &Layout, block: &BlockLayout) {
        self.term_entries.clear();
        let entries = &mut self.term_entries;
        for number in block.slots() {
            for_each_pair(layout, number, |row, column, _| entries.push((row, column)));
        }
        let is_remembered = layout.coarse_matrix != CoarseMatrix::Analysed;
        let unchanged = self.matrix.as_ref().is_some_and(|matrix| {
            is_remembered
                && matrix.dimension() == self.dimension
                && self.known_entries.len() == self.base_entries.len() + self.term_entries.len()
                && self
                    .base_entries
                    .iter()
                    .map(|&(row, column, _)| (row, column))
                    .chain(self.term_entries.iter().copied())
                    .eq(self.known_entries.iter().copied())
        });
        if !unchanged {
            if !is_remembered {
                self.factor = SparseFactor::default();
            }
            self.rebuild();
        }
        self.base.fill(0.0);
        self.weighted.fill(0.0);
        for (&(_, _, value), &place) in self.base_entries.iter().zip(&self.base_places) {
            self.base[place] += value;
        }
    }

    fn rebuild(&mut self) {
        self.known_entries.clear();
        self.known_entries.extend(
            self.base_entries
                .iter()
                .map(|&(row, column, _)| (row, column)),
        );
        self.known_entries.extend_from_slice(&self.term_entries);
        let all: Vec<(usize, usize, f64)> = self
            .known_entries
            .iter()
            .map(|&(row, column)| (row, column, 0.0))
            .collect();
        // Rows never lie above the diagonal here, which is all that could be refused.
        self.matrix = SparseSymmetric::from_lower_entries(self.dimension, &all).ok();
        self.base_places.clear();
        self.term_places.clear();
        if let Some(matrix) = &self.matrix {
            let place = |&(row, column): &(usize, usize)| {
                let start = matrix.column_start()[column];
                let rows = &matrix.row_index()[start..matrix.column_start()[column + 1]];
                start + rows.partition_point(|&other| other < row)
            };
            let (base, terms) = self.known_entries.split_at(self.base_entries.len());
            self.base_places.extend(base.iter().map(place));
            self.term_places.extend(terms.iter().map(place));
            self.base.resize(matrix.values().len(), 0.0);
            self.weighted.resize(matrix.values().len(), 0.0);
        }
    }

    pub(super) fn weigh(&mut self, layout: &Layout, index: usize, penalty: &[f64]) {
        self.weighted.fill(0.0);
        let mut places = self.term_places.iter();
        let weighted = &mut self.weighted;
        for number in layout.blocks[index].slots() {
            for_each_pair(layout, number, |_, _, product| {
                if let Some(&place) = places.next() {
                    weighted[place] += penalty[number] * product;
                }
            });
        }
    }

    pub(super) fn factorize(&mut self, scale: f64) -> Result<(), ()> {
        let matrix = self.matrix.as_mut().ok_or(())?;
        for ((out, base), weight) in matrix
            .values_mut()
            .iter_mut()
            .zip(&self.base)
            .zip(&self.weighted)
        {
            *out = base + scale * weight;
        }
        self.factor.update(matrix)
    }

    pub(crate) fn solve_in_place(&mut self, x: &mut [f64]) {
        self.factor.solve_in_place(x);
    }
}

/// Calls `visit(row, column, product)` for the lower triangle of JᵀJ of a slot, always in the same
/// order.
fn for_each_pair(layout: &Layout, number: usize, mut visit: impl FnMut(usize, usize, f64)) {
    let slot = &layout.slots[number];
    let runs = layout.runs(slot);
    for left in runs {
        let left_columns = layout.run_columns(left);
        for right in runs {
            if right.first > left.first {
                continue;
            }
            let right_columns = layout.run_columns(right);
            for (i, left_column) in left_columns.iter().enumerate() {
                for (j, right_column) in right_columns.iter().enumerate() {
                    let (row, column) = (left.first + i, right.first + j);
                    if column > row {
                        continue;
                    }
                    visit(row, column, left_column.dot(right_column));
                }
            }
        }
    }
}
