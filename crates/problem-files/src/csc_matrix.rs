//! A sparse matrix by compressed columns, as problem files hold it.

/// Sparse matrix by compressed columns: column j holds entries
/// `column_start[j]..column_start[j + 1]`, rows ascending, each named once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CscMatrix {
    rows: usize,
    columns: usize,
    column_start: Vec<usize>,
    row_index: Vec<usize>,
    values: Vec<f64>,
}

impl CscMatrix {
    /// Takes over the arrays after checking them.
    ///
    /// # Errors
    /// `(field, reason)` with the field named as in files: `shape`, `indptr[j]`, `indices[k]`,
    /// `data[k]`.
    pub fn new(
        rows: usize,
        columns: usize,
        column_start: Vec<usize>,
        row_index: Vec<usize>,
        values: Vec<f64>,
    ) -> Result<Self, (String, String)> {
        let fail = |field: String, reason: String| Err((field, reason));
        if column_start.len().checked_sub(1) != Some(columns) {
            return fail(
                "indptr".into(),
                format!(
                    "has {} entries, but a matrix with {columns} columns needs one more than columns",
                    column_start.len()
                ),
            );
        }
        if column_start[0] != 0 {
            return fail(
                "indptr[0]".into(),
                format!("is {}, must be 0", column_start[0]),
            );
        }
        if let Some(j) = column_start.windows(2).position(|w| w[0] > w[1]) {
            return fail(
                format!("indptr[{}]", j + 1),
                format!(
                    "is {}, less than {} before it",
                    column_start[j + 1],
                    column_start[j]
                ),
            );
        }
        if row_index.len() != values.len() || column_start[columns] != values.len() {
            return fail(
                format!("indptr[{columns}]"),
                format!(
                    "is {}, but there are {} indices and {} data",
                    column_start[columns],
                    row_index.len(),
                    values.len()
                ),
            );
        }
        for j in 0..columns {
            for k in column_start[j]..column_start[j + 1] {
                let row = row_index[k];
                if row >= rows {
                    return fail(
                        format!("indices[{k}]"),
                        format!("is row {row}, but there are {rows} rows"),
                    );
                }
                if k > column_start[j] && row_index[k - 1] >= row {
                    let how = if row_index[k - 1] == row {
                        "is named twice"
                    } else {
                        "is not in ascending order"
                    };
                    return fail(
                        format!("indices[{k}]"),
                        format!("row {row} of column {j} {how}"),
                    );
                }
                if !values[k].is_finite() {
                    return fail(
                        format!("data[{k}]"),
                        format!("is {} at ({row}, {j}), not finite", values[k]),
                    );
                }
            }
        }
        Ok(Self {
            rows,
            columns,
            column_start,
            row_index,
            values,
        })
    }

    /// Builds the matrix from entries `(row, column, value)` in any order; entries that name the
    /// same place are added in the order given.
    ///
    /// # Errors
    /// An entry outside the matrix or not finite: its position and the reason. A matrix whose
    /// columns cannot be counted in memory is refused as well.
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, (usize, String)> {
        for (position, &(row, column, value)) in entries.iter().enumerate() {
            if row >= rows || column >= columns {
                return Err((
                    position,
                    format!("({row}, {column}) is outside a {rows}×{columns} matrix"),
                ));
            }
            if !value.is_finite() {
                return Err((
                    position,
                    format!("({row}, {column}) = {value} is not finite"),
                ));
            }
        }
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|&(row, column, _)| (column, row));
        let mut column_start = vec![0; columns + 1];
        let (mut row_index, mut values) = (Vec::new(), Vec::<f64>::new());
        let mut last = None;
        for (row, column, value) in sorted {
            match values.last_mut() {
                Some(sum) if last == Some((row, column)) => *sum += value,
                _ => {
                    row_index.push(row);
                    values.push(value);
                    column_start[column + 1] += 1;
                    last = Some((row, column));
                }
            }
        }
        for j in 0..columns {
            column_start[j + 1] += column_start[j];
        }
        Ok(Self {
            rows,
            columns,
            column_start,
            row_index,
            values,
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Start of each column, and the number of entries.
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

    /// Rows and values of one column.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.column_start[column]..self.column_start[column + 1];
        self.row_index[range.clone()]
            .iter()
            .copied()
            .zip(self.values[range].iter().copied())
    }

    /// All entries `(row, column, value)`, by columns.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        (0..self.columns).flat_map(move |j| self.column(j).map(move |(i, value)| (i, j, value)))
    }

    /// out += A x.
    pub fn mul_add(&self, x: &[f64], out: &mut [f64]) {
        for j in 0..self.columns {
            for (i, value) in self.column(j) {
                out[i] += value * x[j];
            }
        }
    }

    /// The diagonal, zeros where there is no entry.
    pub fn diagonal(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.columns.min(self.rows)];
        for (j, slot) in out.iter_mut().enumerate() {
            if let Some((_, value)) = self.column(j).find(|&(i, _)| i == j) {
                *slot = value;
            }
        }
        out
    }

    /// Aᵀ.
    pub fn transpose(&self) -> Self {
        let mut column_start = vec![0; self.rows + 1];
        for &row in &self.row_index {
            column_start[row + 1] += 1;
        }
        for i in 0..self.rows {
            column_start[i + 1] += column_start[i];
        }
        let mut next = column_start.clone();
        let mut row_index = vec![0; self.values.len()];
        let mut values = vec![0.0; self.values.len()];
        for (i, j, value) in self.entries() {
            row_index[next[i]] = j;
            values[next[i]] = value;
            next[i] += 1;
        }
        Self {
            rows: self.columns,
            columns: self.rows,
            column_start,
            row_index,
            values,
        }
    }

    /// (A + Aᵀ)/2 of a square matrix.
    pub fn symmetric_part(&self) -> Self {
        let transpose = self.transpose();
        let mut column_start = vec![0];
        let (mut row_index, mut values) = (Vec::new(), Vec::new());
        for j in 0..self.columns {
            let (mut a, mut b) = (self.column(j).peekable(), transpose.column(j).peekable());
            loop {
                let (row, value) = match (a.peek().copied(), b.peek().copied()) {
                    (Some((i, x)), Some((k, y))) if i == k => {
                        a.next();
                        b.next();
                        // x and y are added before halving, so that (i, j) and (j, i) agree.
                        (i, 0.5 * (x + y))
                    }
                    (Some((i, x)), other) if other.is_none_or(|(k, _)| i < k) => {
                        a.next();
                        (i, 0.5 * x)
                    }
                    (_, Some((k, y))) => {
                        b.next();
                        (k, 0.5 * y)
                    }
                    _ => break,
                };
                row_index.push(row);
                values.push(value);
            }
            column_start.push(values.len());
        }
        Self {
            rows: self.rows,
            columns: self.columns,
            column_start,
            row_index,
            values,
        }
    }

    /// Whether A = Aᵀ to the last bit.
    pub fn is_symmetric(&self) -> bool {
        self.rows == self.columns
            && self
                .transpose()
                .entries()
                .filter(|entry| entry.2 != 0.0)
                .eq(self.entries().filter(|entry| entry.2 != 0.0))
    }

    /// Groups the indices of a square matrix that its entries connect: the label of each index,
    /// ascending in the order of the groups' first members, and the number of groups.
    pub(crate) fn connected_blocks(&self) -> (Vec<usize>, usize) {
        let mut root: Vec<usize> = (0..self.columns).collect();
        fn find(root: &mut [usize], mut i: usize) -> usize {
            while root[i] != i {
                root[i] = root[root[i]];
                i = root[i];
            }
            i
        }
        for (i, j, value) in self.entries() {
            if value != 0.0 {
                let (a, b) = (find(&mut root, i), find(&mut root, j));
                root[a.max(b)] = a.min(b);
            }
        }
        let mut label = vec![usize::MAX; self.columns];
        let mut count = 0;
        for i in 0..self.columns {
            let top = find(&mut root, i);
            // A root is the smallest member of its group, so it was labelled first.
            if top == i {
                label[i] = count;
                count += 1;
            } else {
                label[i] = label[top];
            }
        }
        (label, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> CscMatrix {
        // [1 2 0; 0 3 0; 4 0 5]
        CscMatrix::new(
            3,
            3,
            vec![0, 2, 4, 5],
            vec![0, 2, 0, 1, 2],
            vec![1.0, 4.0, 2.0, 3.0, 5.0],
        )
        .unwrap()
    }

    #[test]
    fn products_transpose_and_symmetric_part() {
        let a = small();
        let mut out = vec![0.0; 3];
        a.mul_add(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [21.0, 30.0, 504.0]);
        let t = a.transpose();
        assert_eq!(t.column(0).collect::<Vec<_>>(), [(0, 1.0), (1, 2.0)]);
        let s = a.symmetric_part();
        assert!(s.is_symmetric() && !a.is_symmetric());
        assert_eq!(
            s.column(0).collect::<Vec<_>>(),
            [(0, 1.0), (1, 1.0), (2, 2.0)]
        );
        assert_eq!(a.diagonal(), [1.0, 3.0, 5.0]);
    }

    #[test]
    fn entries_are_sorted_and_added() {
        let a = CscMatrix::from_entries(2, 2, &[(1, 1, 2.0), (0, 0, 1.0), (1, 1, 3.0)]).unwrap();
        assert_eq!(a.entries().collect::<Vec<_>>(), [(0, 0, 1.0), (1, 1, 5.0)]);
        assert_eq!(
            CscMatrix::from_entries(2, 2, &[(0, 0, 1.0), (2, 0, 1.0)])
                .unwrap_err()
                .0,
            1
        );
    }

    #[test]
    fn blocks_are_found() {
        let a = CscMatrix::from_entries(
            4,
            4,
            &[
                (0, 0, 1.0),
                (1, 1, 1.0),
                (2, 2, 1.0),
                (3, 3, 1.0),
                (3, 1, 1.0),
            ],
        )
        .unwrap();
        assert_eq!(a.connected_blocks(), (vec![0, 1, 2, 1], 3));
    }

    #[test]
    fn faults_are_named() {
        let field = |rows, columns, start: &[usize], index: &[usize], data: &[f64]| {
            CscMatrix::new(rows, columns, start.to_vec(), index.to_vec(), data.to_vec())
                .unwrap_err()
                .0
        };
        assert_eq!(field(2, usize::MAX, &[0], &[], &[]), "indptr");
        assert_eq!(field(2, 1, &[1, 1], &[0], &[1.0]), "indptr[0]");
        assert_eq!(field(2, 2, &[0, 2, 1], &[0, 1], &[1.0; 2]), "indptr[2]");
        assert_eq!(field(2, 1, &[0, 9], &[0], &[1.0]), "indptr[1]");
        assert_eq!(field(2, 1, &[0, 1], &[2], &[1.0]), "indices[0]");
        assert_eq!(field(2, 1, &[0, 2], &[1, 0], &[1.0; 2]), "indices[1]");
        assert_eq!(field(2, 1, &[0, 2], &[1, 1], &[1.0; 2]), "indices[1]");
        assert_eq!(field(2, 1, &[0, 1], &[1], &[f64::NAN]), "data[0]");
    }
}
