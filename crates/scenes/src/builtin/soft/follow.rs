//! Joints that follow signals.

use stiction_sim::{Commands, Controller, Result, RobotHandle, Signal, Tracking, World};

use crate::builtin::robots::stage::Servo;

/// Drives joints of one robot along signals.
pub(super) struct Follow {
    pub(super) robot: RobotHandle,
    /// Degree of freedom, what drives it, and where to (rad or m).
    pub(super) joints: Vec<(usize, Servo, Signal<f64>)>,
}

impl Controller for Follow {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let time = world.time() + world.settings().time_step;
        for (dof, servo, target) in &self.joints {
            let (position, velocity) = target.at(time, 0.0);
            let tracking = Tracking {
                position,
                velocity,
                stiffness: servo.stiffness,
                damping: servo.damping,
                feed_forward: servo.feed_forward,
            };
            commands.track(self.robot, *dof, tracking)?;
        }
        Ok(())
    }
}
