//! Further passes of linearise-and-solve in one step.

use crate::error::Result;
use crate::mechanism::{Now, Placing};
use crate::settings::Settings;
use crate::world::World;

/// Change of v̂ against the fastest of it at which further passes change nothing any more.
const SETTLED: f64 = 1e-13;
/// Passes of the midpoint rule beside the first: its rows need the v̂ that they are averaged over.
const MIDPOINT_PASSES: usize = 2;

impl World {
    /// Detects, assembles and solves once.
    pub(super) fn pass(&mut self) -> Result<()> {
        self.detect_contacts()?;
        self.assemble()?;
        self.solve()
    }

    /// Repeats linearise-and-solve as often as the settings say, or until v̂ stays. Where passes do not
    /// settle (v̂ changes by more than in the pass before) the step is that of the first pass.
    pub(super) fn pass_again(&mut self) -> Result<()> {
        let wanted = match self.settings.theta == Settings::MIDPOINT {
            true => self.settings.relinearizations.max(MIDPOINT_PASSES),
            false => self.settings.relinearizations,
        };
        if self.rows.heads().is_empty() {
            // Nothing depends on v̂ of another.
            return Ok(());
        }
        let mut last = f64::INFINITY;
        for _ in 0..wanted {
            self.last_pass.clone_from(&self.v_hat);
            self.relinearize()?;
            self.pass()?;
            let (mut change, mut speed) = (0.0f64, 0.0f64);
            for (new, old) in self.v_hat.iter().zip(&self.last_pass) {
                change = change.max((new - old).abs());
                speed = speed.max(old.abs());
            }
            if change <= SETTLED * speed {
                break;
            }
            if !(change < last) {
                self.refresh()?;
                self.take_driven_velocities();
                return self.pass();
            }
            last = change;
        }
        Ok(())
    }

    /// Moves poses on along v̂, so that the next pass linearises there: at the end of the step for
    /// implicit Euler, in the middle for the midpoint rule.
    ///
    /// # Errors
    /// Robots whose configuration cannot be integrated.
    pub fn relinearize(&mut self) -> Result<()> {
        let advance = (1.0 - self.settings.theta) * self.settings.time_step;
        if self.places.advance == 0.0 {
            let frames = &mut self.places.frames;
            frames.start.clone_from(&frames.pose);
        }
        let now = Now {
            state: &self.state,
            inputs: &self.commands.inputs,
            settings: &self.settings,
            guess: Some(&self.v_hat),
        };
        self.passing.clone_from(&self.state.q);
        for mechanism in self.mechanisms.iter() {
            mechanism.retract(&now, &self.v_hat, advance, &mut self.passing)?;
        }
        let at = Placing {
            q: &self.passing,
            v: &self.state.v,
            memory: &self.state.memory,
            guess: Some(&self.v_hat),
            inputs: &self.commands.inputs,
        };
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.place(&at, &mut self.places)?;
        }
        self.places.advance = advance;
        Ok(())
    }

    /// Places everything at the state.
    pub(crate) fn refresh(&mut self) -> Result<()> {
        let at = Placing {
            q: &self.state.q,
            v: &self.state.v,
            memory: &self.state.memory,
            guess: None,
            inputs: &self.commands.inputs,
        };
        self.places.advance = 0.0;
        for mechanism in self.mechanisms.iter_mut() {
            mechanism.place(&at, &mut self.places)?;
        }
        Ok(())
    }
}
