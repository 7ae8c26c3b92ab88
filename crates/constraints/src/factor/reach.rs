//! Forward substitution with a sparse factor for right-hand sides that are zero almost everywhere:
//! only the columns that elimination reaches from their entries are visited.

use super::symbolic::{Panel, SymbolicFactor};

/// Work space of [`norms_squared`](Self::norms_squared); its numbers are zero between uses.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// L⁻¹ P x of four columns x.
    solved: Vec<[f64; 4]>,
    is_reached: Vec<bool>,
    /// The panels that are reached.
    panels: Vec<usize>,
    /// The rows of one panel.
    part: Vec<[f64; 4]>,
}

/// Columns of a panel that are taken together, so that the rows below are loaded and stored less often.
const STRIDE: usize = 4;

impl Reach {
    /// Sizes the buffers, so that nothing is allocated later.
    pub(super) fn prepare(&mut self, symbolic: &SymbolicFactor) {
        let panels = symbolic.panels();
        self.solved.resize(symbolic.position().len(), [0.0; 4]);
        self.is_reached.resize(panels.len(), false);
        self.panels.reserve(panels.len());
        let tallest = panels.iter().map(Panel::height).max().unwrap_or(0);
        self.part.resize(tallest, [0.0; 4]);
    }

    /// Σ xᵀ A⁻¹ x = Σ ‖L⁻¹ P x‖² over the four columns x of `columns`, which may leave out degrees of
    /// freedom at the end where they are zero.
    ///
    /// The entries that substitution fills in below column j are in the rows of that column, and the
    /// first of these is j's parent in the elimination tree: what a right-hand side reaches are the
    /// ways from its entries to the root.
    pub(super) fn norms_squared(
        &mut self,
        symbolic: &SymbolicFactor,
        factor: &[f64],
        columns: &[[f64; 4]],
    ) -> f64 {
        self.panels.clear();
        for (values, &position) in columns.iter().zip(symbolic.position()) {
            if *values == [0.0; 4] {
                continue;
            }
            self.solved[position] = *values;
            let mut next = Some(symbolic.panel_of(position));
            while let Some(panel) = next {
                if std::mem::replace(&mut self.is_reached[panel], true) {
                    break;
                }
                self.panels.push(panel);
                next = symbolic.panels()[panel].parent;
            }
        }
        self.panels.sort_unstable();
        let mut sum = [0.0; 4];
        for at in 0..self.panels.len() {
            let index = self.panels[at];
            self.is_reached[index] = false;
            self.eliminate(symbolic, factor, index, &mut sum);
        }
        sum.iter().sum()
    }

    /// Solves for the columns of one panel, adds their squares, and takes their part from the rows
    /// below.
    fn eliminate(
        &mut self,
        symbolic: &SymbolicFactor,
        factor: &[f64],
        index: usize,
        sum: &mut [f64; 4],
    ) {
        let panel = &symbolic.panels()[index];
        let (width, height) = (panel.columns.len(), panel.height());
        let mut factor = &factor[panel.first_value..][..width * height];
        let own = &mut self.solved[panel.columns.clone()];
        let part = &mut self.part[..height];
        part[..width].copy_from_slice(own);
        part[width..].fill([0.0; 4]);
        own.fill([0.0; 4]);
        let mut rest = &mut *part;
        for done in (0..width).step_by(STRIDE) {
            let count = STRIDE.min(width - done);
            let (columns, others) = factor.split_at(count * height);
            let mut value = [[0.0; 4]; STRIDE];
            for (k, column) in columns.chunks_exact(height).enumerate() {
                let pivot = column[done + k];
                value[k] = rest[k].map(|value| value / pivot);
                for (sum, value) in sum.iter_mut().zip(value[k]) {
                    *sum += value * value;
                }
                let inside = &column[done + k + 1..done + count];
                for (to, &factor) in rest[k + 1..].iter_mut().zip(inside) {
                    subtract(to, factor, &value[k]);
                }
            }
            rest = &mut rest[count..];
            if count == STRIDE {
                subtract_columns(rest, columns, height, &value);
            } else {
                for (column, value) in columns.chunks_exact(height).zip(&value) {
                    for (to, &factor) in rest.iter_mut().zip(&column[done + count..]) {
                        subtract(to, factor, value);
                    }
                }
            }
            factor = others;
        }
        for (&row, part) in symbolic.rows(panel).iter().zip(&*rest) {
            for (to, part) in self.solved[row].iter_mut().zip(part) {
                *to += part;
            }
        }
    }
}

#[inline]
fn subtract(to: &mut [f64; 4], factor: f64, value: &[f64; 4]) {
    for (to, value) in to.iter_mut().zip(value) {
        *to -= factor * value;
    }
}

/// The last numbers of [`STRIDE`] columns times their values, taken from as many rows.
#[inline]
fn subtract_columns(
    rest: &mut [[f64; 4]],
    columns: &[f64],
    height: usize,
    value: &[[f64; 4]; STRIDE],
) {
    let count = rest.len();
    let tail = |k: usize| &columns[(k + 1) * height - count..(k + 1) * height];
    let (a, b, c, d) = (tail(0), tail(1), tail(2), tail(3));
    for ((((to, a), b), c), d) in rest.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        for lane in 0..4 {
            to[lane] -= (a * value[0][lane] + b * value[1][lane])
                + (c * value[2][lane] + d * value[3][lane]);
        }
    }
}
