//! When to measure the residual, and the best iterate so far.
//!
//! A measurement costs about as much as an iteration. It is made at geometrically spaced
//! iterations and whenever ‖J v̂ − z‖, which every iteration has for free, has come down so far
//! that the last measurement lets expect nearly the tolerance.

use stiction_constraints::{Budget, HistoryEntry};

/// Least iterations between scheduled measurements, and from a guess to the first; from nothing it is
/// twice as many. Looking as early there costs 4 % on bolt–nut problems, none in between loses two
/// recorded steps of a hundred.
const STEP: usize = 5;
/// Factor between the iterations of scheduled measurements beyond that. 1.5 takes 1.6 times the
/// iterations on dishes, where the residual wanders.
const GROWTH: f64 = 1.25;

/// Multiple of the tolerance from which it is worth looking. With 1, dishes take 1.17 times the
/// iterations.
const NEAR: f64 = 1.5;

/// Iterations in which the residual must halve. Contacts without a unique load let it wander for
/// hundreds: 500 ended one bolt–nut problem in seven that would have been solved.
const PATIENCE: usize = 1000;
/// Iterations without halving after which it is asked whether rounding is all that is left.
const FIRST_DOUBT: usize = 50;
/// A residual or ‖J v̂ − z‖ that neither shrinks nor grows by more than this between measurements
/// stays.
const STAYS: f64 = 0.9;

/// How far a solve has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing to worry about.
    Fine,
    /// The residual has not halved for a while.
    Slow,
    /// It has not for so long that it will not reach the tolerance.
    None,
}

#[derive(Debug, Default)]
pub(crate) struct Monitor {
    /// Best impulses so far, all rows stacked, and their residual.
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    pub(crate) start_residual: f64,
    /// Measured residual over ‖J v̂ − z‖ at the last measurement.
    ratio: f64,
    last: usize,
    next: usize,
    /// The residual at the last measurement.
    pub(crate) residual: f64,
    /// Residual and ‖J v̂ − z‖ of the last scheduled measurement.
    last_residual: f64,
    last_gap: f64,
    /// Smallest measured residual when it last halved, and the iteration.
    halved: f64,
    halved_at: usize,
    /// Whether neither of them had shrunk then.
    pub(crate) is_stuck: bool,
}

impl Monitor {
    /// Starts from the guess and its residual.
    pub(crate) fn start(&mut self, guess: &[f64], residual: f64, has_guess: bool) {
        self.best.clear();
        self.best.extend_from_slice(guess);
        self.best_residual = residual;
        self.start_residual = residual;
        self.ratio = f64::INFINITY;
        self.last = 0;
        self.residual = residual;
        self.last_residual = f64::INFINITY;
        self.last_gap = f64::INFINITY;
        self.halved = f64::INFINITY;
        self.halved_at = 0;
        self.is_stuck = false;
        self.next = match has_guess {
            true => STEP,
            false => 2 * STEP,
        };
    }

    /// Whether to measure after an iteration.
    pub(crate) fn is_due(&mut self, iteration: usize, gap: f64, budget: &Budget) -> bool {
        if budget.criterion.is_test() {
            // The test decides, and says nothing of the residual.
            return budget.record_history || iteration >= self.next;
        }
        if self.ratio.is_infinite() {
            // The guess is what the first iteration started from.
            self.ratio = self.best_residual / gap.max(f64::MIN_POSITIVE);
        }
        budget.record_history
            || iteration >= self.next
            || gap * self.ratio <= NEAR * budget.tolerance
    }

    /// Whether the residual of this iteration is known.
    pub(crate) fn knows(&self, iteration: usize) -> bool {
        self.last == iteration
    }

    /// How far the solve has come at an iteration.
    pub(crate) fn progress(&self, iteration: usize) -> Progress {
        match iteration - self.halved_at {
            PATIENCE.. => Progress::None,
            FIRST_DOUBT.. => Progress::Slow,
            _ => Progress::Fine,
        }
    }

    /// Takes in a measurement, and its impulses where they are the best; whether it was a scheduled
    /// one. What else is decided upon depends on these alone, so that more measurements, as for a
    /// history, make no difference to the iterates.
    pub(crate) fn take(&mut self, entry: HistoryEntry, gap: f64, impulse: &mut Vec<f64>) -> bool {
        let is_scheduled = entry.iteration >= self.next;
        self.last = entry.iteration;
        self.residual = entry.residual;
        self.ratio = entry.residual / gap.max(f64::MIN_POSITIVE);
        if is_scheduled {
            let grown = (entry.iteration as f64 * GROWTH).ceil() as usize;
            self.next = grown.max(entry.iteration + STEP);
            self.is_stuck = stays(entry.residual, self.last_residual) && stays(gap, self.last_gap);
            self.last_residual = entry.residual;
            self.last_gap = gap;
            if entry.residual <= 0.5 * self.halved {
                self.halved = entry.residual;
                self.halved_at = entry.iteration;
            }
        }
        if entry.residual < self.best_residual {
            self.best_residual = entry.residual;
            std::mem::swap(&mut self.best, impulse);
        }
        is_scheduled
    }
}

fn stays(new: f64, old: f64) -> bool {
    new > STAYS * old && old > STAYS * new
}
