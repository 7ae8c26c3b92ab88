//! Steps of the midpoint rule that are made in halves.
//!
//! Its rows are averaged over a step and need the v̂ that they lead to. Where joined bodies turn too fast for
//! that, passes do not settle: the step is then made as two of half its length, each of them halved again
//! where it has to be. Drives and controllers act as they were asked to at its start.

use stiction_islands::WarmStart;

use crate::error::Result;
use crate::settings::Settings;
use crate::state::State;
use crate::step::StepReport;
use crate::step::impact_parts::Parts;
use crate::world::World;

/// Most times that a step is halved: what then still does not settle is made by implicit Euler.
const MOST_HALVINGS: u32 = 6;

/// What a step that is made in parts began with.
#[derive(Debug, Default)]
pub(crate) struct WholeStep {
    state: State,
    warm_start: WarmStart,
    pub(super) parts: Parts,
}

impl WholeStep {
    /// Keeps what the step begins with.
    pub(super) fn keep(&mut self, state: &State, warm_start: &WarmStart) {
        self.state.copy_from(state);
        self.warm_start.clone_from(warm_start);
    }
}

impl World {
    /// Goes through a step whose commands are known.
    pub(super) fn move_through(&mut self) -> Result<()> {
        let settings = &self.settings;
        let (time_step, baumgarte) = (settings.time_step, settings.baumgarte);
        let contact_motion = settings.contact_motion;
        let result = self.move_through_part(0);
        if self.settings.time_step != time_step {
            // A part failed: as if nothing had been tried.
            self.settings.time_step = time_step;
            self.settings.baumgarte = baumgarte;
            self.settings.contact_motion = contact_motion;
            self.state.copy_from(&self.whole_step.state);
            self.warm_start.clone_from(&self.whole_step.warm_start);
            self.last.is_known = false;
            self.energy = None;
        }
        if result.is_ok() {
            self.end_step();
        }
        result
    }

    fn move_through_part(&mut self, halvings: u32) -> Result<()> {
        let theta = self.settings.theta;
        let can_halve = theta == Settings::MIDPOINT && halvings < MOST_HALVINGS;
        if theta == Settings::MIDPOINT && self.has_inconsistent_velocities() {
            self.settings.theta = Settings::IMPLICIT_EULER;
        }
        self.pass()?;
        let mut is_good = self.pass_again()?;
        if let Some(share) = self.impact_to_part_at() {
            return self.move_in_parts(share);
        }
        if !is_good && !can_halve {
            self.pass_by_implicit_euler()?;
            is_good = true;
        }
        if is_good {
            self.find_end()?;
            is_good = !can_halve || self.holds_joints();
        }
        if is_good {
            self.take_effect()?;
            self.settings.theta = theta;
            return Ok(());
        }
        self.settings.theta = theta;
        if halvings == 0 {
            self.whole_step.keep(&self.state, &self.warm_start);
        }
        self.make_in_halves(halvings + 1)?;
        if halvings == 0 {
            self.end_whole_step();
        }
        Ok(())
    }

    /// Counts parts of a step as one.
    pub(super) fn end_whole_step(&mut self) {
        let before = &self.whole_step.state;
        self.state.time = before.time + self.settings.time_step;
        self.state.step = before.step + 1;
        self.report.time = self.state.time;
        self.last.previous.copy_from(before);
    }

    fn make_in_halves(&mut self, halvings: u32) -> Result<()> {
        self.change_time_step(0.5);
        let mut whole = StepReport::default();
        for part in 0..2 {
            self.refresh()?;
            self.take_driven_velocities();
            self.open_account();
            self.move_through_part(halvings)?;
            match part {
                0 => whole.clone_from(&self.report),
                _ => self.report.follow(&whole),
            }
        }
        self.change_time_step(2.0);
        Ok(())
    }

    /// Makes the time step longer or shorter; impulses that are remembered are those of such a step, and what is slow
    /// is that of the whole one.
    pub(super) fn change_time_step(&mut self, factor: f64) {
        self.settings.time_step *= factor;
        self.settings.contact_motion.slow *= factor;
        self.warm_start.scale(factor);
        self.last.scale(factor);
    }
}
