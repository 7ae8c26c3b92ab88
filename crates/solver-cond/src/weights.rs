//! The step matrix W: diagonal, equal for the three directions of a node in contact, [COND, §IV-C].

use nalgebra::DMatrix;
use stiction_constraints::Problem;
use stiction_constraints::Subsystem;

use crate::nodes::Nodes;
use crate::parallel::sum_of_squares;
use crate::product::Product;
use crate::settings::{CondSettings, Metric, StepMatrix};

/// Free bodies, trees and full matrices of at most this size have their own inverse as W.
const LARGEST_BLOCK: usize = 64;
/// Power iterations for σ_max, and for σ_min.
const POWER_ITERATIONS: usize = 40;
/// What a power iteration may have missed of σ_max.
const POWER_SAFETY: f64 = 1.05;

/// W, or P⁻¹ that W is a number times of.
#[derive(Debug, Default)]
pub(crate) struct Weights {
    /// By degrees of freedom, those of virtual nodes last.
    pub(crate) diagonal: Vec<f64>,
    /// Number that all of it is multiplied by.
    pub(crate) scale: f64,
    /// Subsystems whose W is a matrix: first degree of freedom and inverse.
    blocks: Vec<(usize, DMatrix<f64>)>,
    block_count: usize,
    /// Weights of the original degrees of freedom before they are made equal for nodes in contact, and how many
    /// solves they have served.
    raw: Vec<f64>,
    age: usize,
    row: Vec<f64>,
}

/// What weights are computed from.
pub(crate) struct Source<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) product: &'a Product,
    pub(crate) nodes: &'a Nodes,
    /// diag A with what virtual nodes add to it.
    pub(crate) diagonal: &'a [f64],
}

impl Weights {
    /// Computes W for a problem on nodes.
    pub(crate) fn update(&mut self, source: &Source<'_>, settings: &CondSettings) {
        let dimension = source.product.dimension();
        self.scale = 1.0;
        let is_kept = self.age > 0 && self.age < settings.reuse && self.raw.len() == dimension;
        if !is_kept {
            self.age = 0;
            self.set_raw(source, settings);
        }
        self.age += 1;
        self.diagonal.clear();
        self.diagonal.extend_from_slice(&self.raw);
        // [COND, Prop. 3]: one number for a node in contact; the one between whose step is safe for all three.
        for first in source.nodes.direct_nodes() {
            let three = &mut self.diagonal[first..first + 3];
            let mean = 3.0 / three.iter().map(|weight| 1.0 / weight).sum::<f64>();
            three.fill(mean);
        }
        self.add_virtual(source, settings);
        self.set_blocks(source, settings);
        if settings.step_matrix == StepMatrix::Eigenvalues {
            self.scale = self.scale_by_eigenvalues(source);
        }
    }

    fn set_raw(&mut self, source: &Source<'_>, settings: &CondSettings) {
        let (product, diagonal) = (source.product, source.diagonal);
        let dimension = product.dimension();
        self.raw.clear();
        self.raw.resize(dimension, 0.0);
        self.row.clear();
        self.row.resize(dimension, 0.0);
        for (row, to) in self.row.iter_mut().enumerate() {
            let own = diagonal[row];
            if own <= 0.0 {
                continue;
            }
            product.for_each_in_row(row, |column, value| match settings.step_matrix {
                StepMatrix::Frobenius => *to += value * value,
                StepMatrix::ScaledFrobenius if value != 0.0 => {
                    *to += value * value / diagonal[column];
                }
                StepMatrix::Mass if column % 3 == row % 3 => *to += value,
                _ => {}
            });
        }
        if matches!(
            settings.step_matrix,
            StepMatrix::Frobenius | StepMatrix::ScaledFrobenius
        ) {
            self.add_virtual_rows(source, settings.step_matrix);
        }
        for (row, to) in self.raw.iter_mut().enumerate() {
            let (own, sum) = (diagonal[row], self.row[row]);
            if own <= 0.0 {
                continue;
            }
            *to = match settings.step_matrix {
                StepMatrix::Frobenius => own / sum,
                StepMatrix::ScaledFrobenius => 1.0 / sum,
                StepMatrix::Mass if sum > 0.0 => 1.0 / sum,
                StepMatrix::Mass => 1.0 / own,
                _ if settings.metric == Metric::Identity => 1.0,
                _ => 1.0 / own,
            };
        }
    }

    /// What virtual nodes add to the sums of rows: bounds that need no entries of J_vᵀJ_v.
    fn add_virtual_rows(&mut self, source: &Source<'_>, rule: StepMatrix) {
        let diagonal = source.diagonal;
        for (index, node) in source.nodes.virtuals.iter().enumerate() {
            for row in 0..node.rows {
                let mut size = 0.0;
                source.nodes.for_each(index, row, |dof, value| {
                    size += match rule {
                        StepMatrix::Frobenius => value * value,
                        _ => value.abs() / diagonal[dof].sqrt(),
                    };
                });
                source.nodes.for_each(index, row, |dof, value| {
                    let own = diagonal[dof];
                    self.row[dof] += match rule {
                        StepMatrix::Frobenius => (node.gain * value).powi(2) * (size + 1.0),
                        _ => node.gain * value.abs() * size * own.sqrt(),
                    };
                });
            }
        }
    }

    fn add_virtual(&mut self, source: &Source<'_>, settings: &CondSettings) {
        for (index, node) in source.nodes.virtuals.iter().enumerate() {
            let mut weight = f64::INFINITY;
            for row in 0..node.rows {
                let mut size = 0.0;
                source.nodes.for_each(index, row, |dof, value| {
                    size += match settings.step_matrix {
                        StepMatrix::Frobenius => value * value,
                        _ => value.abs() / source.diagonal[dof].sqrt(),
                    };
                });
                let gain = node.gain;
                let own = match settings.step_matrix {
                    StepMatrix::Frobenius => 1.0 / (gain * (1.0 + size)),
                    // Beside blocks that are inverses the two halves of the iteration are exact each.
                    StepMatrix::ScaledFrobenius | StepMatrix::Mass => 1.0 / gain,
                    _ if settings.metric == Metric::Identity => 1.0,
                    _ => 1.0 / gain,
                };
                weight = weight.min(own);
            }
            let weights = std::iter::repeat_n(weight, node.rows);
            self.diagonal.extend(weights);
        }
    }

    /// Small subsystems that no constraint acts on directly get (A_j + k_v J_vᵀJ_v)⁻¹.
    fn set_blocks(&mut self, source: &Source<'_>, settings: &CondSettings) {
        self.block_count = 0;
        let has_blocks = match settings.step_matrix {
            StepMatrix::Frobenius => false,
            StepMatrix::ScaledFrobenius | StepMatrix::Mass => true,
            _ => settings.metric == Metric::Diagonal,
        };
        if !has_blocks {
            return;
        }
        let starts = source.product.starts();
        for (index, subsystem) in source.problem.subsystems().iter().enumerate() {
            let (first, end, size) = (starts[index], starts[index + 1], subsystem.dof_count());
            let is_small = !matches!(subsystem, Subsystem::Sparse(_)) && size <= LARGEST_BLOCK;
            let is_direct = |dof: usize| (first..end).contains(&dof);
            if !is_small || source.nodes.direct_nodes().any(is_direct) {
                continue;
            }
            if self.blocks.len() == self.block_count {
                self.blocks.push((0, DMatrix::zeros(0, 0)));
            }
            let (start, block) = &mut self.blocks[self.block_count];
            *start = first;
            if block.nrows() != size {
                *block = DMatrix::zeros(size, size);
            }
            for row in 0..size {
                source
                    .product
                    .for_each_in_row(first + row, |column, value| {
                        if column - first < size {
                            block[(row, column - first)] = value;
                        }
                    });
            }
            self.block_count += 1;
        }
        self.add_to_blocks(source);
        for (_, block) in &mut self.blocks[..self.block_count] {
            invert(block);
        }
        for index in 0..self.block_count {
            let (first, size) = (self.blocks[index].0, self.blocks[index].1.nrows());
            self.diagonal[first..first + size].fill(0.0);
        }
    }

    /// k_v J_vᵀJ_v of the virtual nodes on subsystems with blocks, which are in the order of subsystems.
    fn add_to_blocks(&mut self, source: &Source<'_>) {
        let blocks = &mut self.blocks[..self.block_count];
        for (index, node) in source.nodes.virtuals.iter().enumerate() {
            let mut at = None;
            source.nodes.for_each(index, 0, |dof, _| {
                at.get_or_insert(dof);
            });
            let Some(dof) = at else { continue };
            let Some(number) = blocks
                .partition_point(|(first, _)| *first <= dof)
                .checked_sub(1)
            else {
                continue;
            };
            let (first, block) = &mut blocks[number];
            if dof >= *first + block.nrows() {
                continue;
            }
            for row in 0..node.rows {
                source.nodes.for_each(index, row, |i, a| {
                    source.nodes.for_each(index, row, |j, b| {
                        block[(i - *first, j - *first)] += node.gain * a * b;
                    });
                });
            }
        }
    }

    /// 2/(σ_min + σ_max) of P⁻¹A, for tests and ablations: this one allocates.
    fn scale_by_eigenvalues(&self, source: &Source<'_>) -> f64 {
        let n = self.diagonal.len();
        let dimension = source.product.dimension();
        // Any start that is not at right angles to the vectors sought.
        let mut x: Vec<f64> = (0..n)
            .map(|i| 1.0 + 0.3 * ((i * 7919) % 13) as f64)
            .collect();
        let (mut g, mut image) = (vec![0.0; n], vec![0.0; n]);
        let (mut p, zero) = (vec![0.0; n - dimension], vec![0.0; dimension]);
        let mut power = |shift: f64| {
            let mut size = 0.0;
            for _ in 0..POWER_ITERATIONS {
                let norm = sum_of_squares(&x).sqrt();
                x.iter_mut().for_each(|value| *value /= norm);
                let state = (x.as_slice(), zero.as_slice(), [].as_slice());
                gradient(source.product, source.nodes, state, &mut p, &mut g);
                self.apply(&g, &mut image);
                for (image, x) in image.iter_mut().zip(&x) {
                    *image = shift * x - *image;
                }
                size = sum_of_squares(&image).sqrt();
                x.copy_from_slice(&image);
            }
            size
        };
        let largest = POWER_SAFETY * power(0.0);
        let smallest = (largest - power(largest)).max(0.0);
        2.0 / (smallest + largest)
    }

    /// out = W g.
    pub(crate) fn apply(&self, g: &[f64], out: &mut [f64]) {
        for ((out, g), weight) in out.iter_mut().zip(g).zip(&self.diagonal) {
            *out = self.scale * weight * g;
        }
        for (first, block) in &self.blocks[..self.block_count] {
            let size = block.nrows();
            let g = &g[*first..first + size];
            let out = &mut out[*first..first + size];
            out.fill(0.0);
            for (column, &value) in g.iter().enumerate() {
                let scaled = self.scale * value;
                for (out, entry) in out.iter_mut().zip(block.column(column).iter()) {
                    *out += entry * scaled;
                }
            }
        }
    }

    /// W of a degree of freedom that a constraint acts on.
    #[inline]
    pub(crate) fn at(&self, dof: usize) -> f64 {
        self.scale * self.diagonal[dof]
    }
}

/// g = A x − b with virtual nodes, [COND, (15)]: `p` = y + k_v (x_v − J_v v) is what they pull with, y the
/// multiplier of `state` = (x, b, y), none where it is empty.
pub(crate) fn gradient(
    product: &Product,
    nodes: &Nodes,
    (x, b, y): (&[f64], &[f64], &[f64]),
    p: &mut [f64],
    g: &mut [f64],
) {
    let (v, virtual_v) = x.split_at(product.dimension());
    nodes.follow(v, p);
    for node in &nodes.virtuals {
        for at in node.first..node.first + node.rows {
            p[at] = node.gain * (virtual_v[at] - p[at]) + y.get(at).copied().unwrap_or(0.0);
        }
    }
    let (g, g_virtual) = g.split_at_mut(product.dimension());
    product.residual(v, b, g);
    nodes.pull_back(p, g);
    g_virtual.copy_from_slice(p);
}

/// The inverse in place, by sweeping one pivot after the other; zero where a matrix is not
/// positive definite: such degrees of freedom stay where they are.
fn invert(block: &mut DMatrix<f64>) {
    let size = block.nrows();
    let is_definite = (0..size).all(|k| {
        let pivot = block[(k, k)];
        if !(pivot > 0.0) {
            return false;
        }
        for j in (0..size).filter(|&j| j != k) {
            let factor = block[(k, j)] / pivot;
            for i in (0..size).filter(|&i| i != k) {
                let change = block[(i, k)] * factor;
                block[(i, j)] -= change;
            }
        }
        for i in (0..size).filter(|&i| i != k) {
            block[(i, k)] /= pivot;
            block[(k, i)] /= pivot;
        }
        block[(k, k)] = -1.0 / pivot;
        true
    });
    for value in block.iter_mut() {
        *value = if is_definite { -*value } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_matrix_is_inverted_in_place() {
        let matrix = DMatrix::from_fn(5, 5, |i, j| {
            1.0 / (1.0 + i as f64 + j as f64) + if i == j { 0.5 } else { 0.0 }
        });
        let mut inverse = matrix.clone();
        invert(&mut inverse);
        assert!((matrix * inverse - DMatrix::identity(5, 5)).amax() < 1e-13);
    }
}
