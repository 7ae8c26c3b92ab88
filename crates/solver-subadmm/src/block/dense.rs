//! A dense matrix: Cholesky by columns, small ones inverted explicitly.

use stiction_constraints::JointRows;

use super::for_each_fold_entry;
use crate::fold::Fold;
use crate::lanes::{Lanes, rows_of};
use crate::layout::{BlockLayout, Layout};
use crate::settings::SMALL;
use crate::vector;

/// Lower triangles by columns, dimension × dimension.
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
        self.base[column * self.dimension + row] = value;
    }

    pub(super) fn add_fold(&mut self, joint_rows: &JointRows, block: &BlockLayout, fold: &Fold) {
        let n = self.dimension;
        for_each_fold_entry(
            joint_rows,
            block,
            fold.constraint,
            fold.damping,
            |row, column, value| self.base[column * n + row] += value,
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
                        let corner = right.first * n + left.first;
                        let target = &mut self.weighted[corner..corner + 5 * n + 6];
                        add_body_product(target, n, penalty[number], left_columns, right_columns);
                        continue;
                    }
                    for (j, right_column) in right_columns.iter().enumerate() {
                        let skip = if right.first == left.first { j } else { 0 };
                        let column = (right.first + j) * n;
                        let target = &mut self.weighted
                            [column + left.first + skip..column + left.first + left.len];
                        let scaled = right_column.scaled(penalty[number]);
                        for (entry, left_column) in target.iter_mut().zip(&left_columns[skip..]) {
                            *entry += scaled.dot(left_column);
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
        factorize_in_place(self.dimension, &mut self.factor)?;
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
            solve_from(column, &self.factor, &mut self.scratch);
            for row in column..n {
                self.inverse[column * n + row] = self.scratch[row];
                self.inverse[row * n + column] = self.scratch[row];
            }
        }
    }

    pub(crate) fn solve_in_place(&mut self, x: &mut [f64]) {
        let n = self.dimension;
        if n > SMALL {
            solve_from(0, &self.factor, x);
            return;
        }
        self.scratch.fill(0.0);
        vector::add_product(&mut self.scratch, &self.inverse, x);
        x.copy_from_slice(&self.scratch);
    }
}

/// target += weight × leftᵀ right, 6×6 with columns `stride` apart. On the diagonal
/// this also writes above it, where nothing is read.
fn add_body_product(
    target: &mut [f64],
    stride: usize,
    weight: f64,
    left: &[Lanes; 6],
    right: &[Lanes; 6],
) {
    let [a, b, c] = rows_of(left);
    for (right, column) in right.iter().zip(target.chunks_mut(stride)) {
        let scales = right.scaled(weight);
        for (i, entry) in column[..6].iter_mut().enumerate() {
            *entry += scales[0] * a[i] + scales[1] * b[i] + scales[2] * c[i];
        }
    }
}

/// Cholesky of the lower triangle by columns, left-looking: every column takes in all earlier ones.
fn factorize_in_place(n: usize, a: &mut [f64]) -> Result<(), ()> {
    for j in 0..n {
        let (before, rest) = a.split_at_mut(j * n);
        let column = &mut rest[j..n];
        for k in 0..j {
            let earlier = &before[k * n + j..(k + 1) * n];
            vector::add_scaled(column, -earlier[0], earlier);
        }
        // Also catches NaN.
        if !(column[0] > 0.0) {
            return Err(());
        }
        let inverse = 1.0 / column[0].sqrt();
        for entry in column.iter_mut() {
            *entry *= inverse;
        }
    }
    Ok(())
}

/// x ← L⁻ᵀ L⁻¹ x with L by columns, for x that is zero before `first`; only the entries from there
/// on are computed.
fn solve_from(first: usize, l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for j in first..n {
        let column = &l[j * n + j..(j + 1) * n];
        let (head, tail) = x[j..].split_at_mut(1);
        head[0] /= column[0];
        vector::add_scaled(tail, -head[0], &column[1..]);
    }
    for j in (first..n).rev() {
        let column = &l[j * n + j..(j + 1) * n];
        let sum = vector::dot(&column[1..], &x[j + 1..]);
        x[j] = (x[j] - sum) / column[0];
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
                        .map(|j| block.base[i.min(j) * n + i.max(j)] * expected[j])
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
