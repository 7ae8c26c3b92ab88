//! Steps in which a robot is struck are made in parts.
//!
//! Where restitution acts, the velocity of a tree jumps within the step, and with it all that depends on it: A and
//! rows of the start of the step, and accelerations of the velocity before, are off by the step times its speed.
//! So the step ends just before the impact, a short one has it, where it happens, and the rest goes on with the
//! velocity after it: each part of high order but the short one. Free bodies under implicit Euler need none of this
//! (see [`stiction_modeling::impact`]) and would lose their exact parabolas by it: a world that moves any, or
//! anything else whose velocities lag, makes whole steps. Drives and controllers act as they were asked to at the
//! step's start, forces that are measured are means over the whole step.

use stiction_islands::WarmStart;

use super::StepReport;
use crate::error::Result;
use crate::measure::LastStep;
use crate::settings::Settings;
use crate::world::World;

/// Share of a step that an impact takes: of its error nothing is left that anybody sees.
const SHORT: f64 = 1.0 / 256.0;
/// Most parts of a step: what then still bounces does so within the last.
const MOST_PARTS: usize = 24;

/// What the parts of a step did so far. Keeps its storage.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Of all parts so far; `None` before the first.
    report: Option<StepReport>,
    /// What constraints did in parts before the last.
    earlier: LastStep,
    /// The guess of a part with an impact: what strikes is no guess for what follows.
    guess: WarmStart,
}

impl World {
    /// The share of the step until the first impact for which the step has to be made in parts, once its motion was
    /// found.
    pub(super) fn impact_to_part_at(&self) -> Option<f64> {
        let strike = self.strike?;
        let owners = self.tables.layout.owner.iter();
        let mut lags = owners.map(|&(mechanism, _)| self.mechanisms.get(mechanism).velocity_lag());
        let is_good = self.settings.theta == 0.0 && lags.all(|lag| lag == 0.0);
        is_good.then_some(strike.clamp(0.0, 1.0))
    }

    /// Makes the step in parts, the first impact after a share of it.
    pub(super) fn move_in_parts(&mut self, share: f64) -> Result<()> {
        let Settings {
            time_step: whole,
            baumgarte,
            contact_motion,
            ..
        } = self.settings;
        let short = SHORT * whole;
        self.whole_step.keep(&self.state, &self.warm_start);
        self.whole_step.parts.report = None;
        let (mut left, mut strike, mut count) = (whole, Some(share * whole), 0);
        while left > 0.0 {
            let wanted = match strike {
                Some(time) if time > short => time - 0.5 * short,
                Some(_) => short,
                None => left,
            };
            // No part is so short that it is rounding.
            let is_last = left - wanted < 0.25 * short;
            let length = if is_last { left } else { wanted };
            self.begin_part(length)?;
            self.whole_step.parts.guess.clone_from(&self.warm_start);
            self.pass()?;
            count += 1;
            strike = self.impact_to_part_at().map(|share| share * length);
            if strike.is_some() && length > short && count < MOST_PARTS {
                continue;
            }
            self.find_end()?;
            self.take_effect()?;
            if strike.take().is_some() {
                self.warm_start.clone_from(&self.whole_step.parts.guess);
            }
            left = if is_last { 0.0 } else { left - length };
            self.add_part(left == 0.0);
        }
        // What is remembered of the step is that of the whole already.
        self.warm_start.scale(whole / self.settings.time_step);
        self.settings.time_step = whole;
        self.settings.baumgarte = baumgarte;
        self.settings.contact_motion = contact_motion;
        self.end_whole_step();
        self.measure_contacts();
        Ok(())
    }

    fn begin_part(&mut self, length: f64) -> Result<()> {
        let factor = length / self.settings.time_step;
        self.change_time_step(factor);
        // Pushes are those of the whole step.
        self.settings.baumgarte *= factor;
        self.refresh()?;
        self.take_driven_velocities();
        self.open_account();
        Ok(())
    }

    /// Adds what was done before to what the part that was made last did.
    fn add_part(&mut self, is_last: bool) {
        let parts = &mut self.whole_step.parts;
        if let Some(before) = &parts.report {
            self.report.follow(before);
            self.last.add_earlier(&parts.earlier);
        }
        match is_last {
            true => parts.report = None,
            false => {
                parts.report = Some(self.report.clone());
                parts.earlier.copy_from(&self.last);
            }
        }
    }
}
