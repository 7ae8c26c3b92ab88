//! What drives a world: joint torques, tracked joint positions, forces on bodies, driven bodies.

use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use crate::body::BodyHandle;
use crate::error::{Result, SimError, finite, finite_vector, not_negative};
use crate::robot::RobotHandle;
use crate::state::Twist;
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

/// Tracking of a joint coordinate: τ = feed-forward + stiffness (position − q) + damping
/// (velocity − v), with q and v of the **end** of the step, so that no gain is too stiff.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Tracking {
    /// Wanted position, rad or m.
    pub position: f64,
    /// Wanted velocity, rad/s or m/s.
    pub velocity: f64,
    /// Proportional gain, N·m/rad or N/m.
    pub stiffness: f64,
    /// Derivative gain, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Torque added, N·m or N.
    pub feed_forward: f64,
}

impl Tracking {
    fn validate(&self) -> Result<()> {
        finite("tracking", "position", self.position)?;
        finite("tracking", "velocity", self.velocity)?;
        not_negative("tracking", "stiffness", self.stiffness)?;
        not_negative("tracking", "damping", self.damping)?;
        finite("tracking", "feed_forward", self.feed_forward)
    }
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
pub struct Commands {
    /// Per robot and degree of freedom.
    pub(crate) robots: Vec<Vec<Tracking>>,
    /// Per tendon, on its length.
    pub(crate) tendons: Vec<Tracking>,
    /// Per body.
    pub(crate) wrenches: Vec<Wrench>,
    /// Per body: which take a velocity, and where forces act.
    pub(crate) kinds: Vec<CommandKind>,
    /// Per body: velocity of driven ones.
    pub(crate) driven: Vec<Twist>,
    /// Per body: the point about which torques are taken, world, m.
    pub(crate) centers: Vec<Vector3<f64>>,
}

/// What may be commanded on a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CommandKind {
    Nothing,
    Velocity,
    Force,
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
        tracking.validate()?;
        let slot = self
            .robots
            .get_mut(robot.0)
            .and_then(|dofs| dofs.get_mut(dof))
            .ok_or_else(|| SimError::Unknown {
                what: "robot and degree of freedom",
                name: format!("{}, {dof}", robot.0),
            })?;
        *slot = tracking;
        Ok(())
    }

    /// Drives a tendon: a force along its length (positive pushes its ends apart), and gains that
    /// track a length and its rate. It stays until changed.
    ///
    /// # Errors
    /// An unknown tendon, a number that is not finite, a negative gain.
    pub fn drive_tendon(&mut self, tendon: TendonHandle, tracking: Tracking) -> Result<()> {
        tracking.validate()?;
        let slot = self.tendons.get_mut(tendon.0);
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
        self.wrenches[body.0].force += force;
        self.wrenches[body.0].torque += torque;
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
        let arm = point.coords - self.centers[body.0];
        self.push(body, force, arm.cross(&force))
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
        self.driven[body.0] = Twist {
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
    pub(crate) fn add_body(&mut self, kind: CommandKind, velocity: Twist) {
        self.wrenches.push(Wrench::default());
        self.kinds.push(kind);
        self.driven.push(velocity);
        self.centers.push(Vector3::zeros());
    }

    /// Forgets the forces, which act for one step.
    pub(crate) fn clear_forces(&mut self) {
        self.wrenches.fill(Wrench::default());
    }
}
