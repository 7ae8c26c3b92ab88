//! An arm that leads its tool along a path of poses.
//!
//! The joints are found once, before the run: each sample of the path starts from the joints of the one
//! before. What drives the arm is then a function of time alone.

use stiction_sim::dynamics::Model;
use stiction_sim::{Commands, Controller, Isometry3, Result, RobotHandle, SimError, World};

use crate::inverse_kinematics::InverseKinematics;
use crate::servo::Servo;

/// Errors of the hand are no larger than this at any sample, m and rad.
const CLOSE: f64 = 1e-6;

/// What is led along the path: a point of a link, by the joints that move it.
#[derive(Debug, Clone, Copy)]
pub struct Arm<'a> {
    /// The robot.
    pub robot: RobotHandle,
    /// The joints that move the hand, each with one degree of freedom.
    pub joints: &'a [&'a str],
    /// Where they are when the search begins, rad or m.
    pub near: &'a [f64],
    /// The link that is the hand.
    pub hand: &'a str,
    /// What is led, in the frame of the hand.
    pub tool: Isometry3<f64>,
    /// What drives each joint.
    pub servos: &'a [Servo],
}

impl Arm<'_> {
    /// Inverse kinematics of the arm, with the rest of the robot as it is now.
    ///
    /// # Errors
    /// A robot, joint or link that does not exist.
    pub fn inverse_kinematics(&self, world: &World) -> Result<InverseKinematics> {
        let q = world.robot_state(self.robot)?.0;
        let model = world.model(self.robot)?;
        if self.servos.len() != self.joints.len() {
            return Err(SimError::NotPossible {
                element: self.hand.to_owned(),
                reason: format!(
                    "has {} servos for {} joints",
                    self.servos.len(),
                    self.joints.len()
                ),
            });
        }
        InverseKinematics::new(model, q, self.hand, self.joints, self.near)
    }
}

/// Leads an arm along its path.
#[derive(Debug, Clone)]
pub struct Reach {
    robot: RobotHandle,
    dofs: Vec<usize>,
    servos: Vec<Servo>,
    /// Time between two samples, s.
    interval: f64,
    /// Joints at each sample, rad or m, and what holds the arm against gravity there, N·m or N.
    samples: Vec<Vec<[f64; 2]>>,
}

impl Reach {
    /// Finds the joints along a path that gives the tool's pose in the world at each time (s) from 0 to
    /// `seconds`.
    ///
    /// # Errors
    /// A robot, joint or link that does not exist, a path that the arm cannot follow.
    pub fn along(
        world: &World,
        arm: &Arm<'_>,
        seconds: f64,
        path: impl Fn(f64) -> Isometry3<f64>,
    ) -> Result<Self> {
        let interval = world.settings().time_step;
        let model = world.model(arm.robot)?;
        let mut search = arm.inverse_kinematics(world)?;
        let from_tool = arm.tool.inverse();
        let count = (seconds / interval).ceil().max(1.0) as usize + 1;
        let mut samples = Vec::with_capacity(count);
        for index in 0..count {
            let time = index as f64 * interval;
            let miss = search.go_to(model, &(path(time) * from_tool))?;
            if !(miss <= CLOSE) {
                return Err(SimError::NotPossible {
                    element: arm.hand.to_owned(),
                    reason: format!("is {miss:.1e} (m, rad) from its path at {time} s"),
                });
            }
            samples.push(sample(&mut search, model)?);
        }
        Ok(Self {
            robot: arm.robot,
            dofs: search.dofs().to_vec(),
            servos: arm.servos.to_vec(),
            interval,
            samples,
        })
    }

    /// Puts the arm where its path begins, at rest.
    ///
    /// # Errors
    /// A world that it was not made for.
    pub fn start(&self, world: &mut World) -> Result<()> {
        let joints: Vec<f64> = self.samples[0].iter().map(|sample| sample[0]).collect();
        place_joints(world, self.robot, &self.dofs, &joints)
    }

    /// Position (rad or m), velocity and feed-forward of a joint at a time (s).
    fn at(&self, joint: usize, time: f64) -> [f64; 3] {
        let last = self.samples.len() - 1;
        let place = (time / self.interval).clamp(0.0, last as f64);
        let before = (place.floor() as usize).min(last);
        let after = (before + 1).min(last);
        let share = place - before as f64;
        let [[from, held], [to, to_hold]] = [before, after].map(|at| self.samples[at][joint]);
        let velocity = match place < last as f64 {
            true => (to - from) / self.interval,
            false => 0.0,
        };
        let mix = |from: f64, to: f64| from + share * (to - from);
        [mix(from, to), velocity, mix(held, to_hold)]
    }
}

impl Controller for Reach {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let time = world.time() + world.settings().time_step;
        for (joint, (&dof, servo)) in self.dofs.iter().zip(&self.servos).enumerate() {
            let [position, velocity, hold] = self.at(joint, time);
            commands.track(self.robot, dof, servo.track([position, velocity], hold))?;
        }
        Ok(())
    }
}

/// Joints, and the torques that hold them.
fn sample(search: &mut InverseKinematics, model: &Model) -> Result<Vec<[f64; 2]>> {
    let dofs = search.dofs().to_vec();
    let torque = search.holding_torques(model)?;
    let torque: Vec<f64> = dofs.iter().map(|&dof| torque[dof]).collect();
    Ok(search
        .joints()
        .zip(torque)
        .map(|(q, tau)| [q, tau])
        .collect())
}

/// Puts joints of one degree of freedom each somewhere (rad or m), with the whole robot at rest.
///
/// # Errors
/// A robot that does not exist.
pub fn place_joints(
    world: &mut World,
    robot: RobotHandle,
    dofs: &[usize],
    joints: &[f64],
) -> Result<()> {
    let model = world.model(robot)?;
    let mut q = world.robot_state(robot)?.0.to_vec();
    for joint in model.joints() {
        let place = dofs.iter().position(|dof| joint.v.contains(dof));
        if let Some(place) = place {
            q[joint.q.start] = joints[place];
        }
    }
    let v = vec![0.0; model.nv()];
    world.set_robot_state(robot, &q, &v)
}
