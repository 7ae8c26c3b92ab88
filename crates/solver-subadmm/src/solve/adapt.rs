//! Which splitting and which β suit a problem, and how β changes on the way.

use stiction_constraints::{Failure, Problem, Subsystem};

use super::SubAdmm;
use crate::settings::{Adaptation, Splitting, StartPenalty};

/// Largest change of β at once, and where there is more than free bodies.
const LARGEST_CHANGE: f64 = 10.0;
const CAREFUL_CHANGE: f64 = 3.0;

/// Rows for each degree of freedom from which on iterations start without acceleration.
const CROWDED: f64 = 4.0;

/// Largest factor on the iteration of the first test of β.
const LATEST_FIRST_TEST: f64 = 4.0;

impl SubAdmm {
    /// The splitting and the rules for β that suit a problem. One β for all gets from nothing to a
    /// first answer in the fewest iterations; from a guess that is close effective masses do.
    pub(super) fn choose(&mut self, problem: &Problem, is_close: bool) -> Splitting {
        let settings = &self.settings;
        self.rules = (settings.start_penalty, settings.fallback_penalty);
        let is_small = settings.splitting == Splitting::Body
            && problem.dof_count() <= settings.group_up_to
            && are_free_bodies(problem);
        if !is_small {
            return settings.splitting;
        }
        let mut constraints = problem.constraints().iter();
        if let Some(rule) = settings.grouped_penalty
            && constraints.all(|constraint| constraint.law.is_contact())
        {
            self.rules = match is_close {
                true => (settings.start_penalty, Some(rule)),
                false => (rule, Some(settings.start_penalty)),
            };
        }
        // One body is a block already, and of a faster kind.
        if problem.subsystems().len() > 1 {
            Splitting::None
        } else {
            Splitting::Body
        }
    }

    /// Iterations without acceleration: it finds the few directions that are left where rows are
    /// few, but where they are many times the degrees of freedom plain iterations are sooner there.
    pub(super) fn lead_in(&self) -> usize {
        let is_grouped = Some(self.rules.0) == self.settings.grouped_penalty;
        if is_grouped && self.layout.crowd() >= CROWDED {
            self.settings.lead_in
        } else {
            0
        }
    }

    /// Lines 12 and 16–17, after a plain step.
    pub(super) fn adapt(&mut self, problem: &Problem) -> Result<(), Failure> {
        let mut forces = std::mem::take(&mut self.forces);
        let taken = self.step_taken(problem);
        let (balance, ratio, largest_change) = match self.settings.adaptation {
            Adaptation::Never => ((0.0, 0.0), 1.0, 1.0),
            Adaptation::Printed { ratio, .. } => {
                (taken.printed(&mut forces), ratio, LARGEST_CHANGE)
            }
            Adaptation::Balanced { ratio, .. } => {
                let (primal, dual) = taken.relative(&mut forces, self.iterate.free_size);
                // Large steps throw robots about before they settle.
                let largest_change = if are_free_bodies(problem) {
                    LARGEST_CHANGE
                } else {
                    CAREFUL_CHANGE
                };
                ((primal, dual * self.redundancy()), ratio, largest_change)
            }
        };
        self.forces = forces;
        let (primal, dual) = balance;
        let Some(scale) = self
            .penalty
            .balanced_scale(primal, dual, ratio, largest_change)
        else {
            return Ok(());
        };
        // z and λ stay, so that s = z − λ/β moves with β.
        let change = 1.0 / self.penalty.scale - 1.0 / scale;
        for ((state, &active), &start) in self
            .iterate
            .state
            .iter_mut()
            .zip(&self.layout.active_of)
            .zip(&self.penalty.start)
        {
            *state = state.plus_scaled(change / start, &self.iterate.impulse[active]);
        }
        self.penalty.set_scale(scale, &self.layout);
        self.anderson.forget();
        self.factorize(problem)
    }

    /// Rows for each degree of freedom, at least 1, under the rule that shares the mass out over
    /// rows without regard to which: redundant rows never agree as well as the few motions that
    /// they hold.
    pub(super) fn redundancy(&self) -> f64 {
        match self.rule {
            StartPenalty::TraceRatio { .. } => self.layout.crowd(),
            _ => 1.0,
        }
    }

    /// Goes on under another rule for β. z and λ stay.
    pub(super) fn change_rule(
        &mut self,
        problem: &Problem,
        old: usize,
        new: usize,
    ) -> Result<(), Failure> {
        let rules = [Some(self.rules.0), self.rules.1];
        let Some(rule) = rules[new] else {
            return Ok(());
        };
        self.race_scale[old] = self.penalty.scale;
        self.move_state(1.0);
        self.set_penalty(problem, rule, self.race_scale[new])?;
        self.move_state(-1.0);
        self.anderson
            .start(self.settings.anderson_memory, self.layout.slots.len());
        Ok(())
    }

    pub(super) fn first_test(&self) -> usize {
        match self.settings.adaptation {
            Adaptation::Never => 0,
            Adaptation::Printed { interval, .. } => interval.max(1),
            Adaptation::Balanced { first, .. } => {
                // Where rows are redundant they take longer to tell which way β should go.
                (first as f64 * self.redundancy().min(LATEST_FIRST_TEST)).max(1.0) as usize
            }
        }
    }

    pub(super) fn next_test(&self, iteration: usize) -> usize {
        match self.settings.adaptation {
            Adaptation::Never => 0,
            Adaptation::Printed { interval, .. } => iteration + interval.max(1),
            Adaptation::Balanced { growth, .. } => {
                // Spaced from the start of the phase: after a change of rule β is new.
                let start = self.race.phase_start();
                let next = start + ((iteration - start) as f64 * growth).ceil() as usize;
                next.max(iteration + 1)
            }
        }
    }
}

fn are_free_bodies(problem: &Problem) -> bool {
    let mut subsystems = problem.subsystems().iter();
    subsystems.all(|subsystem| matches!(subsystem, Subsystem::FreeBody(_)))
}
