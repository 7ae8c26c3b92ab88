//! Forces of the constraints of a joint.

use crate::error::Result;
use crate::robot::RobotHandle;
use crate::step::RowKind;
use crate::world::World;

/// What dry friction and limits did to a joint in the last step, N·m or N (mean over the step).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointForces {
    /// Of dry friction; zero without any.
    pub friction: f64,
    /// Of the limits of position and speed; zero where none is reached.
    pub limit: f64,
}

impl World {
    /// Forces of dry friction and limits on a joint with one degree of freedom in the last step.
    ///
    /// # Errors
    /// An unknown robot or joint, or a joint with another number of degrees of freedom.
    pub fn joint_forces(&self, robot: RobotHandle, joint: &str) -> Result<JointForces> {
        let dof = self.dof(robot, joint)?;
        let force = |key| {
            let row = self.last.row(key);
            row.map_or(0.0, |row| row.impulse[0] / self.settings.time_step)
        };
        let of = |kind: RowKind| force(kind.key(robot.0, dof as u64));
        let soft = self.robot(robot)?.soft_limit(dof);
        let soft = soft.map_or(0.0, |(key, side)| side * force(key));
        Ok(JointForces {
            friction: of(RowKind::Friction),
            limit: of(RowKind::Limit) + soft,
        })
    }
}
