//! Which subsystems go through the step on a free path: those that no constraint acts on.
//!
//! A subsystem that no constraint names, but for limits far away, takes its path before islands are made. One
//! that constraints name (a contact at a distance, a limit near by) is solved with its island first; if all
//! of them stay without impulse, it takes its path, unless the path would violate one of them. Friction in
//! joints, loops, couplings, connections and tendons always act.

use stiction_islands::{Head, Islands, RowList, RowResult};

use super::rows::RowKind;
use crate::error::Result;
use crate::mechanism::{Layout, Mechanisms, Now};
use crate::tendon::TendonEntry;

/// What constraints do to a subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touch {
    /// No constraint names it, but for limits far away.
    Nothing,
    /// Only constraints that may turn out to do nothing.
    Perhaps,
    /// A constraint acts.
    Acts,
}

/// Which subsystems are on a free path. Keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct FreePaths {
    touch: Vec<Touch>,
    /// Of each subsystem: whether it is on a path that must still be compared with its constraints.
    is_asked: Vec<bool>,
    /// v̂ of all islands before paths were taken.
    solved: Vec<f64>,
    disobeyed: Vec<usize>,
}

/// What paths are taken through.
pub(super) struct Step<'a> {
    pub(super) rows: &'a RowList,
    pub(super) layout: &'a Layout,
    pub(super) now: Now<'a>,
    pub(super) mechanisms: &'a mut Mechanisms,
    pub(super) v_hat: &'a mut [f64],
}

impl Step<'_> {
    fn take(&mut self, subsystem: usize) -> Result<bool> {
        let (mechanism, own) = self.layout.owner[subsystem];
        let dofs = self.layout.dofs(subsystem);
        self.mechanisms
            .get_mut(mechanism)
            .take_free_path(own, &self.now, &mut self.v_hat[dofs])
    }

    fn leave(&mut self, subsystem: usize) {
        let (mechanism, own) = self.layout.owner[subsystem];
        self.mechanisms.get_mut(mechanism).leave_free_path(own);
    }
}

/// Whether a constraint may turn out to do nothing.
fn may_be_open(head: &Head) -> bool {
    [RowKind::Contact, RowKind::Limit]
        .iter()
        .any(|&kind| head.key.kind == kind as u16)
}

impl FreePaths {
    /// Before islands are made: paths of what no constraint names.
    pub(super) fn take_untouched(
        &mut self,
        step: &mut Step<'_>,
        tendons: &[TendonEntry],
    ) -> Result<()> {
        self.touch.clear();
        self.touch
            .resize(step.layout.subsystem_count(), Touch::Nothing);
        for head in step
            .rows
            .heads()
            .iter()
            .filter(|head| head.inactive.is_none())
        {
            for subsystem in step.rows.touched(head) {
                match (may_be_open(head), self.touch[subsystem]) {
                    (true, Touch::Nothing) => self.touch[subsystem] = Touch::Perhaps,
                    (true, _) => {}
                    (false, _) => self.touch[subsystem] = Touch::Acts,
                }
            }
        }
        // A tendon may pull without a row.
        for subsystem in tendons.iter().flat_map(|tendon| tendon.model.touches()) {
            self.touch[subsystem] = Touch::Acts;
        }
        for subsystem in 0..self.touch.len() {
            match self.touch[subsystem] {
                Touch::Nothing => {
                    step.take(subsystem)?;
                }
                // A pass before this one may have found it untouched.
                Touch::Perhaps | Touch::Acts => step.leave(subsystem),
            }
        }
        for inactive in step.rows.heads().iter().filter_map(|head| head.inactive) {
            let subsystem = inactive.subsystem;
            let velocity = step.v_hat[step.layout.dof_start[subsystem] + inactive.dof];
            let is_obeyed = inactive.interval[0] <= velocity && velocity <= inactive.interval[1];
            if self.touch[subsystem] == Touch::Nothing && !is_obeyed {
                step.leave(subsystem);
                self.touch[subsystem] = Touch::Acts;
            }
        }
        Ok(())
    }

    /// After islands were solved: paths of what no constraint acted on.
    pub(super) fn take_open(
        &mut self,
        step: &mut Step<'_>,
        islands: &mut Islands,
        results: &[RowResult],
    ) -> Result<()> {
        for (head, result) in step.rows.heads().iter().zip(results) {
            if result.impulse.iter().any(|&impulse| impulse != 0.0) {
                for subsystem in step.rows.touched(head) {
                    self.touch[subsystem] = Touch::Acts;
                }
            }
        }
        // What is pushed back or bounces is on a way of its own, even where no impulse is left at its end.
        islands.for_each_on_way(|subsystem| self.touch[subsystem] = Touch::Acts);
        self.is_asked.clear();
        self.is_asked.resize(self.touch.len(), false);
        if !self.touch.contains(&Touch::Perhaps) {
            return Ok(());
        }
        self.solved.clear();
        self.solved.extend_from_slice(step.v_hat);
        for subsystem in 0..self.touch.len() {
            if self.touch[subsystem] == Touch::Perhaps {
                self.is_asked[subsystem] = step.take(subsystem)?;
            }
        }
        // Each turn takes at least one subsystem off its path.
        while self.is_asked.contains(&true) {
            islands.disobeyed(
                step.rows,
                &step.layout.dof_start,
                &self.is_asked,
                step.v_hat,
                &mut self.disobeyed,
            );
            let mut is_changed = false;
            for &index in &self.disobeyed {
                for subsystem in step.rows.touched(&step.rows.heads()[index]) {
                    if std::mem::take(&mut self.is_asked[subsystem]) {
                        let dofs = step.layout.dofs(subsystem);
                        step.v_hat[dofs.clone()].copy_from_slice(&self.solved[dofs]);
                        step.leave(subsystem);
                        is_changed = true;
                    }
                }
            }
            if !is_changed {
                break;
            }
        }
        Ok(())
    }
}
