//! Forward substitution with a sparse factor for right-hand sides that are zero almost everywhere:
//! only the columns that elimination reaches from their entries are visited.

use super::symbolic::SymbolicFactor;

/// Work space of [`norms_squared`](Self::norms_squared); its numbers are zero between uses.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// L⁻¹ P x of four columns x.
    solved: Vec<[f64; 4]>,
    is_reached: Vec<bool>,
    /// The panels that are reached.
    panels: Vec<usize>,
    /// What a panel takes from the rows below it.
    below: Vec<[f64; 4]>,
}

impl Reach {
    /// Sizes the buffers, so that nothing is allocated later.
    pub(super) fn prepare(&mut self, symbolic: &SymbolicFactor) {
        let panels = symbolic.panels();
        self.solved.resize(symbolic.position().len(), [0.0; 4]);
        self.is_reached.resize(panels.len(), false);
        self.panels.reserve(panels.len());
        let tallest = panels.iter().map(|panel| symbolic.rows(panel).len()).max();
        self.below.resize(tallest.unwrap_or(0), [0.0; 4]);
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
        let factor = &factor[panel.first_value..][..width * height];
        let own = &mut self.solved[panel.columns.clone()];
        let below = &mut self.below[..height - width];
        below.fill([0.0; 4]);
        for (k, column) in factor.chunks_exact(height).enumerate() {
            if own[k] == [0.0; 4] {
                continue;
            }
            let value = own[k].map(|value| value / column[k]);
            own[k] = [0.0; 4];
            for (sum, value) in sum.iter_mut().zip(value) {
                *sum += value * value;
            }
            let (top, bottom) = column.split_at(width);
            for (to, &factor) in own[k + 1..].iter_mut().zip(&top[k + 1..]) {
                subtract(to, factor, &value);
            }
            for (to, &factor) in below.iter_mut().zip(bottom) {
                subtract(to, factor, &value);
            }
        }
        for (&row, part) in symbolic.rows(panel).iter().zip(&*below) {
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
