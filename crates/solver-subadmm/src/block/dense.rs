//! A dense matrix: Cholesky, small ones inverted explicitly.

use stiction_constraints::JointRows;
use stiction_constraints::linear::{cholesky_in_place, cholesky_solve, cholesky_solve_from};

use super::for_each_fold_entry;
use crate::fold::Fold;
use crate::lanes::{Lanes, rows_of};
use crate::layout::{BlockLayout, Layout};
use crate::settings::SMALL;
use crate::vector;

/// Lower triangles by rows, dimension × dimension.
#[derive(Debug, Default)]
pub(crate) struct DenseBlock {
    dimension: usize,
    base: Vec<f64>,
    weighted: Vec<f64>,
    factor: Vec<f64>,
    inverse: Vec<f64>,
    scratch: Vec<f64>,
}

impl DenseBlock {
    pub(super) fn reset(&mut self, dimension: usize) {
        self.dimension = dimension;
        let size = dimension * dimension;
        for matrix in [&mut self.base, &mut self.weighted, &mut self.factor] {
            matrix.clear();
            matrix.resize(size, 0.0);
        }
        self.scratch.resize(dimension, 0.0);
        if dimension <= SMALL {
            self.inverse.resize(size, 0.0);
        }
    }

    pub(super) fn set_base_entry(&mut self, row: usize, column: usize, value: f64) {
        self.base[row * self.dimension + column] = value;
    }

    pub(super) fn add_fold(&mut self, joint_rows: &JointRows, block: &BlockLayout, fold: &Fold) {
        let n = self.dimension;
        for_each_fold_entry(
            joint_rows,
            block,
            fold.constraint,
            fold.damping,
            |row, column, value| self.base[row * n + column] += value,
        );
    }

    pub(super) fn weigh(&mut self, layout: &Layout, block: &BlockLayout, penalty: &[f64]) {
        self.weighted.fill(0.0);
        let n = self.dimension;
        for number in block.slots() {
            let slot = &layout.slots[number];
            let runs = layout.runs(slot);
            for left in runs {
                let left_columns = layout.run_columns(left);
                for right in runs {
                    // Runs do not overlap: either all of the pair is in the lower triangle, or it
                    // is the square on the diagonal.
                    if right.first > left.first {
                        continue;
                    }
                    let right_columns = layout.run_columns(right);
                    if let (Ok(left_columns), Ok(right_columns)) =
                        (left_columns.try_into(), right_columns.try_into())
                    {
                        let corner = left.first * n + right.first;
                        let target = &mut self.weighted[corner..corner + 5 * n + 6];
                        add_body_product(target, n, penalty[number], left_columns, right_columns);
                        continue;
                    }
                    for (i, left_column) in left_columns.iter().enumerate() {
                        let len = if right.first == left.first {
                            i + 1
                        } else {
                            right.len
                        };
                        let corner = (left.first + i) * n + right.first;
                        let target = &mut self.weighted[corner..corner + len];
                        let scaled = left_column.scaled(penalty[number]);
                        for (entry, right_column) in target.iter_mut().zip(right_columns) {
                            *entry += scaled.dot(right_column);
                        }
                    }
                }
            }
        }
    }

    pub(super) fn factorize(&mut self, scale: f64) -> Result<(), ()> {
        for ((out, base), weight) in self.factor.iter_mut().zip(&self.base).zip(&self.weighted) {
            *out = base + scale * weight;
        }
        if !cholesky_in_place(self.dimension, &mut self.factor) {
            return Err(());
        }
        if self.dimension <= SMALL {
            self.invert();
        }
        Ok(())
    }

    fn invert(&mut self) {
        let n = self.dimension;
        for column in 0..n {
            self.scratch[column..].fill(0.0);
            self.scratch[column] = 1.0;
            // Above the diagonal the inverse is its own mirror image.
            cholesky_solve_from(column, &self.factor, &mut self.scratch);
            for row in column..n {
                self.inverse[column * n + row] = self.scratch[row];
                self.inverse[row * n + column] = self.scratch[row];
            }
        }
    }

    pub(crate) fn solve_in_place(&mut self, x: &mut [f64]) {
        let n = self.dimension;
        if n > SMALL {
            cholesky_solve(&self.factor, x);
            return;
        }
        self.scratch.fill(0.0);
        vector::add_product(&mut self.scratch, &self.inverse, x);
        x.copy_from_slice(&self.scratch);
    }
}

/// target += weight × leftᵀ right, 6×6 with rows `stride` apart. On the diagonal
/// this also writes above it, where nothing is read.
fn add_body_product(
    target: &mut [f64],
    stride: usize,
    weight: f64,
    left: &[Lanes; 6],
    right: &[Lanes; 6],
) {
    let [a, b, c] = rows_of(right);
    for (left, row) in left.iter().zip(target.chunks_mut(stride)) {
        let scales = left.scaled(weight);
        for (j, entry) in row[..6].iter_mut().enumerate() {
            *entry += scales[0] * a[j] + scales[1] * b[j] + scales[2] * c[j];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_below_and_above_the_size_of_explicit_inverses() {
        for n in [1, 7, SMALL, SMALL + 1, 80] {
            let mut block = DenseBlock::default();
            block.reset(n);
            for column in 0..n {
                for row in column..n {
                    let value = if row == column {
                        n as f64
                    } else {
                        1.0 / (1.0 + row as f64 + 2.0 * column as f64)
                    };
                    block.set_base_entry(row, column, value);
                }
            }
            block.factorize(0.0).expect("diagonally dominant");
            let expected: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
            let mut x: Vec<f64> = (0..n)
                .map(|i| {
                    (0..n)
                        .map(|j| block.base[i.max(j) * n + i.min(j)] * expected[j])
                        .sum()
                })
                .collect();
            block.solve_in_place(&mut x);
            for (a, b) in x.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-12, "n = {n}: {a} instead of {b}");
            }
        }
    }
}
