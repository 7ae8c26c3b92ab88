//! Sensors: joints, frames, and the loads that joints carry.

use nalgebra::{Isometry3, Vector3};
use stiction_dynamics::{
    Force, ReferenceFrame, forward_kinematics_velocity, frame_placement, frame_velocity, rnea,
};

use crate::control::Wrench;
use crate::error::{Result, SimError};
use crate::robot::RobotHandle;
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
        let dof = self.dof(robot, joint)?;
        let state = &self.state.robots[robot.0];
        let position = self.robots[robot.0].position_of_dof[dof];
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
        forward_kinematics_velocity(&robot.model, &mut robot.data, &state.q, &state.v)?;
        let pose = frame_placement(&robot.model, &robot.data, id)?;
        let velocity = frame_velocity(
            &robot.model,
            &robot.data,
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
        let entry = self.robot(robot)?;
        let info = entry.model.joint(joint).ok_or_else(|| SimError::Unknown {
            what: "joint",
            name: joint.to_owned(),
        })?;
        let body = info.body;
        let mut external = vec![Force::zero(); entry.model.n_bodies()];
        self.add_row_forces(robot.0, &mut external)?;
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
            &mut robot.data,
            &before.q,
            &before.v,
            &acceleration,
            Some(&external),
        )?;
        let force = robot.data.joint_force(body)?;
        Ok(Wrench {
            force: force.linear,
            torque: force.angular,
        })
    }

    /// Forces of contacts and connections on the links of a robot, in link axes at link origins.
    fn add_row_forces(&mut self, robot: usize, external: &mut [Force]) -> Result<()> {
        let dt = self.settings.time_step;
        let entry = &mut self.robots[robot];
        let before = &self.next.robots[robot];
        if before.q.len() != entry.model.nq() {
            return Err(SimError::NotPossible {
                element: entry.name.clone(),
                reason: "no step was made yet".to_owned(),
            });
        }
        forward_kinematics_velocity(&entry.model, &mut entry.data, &before.q, &before.v)?;
        for row in &self.rows.rows {
            for term in row.terms.iter().flatten() {
                let Term::Body {
                    subsystem,
                    body,
                    values,
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
                let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
                for (block, impulse) in values.chunks(6).zip(row.impulse) {
                    force += Vector3::from_column_slice(&block[..3]) * (impulse / dt);
                    torque += Vector3::from_column_slice(&block[3..]) * (impulse / dt);
                }
                let index = view.bodies.start + body;
                let pose = entry.data.pose(entry.ids()[index])?;
                // From the tree's reference point to the link's origin.
                let arm = pose.translation - view.reference_point;
                let torque = torque - arm.cross(&force);
                external[index] +=
                    Force::new(pose.rotation.tr_mul(&force), pose.rotation.tr_mul(&torque));
            }
        }
        Ok(())
    }
}
