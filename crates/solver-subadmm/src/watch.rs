//! When to measure the residual, and the best iterate so far.
//!
//! A measurement costs about as much as an iteration. It is made at geometrically spaced
//! iterations and whenever ‖J v̂ − z‖, which every iteration has for free, has come down so far
//! that the last measurement lets expect nearly the tolerance.

use stiction_constraints::{Budget, HistoryEntry};

/// Iteration of the first scheduled measurement from nothing and from a guess, the least distance to
/// the next once there were as many iterations, and the factor to it.
const FIRST: usize = 10;
const FIRST_FROM_GUESS: usize = 2;
const LEAST_STEP: usize = 5;
const GROWTH: f64 = 1.25;

/// Multiple of the tolerance from which it is worth looking.
const NEAR: f64 = 1.5;

/// Least distance of two measurements that were not scheduled, relative to the iteration.
const SPACING: usize = 12;

#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// Best impulses so far, all rows stacked, and their residual.
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    pub(crate) start_residual: f64,
    /// Measured residual over ‖J v̂ − z‖ at the last measurement.
    ratio: f64,
    last: usize,
    next: usize,
}

impl Watch {
    /// Starts from the guess and its residual.
    pub(crate) fn start(&mut self, guess: &[f64], residual: f64, has_guess: bool) {
        self.best.clear();
        self.best.extend_from_slice(guess);
        self.best_residual = residual;
        self.start_residual = residual;
        self.ratio = f64::INFINITY;
        self.last = 0;
        self.next = match has_guess {
            true => FIRST_FROM_GUESS,
            false => FIRST,
        };
    }

    /// Whether to measure after an iteration.
    pub(crate) fn is_due(
        &mut self,
        iteration: usize,
        gap: f64,
        is_last: bool,
        budget: &Budget,
    ) -> bool {
        if self.ratio.is_infinite() {
            // The guess is what the first iteration started from.
            self.ratio = self.best_residual / gap.max(f64::MIN_POSITIVE);
        }
        budget.record_history
            || is_last
            || iteration >= self.next
            || (gap * self.ratio <= NEAR * budget.tolerance
                && iteration > self.last + iteration / SPACING)
    }

    /// Takes in a measurement, and its impulses where they are the best; returns whether the tolerance is reached.
    pub(crate) fn take(
        &mut self,
        entry: HistoryEntry,
        gap: f64,
        impulse: &mut Vec<f64>,
        budget: &Budget,
        history: &mut Vec<HistoryEntry>,
    ) -> bool {
        self.last = entry.iteration;
        if entry.iteration >= self.next {
            let grown = (entry.iteration as f64 * GROWTH).ceil() as usize;
            self.next = grown.max(entry.iteration + LEAST_STEP.min(entry.iteration));
        }
        self.ratio = entry.residual / gap.max(f64::MIN_POSITIVE);
        if entry.residual < self.best_residual {
            self.best_residual = entry.residual;
            std::mem::swap(&mut self.best, impulse);
        }
        if budget.record_history {
            history.push(entry);
        }
        entry.residual <= budget.tolerance
    }
}
