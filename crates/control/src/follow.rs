//! Joints that follow signals.

use stiction_sim::{Commands, Controller, Result, RobotHandle, Signal, World};

use crate::servo::Servo;

/// Drives joints of one robot along signals.
#[derive(Debug, Clone)]
pub struct Follow {
    /// The robot.
    pub robot: RobotHandle,
    /// Degree of freedom, what drives it, and where to (rad or m).
    pub joints: Vec<(usize, Servo, Signal<f64>)>,
}

impl Controller for Follow {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let time = world.time() + world.settings().time_step;
        for (dof, servo, target) in &self.joints {
            let (position, velocity) = target.at(time, 0.0);
            commands.track(self.robot, *dof, servo.track([position, velocity], 0.0))?;
        }
        Ok(())
    }
}
