//! What a world is told: joint torques, tracked joint positions, controls of actuators, forces on bodies,
//! driven bodies.

use std::ops::Range;

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_modeling::{Tracking, Twist};

use super::actuator::ActuatorHandle;
use super::sum::Sums;
use crate::body::BodyHandle;
use crate::error::{Result, SimError, finite, finite_vector, not_negative};
use crate::robot::RobotHandle;
use crate::tendon::TendonHandle;

/// Force and torque on a body, world axes, the torque about its centre of mass (the origin of a
/// robot's link).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Wrench {
    /// Force, N.
    pub force: Vector3<f64>,
    /// Torque, N·m.
    pub torque: Vector3<f64>,
}

/// What drives a world in a step, all that acts on one thing added up.
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
    /// Per degree of freedom of the robots, one after the other, and per tendon: what was asked for
    /// last; it stays.
    joints: Vec<Tracking>,
    tendons: Vec<Tracking>,
    /// Per actuator: its control, where one was set.
    controls: Vec<Option<f64>>,
    /// What is added to drives of joints and tendons in the step that begins.
    additions: Vec<Addition>,
    /// Forces of the step that begins, in the order in which they were asked for.
    pushes: Vec<Push>,
    /// Whether any of the inputs' forces is not zero.
    has_forces: bool,
    /// Additions and pushes of controllers and actuators: a step that is tried again begins without
    /// them.
    additions_of_step: Range<usize>,
    pushes_of_step: Range<usize>,
    /// Per body: whether it takes a velocity or forces.
    kinds: Vec<CommandKind>,
    robots: Vec<RobotDofs>,
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

/// The degrees of freedom of a robot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct RobotDofs {
    /// Among those of the world.
    world: Range<usize>,
    /// Among those of the robots.
    joints: Range<usize>,
}

/// A drive that is added to those of a degree of freedom or a tendon.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Addition {
    on: Coordinate,
    tracking: Tracking,
}

/// A degree of freedom as in [`State::v`](crate::State::v), or a tendon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Coordinate {
    Dof(usize),
    Tendon(usize),
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

    /// Tracks a position and a velocity with a degree of freedom of a robot. It stays until changed;
    /// actuators and what is [added](Self::add_drive) act besides.
    ///
    /// # Errors
    /// An unknown robot or degree of freedom, a number that is not finite, a negative gain.
    pub fn track(&mut self, robot: RobotHandle, dof: usize, tracking: Tracking) -> Result<()> {
        validate(&tracking)?;
        let joint = self.dofs_with(robot, dof)?.joints.start + dof;
        self.joints[joint] = tracking;
        Ok(())
    }

    /// Adds a drive to whatever else acts on a degree of freedom of a robot, for this step.
    ///
    /// # Errors
    /// As [`track`](Self::track).
    pub fn add_drive(&mut self, robot: RobotHandle, dof: usize, tracking: Tracking) -> Result<()> {
        validate(&tracking)?;
        let on = Coordinate::Dof(self.dofs_with(robot, dof)?.world.start + dof);
        self.additions.push(Addition { on, tracking });
        Ok(())
    }

    /// Adds a drive to whatever else acts on a tendon, for this step.
    pub(super) fn add_tendon_drive(
        &mut self,
        tendon: TendonHandle,
        tracking: Tracking,
    ) -> Result<()> {
        validate(&tracking)?;
        let on = Coordinate::Tendon(tendon.0);
        self.additions.push(Addition { on, tracking });
        Ok(())
    }

    /// How many drives were added in the step that begins.
    pub(super) fn addition_count(&self) -> usize {
        self.additions.len()
    }

    /// Changes a drive that was added in the step that begins.
    pub(super) fn change_addition(&mut self, index: usize, tracking: Tracking) {
        if let Some(addition) = self.additions.get_mut(index) {
            addition.tracking = tracking;
        }
    }

    /// The degrees of freedom of a robot that has this one.
    fn dofs_with(&self, robot: RobotHandle, dof: usize) -> Result<&RobotDofs> {
        let dofs = self.robots.get(robot.0);
        let dofs = dofs.filter(|dofs| dof < dofs.world.len());
        dofs.ok_or_else(|| SimError::Unknown {
            what: "robot and degree of freedom",
            name: format!("{}, {dof}", robot.0),
        })
    }

    /// Sets the control of an actuator from now on, in place of its own signal.
    ///
    /// # Errors
    /// An unknown actuator, or a value that is not finite.
    pub fn set_control(&mut self, actuator: ActuatorHandle, value: f64) -> Result<()> {
        finite(&format!("actuator {}", actuator.0), "control", value)?;
        *self.control_slot(actuator)? = Some(value);
        Ok(())
    }

    /// Gives the control of an actuator back to its own signal.
    ///
    /// # Errors
    /// An unknown actuator.
    pub fn release_control(&mut self, actuator: ActuatorHandle) -> Result<()> {
        *self.control_slot(actuator)? = None;
        Ok(())
    }

    fn control_slot(&mut self, actuator: ActuatorHandle) -> Result<&mut Option<f64>> {
        let slot = self.controls.get_mut(actuator.0);
        slot.ok_or_else(|| SimError::Unknown {
            what: "actuator",
            name: actuator.0.to_string(),
        })
    }

    /// The control of an actuator, where one was set.
    pub(super) fn control(&self, actuator: usize) -> Option<f64> {
        self.controls[actuator]
    }

    /// Drives a tendon: a force along its length (positive pushes its ends apart), and gains that
    /// track a length and its rate. It stays until changed.
    ///
    /// # Errors
    /// An unknown tendon, a number that is not finite, a negative gain.
    pub fn drive_tendon(&mut self, tendon: TendonHandle, tracking: Tracking) -> Result<()> {
        validate(&tracking)?;
        let slot = self.tendons.get_mut(tendon.0);
        *slot.ok_or_else(|| SimError::Unknown {
            what: "tendon",
            name: tendon.0.to_string(),
        })? = tracking;
        Ok(())
    }

    /// Force and torque that commands, controllers and actuators of bodies put on a body in the last step.
    ///
    /// # Errors
    /// A body of another world.
    pub fn last_push(&self, body: BodyHandle) -> Result<Wrench> {
        let wrench = self.inputs.wrenches.get(body.0).copied();
        wrench.ok_or_else(|| SimError::Unknown {
            what: "body",
            name: body.0.to_string(),
        })
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
        self.expect_force(body)?;
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
        self.expect_force(body)?;
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

    /// Refuses a body that forces don't move.
    pub(super) fn expect_force(&self, body: BodyHandle) -> Result<()> {
        self.expect(body, CommandKind::Force, "is not moved by forces")
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

    /// Makes room for one more tendon.
    pub(crate) fn add_tendon(&mut self) {
        self.tendons.push(Tracking::default());
        self.inputs.tendons.push(Tracking::default());
    }

    /// Makes room for one more actuator.
    pub(super) fn add_actuator(&mut self) {
        self.controls.push(None);
    }

    /// Says which degrees of freedom are those of a new robot.
    pub(crate) fn add_robot(&mut self, dofs: Range<usize>) {
        let first = self.joints.len();
        let end = first + dofs.len();
        self.joints.resize(end, Tracking::default());
        self.robots.push(RobotDofs {
            world: dofs,
            joints: first..end,
        });
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
        self.joints.clone_from(&other.joints);
        self.tendons.clone_from(&other.tendons);
        self.controls.clone_from(&other.controls);
        self.additions.clone_from(&other.additions);
        self.pushes.clone_from(&other.pushes);
        self.has_forces = other.has_forces;
        self.additions_of_step = other.additions_of_step.clone();
        self.pushes_of_step = other.pushes_of_step.clone();
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
                commands.joints.len(),
                commands.tendons.len(),
                commands.controls.len(),
            ]
        };
        let has = |addition: &Addition| match addition.on {
            Coordinate::Dof(dof) => dof < self.inputs.dofs.len(),
            Coordinate::Tendon(tendon) => tendon < self.tendons.len(),
        };
        let is_part =
            |part: &Range<usize>, whole: usize| part.start <= part.end && part.end <= whole;
        let inside = |push: &Push| push.body < self.kinds.len();
        sizes(self) == sizes(other)
            && self.kinds == other.kinds
            && self.robots == other.robots
            && other.pushes.iter().all(inside)
            && other.additions.iter().all(has)
            && is_part(&other.pushes_of_step, other.pushes.len())
            && is_part(&other.additions_of_step, other.additions.len())
    }

    /// Adds up the forces of the step that begins; `center` is where torques are taken about.
    pub(super) fn add_up_forces(&mut self, center: impl Fn(usize) -> Vector3<f64>) {
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

    /// Adds up the drives of joints and tendons in the step that begins.
    pub(super) fn add_up_drives(&mut self, sums: &mut Sums) {
        for robot in &self.robots {
            let joints = &self.joints[robot.joints.clone()];
            self.inputs.dofs[robot.world.clone()].copy_from_slice(joints);
        }
        self.inputs.tendons.copy_from_slice(&self.tendons);
        let additions = self.additions.iter();
        let on_dofs = additions.clone().filter_map(|addition| match addition.on {
            Coordinate::Dof(dof) => Some((dof, &addition.tracking)),
            Coordinate::Tendon(_) => None,
        });
        sums.add_to(&mut self.inputs.dofs, on_dofs);
        let on_tendons = additions.filter_map(|addition| match addition.on {
            Coordinate::Tendon(tendon) => Some((tendon, &addition.tracking)),
            Coordinate::Dof(_) => None,
        });
        sums.add_to(&mut self.inputs.tendons, on_tendons);
    }

    /// Begins a step; one that is tried again begins without what controllers and actuators asked for
    /// in the last try.
    pub(super) fn begin_step(&mut self) {
        self.additions.drain(self.additions_of_step.clone());
        self.pushes.drain(self.pushes_of_step.clone());
        self.additions_of_step = self.additions.len()..self.additions.len();
        self.pushes_of_step = self.pushes.len()..self.pushes.len();
    }

    /// Remembers what controllers and actuators asked for.
    pub(super) fn end_control(&mut self) {
        self.additions_of_step.end = self.additions.len();
        self.pushes_of_step.end = self.pushes.len();
    }

    /// Forgets what acts for one step.
    pub(crate) fn clear_forces(&mut self) {
        self.additions.clear();
        self.pushes.clear();
        self.additions_of_step = 0..0;
        self.pushes_of_step = 0..0;
    }
}

fn validate(tracking: &Tracking) -> Result<()> {
    finite("tracking", "position", tracking.position)?;
    finite("tracking", "velocity", tracking.velocity)?;
    not_negative("tracking", "stiffness", tracking.stiffness)?;
    not_negative("tracking", "damping", tracking.damping)?;
    finite("tracking", "feed_forward", tracking.feed_forward)
}
