//! What a run has reached and spent.

use stiction_constraints::{Budget, HistoryEntry};

use crate::newton::InnerReport;

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

    pub(crate) fn is_within(&self, budget: &Budget) -> bool {
        self.residual <= budget.tolerance
    }
}

/// The mean of the impulses of many outer iterations. Where they circle around an answer it is closer
/// to it than any of them, but for the contacts that slide.
#[derive(Debug, Default)]
pub(crate) struct Mean {
    sum: Vec<f64>,
    weight: f64,
}

impl Mean {
    pub(crate) fn clear(&mut self) {
        self.sum.clear();
        self.weight = 0.0;
    }

    /// Adds impulses with the length of the step that led to them.
    pub(crate) fn add(&mut self, lambda: &[f64], weight: f64) {
        self.sum.resize(lambda.len(), 0.0);
        for (sum, value) in self.sum.iter_mut().zip(lambda) {
            *sum += weight * value;
        }
        self.weight += weight;
    }

    /// The mean since [`clear`](Self::clear); call only after [`add`](Self::add), and `clear` next.
    pub(crate) fn take(&mut self) -> &[f64] {
        for sum in &mut self.sum {
            *sum /= self.weight;
        }
        &self.sum
    }
}

/// What a run has spent.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    pub(crate) iterations: usize,
    pub(crate) newton_steps: usize,
    pub(crate) factorizations: usize,
    /// What the first attempt began with.
    pub(crate) start_residual: Option<f64>,
    pub(crate) history: Vec<HistoryEntry>,
}

impl Spent {
    pub(crate) fn add(&mut self, report: &InnerReport) {
        self.newton_steps += report.steps;
        self.factorizations += report.factorizations;
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
