//! Further passes of linearise-and-solve in one step.

use crate::error::Result;
use crate::mechanism::{Now, Placing};
use crate::world::World;

impl World {
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
