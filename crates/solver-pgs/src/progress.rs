//! Whether a run still gets anywhere.

/// An improvement of the best residual below this share is none.
const STALL_SHARE: f64 = 1e-3;

/// The best residual, and whether it still moves.
pub(crate) struct Progress {
    pub(crate) best: f64,
    window_start: usize,
    window_best: f64,
}

impl Progress {
    pub(crate) fn new(residual: f64) -> Self {
        Self {
            best: residual,
            window_start: 0,
            window_best: residual,
        }
    }

    /// Takes note of a residual; whether it is the smallest so far.
    pub(crate) fn is_best(&mut self, residual: f64) -> bool {
        let is_best = residual < self.best;
        if is_best {
            self.best = residual;
        }
        is_best
    }

    /// Whether the last window of sweeps brought nothing.
    pub(crate) fn has_stalled(&mut self, sweeps: usize, window: usize) -> bool {
        if sweeps < self.window_start + window {
            return false;
        }
        let has_stalled = self.best > (1.0 - STALL_SHARE) * self.window_best;
        self.window_start = sweeps;
        self.window_best = self.best;
        has_stalled
    }
}
