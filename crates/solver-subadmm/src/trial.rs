//! Which start of β suits a problem is found out by trying.
//!
//! β by effective masses is best for most problems, but where a heavy body lies on light ones it
//! stalls, and one β for all gets through. A solve that is not done after a trial goes on with the
//! other rule, and from then on with the one under which the residual fell faster.

/// Phases of iterations under one of two rules.
#[derive(Debug, Default)]
pub(crate) struct PenaltyTrial {
    /// The rule in use: 0 or 1.
    current: usize,
    start: usize,
    end: usize,
    length: usize,
    /// Smallest residual in each half of the phase.
    best: [f64; 2],
    /// Fall of log residual over half a phase and iteration, once a rule was tried.
    rates: [Option<f64>; 2],
}

impl PenaltyTrial {
    /// Starts with rule 0; with `trial` 0 it stays there.
    pub(crate) fn start(&mut self, trial: usize) {
        *self = Self {
            length: trial,
            ..Self::default()
        };
        self.begin(0);
    }

    fn begin(&mut self, iteration: usize) {
        self.start = iteration;
        self.end = if self.length == 0 {
            usize::MAX
        } else {
            iteration + self.length
        };
        self.best = [f64::INFINITY; 2];
    }

    /// The rule in use: 0 or 1.
    pub(crate) fn current(&self) -> usize {
        self.current
    }

    /// Iteration at which the phase began.
    pub(crate) fn phase_start(&self) -> usize {
        self.start
    }

    /// Whether the phase ends with an iteration.
    pub(crate) fn is_over(&self, iteration: usize) -> bool {
        iteration >= self.end
    }

    /// Takes in a residual.
    pub(crate) fn see(&mut self, iteration: usize, residual: f64) {
        let half = usize::from(2 * (iteration - self.start) > self.length);
        self.best[half] = self.best[half].min(residual);
    }

    /// Ends the phase: the rule to change from and to, `None` to go on with the same.
    pub(crate) fn next(&mut self, iteration: usize) -> Option<(usize, usize)> {
        let fall = (self.best[0] / self.best[1]).ln() / self.length as f64;
        let rate = if fall.is_finite() { fall } else { 0.0 };
        let old = self.current;
        self.rates[old] = Some(rate);
        let other = self.rates[1 - old];
        if other.is_some() {
            self.length *= 2;
        }
        self.begin(iteration);
        // A rule that has not been tried yet always gets its turn.
        if other.is_none_or(|other| other > rate) {
            self.current = 1 - old;
            return Some((old, self.current));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_rule_is_kept_and_the_slower_comes_back_when_it_stalls() {
        let mut trial = PenaltyTrial::default();
        trial.start(10);
        // Rule 0 falls by 2, rule 1 by 4 and later not at all.
        trial.see(5, 1.0);
        trial.see(10, 0.5);
        assert!(trial.is_over(10) && !trial.is_over(9));
        assert_eq!(trial.next(10), Some((0, 1)));
        trial.see(14, 0.4);
        trial.see(20, 0.1);
        assert_eq!(trial.next(20), None);
        trial.see(25, 0.1);
        trial.see(40, 0.1);
        assert_eq!(trial.next(40), Some((1, 0)));
    }

    #[test]
    fn without_trial_there_is_one_phase() {
        let mut trial = PenaltyTrial::default();
        trial.start(0);
        assert!(!trial.is_over(1_000_000));
    }
}
