//! A symmetric sparse matrix, lower triangle by columns.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use super::SparsePattern;
use super::are_finite;

/// Symmetric sparse matrix with a fixed pattern: the lower triangle (diagonal included) in
/// compressed columns, row indices ascending within each column.
///
/// Copies share their [pattern](SparsePattern), and with it the analysis that factorising needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "MatrixInFile")]
pub struct SparseSymmetric {
    pattern: Arc<SparsePattern>,
    values: Vec<f64>,
    has_bodies: bool,
}

/// What a matrix is in a file.
#[derive(Deserialize)]
#[serde(rename = "SparseSymmetric")]
struct MatrixInFile {
    dimension: usize,
    column_start: Vec<usize>,
    row_index: Vec<usize>,
    values: Vec<f64>,
    #[serde(default)]
    has_bodies: bool,
}

#[derive(Serialize)]
#[serde(rename = "SparseSymmetric")]
struct MatrixRef<'a> {
    dimension: usize,
    column_start: &'a [usize],
    row_index: &'a [usize],
    values: &'a [f64],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    has_bodies: bool,
}

impl Serialize for SparseSymmetric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = MatrixRef {
            dimension: self.dimension(),
            column_start: self.column_start(),
            row_index: self.row_index(),
            values: &self.values,
            has_bodies: self.has_bodies,
        };
        whole.serialize(serializer)
    }
}

impl From<MatrixInFile> for SparseSymmetric {
    fn from(file: MatrixInFile) -> Self {
        let pattern = SparsePattern::new(file.dimension, file.column_start, file.row_index);
        Self {
            pattern: Arc::new(pattern),
            values: file.values,
            has_bodies: file.has_bodies,
        }
    }
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
            pattern: Arc::new(SparsePattern::new(dimension, column_start, row_index)),
            values,
            has_bodies: false,
        })
    }

    /// A matrix of zeros with this pattern, which it shares.
    pub fn zeros(pattern: &Arc<SparsePattern>) -> Self {
        Self {
            pattern: Arc::clone(pattern),
            values: vec![0.0; pattern.row_index().len()],
            has_bodies: false,
        }
    }

    /// A matrix of zeros that shares the pattern of this one.
    #[must_use]
    pub fn with_zeros(&self) -> Self {
        Self {
            has_bodies: self.has_bodies,
            ..Self::zeros(&self.pattern)
        }
    }

    /// The same matrix, its degrees of freedom being the velocities of bodies such as the links of a
    /// rod, six by six: (linear, angular), world axes at each body's own reference point.
    /// [`RowBlock::Body`](crate::RowBlock::Body) may then act on it.
    ///
    /// # Errors
    /// A number of degrees of freedom that is not a multiple of six.
    pub fn of_bodies(mut self) -> Result<Self, String> {
        self.has_bodies = true;
        self.check_bodies()?;
        Ok(self)
    }

    /// Number of bodies, zero where the matrix is not [of bodies](Self::of_bodies).
    pub fn body_count(&self) -> usize {
        if self.has_bodies {
            self.dimension() / 6
        } else {
            0
        }
    }

    fn check_bodies(&self) -> Result<(), String> {
        if self.has_bodies && !self.dimension().is_multiple_of(6) {
            return Err(format!(
                "{} degrees of freedom are not those of bodies, six each",
                self.dimension()
            ));
        }
        Ok(())
    }

    /// Where the entries are.
    pub fn pattern(&self) -> &Arc<SparsePattern> {
        &self.pattern
    }

    /// Number of rows and columns.
    pub fn dimension(&self) -> usize {
        self.pattern.dimension()
    }

    /// Start of each column in [`row_index`](Self::row_index) and [`values`](Self::values).
    pub fn column_start(&self) -> &[usize] {
        self.pattern.column_start()
    }

    /// Row of each entry.
    pub fn row_index(&self) -> &[usize] {
        self.pattern.row_index()
    }

    /// Value of each entry.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Value of each entry, to be changed in place while the pattern stays.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Takes over pattern and values of another matrix; allocates only where it has more entries.
    pub fn copy_from(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.pattern, &other.pattern) {
            self.pattern = Arc::clone(&other.pattern);
        }
        self.values.clone_from(&other.values);
        self.has_bodies = other.has_bodies;
    }

    /// Whether another matrix has its entries in the same places: at once where they share a
    /// pattern, else entry by entry.
    pub fn same_pattern(&self, other: &Self) -> bool {
        self.pattern == other.pattern
    }

    /// out = A x.
    pub fn mul(&self, x: &[f64], out: &mut [f64]) {
        let (column_start, row_index) = (self.column_start(), self.row_index());
        out.fill(0.0);
        for column in 0..self.dimension() {
            let mut sum = 0.0;
            for k in column_start[column]..column_start[column + 1] {
                let (row, value) = (row_index[k], self.values[k]);
                out[row] += value * x[column];
                if row != column {
                    sum += value * x[row];
                }
            }
            out[column] += sum;
        }
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.pattern.check()?;
        self.check_bodies()?;
        let (column_start, row_index) = (self.column_start(), self.row_index());
        if self.values.len() != row_index.len() {
            return Err(format!(
                "the sparse pattern has {} entries, but there are {} values",
                row_index.len(),
                self.values.len()
            ));
        }
        let all_finite = are_finite(&self.values);
        for column in 0..self.dimension() {
            let range = column_start[column]..column_start[column + 1];
            if !all_finite && let Some(k) = range.clone().find(|&k| !self.values[k].is_finite()) {
                return Err(format!(
                    "A[{},{column}] = {} is not finite",
                    row_index[k], self.values[k]
                ));
            }
            let diagonal = self.values[range.start];
            if diagonal <= 0.0 {
                return Err(format!(
                    "A[{column},{column}] = {diagonal} is not positive: A must be positive definite"
                ));
            }
        }
        Ok(())
    }
}
