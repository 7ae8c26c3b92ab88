//! Sensors: joints, frames, and the loads that joints carry.

use nalgebra::{Isometry3, Vector3, Vector6};
use stiction_dynamics::{
    BodyId, Force, ReferenceFrame, forward_kinematics_velocity, frame_placement, frame_velocity,
    rnea,
};

use crate::body::{BodyHandle, Kind};
use crate::control::Wrench;
use crate::error::{Result, SimError};
use crate::robot::{Robot, RobotHandle};
use crate::rows::Term;
use crate::state::Twist;
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
        let entry = self.robot(robot)?;
        let state = &self.state.robots[robot.0];
        let position = entry.position_of_dof.get(dof);
        let position = position.ok_or_else(|| SimError::Unknown {
            what: "degree of freedom",
            name: format!("{}, {dof}", entry.name),
        })?;
        Ok(JointState {
            position: position.map_or(0.0, |q| state.q[q]),
            velocity: state.v[dof],
        })
    }

    /// Pose of a named frame (or link) of a robot in the world, and its velocity in world axes.
    ///
    /// # Errors
    /// An unknown robot or frame.
    pub fn frame_state(
        &mut self,
        robot: RobotHandle,
        frame: &str,
    ) -> Result<(Isometry3<f64>, Twist)> {
        let id = self.robot(robot)?.model.frame_id(frame);
        let id = id.ok_or_else(|| SimError::Unknown {
            what: "frame",
            name: frame.to_owned(),
        })?;
        let state = &self.state.robots[robot.0];
        let robot = &mut self.robots[robot.0];
        forward_kinematics_velocity(&robot.model, &mut robot.measured, &state.q, &state.v)?;
        let pose = frame_placement(&robot.model, &robot.measured, id)?;
        let velocity = frame_velocity(
            &robot.model,
            &robot.measured,
            id,
            ReferenceFrame::LocalWorldAligned,
        )?;
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
    /// An unknown robot or joint.
    pub fn joint_wrench(&mut self, robot: RobotHandle, joint: &str) -> Result<Wrench> {
        let info = self.robot(robot)?.model.joint(joint);
        let info = info.ok_or_else(|| SimError::Unknown {
            what: "joint",
            name: joint.to_owned(),
        })?;
        let body = info.body;
        self.wrench_through(robot, body)
    }

    /// Force and torque that a link's joint transmitted to it in the last step, as
    /// [`joint_wrench`](Self::joint_wrench) of the joint that carries the link.
    ///
    /// # Errors
    /// A body that is not a moving link of a robot.
    pub fn link_wrench(&mut self, body: BodyHandle) -> Result<Wrench> {
        let entry = self.body(body)?;
        let Kind::Link { robot, .. } = entry.kind else {
            return Err(SimError::NotPossible {
                element: entry.name.clone(),
                reason: "no joint carries it".to_owned(),
            });
        };
        let link = self.robots[robot].ids()[body.0 - self.robots[robot].first_body];
        self.wrench_through(RobotHandle(robot), link)
    }

    /// Pose and velocity (world axes, at its origin) of a body at the start of the last step;
    /// `None` if the state was set since, or no step was made.
    ///
    /// # Errors
    /// An unknown body.
    pub fn previous_motion(&mut self, body: BodyHandle) -> Result<Option<(Isometry3<f64>, Twist)>> {
        let entry = self.body(body)?;
        if !self.has_previous {
            return Ok(None);
        }
        let Kind::Link { robot, .. } = entry.kind else {
            let state = &self.next.bodies[body.0];
            let pose = state.pose(&entry.center);
            let arm = pose.translation.vector - state.center;
            let twist = Twist {
                linear: state.velocity + state.angular_velocity.cross(&arm),
                angular: state.angular_velocity,
            };
            return Ok(Some((pose, twist)));
        };
        let before = &self.next.robots[robot];
        let robot = &mut self.robots[robot];
        forward_kinematics_velocity(&robot.model, &mut robot.measured, &before.q, &before.v)?;
        let link = robot.ids()[body.0 - robot.first_body];
        let (pose, local) = (robot.measured.pose(link)?, robot.measured.velocity(link)?);
        let twist = Twist {
            linear: pose.rotation * local.linear,
            angular: pose.rotation * local.angular,
        };
        Ok(Some((pose.to_isometry(), twist)))
    }

    fn wrench_through(&mut self, robot: RobotHandle, body: BodyId) -> Result<Wrench> {
        let mut external = vec![Force::zero(); self.robots[robot.0].model.n_bodies()];
        self.add_forces(robot.0, &mut external)?;
        // After a step `next` holds the state before it.
        let dt = self.settings.time_step;
        let (before, after) = (&self.next.robots[robot.0], &self.state.robots[robot.0]);
        let acceleration: Vec<f64> = after
            .v
            .iter()
            .zip(&before.v)
            .map(|(after, before)| (after - before) / dt)
            .collect();
        let robot = &mut self.robots[robot.0];
        rnea(
            &robot.model,
            &mut robot.measured,
            &before.q,
            &before.v,
            &acceleration,
            Some(&external),
        )?;
        let force = robot.measured.joint_force(body)?;
        Ok(Wrench {
            force: force.linear,
            torque: force.angular,
        })
    }

    /// Forces of contacts, connections, tendons and commands on the links of a robot, in link axes
    /// at link origins.
    fn add_forces(&mut self, robot: usize, external: &mut [Force]) -> Result<()> {
        let dt = self.settings.time_step;
        let entry = &mut self.robots[robot];
        let before = &self.next.robots[robot];
        if !self.has_previous {
            return Err(SimError::NotPossible {
                element: entry.name.clone(),
                reason: "no step was made yet".to_owned(),
            });
        }
        forward_kinematics_velocity(&entry.model, &mut entry.measured, &before.q, &before.v)?;
        for row in &self.rows.rows {
            for term in row.terms.iter().flatten() {
                let Term::Body {
                    subsystem,
                    body,
                    block,
                } = term
                else {
                    continue;
                };
                let Some(view) = subsystem
                    .checked_sub(entry.first_subsystem)
                    .and_then(|tree| entry.views.get(tree))
                else {
                    continue;
                };
                let mut sum = Vector6::zeros();
                for (block, impulse) in self.rows.blocks[*block].chunks(6).zip(row.impulse) {
                    sum += Vector6::from_column_slice(block) * (impulse / dt);
                }
                let index = view.bodies.start + body;
                external[index] += entry.at_link(index, &sum, &view.reference_point)?;
            }
        }
        for (number, tendon) in self.tendons.iter().enumerate() {
            let force = self.tendon_impulse(number) / dt;
            let entry = &self.robots[robot];
            for site in &tendon.sites {
                let tree = site.subsystem.checked_sub(entry.first_subsystem);
                if let Some(view) = tree.and_then(|tree| entry.views.get(tree)) {
                    let index = view.bodies.start + site.link;
                    let sum = site.values * force;
                    external[index] += entry.at_link(index, &sum, &view.reference_point)?;
                }
            }
        }
        let entry = &self.robots[robot];
        let pushes = &self.last_wrenches[entry.first_body..];
        for (index, push) in pushes.iter().take(external.len()).enumerate() {
            let rotation = &entry.measured.pose(entry.ids()[index])?.rotation;
            external[index] +=
                Force::new(rotation.tr_mul(&push.force), rotation.tr_mul(&push.torque));
        }
        Ok(())
    }
}

impl Robot {
    /// A force and torque about a tree's reference point (world axes) in the axes of a link and
    /// about its origin, where the last forward kinematics placed it.
    fn at_link(&self, index: usize, sum: &Vector6<f64>, reference: &Vector3<f64>) -> Result<Force> {
        let pose = self.measured.pose(self.ids()[index])?;
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
}
