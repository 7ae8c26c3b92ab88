//! Stopping a world and going on later, to the bit.

use serde::{Deserialize, Serialize};
use stiction_collision::{CollisionMemory, Detector};
use stiction_islands::WarmStart;

use crate::drive::Commands;
use crate::error::{Result, SimError};
use crate::measure::LastStep;
use crate::mechanism::Element;
use crate::state::State;
use crate::step::{ContactForce, StageTimes, StepReport};
use crate::world::World;

/// Version of the snapshot's layout.
const VERSION: u32 = 9;

/// Everything a world needs to go on as if it had never stopped, and what it can be asked about its
/// last step. It does not hold the world's bodies and shapes: restore it into a world that was built in
/// the same way.
///
/// Its version comes first: a snapshot of another one is refused by that and not by what is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    version: Version,
    elements: Vec<Element>,
    bodies: Vec<String>,
    state: State,
    commands: Commands,
    warm_start: WarmStart,
    collision: CollisionMemory,
    controllers: Vec<Vec<f64>>,
    last: LastStep,
    contact_forces: Vec<ContactForce>,
    report: StepReport,
}

/// [`VERSION`] and no other number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
struct Version;

impl From<Version> for u32 {
    fn from(_: Version) -> Self {
        VERSION
    }
}

impl TryFrom<u32> for Version {
    type Error = SimError;

    fn try_from(found: u32) -> Result<Self> {
        if found == VERSION {
            return Ok(Self);
        }
        Err(SimError::Snapshot(format!(
            "it has version {found}, this program writes and reads {VERSION}"
        )))
    }
}

impl World {
    /// Everything the world needs to go on from here. Taken by a controller within a step, it is of
    /// the start of that step.
    pub fn snapshot(&self) -> Snapshot {
        let controllers = match self.controllers.is_empty() {
            true => self.controller_memory.clone(),
            false => self.controllers.iter().map(|one| one.memory()).collect(),
        };
        let bodies = self.tables.bodies.iter();
        Snapshot {
            version: Version,
            elements: self.tables.layout.elements.clone(),
            bodies: bodies.map(|body| body.name.clone()).collect(),
            state: self.state.clone(),
            commands: self.commands.clone(),
            warm_start: self.warm_start.clone(),
            collision: self.detector().memory(),
            controllers,
            last: self.last.clone(),
            contact_forces: self.contact_forces.clone(),
            // Two runs that do the same take different times.
            report: StepReport {
                stages: StageTimes::default(),
                ..self.report.clone()
            },
        }
    }

    /// Goes back, or on, to a snapshot of a world built in the same way.
    ///
    /// # Errors
    /// A snapshot of another world or version; the world is then as it was.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.check(snapshot)?;
        match &mut self.own_detector {
            Some(own) => own.restore(&self.colliders, &snapshot.collision)?,
            None => self
                .detector
                .restore(&self.colliders, &snapshot.collision)?,
        }
        self.state.copy_from(&snapshot.state);
        self.commands.copy_from(&snapshot.commands);
        self.forget_begun_step();
        self.warm_start.clone_from(&snapshot.warm_start);
        for (controller, memory) in self.controllers.iter_mut().zip(&snapshot.controllers) {
            controller.restore(memory);
        }
        self.last.copy_from(&snapshot.last);
        self.contact_forces.clone_from(&snapshot.contact_forces);
        self.report.clone_from(&snapshot.report);
        self.energy = None;
        self.refresh()
    }

    fn detector(&self) -> &dyn Detector {
        self.own_detector.as_deref().unwrap_or(&self.detector)
    }

    fn check(&self, snapshot: &Snapshot) -> Result<()> {
        let refuse = |reason: String| Err(SimError::Snapshot(reason));
        let (layout, state) = (&self.tables.layout, &snapshot.state);
        let bodies = self.tables.bodies.iter().map(|body| &body.name);
        if !bodies.eq(&snapshot.bodies) {
            return refuse("it has other bodies".to_owned());
        }
        if layout.elements != snapshot.elements {
            return refuse(
                "its bodies, robots, their joints or its actuators are others".to_owned(),
            );
        }
        let sizes = |state: &State| [state.q.len(), state.v.len(), state.memory.len()];
        if sizes(state) != sizes(&self.state)
            || snapshot.controllers.len() != self.controllers.len()
        {
            return refuse("its parts have other sizes than the world".to_owned());
        }
        if !self.commands.fits(&snapshot.commands) {
            return refuse(
                "its commands are for other bodies, joints, tendons or actuators".to_owned(),
            );
        }
        let counts = [self.tables.bodies.len(), self.tendons.len()];
        if !snapshot.last.fits(counts, layout, state) {
            return refuse("its last step is of another world".to_owned());
        }
        if !state.is_finite() || !snapshot.warm_start.is_finite() {
            return refuse("it holds numbers that are not finite".to_owned());
        }
        Ok(())
    }
}
