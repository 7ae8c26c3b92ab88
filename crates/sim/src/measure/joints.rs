//! Motion of joints and frames, and the loads that joints carry.

use nalgebra::{Isometry3, Vector3, Vector6};
use stiction_dynamics::{
    BodyId, Data, Force, ReferenceFrame, forward_kinematics_velocity, frame_placement,
    frame_velocity, rnea,
};
use stiction_modeling::Twist;

use crate::body::{BodyHandle, Kind};
use crate::drive::Wrench;
use crate::error::{Result, SimError};
use crate::robot::{Robot, RobotHandle};
use crate::world::World;

/// Position and velocity of a joint with one degree of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointState {
    /// rad or m.
    pub position: f64,
    /// rad/s or m/s.
    pub velocity: f64,
}

impl World {
    /// Position and velocity of a joint with one degree of freedom.
    ///
    /// # Errors
    /// An unknown robot or joint, or a joint with another number of degrees of freedom.
    pub fn joint_state(&self, robot: RobotHandle, joint: &str) -> Result<JointState> {
        self.dof_state(robot, self.dof(robot, joint)?)
    }

    /// Position and velocity of a degree of freedom; the position is 0 where it has no coordinate
    /// of its own.
    ///
    /// # Errors
    /// An unknown robot or degree of freedom.
    pub fn dof_state(&self, robot: RobotHandle, dof: usize) -> Result<JointState> {
        let position = self.robot(robot)?.position_of_dof(dof)?;
        let (q, v) = self.robot_state(robot)?;
        Ok(JointState {
            position: position.map_or(0.0, |at| q[at]),
            velocity: v[dof],
        })
    }

    /// Pose of a named frame (or link) of a robot in the world, and its velocity in world axes.
    ///
    /// # Errors
    /// An unknown robot or frame.
    pub fn frame_state(&self, robot: RobotHandle, frame: &str) -> Result<(Isometry3<f64>, Twist)> {
        let (q, v) = self.robot_state(robot)?;
        let robot = self.robot(robot)?;
        let id = robot.model.frame_id(frame);
        let id = id.ok_or_else(|| SimError::Unknown {
            what: "frame",
            name: frame.to_owned(),
        })?;
        let mut measured = robot.measured();
        forward_kinematics_velocity(&robot.model, &mut measured, q, v)?;
        let pose = frame_placement(&robot.model, &measured, id)?;
        let axes = ReferenceFrame::LocalWorldAligned;
        let velocity = frame_velocity(&robot.model, &measured, id, axes)?;
        let twist = Twist {
            linear: velocity.linear,
            angular: velocity.angular,
        };
        Ok((pose.to_isometry(), twist))
    }

    /// Force and torque that a joint transmitted to the link it carries in the last step, at the
    /// link's origin, in the link's axes: what a force–torque sensor there reads. Drive torque,
    /// friction and limits are part of it.
    ///
    /// # Errors
    /// An unknown robot or joint, or no step made since the state was set.
    pub fn joint_wrench(&self, robot: RobotHandle, joint: &str) -> Result<Wrench> {
        let robot = self.robot(robot)?;
        let info = robot.model.joint(joint);
        let info = info.ok_or_else(|| SimError::Unknown {
            what: "joint",
            name: joint.to_owned(),
        })?;
        self.wrench_through(robot, info.body)
    }

    /// Force and torque that a link's joint transmitted to it in the last step, as
    /// [`joint_wrench`](Self::joint_wrench) of the joint that carries the link.
    ///
    /// # Errors
    /// A body that is not a moving link of a robot, or no step made since the state was set.
    pub fn link_wrench(&self, body: BodyHandle) -> Result<Wrench> {
        let entry = self.body(body)?;
        match entry.kind {
            Kind::Link { robot, link } if self.is_moving_link(body)? => {
                let robot = self.robot(RobotHandle(robot))?;
                self.wrench_through(robot, robot.ids[link])
            }
            _ => Err(SimError::NotPossible {
                element: entry.name.clone(),
                reason: "no joint carries it".to_owned(),
            }),
        }
    }

    /// Pose and velocity (world axes, at its origin) of a body at the start of the last step;
    /// `None` if the state was set since, or no step was made.
    ///
    /// # Errors
    /// An unknown body, or one of a mechanism that is not a rigid body or a robot.
    pub fn previous_motion(&self, body: BodyHandle) -> Result<Option<(Isometry3<f64>, Twist)>> {
        let entry = self.body(body)?;
        let previous = &self.last.previous;
        match entry.kind {
            Kind::Other { .. } => Err(SimError::NotPossible {
                element: entry.name.clone(),
                reason: "is not a rigid body or a link: its motion of before is not kept"
                    .to_owned(),
            }),
            _ if !self.last.is_known => Ok(None),
            Kind::Free(item) => Ok(Some(self.mechanisms.free_bodies.motion(item, previous))),
            Kind::Scenery(item) => Ok(Some(self.mechanisms.scenery.motion(item, previous))),
            Kind::Link { robot, link } => {
                let robot = self.robot(RobotHandle(robot))?;
                let measured = self.kinematics_before(robot)?;
                let id = robot.ids[link];
                let (pose, local) = (measured.pose(id)?, measured.velocity(id)?);
                let twist = Twist {
                    linear: pose.rotation * local.linear,
                    angular: pose.rotation * local.angular,
                };
                Ok(Some((pose.to_isometry(), twist)))
            }
        }
    }

    /// Kinematics of a robot at the start of the last step.
    fn kinematics_before<'a>(&self, robot: &'a Robot) -> Result<std::sync::MutexGuard<'a, Data>> {
        let before = &self.last.previous;
        let (q, v) = (&before.q[robot.q.clone()], &before.v[robot.v.clone()]);
        let mut measured = robot.measured();
        forward_kinematics_velocity(&robot.model, &mut measured, q, v)?;
        Ok(measured)
    }

    fn wrench_through(&self, robot: &Robot, body: BodyId) -> Result<Wrench> {
        if !self.last.is_known {
            return Err(SimError::NotPossible {
                element: robot.name.clone(),
                reason: "no step was made yet".to_owned(),
            });
        }
        let external = self.forces_on_links(robot)?;
        let dt = self.settings.time_step;
        let before = &self.last.previous;
        let (q, v) = (&before.q[robot.q.clone()], &before.v[robot.v.clone()]);
        let after = &self.state.v[robot.v.clone()];
        let both = after.iter().zip(v);
        let acceleration: Vec<f64> = both.map(|(after, before)| (after - before) / dt).collect();
        let mut measured = robot.measured();
        rnea(
            &robot.model,
            &mut measured,
            q,
            v,
            &acceleration,
            Some(&external),
        )?;
        let force = measured.joint_force(body)?;
        Ok(Wrench {
            force: force.linear,
            torque: force.angular,
        })
    }

    /// Forces of contacts, connections, tendons and commands on the links of a robot, in link axes
    /// at link origins.
    fn forces_on_links(&self, robot: &Robot) -> Result<Vec<Force>> {
        let dt = self.settings.time_step;
        let measured = self.kinematics_before(robot)?;
        let links = robot.first_body..robot.first_body + robot.ids.len();
        let mut external = vec![Force::zero(); robot.ids.len()];
        let mut loads: Vec<Vector6<f64>> = self.last.loads[links.clone()]
            .iter()
            .map(|load| load / dt)
            .collect();
        let pulls = self.last.pulls.iter();
        for pull in pulls.filter(|pull| links.contains(&pull.frame)) {
            let force = self.tendon_impulse(pull.tendon) / dt;
            loads[pull.frame - links.start] += pull.gradient * force;
        }
        for (tree, view) in robot.views.iter().enumerate() {
            let reference = &self.last.references[robot.first_subsystem + tree];
            for link in view.bodies.clone() {
                external[link] += at_link(&measured, robot.ids[link], &loads[link], reference)?;
            }
        }
        for (link, push) in self.last.wrenches[links].iter().enumerate() {
            let rotation = &measured.pose(robot.ids[link])?.rotation;
            external[link] +=
                Force::new(rotation.tr_mul(&push.force), rotation.tr_mul(&push.torque));
        }
        Ok(external)
    }
}

/// A force and torque about a tree's reference point (world axes) in the axes of a link and about its
/// origin.
fn at_link(
    measured: &Data,
    link: BodyId,
    sum: &Vector6<f64>,
    reference: &Vector3<f64>,
) -> Result<Force> {
    let pose = measured.pose(link)?;
    let (force, torque) = (
        sum.fixed_rows::<3>(0).into_owned(),
        sum.fixed_rows::<3>(3).into_owned(),
    );
    let torque = torque - (pose.translation - reference).cross(&force);
    Ok(Force::new(
        pose.rotation.tr_mul(&force),
        pose.rotation.tr_mul(&torque),
    ))
}
