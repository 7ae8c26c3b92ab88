//! G + P over chosen rows, with its Cholesky factor.

use stiction_constraints::factor::SparseFactor;
use stiction_constraints::{Delassus, Failure, SparseSymmetric};

/// The rows and columns of the Delassus matrix G = J A⁻¹ Jᵀ that were chosen, with a diagonal P added and
/// factorised. G itself comes from the factor of A, which for robots follows the branches of the tree
/// \[PSC\]; so another P costs one factorisation and nothing else. Where the pattern stays the same from one
/// problem to the next, nothing is analysed or allocated again.
#[derive(Debug, Default)]
pub(crate) struct Damped {
    /// The chosen rows, ascending.
    rows: Vec<usize>,
    /// Row among the chosen ones of each row of the problem; `usize::MAX` for the others.
    place_of: Vec<usize>,
    /// Entries (row, column) of the lower triangle that the pattern was made for, in the order of `places`.
    entries: Vec<(usize, usize)>,
    fresh: Vec<(usize, usize)>,
    /// Values of G by `entries`.
    values: Vec<f64>,
    /// Where each of `entries` is in the matrix, and where its diagonal is.
    places: Vec<usize>,
    diagonal: Vec<usize>,
    matrix: Option<SparseSymmetric>,
    factor: SparseFactor,
    /// Factor for sticking, with next to nothing on the diagonal.
    bare_factor: SparseFactor,
    local: Vec<f64>,
}

/// Which factor of G + P, since P is one in the iteration and next to nothing for what only sticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// That of the iteration.
    Damped,
    /// That of what sticks.
    Bare,
}

impl Damped {
    /// Takes the entries of G between chosen rows.
    pub(crate) fn update(&mut self, delassus: &Delassus, is_chosen: impl Fn(usize) -> bool) {
        let n_rows = delassus.row_count();
        self.rows.clear();
        self.place_of.clear();
        for row in 0..n_rows {
            let place = match is_chosen(row) {
                true => self.rows.len(),
                false => usize::MAX,
            };
            self.place_of.push(place);
            if place != usize::MAX {
                self.rows.push(row);
            }
        }
        self.fresh.clear();
        self.values.clear();
        let mut row = 0;
        for constraint in 0..delassus.constraint_count() {
            for own in 0..delassus.constraint_rows(constraint) {
                let place = self.place_of[row];
                if place != usize::MAX {
                    let columns = delassus.runs(constraint).iter();
                    let columns = columns.flat_map(|run| run.first_row..run.first_row + run.len);
                    let values = delassus.row_values(constraint, own);
                    for (column, &value) in columns.zip(values).take_while(|(c, _)| *c <= row) {
                        let column = self.place_of[column];
                        if column != usize::MAX {
                            self.fresh.push((place, column));
                            self.values.push(value);
                        }
                    }
                }
                row += 1;
            }
        }
        if self.fresh != self.entries || self.matrix.is_none() {
            std::mem::swap(&mut self.fresh, &mut self.entries);
            // The next problem is compared in here.
            self.fresh.clear();
            self.fresh.reserve(self.entries.len());
            self.analyze();
        }
    }

    fn analyze(&mut self) {
        let entries = self.entries.iter();
        let all: Vec<(usize, usize, f64)> = entries.map(|&(r, c)| (r, c, 0.0)).collect();
        // Nothing here lies above the diagonal, which is all that could be refused.
        self.matrix = SparseSymmetric::from_lower_entries(self.rows.len(), &all).ok();
        self.places.clear();
        self.diagonal.clear();
        if let Some(matrix) = &self.matrix {
            let place = |row: usize, column: usize| {
                let start = matrix.column_start()[column];
                let rows = &matrix.row_index()[start..matrix.column_start()[column + 1]];
                start + rows.partition_point(|&other| other < row)
            };
            let entries = self.entries.iter();
            self.places.extend(entries.map(|&(r, c)| place(r, c)));
            self.diagonal
                .extend((0..self.rows.len()).map(|row| place(row, row)));
        }
    }

    /// Factorises G + P, with `damping` the entry of P for a row of the problem, in 1/kg.
    ///
    /// # Errors
    /// What is not positive definite in 64-bit numbers.
    pub(crate) fn factorize(
        &mut self,
        which: Which,
        damping: impl Fn(usize) -> f64,
    ) -> Result<(), Failure> {
        let Some(matrix) = self.matrix.as_mut().filter(|_| !self.rows.is_empty()) else {
            return Ok(());
        };
        let values = matrix.values_mut();
        values.fill(0.0);
        for (&place, value) in self.places.iter().zip(&self.values) {
            values[place] += value;
        }
        for (&place, &row) in self.diagonal.iter().zip(&self.rows) {
            values[place] += damping(row);
        }
        let factor = match which {
            Which::Damped => &mut self.factor,
            Which::Bare => &mut self.bare_factor,
        };
        factor.update(matrix).map_err(|()| Failure::NotFinite)
    }

    /// x ← (G + P)⁻¹ x of the chosen rows; the others are left as they are.
    pub(crate) fn solve_in_place(&mut self, which: Which, x: &mut [f64]) {
        self.local.clear();
        self.local.extend(self.rows.iter().map(|&row| x[row]));
        if !self.local.is_empty() {
            let factor = match which {
                Which::Damped => &mut self.factor,
                Which::Bare => &mut self.bare_factor,
            };
            factor.solve_in_place(&mut self.local);
        }
        for (&row, value) in self.rows.iter().zip(&self.local) {
            x[row] = *value;
        }
    }

    /// The chosen rows.
    pub(crate) fn rows(&self) -> &[usize] {
        &self.rows
    }
}
