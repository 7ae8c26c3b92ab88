//! What a run has reached and spent.

use stiction_constraints::{Budget, HistoryEntry, Stages};

use crate::newton::InnerReport;
use crate::rules::HALF;

/// The best impulses so far.
#[derive(Debug, Default)]
pub(crate) struct Best {
    pub(crate) lambda: Vec<f64>,
    pub(crate) residual: f64,
}

impl Best {
    pub(crate) fn start(&mut self, lambda: &[f64], residual: f64) {
        self.lambda.clear();
        self.lambda.extend_from_slice(lambda);
        self.residual = residual;
    }

    pub(crate) fn offer(&mut self, lambda: &[f64], residual: f64) {
        if residual < self.residual {
            self.residual = residual;
            self.lambda.copy_from_slice(lambda);
        }
    }
}

/// What a run has spent, and on which stages.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    pub(crate) iterations: usize,
    pub(crate) newton_steps: usize,
    pub(crate) factorizations: usize,
    /// Convex inner solves that ended short of their tolerance.
    pub(crate) inner_failures: usize,
    /// What the solve began with.
    pub(crate) start_residual: f64,
    pub(crate) stages: Stages,
    pub(crate) history: Vec<HistoryEntry>,
}

impl Spent {
    pub(crate) fn add(&mut self, report: &InnerReport) {
        self.newton_steps += report.steps;
        self.factorizations += report.factorizations;
    }

    /// Iterations that the budget leaves.
    pub(crate) fn iterations_left(&self, budget: &Budget) -> usize {
        budget
            .max_iterations
            .map_or(usize::MAX, |most| most.saturating_sub(self.iterations))
    }
}

/// Outer iterations in a row that did not halve the residual; twice as many may be after every rescue
/// that failed.
#[derive(Debug)]
pub(crate) struct Patience {
    stalled: usize,
    most: usize,
    has_lost: bool,
}

impl Patience {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            stalled: 0,
            most,
            has_lost: false,
        }
    }

    /// Takes in the best residual before and after an outer iteration; whether nothing moves any more,
    /// or the strict problem `resists` for the first time.
    pub(crate) fn is_over(&mut self, before: f64, after: f64, resists: bool) -> bool {
        self.stalled = if after > HALF * before {
            self.stalled + 1
        } else {
            0
        };
        self.stalled >= self.most || (resists && !self.has_lost)
    }

    /// Takes in whether what was tried then has paid.
    pub(crate) fn note(&mut self, has_paid: bool) {
        self.stalled = 0;
        if !has_paid {
            self.most *= 2;
            self.has_lost = true;
        }
    }
}

/// Leaves a costly attempt out for a while after it failed, twice as long after every failure.
#[derive(Debug, Default)]
pub(crate) struct Pause {
    remaining: usize,
    next: usize,
}

impl Pause {
    pub(crate) fn is_over(&mut self) -> bool {
        let is_over = self.remaining == 0;
        self.remaining = self.remaining.saturating_sub(1);
        is_over
    }

    pub(crate) fn note(&mut self, is_success: bool) {
        if is_success {
            *self = Self::default();
        } else {
            self.next = (2 * self.next).max(1);
            self.remaining = self.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_doubles_when_a_rescue_fails() {
        let mut patience = Patience::new(2);
        assert!(!patience.is_over(1.0, 0.9, false));
        assert!(patience.is_over(0.9, 0.8, false));
        patience.note(false);
        // Resisting counts only the first time.
        for _ in 0..3 {
            assert!(!patience.is_over(0.8, 0.8, true));
        }
        assert!(patience.is_over(0.8, 0.8, true));
        patience.note(true);
        assert!(!patience.is_over(0.8, 0.1, false));
    }

    #[test]
    fn a_pause_is_twice_as_long_after_every_failure() {
        let mut pause = Pause::default();
        assert!(pause.is_over());
        pause.note(false);
        assert!(!pause.is_over() && pause.is_over());
        pause.note(false);
        assert!(!pause.is_over() && !pause.is_over() && pause.is_over());
        pause.note(true);
        assert!(pause.is_over());
    }
}
