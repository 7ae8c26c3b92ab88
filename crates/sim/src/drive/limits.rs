//! Limits of actuators, decided by the end of the step.

use super::actuator::{ActuatorEntry, ActuatorTarget};
use crate::tendon::TendonEntry;
use crate::world::World;

/// Most times that a step looks for the actuators that end at their limits, as for the drives of joints.
const MOST_REVISIONS: usize = 5;

impl World {
    /// Looks at the v̂ that was solved for: whether an actuator turned out to be on another piece of its
    /// force. Commands are then changed.
    pub(crate) fn revise_actuators(&mut self) -> bool {
        let is_limited = |entry: &ActuatorEntry| entry.actuator.force_limits.is_some();
        if self.drive_revisions == MOST_REVISIONS || !self.actuators.iter().any(is_limited) {
            return false;
        }
        let mut actuators = std::mem::take(&mut self.actuators);
        let mut tendons = std::mem::take(&mut self.tendons);
        let mut is_revised = false;
        for entry in actuators.iter_mut().filter(|entry| is_limited(entry)) {
            let actuator = &entry.actuator;
            let Some(memory) = entry.next else { continue };
            let Some(end) = self.coordinate_at_end(&actuator.target, &mut tendons) else {
                continue;
            };
            let force = actuator.force_at(&memory.force, end);
            let piece = entry.piece.revised(force, actuator.limits());
            if piece != entry.piece {
                entry.piece = piece;
                let tracking = actuator.tracking(memory.force, piece);
                self.commands.change_addition(entry.addition, tracking);
                is_revised = true;
            }
        }
        (self.actuators, self.tendons) = (actuators, tendons);
        if is_revised {
            self.drive_revisions += 1;
            self.commands.add_up_drives(&mut self.sums);
        }
        is_revised
    }

    /// Coordinate and rate of a target as v̂ leads to them; `None` for a frame, whose force has no gains.
    fn coordinate_at_end(
        &self,
        target: &ActuatorTarget,
        tendons: &mut [TendonEntry],
    ) -> Option<[f64; 2]> {
        let dt = self.settings.time_step;
        match *target {
            ActuatorTarget::Joint { robot, dof } => {
                let robot = self.robot(robot).ok()?;
                robot.coordinate_at_end(dof, &self.state.q, &self.v_hat, dt)
            }
            ActuatorTarget::Tendon(tendon) => {
                let entry = tendons.get_mut(tendon.0)?;
                let mut rate = entry.model.driven();
                for (subsystem, a) in &mut entry.subsystems {
                    let (mechanism, own) = self.tables.layout.owner[*subsystem];
                    self.mechanisms.get(mechanism).write_matrix(own, a);
                    let v_hat = &self.v_hat[self.tables.layout.dofs(*subsystem)];
                    rate += entry.model.rate_of(*subsystem, Some(a), v_hat);
                }
                Some([entry.model.start() + dt * rate, rate])
            }
            ActuatorTarget::Frame { .. } => None,
        }
    }
}
