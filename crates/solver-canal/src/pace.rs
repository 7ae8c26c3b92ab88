//! How the outer loop treats a problem.

use crate::settings::CanalSettings;

/// Most problems reward bold steps: β grows fast, and what the strict problem refuses the convex one
/// and the smoothed path make good. Where piles jam, none of this holds: impulses must travel far
/// along directions in which hardly anything moves, with contacts opening and slipping on the way.
/// There β is the length of a step along that way, and is chosen as a step length is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Pace {
    #[default]
    Bold,
    Patient,
}

impl Pace {
    /// Penalties, relative to the current one, with which the strict problem is tried: the smaller,
    /// the closer it is to a linear one.
    pub(crate) fn retreats(self) -> &'static [f64] {
        match self {
            Pace::Bold => &[1.0, 0.1, 0.01],
            Pace::Patient => &[1.0, 0.1, 0.01, 1e-3],
        }
    }

    /// Newton steps of a strict solve.
    pub(crate) fn strict_steps(self, settings: &CanalSettings) -> usize {
        match self {
            Pace::Bold => settings.max_strict,
            Pace::Patient => settings.max_strict.min(15),
        }
    }

    /// What the next β is relative to the last one, by the Newton steps that the last one took.
    pub(crate) fn patient_growth(steps: usize) -> f64 {
        match steps {
            0..=2 => 3.0,
            3..=5 => 1.5,
            6..=10 => 1.0,
            _ => 0.5,
        }
    }
}

/// Outer iterations that may fail to halve the residual before the path is tried.
const PATIENCE: usize = 3;
/// Paths that led nowhere before the problem counts as a hard one.
const LOST_PATHS: usize = 2;
/// Outer iterations on a hard problem that may pass without a tenth being gained.
const HARD_PATIENCE: usize = 400;
/// Outer iterations on a hard problem without such a gain after which it counts as circling.
const ROUND: usize = 80;

/// How long a run goes on, and at what pace.
#[derive(Debug, Default)]
pub(crate) struct Effort {
    pace: Pace,
    may_be_patient: bool,
    /// Residual at and below which nothing more is to be gained.
    floor: f64,
    /// Outer iterations that are left.
    left: usize,
    /// Outer iterations in a row that did not halve the residual, and how many of them may be.
    stalled: usize,
    patience: usize,
    lost_paths: usize,
    /// Residual when `left` was last set, at the patient pace.
    mark: f64,
}

impl Effort {
    /// A run of at most `most` outer iterations, unless it turns out to be hard and may be patient.
    /// `floor` is the residual that rounding may leave.
    pub(crate) fn new(most: usize, may_be_patient: bool, floor: f64) -> Self {
        Self {
            may_be_patient,
            floor,
            left: most,
            patience: PATIENCE,
            ..Self::default()
        }
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    /// Whether a residual may be all that rounding leaves.
    pub(crate) fn is_rounding(&self, residual: f64) -> bool {
        residual <= self.floor
    }

    /// Starts an outer iteration if one is left.
    pub(crate) fn goes_on(&mut self) -> bool {
        let goes_on = self.left > 0;
        self.left = self.left.saturating_sub(1);
        goes_on
    }

    /// Takes in the best residual before and after an outer iteration.
    pub(crate) fn note(&mut self, before: f64, after: f64) {
        self.stalled = if after > 0.5 * before {
            self.stalled + 1
        } else {
            0
        };
        if self.pace == Pace::Patient && after < 0.9 * self.mark {
            self.mark = after;
            self.left = HARD_PATIENCE;
        }
    }

    /// Whether the patient run goes round in circles.
    pub(crate) fn is_circling(&self) -> bool {
        let passed = HARD_PATIENCE.saturating_sub(self.left);
        self.pace == Pace::Patient && passed > 0 && passed.is_multiple_of(ROUND)
    }

    /// Whether the last iteration brought a gain at the patient pace.
    pub(crate) fn has_gained(&self) -> bool {
        self.pace == Pace::Patient && self.left == HARD_PATIENCE
    }

    /// Whether to try the path: the strict problem resists for the first time, or nothing moves any
    /// more.
    pub(crate) fn is_stuck(&self, was_strict: bool) -> bool {
        let resists = !was_strict && self.patience == PATIENCE;
        self.pace == Pace::Bold && (resists || self.stalled >= self.patience)
    }

    /// Takes in whether the path paid, and the best residual.
    pub(crate) fn note_path(&mut self, has_paid: bool, residual: f64) {
        self.stalled = 0;
        if has_paid {
            return;
        }
        self.patience *= 2;
        self.lost_paths += 1;
        if self.lost_paths == LOST_PATHS && self.may_be_patient && !self.is_rounding(residual) {
            self.pace = Pace::Patient;
            self.left = HARD_PATIENCE;
            self.mark = residual;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_paths_make_patient_and_progress_keeps_going() {
        let mut effort = Effort::new(10, true, 1e-10);
        assert!(effort.is_stuck(false) && !effort.is_stuck(true));
        for path in 0..LOST_PATHS {
            assert_eq!(effort.pace(), Pace::Bold, "after {path} lost paths");
            effort.note_path(false, 1.0);
        }
        assert_eq!(effort.pace(), Pace::Patient);
        assert!(!effort.is_stuck(false));
        for _ in 0..HARD_PATIENCE - 1 {
            assert!(effort.goes_on());
            effort.note(1.0, 0.95);
        }
        effort.note(0.95, 0.8);
        assert!(effort.has_gained() && !effort.is_circling());
        let (mut more, mut rounds) = (0, 0);
        while effort.goes_on() {
            more += 1;
            rounds += usize::from(effort.is_circling());
        }
        assert_eq!((more, rounds), (HARD_PATIENCE, HARD_PATIENCE / ROUND));
    }

    #[test]
    fn a_bold_run_ends_when_its_iterations_are_spent() {
        let mut effort = Effort::new(4, false, 0.0);
        for _ in 0..LOST_PATHS {
            effort.note_path(false, 1.0);
        }
        assert_eq!(effort.pace(), Pace::Bold);
        assert_eq!((0..).take_while(|_| effort.goes_on()).count(), 4);
    }

    #[test]
    fn rounding_is_no_reason_for_patience() {
        let mut effort = Effort::new(4, true, 1e-10);
        for _ in 0..LOST_PATHS {
            effort.note_path(false, 1e-11);
        }
        assert_eq!(effort.pace(), Pace::Bold);
    }
}
