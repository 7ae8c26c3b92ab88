//! Stopping a world and going on later, to the bit.

use serde::{Deserialize, Serialize};
use stiction_collision::{CollisionMemory, Detector};

use crate::control::Commands;
use crate::error::{Result, SimError};
use crate::state::State;
use crate::warm_start::WarmStart;
use crate::world::World;

/// Version of the snapshot's layout.
const VERSION: u32 = 4;

/// Everything a world needs to go on as if it had never stopped. It does not hold the world's
/// bodies and shapes: restore it into a world that was built in the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    version: u32,
    bodies: Vec<String>,
    robots: Vec<String>,
    state: State,
    commands: Commands,
    warm_start: WarmStart,
    collision: CollisionMemory,
    controllers: Vec<Vec<f64>>,
}

impl World {
    /// Everything the world needs to go on from here.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            version: VERSION,
            bodies: self.bodies.iter().map(|body| body.name.clone()).collect(),
            robots: self.robots.iter().map(|robot| robot.name.clone()).collect(),
            state: self.state.clone(),
            commands: self.commands.clone(),
            warm_start: self.warm_start.clone(),
            collision: self.detector.memory(),
            controllers: self
                .controllers
                .iter()
                .map(|controller| controller.memory())
                .collect(),
        }
    }

    /// Goes back, or on, to a snapshot of a world built in the same way.
    ///
    /// # Errors
    /// A snapshot of another world or version; the world is then as it was.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.check(snapshot)?;
        self.detector
            .restore(&self.colliders, &snapshot.collision)?;
        self.state.copy_from(&snapshot.state);
        self.commands.clone_from(&snapshot.commands);
        self.warm_start.clone_from(&snapshot.warm_start);
        for (controller, memory) in self.controllers.iter_mut().zip(&snapshot.controllers) {
            controller.restore(memory);
        }
        self.contact_forces.clear();
        self.has_previous = false;
        self.refresh()
    }

    fn check(&self, snapshot: &Snapshot) -> Result<()> {
        let refuse = |reason: String| Err(SimError::Snapshot(reason));
        if snapshot.version != VERSION {
            return refuse(format!(
                "it has version {}, this program writes and reads {VERSION}",
                snapshot.version
            ));
        }
        let bodies = self.bodies.iter().map(|body| &body.name);
        if !bodies.eq(&snapshot.bodies) {
            return refuse("it has other bodies".to_owned());
        }
        let robots = self.robots.iter().map(|robot| &robot.name);
        if !robots.eq(&snapshot.robots) {
            return refuse("it has other robots".to_owned());
        }
        let same_robots = self.state.robots.iter().zip(&snapshot.state.robots);
        if snapshot.state.robots.len() != self.state.robots.len()
            || same_robots
                .into_iter()
                .any(|(a, b)| a.q.len() != b.q.len() || a.v.len() != b.v.len())
        {
            return refuse("its robots have other joints".to_owned());
        }
        let counts = [
            (snapshot.state.bodies.len(), self.bodies.len()),
            (snapshot.commands.wrenches.len(), self.bodies.len()),
            (snapshot.commands.driven.len(), self.bodies.len()),
            (snapshot.commands.kinds.len(), self.bodies.len()),
            (snapshot.commands.centers.len(), self.bodies.len()),
            (snapshot.commands.robots.len(), self.robots.len()),
            (snapshot.commands.tendons.len(), self.tendons.len()),
            (snapshot.controllers.len(), self.controllers.len()),
        ];
        if counts.iter().any(|(found, expected)| found != expected) {
            return refuse("its parts have other sizes than the world".to_owned());
        }
        let dofs = self.commands.robots.iter().zip(&snapshot.commands.robots);
        if dofs.into_iter().any(|(a, b)| a.len() != b.len()) {
            return refuse("its commands are for other joints".to_owned());
        }
        let finite = snapshot.state.bodies.iter().all(|body| body.is_finite())
            && snapshot.state.robots.iter().all(|robot| robot.is_finite());
        if !finite {
            return refuse("it holds numbers that are not finite".to_owned());
        }
        Ok(())
    }
}
