//! Which splitting and which manner suit a problem, and how β changes on the way.

use stiction_constraints::{Failure, Problem, Subsystem};

use super::{Manner, SubAdmm};
use crate::settings::{Adaptation, Overconstrained, Splitting};

impl SubAdmm {
    /// The splitting that suits a problem; sets how to iterate on it.
    pub(super) fn choose(&mut self, problem: &Problem, is_close: bool) -> Splitting {
        let settings = &self.settings;
        let usual = Manner::usual(settings, settings.start_penalty);
        let second = settings.second_penalty;
        self.manners = (
            usual,
            second.map(|second| Manner::usual(settings, second.rule)),
        );
        let is_small = settings.splitting == Splitting::Body
            && problem.dof_count() <= settings.group_up_to
            && are_free_bodies(problem);
        if !is_small {
            return settings.splitting;
        }
        // From a guess that is close the usual manner gets to the answer sooner.
        if let Some(overconstrained) = settings.overconstrained
            && !is_close
            && is_overconstrained(problem, &overconstrained)
        {
            self.manners = (Manner::plain(&overconstrained), second.map(|_| usual));
        }
        // One body is a block already, and of a faster kind.
        if problem.subsystems().len() > 1 {
            Splitting::None
        } else {
            Splitting::Body
        }
    }

    /// Lines 12 and 16–17, after a plain step.
    pub(super) fn adapt(&mut self, problem: &Problem) -> Result<(), Failure> {
        let mut forces = std::mem::take(&mut self.forces);
        let taken = self.step_taken(problem);
        let (balance, ratio) = match self.manner.adaptation {
            Adaptation::Never => ((0.0, 0.0), 1.0),
            Adaptation::Printed { ratio, .. } => (taken.printed(&mut forces), ratio),
            Adaptation::Balanced { ratio, .. } => {
                (taken.relative(&mut forces, self.iterate.free_size), ratio)
            }
        };
        self.forces = forces;
        let (primal, dual) = balance;
        let Some(scale) = self.penalty.balanced_scale(primal, dual, ratio) else {
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

    /// Goes on in another manner. z and λ stay.
    pub(super) fn change_manner(
        &mut self,
        problem: &Problem,
        old: usize,
        new: usize,
    ) -> Result<(), Failure> {
        let manners = [Some(self.manners.0), self.manners.1];
        let Some(manner) = manners[new] else {
            return Ok(());
        };
        self.trial_scale[old] = self.penalty.scale;
        self.move_state(1.0);
        self.set_penalty(problem, manner, self.trial_scale[new])?;
        self.move_state(-1.0);
        self.anderson.start(manner.memory, self.layout.slots.len());
        Ok(())
    }

    pub(super) fn first_test(&self) -> usize {
        match self.manner.adaptation {
            Adaptation::Never => 0,
            Adaptation::Printed { interval, .. } => interval.max(1),
            Adaptation::Balanced { first, .. } => first.max(1),
        }
    }

    pub(super) fn next_test(&self, iteration: usize) -> usize {
        match self.manner.adaptation {
            Adaptation::Never => 0,
            Adaptation::Printed { interval, .. } => iteration + interval.max(1),
            // No test has the number 0.
            Adaptation::Balanced { last, .. } if iteration >= last => 0,
            Adaptation::Balanced { growth, .. } => {
                // Spaced from the start of the phase: after a change of rule β is new.
                let start = self.trial.phase_start();
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

/// Whether there are contacts only, and many of them.
fn is_overconstrained(problem: &Problem, overconstrained: &Overconstrained) -> bool {
    let rows_per_dof = problem.row_count() as f64 / problem.dof_count().max(1) as f64;
    let mut constraints = problem.constraints().iter();
    rows_per_dof >= overconstrained.rows_per_dof
        && constraints.all(|constraint| constraint.law.is_contact())
}
