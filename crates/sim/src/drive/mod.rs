//! What drives a world: joint torques, tracked joint positions, forces on bodies, driven bodies.

use std::ops::Range;

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_modeling::{Tracking, Twist};

use crate::body::BodyHandle;
use crate::error::{Result, SimError, finite, finite_vector, not_negative};
use crate::robot::RobotHandle;
use crate::tendon::TendonHandle;
use crate::world::World;

/// Called at the start of every step to set [`Commands`] from what the world shows.
pub trait Controller: Send {
    /// Sets commands for the step that begins. Joint commands and velocities of driven bodies stay
    /// until they are changed; forces on bodies act for one step.
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

/// Force and torque on a body, world axes, the torque about its centre of mass (the origin of a
/// robot's link).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Wrench {
    /// Force, N.
    pub force: Vector3<f64>,
    /// Torque, N·m.
    pub torque: Vector3<f64>,
}

/// What drives a world in a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Inputs {
    /// Per degree of freedom, as in [`State::v`](crate::State::v).
    pub dofs: Vec<Tracking>,
    /// Per tendon, on its length.
    pub tendons: Vec<Tracking>,
    /// Per body: forces of this step.
    pub wrenches: Vec<Wrench>,
    /// Per body: velocity of driven ones.
    pub driven: Vec<Twist>,
}

/// What a user or a controller sets to drive a world.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Commands {
    pub(crate) inputs: Inputs,
    /// Forces of the step that begins, in the order in which they were asked for.
    pushes: Vec<Push>,
    /// Whether any of the inputs' forces is not zero.
    has_forces: bool,
    /// Per body: whether it takes a velocity or forces.
    kinds: Vec<CommandKind>,
    /// Per robot: its degrees of freedom.
    robots: Vec<Range<usize>>,
}

/// What may be commanded on a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CommandKind {
    Nothing,
    Velocity,
    Force,
}

/// A force on a body, N, with a torque about its centre of mass, N·m, or at a point, m; world axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Push {
    body: usize,
    force: Vector3<f64>,
    act: Act,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Act {
    Torque(Vector3<f64>),
    At(Point3<f64>),
}

impl Commands {
    /// Applies a torque (N·m, or N for a sliding joint) to a degree of freedom of a robot, and
    /// stops tracking there.
    ///
    /// # Errors
    /// An unknown robot or degree of freedom, or a torque that is not finite.
    pub fn set_torque(&mut self, robot: RobotHandle, dof: usize, torque: f64) -> Result<()> {
        self.track(
            robot,
            dof,
            Tracking {
                feed_forward: torque,
                ..Tracking::default()
            },
        )
    }

    /// Tracks a position and a velocity with a degree of freedom of a robot.
    ///
    /// # Errors
    /// An unknown robot or degree of freedom, a number that is not finite, a negative gain.
    pub fn track(&mut self, robot: RobotHandle, dof: usize, tracking: Tracking) -> Result<()> {
        validate(&tracking)?;
        let dofs = self.robots.get(robot.0).filter(|dofs| dof < dofs.len());
        let dofs = dofs.ok_or_else(|| SimError::Unknown {
            what: "robot and degree of freedom",
            name: format!("{}, {dof}", robot.0),
        })?;
        self.inputs.dofs[dofs.start + dof] = tracking;
        Ok(())
    }

    /// Drives a tendon: a force along its length (positive pushes its ends apart), and gains that
    /// track a length and its rate. It stays until changed.
    ///
    /// # Errors
    /// An unknown tendon, a number that is not finite, a negative gain.
    pub fn drive_tendon(&mut self, tendon: TendonHandle, tracking: Tracking) -> Result<()> {
        validate(&tracking)?;
        let slot = self.inputs.tendons.get_mut(tendon.0);
        *slot.ok_or_else(|| SimError::Unknown {
            what: "tendon",
            name: tendon.0.to_string(),
        })? = tracking;
        Ok(())
    }

    /// Adds a force (N) and a torque (N·m) about the centre of mass, world axes, for this step.
    ///
    /// # Errors
    /// A body that forces don't move, or a number that is not finite.
    pub fn push(
        &mut self,
        body: BodyHandle,
        force: Vector3<f64>,
        torque: Vector3<f64>,
    ) -> Result<()> {
        self.expect(body, CommandKind::Force, "is not moved by forces")?;
        finite_vector("push", "force", force.iter())?;
        finite_vector("push", "torque", torque.iter())?;
        self.pushes.push(Push {
            body: body.0,
            force,
            act: Act::Torque(torque),
        });
        Ok(())
    }

    /// Adds a force (N, world axes) at a point (m, world) for this step.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_at(
        &mut self,
        body: BodyHandle,
        force: Vector3<f64>,
        point: Point3<f64>,
    ) -> Result<()> {
        self.expect(body, CommandKind::Force, "is not moved by forces")?;
        finite_vector("push_at", "force", force.iter())?;
        finite_vector("push_at", "point", point.iter())?;
        self.pushes.push(Push {
            body: body.0,
            force,
            act: Act::At(point),
        });
        Ok(())
    }

    /// Sets the velocity of a driven body, world axes, m/s and rad/s; it stays until changed.
    ///
    /// # Errors
    /// A body that is not driven, or a number that is not finite.
    pub fn drive(
        &mut self,
        body: BodyHandle,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<()> {
        self.expect(body, CommandKind::Velocity, "is not a driven body")?;
        finite_vector("drive", "velocity", velocity.iter())?;
        finite_vector("drive", "angular velocity", angular_velocity.iter())?;
        self.inputs.driven[body.0] = Twist {
            linear: velocity,
            angular: angular_velocity,
        };
        Ok(())
    }

    fn expect(&self, body: BodyHandle, kind: CommandKind, reason: &str) -> Result<()> {
        match self.kinds.get(body.0) {
            Some(&found) if found == kind => Ok(()),
            Some(_) => Err(SimError::NotPossible {
                element: format!("body {}", body.0),
                reason: reason.to_owned(),
            }),
            None => Err(SimError::Unknown {
                what: "body",
                name: body.0.to_string(),
            }),
        }
    }

    /// Makes room for one more body.
    pub(crate) fn add_body(&mut self, kind: CommandKind) {
        self.inputs.wrenches.push(Wrench::default());
        self.inputs.driven.push(Twist::default());
        self.kinds.push(kind);
    }

    /// Makes room for degrees of freedom.
    pub(crate) fn add_dofs(&mut self, count: usize) {
        let dofs = &mut self.inputs.dofs;
        dofs.resize(dofs.len() + count, Tracking::default());
    }

    /// Says which degrees of freedom are those of a new robot.
    pub(crate) fn add_robot(&mut self, dofs: Range<usize>) {
        self.robots.push(dofs);
    }

    /// Keeps the first bodies and degrees of freedom and forgets the rest.
    pub(crate) fn truncate(&mut self, bodies: usize, dofs: usize) {
        self.inputs.wrenches.truncate(bodies);
        self.inputs.driven.truncate(bodies);
        self.kinds.truncate(bodies);
        self.inputs.dofs.truncate(dofs);
    }

    /// Takes over other commands without allocating, if they are of the same world.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.inputs.dofs.clone_from(&other.inputs.dofs);
        self.inputs.tendons.clone_from(&other.inputs.tendons);
        self.inputs.wrenches.clone_from(&other.inputs.wrenches);
        self.inputs.driven.clone_from(&other.inputs.driven);
        self.pushes.clone_from(&other.pushes);
        self.has_forces = other.has_forces;
        self.kinds.clone_from(&other.kinds);
        self.robots.clone_from(&other.robots);
    }

    /// Whether other commands are for the same bodies, joints and tendons.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let sizes = |commands: &Self| {
            let inputs = &commands.inputs;
            [
                inputs.dofs.len(),
                inputs.tendons.len(),
                inputs.wrenches.len(),
                inputs.driven.len(),
            ]
        };
        let inside = |push: &Push| push.body < self.kinds.len();
        sizes(self) == sizes(other)
            && self.kinds == other.kinds
            && self.robots == other.robots
            && other.pushes.iter().all(inside)
    }

    /// Adds up the forces of the step that begins; `center` is where torques are taken about.
    pub(crate) fn add_up_forces(&mut self, center: impl Fn(usize) -> Vector3<f64>) {
        if self.has_forces {
            self.inputs.wrenches.fill(Wrench::default());
        }
        self.has_forces = !self.pushes.is_empty();
        for push in &self.pushes {
            let wrench = &mut self.inputs.wrenches[push.body];
            wrench.force += push.force;
            wrench.torque += match push.act {
                Act::Torque(torque) => torque,
                Act::At(point) => (point.coords - center(push.body)).cross(&push.force),
            };
        }
    }

    /// Forgets the forces, which act for one step.
    pub(crate) fn clear_forces(&mut self) {
        self.pushes.clear();
    }
}

fn validate(tracking: &Tracking) -> Result<()> {
    finite("tracking", "position", tracking.position)?;
    finite("tracking", "velocity", tracking.velocity)?;
    not_negative("tracking", "stiffness", tracking.stiffness)?;
    not_negative("tracking", "damping", tracking.damping)?;
    finite("tracking", "feed_forward", tracking.feed_forward)
}

impl World {
    /// Lets the controllers set their commands. They see the world as it is before the step, with the
    /// commands that it had.
    pub(crate) fn run_controllers(&mut self) -> Result<()> {
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

    /// Adds up the forces on bodies that were asked for.
    pub(crate) fn add_up_forces(&mut self) {
        let mut commands = std::mem::take(&mut self.commands);
        commands.add_up_forces(|body| self.center(body));
        self.commands = commands;
    }
}
