//! Finding, reading and placing what is in a world.

use nalgebra::{Isometry3, Vector3};
use stiction_dynamics::Model;
use stiction_modeling::{Motion, Twist};

use super::World;
use crate::body::{Body, BodyHandle, Kind};
use crate::connection::ConnectionHandle;
use crate::drive::Commands;
use crate::error::{Result, SimError, finite_vector};
use crate::mechanism::{Layout, Mechanism, MechanismHandle};
use crate::robot::{Robot, RobotHandle};
use crate::state::State;
use crate::tendon::TendonHandle;

impl World {
    /// What drives the world in the next step; see [`Commands`].
    pub fn commands(&mut self) -> &mut Commands {
        &mut self.commands
    }

    /// A body by its name.
    ///
    /// # Errors
    /// A name that no body has.
    pub fn find_body(&self, name: &str) -> Result<BodyHandle> {
        let found = self.tables.body_by_name.get(name).copied().map(BodyHandle);
        found.ok_or_else(|| SimError::Unknown {
            what: "body",
            name: name.to_owned(),
        })
    }

    /// A robot by its name.
    ///
    /// # Errors
    /// A name that no robot has.
    pub fn find_robot(&self, name: &str) -> Result<RobotHandle> {
        let mut handles = (0..self.robots.len()).map(RobotHandle);
        let found =
            handles.find(|&handle| self.robot(handle).is_ok_and(|robot| robot.name == name));
        found.ok_or_else(|| SimError::Unknown {
            what: "robot",
            name: name.to_owned(),
        })
    }

    /// A mechanism by its handle.
    ///
    /// # Errors
    /// A handle of another world.
    pub fn mechanism<M: Mechanism>(&self, handle: MechanismHandle<M>) -> Result<&M> {
        self.mechanisms
            .typed(handle.index)
            .ok_or_else(|| unknown_mechanism(handle.index))
    }

    /// A mechanism by its handle, to be changed.
    ///
    /// # Errors
    /// A handle of another world.
    pub fn mechanism_mut<M: Mechanism>(&mut self, handle: MechanismHandle<M>) -> Result<&mut M> {
        self.mechanisms
            .typed_mut(handle.index)
            .ok_or_else(|| unknown_mechanism(handle.index))
    }

    /// Positions and velocities of everything.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Whose numbers are where in the [state](Self::state).
    pub fn layout(&self) -> &Layout {
        &self.tables.layout
    }

    /// Name of a body.
    ///
    /// # Errors
    /// An unknown body.
    pub fn body_name(&self, body: BodyHandle) -> Result<&str> {
        Ok(&self.body(body)?.name)
    }

    /// Name of a connection.
    ///
    /// # Errors
    /// An unknown connection.
    pub fn connection_name(&self, connection: ConnectionHandle) -> Result<&str> {
        let found = self.connections.get(connection.0);
        let found = found.map(|connection| connection.name.as_str());
        found.ok_or_else(|| SimError::Unknown {
            what: "connection",
            name: connection.0.to_string(),
        })
    }

    /// Name of a tendon.
    ///
    /// # Errors
    /// An unknown tendon.
    pub fn tendon_name(&self, tendon: TendonHandle) -> Result<&str> {
        let found = self.tendons.get(tendon.0);
        let found = found.map(|tendon| tendon.name.as_str());
        found.ok_or_else(|| SimError::Unknown {
            what: "tendon",
            name: tendon.0.to_string(),
        })
    }

    /// Name of a robot.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn robot_name(&self, robot: RobotHandle) -> Result<&str> {
        Ok(&self.robot(robot)?.name)
    }

    /// Names of all bodies, in the order of their handles.
    pub fn body_names(&self) -> impl Iterator<Item = &str> {
        self.tables.bodies.iter().map(|body| body.name.as_str())
    }

    /// Model of a robot.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn model(&self, robot: RobotHandle) -> Result<&Model> {
        Ok(&self.robot(robot)?.model)
    }

    /// The degree of freedom of a joint that has one.
    ///
    /// # Errors
    /// An unknown robot or joint, or a joint with another number of degrees of freedom.
    pub fn dof(&self, robot: RobotHandle, joint: &str) -> Result<usize> {
        self.robot(robot)?.dof(joint)
    }

    /// Configuration and velocity of a robot, as in `stiction_dynamics`.
    ///
    /// # Errors
    /// An unknown robot.
    pub fn robot_state(&self, robot: RobotHandle) -> Result<(&[f64], &[f64])> {
        let robot = self.robot(robot)?;
        let State { q, v, .. } = &self.state;
        Ok((&q[robot.q.clone()], &v[robot.v.clone()]))
    }

    /// Places a robot: configuration and velocity, as in `stiction_dynamics`.
    ///
    /// # Errors
    /// An unknown robot, wrong lengths, numbers that are not finite, a quaternion of length zero.
    pub fn set_robot_state(&mut self, robot: RobotHandle, q: &[f64], v: &[f64]) -> Result<()> {
        let robot = self.robot(robot)?;
        let mut state = stiction_dynamics::State {
            q: q.to_vec(),
            v: v.to_vec(),
        };
        state.validate(&robot.model)?;
        let (q, v, memory) = (robot.q.clone(), robot.v.clone(), robot.memory.clone());
        self.state.memory[memory].fill(0.0);
        self.state.q[q].copy_from_slice(&state.q);
        self.state.v[v].copy_from_slice(&state.v);
        self.last.is_known = false;
        self.refresh()
    }

    /// Places a rigid body: pose of its frame, velocity of its centre of mass (m/s) and angular
    /// velocity (rad/s), world axes.
    ///
    /// # Errors
    /// A link of a robot, a fixed body with a velocity, numbers that are not finite.
    pub fn set_body_state(
        &mut self,
        body: BodyHandle,
        pose: Isometry3<f64>,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<()> {
        let entry = self.body(body)?;
        let (name, kind) = (entry.name.clone(), entry.kind);
        let refuse = |reason: &str| {
            Err(SimError::NotPossible {
                element: name.clone(),
                reason: reason.to_owned(),
            })
        };
        let position = pose.translation.vector.iter();
        finite_vector(&name, "pose", position.chain(pose.rotation.coords.iter()))?;
        finite_vector(&name, "velocity", velocity.iter())?;
        finite_vector(&name, "angular velocity", angular_velocity.iter())?;
        let velocities = [&velocity, &angular_velocity];
        match kind {
            Kind::Link { .. } => return refuse("is a link: place its robot instead"),
            Kind::Other { .. } => return refuse("is part of a mechanism: place that instead"),
            Kind::Free(item) => {
                let bodies = &self.mechanisms.free_bodies;
                bodies.set(item, &pose, velocities, &mut self.state);
            }
            Kind::Scenery(item) => {
                if self.places.frames.motion[body.0] == Motion::Driven {
                    self.commands.drive(body, velocity, angular_velocity)?;
                } else if velocity.norm() + angular_velocity.norm() > 0.0 {
                    return refuse("is fixed and cannot have a velocity");
                }
                let scenery = &self.mechanisms.scenery;
                scenery.set(item, &pose, velocities, &mut self.state);
            }
        }
        self.last.is_known = false;
        self.refresh_body(body)
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Steps made.
    pub fn step_count(&self) -> u64 {
        self.state.step
    }

    /// Pose of a body's frame.
    ///
    /// # Errors
    /// An unknown body.
    pub fn pose(&self, body: BodyHandle) -> Result<Isometry3<f64>> {
        self.body(body)?;
        Ok(self.places.frames.pose[body.0])
    }

    /// Velocity of a body's origin and its angular velocity, world axes.
    ///
    /// # Errors
    /// An unknown body.
    pub fn velocity(&self, body: BodyHandle) -> Result<Twist> {
        self.body(body)?;
        Ok(self.places.frames.twist[body.0])
    }

    /// Whether a body is a link that a joint carries.
    ///
    /// # Errors
    /// An unknown body.
    pub fn is_moving_link(&self, body: BodyHandle) -> Result<bool> {
        let is_link = matches!(self.body(body)?.kind, Kind::Link { .. });
        Ok(is_link && self.places.frames.motion[body.0].subsystem().is_some())
    }

    /// Mass of a body, kg; zero for what forces don't move.
    ///
    /// # Errors
    /// An unknown body.
    pub fn mass(&self, body: BodyHandle) -> Result<f64> {
        Ok(self.body(body)?.mass)
    }

    pub(crate) fn body(&self, handle: BodyHandle) -> Result<&Body> {
        let found = self.tables.bodies.get(handle.0);
        found.ok_or_else(|| SimError::Unknown {
            what: "body",
            name: handle.0.to_string(),
        })
    }

    pub(crate) fn robot(&self, handle: RobotHandle) -> Result<&Robot> {
        let number = self.robots.get(handle.0).map(|robot| robot.index);
        let found = number.and_then(|number| self.mechanisms.typed(number));
        found.ok_or_else(|| SimError::Unknown {
            what: "robot",
            name: handle.0.to_string(),
        })
    }

    /// The point of a body about which torques are taken, world, m: the centre of mass of a free body,
    /// the origin of every other.
    pub(crate) fn center(&self, frame: usize) -> Vector3<f64> {
        match (
            self.tables.bodies[frame].kind,
            self.places.frames.motion[frame],
        ) {
            (Kind::Free(_), Motion::Solved { subsystem, .. }) => {
                self.places.references[subsystem as usize]
            }
            _ => self.places.frames.pose[frame].translation.vector,
        }
    }
}

fn unknown_mechanism(number: usize) -> SimError {
    SimError::Unknown {
        what: "mechanism of this type",
        name: number.to_string(),
    }
}
