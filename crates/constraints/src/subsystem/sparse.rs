//! A symmetric sparse matrix, lower triangle by columns.

use serde::{Deserialize, Serialize};

/// Symmetric sparse matrix with a fixed pattern: the lower triangle (diagonal included) in
/// compressed columns, row indices ascending within each column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SparseSymmetric {
    dimension: usize,
    column_start: Vec<usize>,
    row_index: Vec<usize>,
    values: Vec<f64>,
}

impl SparseSymmetric {
    /// Builds the matrix from entries `(row, column, value)` of its lower triangle, in any order;
    /// entries that name the same place are added. Every diagonal entry gets a place.
    ///
    /// # Errors
    /// An index outside the matrix or above the diagonal.
    pub fn from_lower_entries(
        dimension: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, String> {
        let mut sorted: Vec<(usize, usize, f64)> = (0..dimension).map(|i| (i, i, 0.0)).collect();
        for &(row, column, value) in entries {
            if row >= dimension || column > row {
                return Err(format!(
                    "entry ({row}, {column}) is not in the lower triangle of a {dimension}×{dimension} matrix"
                ));
            }
            sorted.push((row, column, value));
        }
        // Stable, so that equal places are added in the order given and the sum is reproducible.
        sorted.sort_by_key(|&(row, column, _)| (column, row));
        let mut column_start = vec![0; dimension + 1];
        let mut row_index = Vec::with_capacity(sorted.len());
        let mut values: Vec<f64> = Vec::with_capacity(sorted.len());
        let mut last = None;
        for (row, column, value) in sorted {
            if last == Some((row, column)) {
                if let Some(sum) = values.last_mut() {
                    *sum += value;
                }
            } else {
                row_index.push(row);
                values.push(value);
                column_start[column + 1] = values.len();
                last = Some((row, column));
            }
        }
        Ok(Self {
            dimension,
            column_start,
            row_index,
            values,
        })
    }

    /// Number of rows and columns.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Start of each column in [`row_index`](Self::row_index) and [`values`](Self::values).
    pub fn column_start(&self) -> &[usize] {
        &self.column_start
    }

    /// Row of each entry.
    pub fn row_index(&self) -> &[usize] {
        &self.row_index
    }

    /// Value of each entry.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Value of each entry, to be changed in place while the pattern stays.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Whether another matrix has its entries in the same places.
    pub fn same_pattern(&self, other: &Self) -> bool {
        self.column_start == other.column_start && self.row_index == other.row_index
    }

    /// out = A x.
    pub fn mul(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for column in 0..self.dimension {
            let mut sum = 0.0;
            for k in self.column_start[column]..self.column_start[column + 1] {
                let (row, value) = (self.row_index[k], self.values[k]);
                out[row] += value * x[column];
                if row != column {
                    sum += value * x[row];
                }
            }
            out[column] += sum;
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let n = self.dimension;
        let sizes_agree = self.column_start.len().checked_sub(1) == Some(n)
            && self.column_start[0] == 0
            && self.column_start.windows(2).all(|w| w[0] < w[1])
            && self.column_start[n] == self.row_index.len()
            && self.row_index.len() == self.values.len();
        if !sizes_agree {
            return Err("the sparse pattern is inconsistent (column starts, rows and values must fit, and every column needs its diagonal)".into());
        }
        for column in 0..n {
            let range = self.column_start[column]..self.column_start[column + 1];
            let rows = &self.row_index[range.clone()];
            if rows[0] != column
                || rows.windows(2).any(|w| w[0] >= w[1])
                || rows[rows.len() - 1] >= n
            {
                return Err(format!(
                    "column {column}: rows must ascend from the diagonal and stay below {n}"
                ));
            }
            for k in range {
                if !self.values[k].is_finite() {
                    return Err(format!(
                        "A[{},{column}] = {} is not finite",
                        self.row_index[k], self.values[k]
                    ));
                }
            }
            let diagonal = self.values[self.column_start[column]];
            if diagonal <= 0.0 {
                return Err(format!(
                    "A[{column},{column}] = {diagonal} is not positive: A must be positive definite"
                ));
            }
        }
        Ok(())
    }
}
