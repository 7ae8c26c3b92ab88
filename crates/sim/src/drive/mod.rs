//! What drives a world: commands of users and controllers, and actuators.

mod actuator;
mod commands;
mod limits;
mod sum;

pub use actuator::{Actuator, ActuatorHandle, ActuatorTarget};
pub use commands::{Commands, Inputs, Wrench};

pub(crate) use actuator::ActuatorEntry;
pub(crate) use commands::CommandKind;
pub(crate) use sum::Sums;

use crate::error::Result;
use crate::world::World;

/// Called at the start of every step to set [`Commands`] from what the world shows.
pub trait Controller: Send {
    /// Sets commands for the step that begins. The world is as it was before the step, and everything
    /// may be asked of it, a [snapshot](World::snapshot) too. Joint commands, controls of actuators
    /// and velocities of driven bodies stay until they are changed; forces on bodies and what is
    /// [added](Commands::add_drive) to a joint act for one step.
    ///
    /// # Errors
    /// Whatever makes control impossible: the step then fails and the state stays as it was.
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()>;

    /// Memory of the controller for a snapshot; empty if it has none.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Restores what [`memory`](Self::memory) returned.
    fn restore(&mut self, _memory: &[f64]) {}
}

impl World {
    /// Lets controllers set their commands, then actuators follow their controls; in the end adds up
    /// everything that acts on one body, joint or tendon.
    pub(crate) fn run_drives(&mut self) -> Result<()> {
        self.commands.begin_step();
        self.drive_revisions = 0;
        let controlled = self.run_controllers();
        let result = controlled.and_then(|()| self.run_actuators());
        self.commands.end_control();
        self.add_up_commands();
        result
    }

    /// Lets the controllers set their commands. They see the world as it is before the step, with the
    /// commands that it had.
    fn run_controllers(&mut self) -> Result<()> {
        if self.controllers.is_empty() {
            return Ok(());
        }
        self.controller_memory.clear();
        let memories = self.controllers.iter().map(|one| one.memory());
        self.controller_memory.extend(memories);
        let mut controllers = std::mem::take(&mut self.controllers);
        let mut pending = std::mem::take(&mut self.pending);
        pending.copy_from(&self.commands);
        let result = controllers
            .iter_mut()
            .try_for_each(|controller| controller.control(self, &mut pending));
        self.controllers = controllers;
        self.pending = std::mem::replace(&mut self.commands, pending);
        result
    }

    fn add_up_commands(&mut self) {
        let mut commands = std::mem::take(&mut self.commands);
        commands.add_up_forces(|body| self.center(body));
        commands.add_up_drives(&mut self.sums);
        self.commands = commands;
    }
}
