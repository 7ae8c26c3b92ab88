//! How a solve went.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::outcome::Outcome;
use crate::residual::Residuals;

/// One line of a convergence history.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Iterations done, from 1.
    pub iteration: usize,
    /// Time since the start of the solve, in seconds.
    pub seconds: f64,
    /// The criterion's residual after this iteration.
    pub residual: f64,
}

/// What one stage of a solver's strategy did in a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct StageReport {
    /// The stage's name.
    pub name: &'static str,
    /// How often it was entered.
    pub runs: usize,
    /// Inner iterations (Newton steps, sweeps) that it took.
    pub steps: usize,
    /// Decades by which it brought the best residual down.
    pub decades: f64,
    /// Whether the returned impulses are from it.
    pub has_last_word: bool,
    /// Wall-clock time where the stage measures its own, s; else zero.
    pub seconds: f64,
}

/// The stages of one solve in the order in which they were first entered. Lives on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stages {
    entries: [StageReport; Self::MOST],
    count: usize,
}

impl Stages {
    /// Most stages that a solver may have.
    pub const MOST: usize = 8;

    /// Adds what a stage did: its steps, and the best residual before and after. A stage beyond
    /// [`MOST`](Self::MOST) is not noted.
    pub fn note(&mut self, name: &'static str, steps: usize, before: f64, after: f64) {
        let known = self.iter().position(|stage| stage.name == name);
        let index = known.unwrap_or(self.count);
        if index >= Self::MOST {
            return;
        }
        self.count = self.count.max(index + 1);
        let stage = &mut self.entries[index];
        stage.name = name;
        stage.runs += 1;
        stage.steps += steps;
        if after < before {
            let decades = (before / after.max(f64::MIN_POSITIVE)).log10();
            stage.decades += if decades.is_finite() { decades } else { 0.0 };
            for (other, stage) in self.entries.iter_mut().enumerate() {
                stage.has_last_word = other == index;
            }
        }
    }

    /// Adds a stage that prepares and brings no impulses: its time.
    pub fn note_time(&mut self, name: &'static str, time: Duration) {
        self.note(name, 0, f64::INFINITY, f64::INFINITY);
        let mut stages = self.entries[..self.count].iter_mut();
        if let Some(stage) = stages.find(|stage| stage.name == name) {
            stage.seconds += time.as_secs_f64();
        }
    }

    /// The stage whose impulses were returned.
    pub fn last_word(&self) -> Option<&StageReport> {
        self.iter().find(|stage| stage.has_last_word)
    }
}

impl std::ops::Deref for Stages {
    type Target = [StageReport];

    fn deref(&self) -> &[StageReport] {
        &self.entries[..self.count]
    }
}

/// How a solve went.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// Outer iterations (sweeps for per-contact solvers).
    pub iterations: usize,
    /// Newton steps for Newton-type solvers, otherwise equal to `iterations`.
    pub inner_iterations: usize,
    /// Inner solves that ended short of their own tolerance, for solvers that have inner solves.
    pub inner_failures: usize,
    /// Matrices factorised, those of A not counted.
    pub factorizations: usize,
    /// The criterion's residual of what the solve began with: the guess, or no impulses.
    pub start_residual: f64,
    /// Residuals of the returned solution, by the evaluator that is the same for all solvers.
    pub residuals: Residuals,
    /// Wall-clock time of the solve, without that of measuring `residuals`.
    pub time: Duration,
    /// What the stages of the solver's strategy did; empty where it has one only.
    pub stages: Stages,
    /// Residual of every iteration, empty unless the budget asked for it.
    pub history: Vec<HistoryEntry>,
}

impl Report {
    /// A report of nothing done.
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            iterations: 0,
            inner_iterations: 0,
            inner_failures: 0,
            factorizations: 0,
            start_residual: f64::INFINITY,
            residuals: Residuals::unknown(),
            time: Duration::ZERO,
            stages: Stages::default(),
            history: Vec::new(),
        }
    }

    /// Adds the work of an earlier solve of the same step, whose guess this one began from.
    pub fn add_earlier(&mut self, earlier: &Self) {
        self.iterations += earlier.iterations;
        self.inner_iterations += earlier.inner_iterations;
        self.inner_failures += earlier.inner_failures;
        self.factorizations += earlier.factorizations;
        self.start_residual = earlier.start_residual;
        self.time += earlier.time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_stage_that_gained_has_the_last_word() {
        let mut stages = Stages::default();
        stages.note("outer loop", 5, 1.0, 1e-2);
        stages.note("finish", 1, 1e-2, 1e-9);
        stages.note("path", 3, 1e-9, 1e-9);
        stages.note("outer loop", 2, 1e-9, 1e-9);
        assert_eq!(stages.len(), 3);
        assert_eq!((stages[0].runs, stages[0].steps), (2, 7));
        assert!((stages[1].decades - 7.0).abs() < 1e-12);
        assert_eq!(stages.last_word().map(|stage| stage.name), Some("finish"));
    }

    #[test]
    fn an_exact_answer_does_not_gain_infinitely() {
        let mut stages = Stages::default();
        stages.note("guess", 0, f64::INFINITY, 0.0);
        assert_eq!(stages[0].decades, 0.0);
        assert!(stages[0].has_last_word);
    }
}
