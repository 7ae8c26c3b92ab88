//! A + Jᵀ K J over all degrees of freedom, for methods that solve with the whole system at once.

use nalgebra::Matrix3;

use super::{DynamicsMatrix, SparseFactor};
use crate::joint_rows::JointRows;
use crate::subsystem::SparseSymmetric;

/// A, with a share of its diagonal added and with JᵀKJ for a symmetric block K of each constraint, as one
/// sparse matrix with its Cholesky factor. Where the places of the entries stay the same from one
/// problem to the next, nothing is analysed or allocated again.
#[derive(Debug, Default)]
pub struct WholeMatrix {
    dimension: usize,
    /// Where A and J have entries: what the pattern was made for.
    known_entries: Vec<(usize, usize)>,
    known_segments: Vec<(usize, usize, usize)>,
    matrix: Option<SparseSymmetric>,
    factor: SparseFactor,
    /// Values of A in the pattern, and where its diagonal is.
    base: Vec<f64>,
    diagonal: Vec<usize>,
    /// For every constraint, column of a segment, and segment whose rows are not above it: where the run of
    /// these rows starts.
    places: Vec<usize>,
}

impl WholeMatrix {
    /// Takes A, and the places of JᵀJ where `with_rows` says so. All constraints have at most three rows.
    pub fn update(&mut self, dynamics: &DynamicsMatrix, rows: &JointRows, with_rows: bool) {
        let dimension = dynamics.dimension();
        if !self.is_known(dimension, dynamics, rows, with_rows) {
            self.dimension = dimension;
            self.analyze(dynamics, rows, with_rows);
        }
        let Self {
            base,
            matrix: Some(matrix),
            ..
        } = self
        else {
            return;
        };
        base.fill(0.0);
        dynamics.for_each_lower_entry(|row, column, value| {
            base[place(matrix, row, column)] += value;
        });
    }

    fn is_known(
        &self,
        dimension: usize,
        dynamics: &DynamicsMatrix,
        rows: &JointRows,
        with_rows: bool,
    ) -> bool {
        if self.dimension != dimension || self.matrix.is_none() {
            return false;
        }
        let (mut at, mut agrees) = (0, true);
        dynamics.for_each_lower_entry(|row, column, _| {
            agrees &= self.known_entries.get(at) == Some(&(row, column));
            at += 1;
        });
        agrees
            && at == self.known_entries.len()
            && segments(rows, with_rows).eq(self.known_segments.iter().copied())
    }

    fn analyze(&mut self, dynamics: &DynamicsMatrix, rows: &JointRows, with_rows: bool) {
        self.known_entries.clear();
        dynamics.for_each_lower_entry(|row, column, _| self.known_entries.push((row, column)));
        self.known_segments.clear();
        self.known_segments.extend(segments(rows, with_rows));
        let entries = self.known_entries.iter();
        let mut all: Vec<(usize, usize, f64)> = entries.map(|&(r, c)| (r, c, 0.0)).collect();
        let constraints = if with_rows {
            rows.constraint_count()
        } else {
            0
        };
        for constraint in 0..constraints {
            for_each_run(rows, constraint, |column, first, len| {
                all.extend((first..first + len).map(|row| (row, column, 0.0)));
            });
            // The same places from another contact of the same pair add nothing.
            if all.len() > 1 << 22 {
                all.sort_unstable_by_key(|&(row, column, _)| (column, row));
                all.dedup();
            }
        }
        // Rows never lie above the diagonal here, which is all that could be refused.
        self.matrix = SparseSymmetric::from_lower_entries(self.dimension, &all).ok();
        self.places.clear();
        self.diagonal.clear();
        if let Some(matrix) = &self.matrix {
            self.base.resize(matrix.values().len(), 0.0);
            self.diagonal
                .extend((0..self.dimension).map(|dof| place(matrix, dof, dof)));
            for constraint in 0..constraints {
                for_each_run(rows, constraint, |column, first, _| {
                    self.places.push(place(matrix, first, column));
                });
            }
        }
    }

    /// The diagonal of A, in kg (kg·m²).
    pub fn diagonal(&self) -> impl Iterator<Item = f64> + '_ {
        self.diagonal.iter().map(|&place| self.base[place])
    }

    /// Factorises A + `share` diag(A) + Jᵀ K J, with a block K for each constraint (none for no constraints);
    /// `false` when the matrix is not positive definite.
    pub fn factorize(&mut self, rows: &JointRows, share: f64, stiffness: &[Matrix3<f64>]) -> bool {
        let Some(matrix) = &mut self.matrix else {
            return false;
        };
        let values = matrix.values_mut();
        values.copy_from_slice(&self.base);
        for &place in &self.diagonal {
            values[place] += share * self.base[place];
        }
        let mut places = self.places.iter();
        for (constraint, k) in stiffness.iter().enumerate() {
            add_product(rows, constraint, k, &mut places, values);
        }
        self.factor.update(matrix).is_ok()
    }

    /// x ← (A + …)⁻¹ x with the last factor.
    pub fn solve_in_place(&mut self, x: &mut [f64]) {
        self.factor.solve_in_place(x);
    }
}

/// Number of segments of a constraint (with the first degree of freedom and the length of each).
fn segments(rows: &JointRows, with_rows: bool) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    let constraints = if with_rows {
        rows.constraint_count()
    } else {
        0
    };
    (0..constraints).flat_map(move |constraint| {
        let segments = rows.segments(constraint).iter();
        segments.map(move |segment| (constraint, segment.first_dof, segment.len))
    })
}

/// Calls `visit(column, first row, rows)` for every run of entries in the lower triangle of a constraint's JᵀJ.
fn for_each_run(rows: &JointRows, constraint: usize, mut visit: impl FnMut(usize, usize, usize)) {
    let segments = rows.segments(constraint);
    for b in segments {
        for column in b.first_dof..b.first_dof + b.len {
            for a in segments {
                let end = a.first_dof + a.len;
                let first = a.first_dof.max(column);
                if first < end {
                    visit(column, first, end - first);
                }
            }
        }
    }
}

/// values += Jᵀ K J of one constraint, whose runs are next in `places`.
fn add_product(
    rows: &JointRows,
    constraint: usize,
    k: &Matrix3<f64>,
    places: &mut std::slice::Iter<'_, usize>,
    values: &mut [f64],
) {
    let is_zero = k.iter().all(|&entry| entry == 0.0);
    let segments = rows.segments(constraint);
    let count = rows.rows(constraint).min(3);
    for b in segments {
        let b_values = rows.values(constraint, b);
        for offset in 0..b.len {
            let column = b.first_dof + offset;
            let mut weighted = [0.0; 3];
            for (i, weighted) in weighted.iter_mut().enumerate().take(count) {
                for j in 0..count {
                    *weighted += k[(i, j)] * b_values[j * b.len + offset];
                }
            }
            for a in segments {
                let first = a.first_dof.max(column);
                if first >= a.first_dof + a.len {
                    continue;
                }
                let Some(&place) = places.next() else {
                    return;
                };
                if is_zero {
                    continue;
                }
                let a_values = rows.values(constraint, a);
                let skip = first - a.first_dof;
                for (i, &weight) in weighted.iter().enumerate().take(count) {
                    let run = &a_values[i * a.len + skip..(i + 1) * a.len];
                    for (value, entry) in values[place..].iter_mut().zip(run) {
                        *value += weight * entry;
                    }
                }
            }
        }
    }
}

/// Where an entry of the lower triangle is.
fn place(matrix: &SparseSymmetric, row: usize, column: usize) -> usize {
    let start = matrix.column_start()[column];
    let rows = &matrix.row_index()[start..matrix.column_start()[column + 1]];
    start + rows.partition_point(|&other| other < row)
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::law::Law;
    use crate::problem::Problem;
    use crate::rows::RowBlock;

    /// A chain of three masses with a row between neighbours and one from end to end.
    fn chain(stiffness: f64) -> Problem {
        let mut problem = Problem::new();
        for mass in [1.0, 2.0, 3.0] {
            let matrix = DMatrix::from_fn(3, 3, |i, j| if i == j { mass } else { 0.1 });
            problem.push_dense(matrix, &[1.0, -2.0, 0.5]).unwrap();
        }
        let values = [1.0, 0.5, 0.0, 0.0, 1.0, stiffness, 0.3, 0.0, 1.0];
        let minus = values.map(|value| -value);
        let row = |values| RowBlock::Dofs {
            dofs: &[0, 1, 2],
            values,
        };
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let terms = [(a, row(&values)), (b, row(&minus))];
            problem
                .push_constraint(Law::Contact { friction: 0.5 }, &[0.0; 3], &terms)
                .unwrap();
        }
        problem
    }

    #[test]
    fn a_product_with_the_matrix_is_undone() {
        let mut whole = WholeMatrix::default();
        for stiffness in [0.7, 0.9] {
            let problem = chain(stiffness);
            let mut dynamics = DynamicsMatrix::default();
            dynamics.update(&problem).unwrap();
            let mut rows = JointRows::default();
            rows.update(&problem);
            let k = Matrix3::new(2.0, 0.3, 0.1, 0.3, 1.0, 0.0, 0.1, 0.0, 5.0);
            let x: Vec<f64> = (0..9).map(|i| (1.3 * f64::from(i)).sin()).collect();
            // (A + 0.1 diag(A) + JᵀKJ) x by products.
            let (mut y, mut z, mut w) = (vec![0.0; 9], vec![0.0; 9], vec![0.0; 9]);
            dynamics.mul(&x, &mut y);
            for i in 0..9 {
                y[i] += 0.1 * [1.0, 2.0, 3.0][i / 3] * x[i];
            }
            rows.mul(&x, &mut z);
            for i in 0..3 {
                let own = k * nalgebra::Vector3::from_column_slice(&z[3 * i..3 * i + 3]);
                w[3 * i..3 * i + 3].copy_from_slice(own.as_slice());
            }
            rows.mul_transpose_add(&w, &mut y);
            whole.update(&dynamics, &rows, true);
            assert!(whole.factorize(&rows, 0.1, &[k; 3]));
            whole.solve_in_place(&mut y);
            for (found, x) in y.iter().zip(&x) {
                assert!((found - x).abs() < 1e-12, "{found} {x}");
            }
            // Without rows it is A alone.
            whole.update(&dynamics, &rows, false);
            assert!(whole.factorize(&rows, 0.0, &[]));
            dynamics.mul(&x, &mut y);
            whole.solve_in_place(&mut y);
            assert!((y[4] - x[4]).abs() < 1e-12);
        }
    }
}
