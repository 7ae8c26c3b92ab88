//! Safeguarded Anderson acceleration of the fixed-point iteration s ← g(s).
//!
//! The state s = z − λ/β is all the iteration remembers (z and λ follow from it through the law),
//! so accelerating s keeps every λ admissible.

use std::ops::Range;

use crate::lanes::{Kernel, Lanes, sum_of_products, vectorized};

/// Growth of the fixed-point residual over one step that is taken for a failure. Without a limit a
/// bolt–nut problem takes 2.7 times the iterations from a guess.
const FAILURE_GROWTH: f64 = 2.0;

/// Plain iterations after the first failure, twice as many after every further one: in the end the
/// iteration is plain, and what that converges on is reached. A fixed number circles for ever on a
/// convex problem of the conformance suite.
const PAUSE: usize = 10;

/// Regularisation of the least-squares problem, relative to its scaled diagonal.
const REGULARIZATION: f64 = 1e-10;

#[derive(Debug, Default)]
pub(crate) struct Anderson {
    memory: usize,
    slots: usize,
    /// Ring buffers of memory + 1 columns: g(s), and g(s) − s times √β.
    images: Vec<Lanes>,
    residuals: Vec<Lanes>,
    /// Products of all pairs of stored residuals.
    products: Vec<f64>,
    count: usize,
    newest: usize,
    last_norm: f64,
    failures: usize,
    pause: usize,
    matrix: Vec<f64>,
    weights: Vec<f64>,
    scales: Vec<f64>,
}

/// state ← state + change.
pub(crate) fn move_on(state: &mut [Lanes], change: &[Lanes]) {
    for (state, change) in state.iter_mut().zip(change) {
        *state = state.plus(change);
    }
}

/// One call of [`Anderson::advance`].
struct Advance<'a> {
    anderson: &'a mut Anderson,
    state: &'a mut [Lanes],
    change: &'a [Lanes],
    weight: &'a [f64],
    plain: bool,
}

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.anderson
            .advance_inlined(self.state, self.change, self.weight, self.plain);
    }
}

impl Anderson {
    /// Makes room and forgets everything.
    pub(crate) fn start(&mut self, memory: usize, slots: usize) {
        self.memory = memory;
        self.slots = slots;
        let columns = memory + 1;
        if memory > 0 {
            self.images.resize(columns * slots, Lanes::ZERO);
            self.residuals.resize(columns * slots, Lanes::ZERO);
            self.products.resize(columns * columns, 0.0);
            self.matrix.resize(memory * memory, 0.0);
            self.weights.resize(memory, 0.0);
            self.scales.resize(memory, 0.0);
        }
        self.failures = 0;
        self.pause = 0;
        self.forget();
    }

    /// Forgets the iterates, because the map has changed.
    pub(crate) fn forget(&mut self) {
        self.count = 0;
        self.newest = 0;
        self.last_norm = f64::INFINITY;
    }

    /// state ← state + change, or an extrapolation from it and earlier iterates, of which there must be
    /// room for one. `weight` holds √β
    /// of every slot. With `plain` the iterate is remembered but not extrapolated.
    pub(crate) fn advance(
        &mut self,
        state: &mut [Lanes],
        change: &[Lanes],
        weight: &[f64],
        plain: bool,
    ) {
        vectorized(Advance {
            anderson: self,
            state,
            change,
            weight,
            plain,
        });
    }

    #[inline(always)]
    fn advance_inlined(
        &mut self,
        state: &mut [Lanes],
        change: &[Lanes],
        weight: &[f64],
        plain: bool,
    ) {
        self.remember(state, change, weight);
        let columns = self.memory + 1;
        let norm = self.products[self.newest * columns + self.newest].sqrt();
        let failed = norm > FAILURE_GROWTH * self.last_norm;
        self.last_norm = norm;
        if failed {
            self.pause = PAUSE << self.failures.min(20);
            self.failures += 1;
            self.count = 0;
        }
        if self.pause > 0 {
            self.pause -= 1;
            self.count = 0;
            return;
        }
        if !plain && self.count > 1 && self.solve_weights() {
            self.combine(state);
        }
    }

    fn column(&self, age: usize) -> usize {
        if age <= self.newest {
            self.newest - age
        } else {
            self.newest + self.memory + 1 - age
        }
    }

    /// The slots of a column.
    fn range(&self, column: usize) -> Range<usize> {
        column * self.slots..(column + 1) * self.slots
    }

    /// state ← state + change, which is stored over the oldest iterate with its products with all
    /// others.
    #[inline(always)]
    fn remember(&mut self, state: &mut [Lanes], change: &[Lanes], weight: &[f64]) {
        let columns = self.memory + 1;
        self.newest = if self.count == 0 {
            0
        } else {
            (self.newest + 1) % columns
        };
        self.count = (self.count + 1).min(columns);
        let own = self.range(self.newest);
        let images = &mut self.images[own.clone()];
        let residuals = &mut self.residuals[own.clone()];
        for ((((state, change), &weight), image), residual) in state
            .iter_mut()
            .zip(change)
            .zip(weight)
            .zip(images)
            .zip(residuals)
        {
            *state = state.plus(change);
            *image = *state;
            *residual = change.scaled(weight);
        }
        for age in 0..self.count {
            let other = self.column(age);
            let product = sum_of_products(
                &self.residuals[own.clone()],
                &self.residuals[self.range(other)],
            );
            self.products[self.newest * columns + other] = product;
            self.products[other * columns + self.newest] = product;
        }
    }

    /// min ‖f − Σ w_a (f − f_a)‖ over the weights w_a of older iterates; false when it is
    /// degenerate.
    fn solve_weights(&mut self) -> bool {
        let (n, columns) = (self.count - 1, self.memory + 1);
        let at = |a: usize, b: usize, products: &[f64]| products[a * columns + b];
        let newest = self.newest;
        let own = at(newest, newest, &self.products);
        for i in 0..n {
            let a = self.column(i + 1);
            let with_a = at(newest, a, &self.products);
            self.weights[i] = own - with_a;
            for j in 0..=i {
                let b = self.column(j + 1);
                self.matrix[i * n + j] =
                    own - with_a - at(newest, b, &self.products) + at(a, b, &self.products);
            }
        }
        for i in 0..n {
            let diagonal = self.matrix[i * n + i];
            // Also catches NaN.
            if !(diagonal > 0.0) {
                return false;
            }
            self.scales[i] = 1.0 / diagonal.sqrt();
        }
        for i in 0..n {
            self.weights[i] *= self.scales[i];
            for j in 0..=i {
                self.matrix[i * n + j] *= self.scales[i] * self.scales[j];
            }
            self.matrix[i * n + i] += REGULARIZATION;
        }
        if !solve_small(n, &mut self.matrix, &mut self.weights) {
            return false;
        }
        for i in 0..n {
            self.weights[i] *= self.scales[i];
        }
        self.weights[..n].iter().all(|weight| weight.is_finite())
    }

    /// state = g − Σ w_a (g − g_a), in one pass.
    #[inline(always)]
    fn combine(&self, state: &mut [Lanes]) {
        let n = self.count - 1;
        let own = 1.0 - self.weights[..n].iter().sum::<f64>();
        let (fours, rest) = state.as_chunks_mut::<4>();
        let covered = 4 * fours.len();
        for (position, four) in fours.iter_mut().enumerate() {
            let mut sums = four.map(|value| value.scaled(own));
            for age in 1..=n {
                let images = &self.images[self.range(self.column(age))][4 * position..];
                for (sum, image) in sums.iter_mut().zip(images) {
                    *sum = sum.plus_scaled(self.weights[age - 1], image);
                }
            }
            *four = sums;
        }
        for (position, value) in rest.iter_mut().enumerate() {
            *value = value.scaled(own);
            for age in 1..=n {
                let images = &self.images[self.range(self.column(age))];
                *value = value.plus_scaled(self.weights[age - 1], &images[covered + position]);
            }
        }
    }
}

/// Cholesky solve of a small matrix given by its lower triangle, by rows; false when it is not
/// positive definite.
fn solve_small(n: usize, a: &mut [f64], x: &mut [f64]) -> bool {
    for i in 0..n {
        for j in 0..=i {
            let mut value = a[i * n + j];
            for k in 0..j {
                value -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                // Also catches NaN.
                if !(value > 0.0) {
                    return false;
                }
                a[i * n + i] = value.sqrt();
            } else {
                a[i * n + j] = value / a[j * n + j];
            }
        }
    }
    for i in 0..n {
        for k in 0..i {
            x[i] -= a[i * n + k] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= a[k * n + i] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a linear map Anderson acceleration is GMRES: as many steps as there are dimensions.
    #[test]
    fn solves_a_linear_map_in_as_many_steps_as_dimensions() {
        let rates = [[0.9, -0.5, 0.99, 0.0], [0.3, 0.7, -0.95, 0.0]];
        let mut state = [Lanes([1.0, 1.0, 1.0, 0.0]); 2];
        let mut anderson = Anderson::default();
        anderson.start(8, 2);
        for _ in 0..9 {
            let mut change = [Lanes::ZERO; 2];
            for slot in 0..2 {
                for row in 0..3 {
                    change[slot][row] = (rates[slot][row] - 1.0) * state[slot][row];
                }
            }
            anderson.advance(&mut state, &change, &[1.0, 1.0], false);
        }
        let worst = state
            .iter()
            .flat_map(|slot| &slot.0)
            .fold(0.0, |m: f64, x| m.max(x.abs()));
        assert!(worst < 1e-6, "{worst}");
    }
}
