//! An arm that leads its hand along a path of poses.
//!
//! The joints are found once, before the run, by damped least squares: each sample of the path starts
//! from the joints of the one before. What drives the arm is then a function of time alone.

use stiction_sim::dynamics::{
    self, Data, FrameId, Model, ReferenceFrame, frame_jacobian, frame_placement, gravity_torque,
    joint_jacobians,
};
use stiction_sim::nalgebra::{Matrix6, Matrix6xX, Vector6};
use stiction_sim::{
    Commands, Controller, Isometry3, Result, RobotHandle, SimError, Tracking, Vector3, World,
};

use super::stage::Servo;

/// Errors of the hand are no larger than this at any sample, m and rad.
const CLOSE: f64 = 1e-6;
/// Steps that a sample may take.
const MOST_STEPS: usize = 500;
/// Damping of the least squares, m and rad.
const DAMPING: f64 = 1e-2;
/// How far a joint moves at most in one step of the search, rad or m.
const LONGEST_STEP: f64 = 0.2;

/// What is led along the path: a point of a link, by the joints that move it.
#[derive(Debug, Clone, Copy)]
pub(in crate::builtin) struct Arm<'a> {
    pub(in crate::builtin) robot: RobotHandle,
    /// The joints that move the hand, each with one degree of freedom.
    pub(in crate::builtin) joints: &'a [&'a str],
    /// Where they are when the search begins, rad or m.
    pub(in crate::builtin) near: &'a [f64],
    /// The link that is the hand.
    pub(in crate::builtin) hand: &'a str,
    /// What is led, in the frame of the hand.
    pub(in crate::builtin) tool: Isometry3<f64>,
    /// What drives each joint.
    pub(in crate::builtin) servos: &'a [Servo],
}

/// The joints of the Panda's arm, from its base to its hand.
pub(in crate::builtin) const PANDA_JOINTS: [&str; 7] = [
    "joint1", "joint2", "joint3", "joint4", "joint5", "joint6", "joint7",
];
/// A posture of the Panda with its hand in front of it, pointing down, rad.
pub(in crate::builtin) const PANDA_READY: [f64; 7] = [0.0, -0.3, 0.0, -2.3, 0.0, 2.0, 0.785];
/// Servos of the Panda's arm.
pub(in crate::builtin) const PANDA_SERVOS: [Servo; 7] = [
    Servo::new(4500.0, 450.0),
    Servo::new(4500.0, 450.0),
    Servo::new(3500.0, 350.0),
    Servo::new(3500.0, 350.0),
    Servo::new(2000.0, 200.0),
    Servo::new(2000.0, 200.0),
    Servo::new(2000.0, 200.0),
];

/// Leads an arm along its path.
pub(in crate::builtin) struct Reach {
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
    pub(in crate::builtin) fn along(
        world: &World,
        arm: &Arm<'_>,
        seconds: f64,
        path: impl Fn(f64) -> Isometry3<f64>,
    ) -> Result<Self> {
        let interval = world.settings().time_step;
        let mut search = Search::new(world, arm)?;
        let from_tool = arm.tool.inverse();
        let count = (seconds / interval).ceil().max(1.0) as usize + 1;
        let mut samples = Vec::with_capacity(count);
        for index in 0..count {
            let time = index as f64 * interval;
            let miss = search.go_to(&(path(time) * from_tool))?;
            if !(miss <= CLOSE) {
                return Err(SimError::NotPossible {
                    element: arm.hand.to_owned(),
                    reason: format!("is {miss:.1e} (m, rad) from its path at {time} s"),
                });
            }
            samples.push(search.sample()?);
        }
        Ok(Self {
            robot: arm.robot,
            dofs: search.dofs,
            servos: arm.servos.to_vec(),
            interval,
            samples,
        })
    }

    /// Puts the arm where its path begins, at rest.
    ///
    /// # Errors
    /// A world that it was not made for.
    pub(in crate::builtin) fn start(&self, world: &mut World) -> Result<()> {
        let model = world.model(self.robot)?;
        let mut q = world.robot_state(self.robot)?.0.to_vec();
        for joint in model.joints() {
            let place = self.dofs.iter().position(|dof| joint.v.contains(dof));
            if let Some(place) = place {
                q[joint.q.start] = self.samples[0][place][0];
            }
        }
        let v = vec![0.0; model.nv()];
        world.set_robot_state(self.robot, &q, &v)
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
            let tracking = Tracking {
                position,
                velocity,
                stiffness: servo.stiffness,
                damping: servo.damping,
                feed_forward: servo.feed_forward + hold,
            };
            commands.track(self.robot, dof, tracking)?;
        }
        Ok(())
    }
}

/// Damped least squares on the joints of an arm.
struct Search<'a> {
    model: &'a Model,
    data: Data,
    hand: FrameId,
    /// Places of the joints in v and in q.
    dofs: Vec<usize>,
    coordinates: Vec<usize>,
    q: Vec<f64>,
    jacobian: Matrix6xX<f64>,
}

impl<'a> Search<'a> {
    fn new(world: &'a World, arm: &Arm<'_>) -> Result<Self> {
        let model = world.model(arm.robot)?;
        let hand = model.frame_id(arm.hand).ok_or_else(|| SimError::Unknown {
            what: "link",
            name: arm.hand.to_owned(),
        })?;
        let mut q = world.robot_state(arm.robot)?.0.to_vec();
        let (mut dofs, mut coordinates) = (Vec::new(), Vec::new());
        for (name, &near) in arm.joints.iter().zip(arm.near) {
            let joint = model.joint(name).filter(|joint| joint.v.len() == 1);
            let joint = joint.ok_or_else(|| SimError::Unknown {
                what: "joint with one degree of freedom",
                name: (*name).to_owned(),
            })?;
            dofs.push(joint.v.start);
            coordinates.push(joint.q.start);
            q[joint.q.start] = near;
        }
        Ok(Self {
            data: Data::new(model),
            jacobian: Matrix6xX::zeros(model.nv()),
            model,
            hand,
            dofs,
            coordinates,
            q,
        })
    }

    /// Moves the hand to a pose as far as it goes, and says by how much it misses.
    fn go_to(&mut self, goal: &Isometry3<f64>) -> Result<f64> {
        let mut miss = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            joint_jacobians(self.model, &mut self.data, &self.q)?;
            let error = self.error(goal)?;
            miss = error.amax();
            // Well below what is asked for, as the steps converge fast and velocities come from differences.
            if miss < 1e-3 * CLOSE {
                break;
            }
            self.step(&error)?;
        }
        Ok(miss)
    }

    /// From the hand to the goal, in world axes: along (m), about (rad).
    fn error(&self, goal: &Isometry3<f64>) -> Result<Vector6<f64>> {
        let now = frame_placement(self.model, &self.data, self.hand)?.to_isometry();
        let along = goal.translation.vector - now.translation.vector;
        let about: Vector3<f64> = (goal.rotation * now.rotation.inverse()).scaled_axis();
        Ok(Vector6::new(
            along.x, along.y, along.z, about.x, about.y, about.z,
        ))
    }

    /// dq = Jᵀ (J Jᵀ + k² 1)⁻¹ e, where k falls with the error: far from singular poses it is Newton's.
    fn step(&mut self, error: &Vector6<f64>) -> Result<()> {
        let world_axes = ReferenceFrame::LocalWorldAligned;
        frame_jacobian(
            self.model,
            &self.data,
            self.hand,
            world_axes,
            &mut self.jacobian,
        )?;
        let columns = self.dofs.iter().map(|&dof| self.jacobian.column(dof));
        let normal: Matrix6<f64> = columns.map(|column| column * column.transpose()).sum();
        let damping = DAMPING * DAMPING * error.norm_squared().min(1.0);
        let damped = normal + Matrix6::identity() * damping.max(f64::EPSILON);
        let Some(factor) = damped.cholesky() else {
            return Ok(());
        };
        let push = factor.solve(error);
        let properties = self.model.dof_properties();
        for (&dof, &coordinate) in self.dofs.iter().zip(&self.coordinates) {
            let way = self.jacobian.column(dof).dot(&push);
            let to = self.q[coordinate] + way.clamp(-LONGEST_STEP, LONGEST_STEP);
            let dynamics::DofProperties { lower, upper, .. } = properties[dof];
            self.q[coordinate] = to.max(lower).min(upper);
        }
        Ok(())
    }

    /// Joints, and the torques that hold them.
    fn sample(&mut self) -> Result<Vec<[f64; 2]>> {
        let torque = gravity_torque(self.model, &mut self.data, &self.q)?;
        let joints = self.dofs.iter().zip(&self.coordinates);
        Ok(joints
            .map(|(&dof, &coordinate)| [self.q[coordinate], torque[dof]])
            .collect())
    }
}

/// A path through poses at given times (s), ascending, that rests at each of them.
///
/// Between two the tool goes straight and turns about one axis, with no jump in speed nor in acceleration.
pub(in crate::builtin) fn through(
    poses: Vec<(f64, Isometry3<f64>)>,
) -> impl Fn(f64) -> Isometry3<f64> {
    move |time| {
        let after = poses.partition_point(|&(at, _)| at <= time);
        let Some(&(end, to)) = poses.get(after) else {
            return poses.last().map_or_else(Isometry3::identity, |last| last.1);
        };
        let Some(&(start, from)) = after.checked_sub(1).and_then(|before| poses.get(before)) else {
            return to;
        };
        let risen = eased((time - start) / (end - start));
        let along = from.translation.vector.lerp(&to.translation.vector, risen);
        let turn = (to.rotation * from.rotation.inverse()).scaled_axis() * risen;
        let turn = stiction_sim::UnitQuaternion::from_scaled_axis(turn);
        Isometry3::from_parts(along.into(), turn * from.rotation)
    }
}

/// From 0 to 1 with speed and acceleration zero at both ends.
pub(in crate::builtin) fn eased(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    share.powi(3) * (10.0 + share * (6.0 * share - 15.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::robots::stage::Stage;
    use crate::robots::PANDA_GRIPPER;
    use crate::scene::Options;

    const TOOL: f64 = 0.1;

    /// From one place in front of the robot to another, turned.
    fn path() -> impl Fn(f64) -> Isometry3<f64> {
        let down = Isometry3::rotation(Vector3::x() * std::f64::consts::PI);
        let turned = Isometry3::rotation(Vector3::z() * 0.8) * down;
        through(vec![
            (0.2, Isometry3::translation(0.4, -0.2, 0.3) * down),
            (1.2, Isometry3::translation(0.5, 0.25, 0.15) * turned),
        ])
    }

    fn reach(path: impl Fn(f64) -> Isometry3<f64>) -> Result<(World, Reach)> {
        let mut stage = Stage::new(&PANDA_GRIPPER, "reach", 2.0)?;
        stage.drop_actuators();
        let name = stage.robot_name();
        let world = stage.build(&Options::default())?.world;
        let arm = Arm {
            robot: world.find_robot(&name)?,
            joints: &PANDA_JOINTS,
            near: &PANDA_READY,
            hand: "hand",
            tool: Isometry3::translation(0.0, 0.0, TOOL),
            servos: &PANDA_SERVOS,
        };
        let reach = Reach::along(&world, &arm, 1.4, path)?;
        Ok((world, reach))
    }

    #[test]
    fn the_hand_follows_its_path() {
        let (mut world, reach) = reach(path()).unwrap();
        let robot = reach.robot;
        reach.start(&mut world).unwrap();
        world.add_controller(Box::new(reach));
        let tool = Isometry3::translation(0.0, 0.0, TOOL);
        let path = path();
        let mut worst = 0.0_f64;
        while world.time() < 1.5 {
            world.step().unwrap();
            let (hand, _) = world.frame_state(robot, "hand").unwrap();
            let miss = (hand * tool).inverse() * path(world.time());
            let miss = miss.translation.vector.norm().max(miss.rotation.angle());
            worst = worst.max(miss);
        }
        let (hand, _) = world.frame_state(robot, "hand").unwrap();
        let miss = (hand * tool).inverse() * path(2.0);
        assert!(worst < 2e-2, "{worst} on the way");
        assert!(miss.translation.vector.norm() < 2e-3, "{miss} at the end");
    }

    #[test]
    fn a_path_out_of_reach_is_refused_with_the_time() {
        let far = |time: f64| Isometry3::translation(0.5 + time, 0.0, 0.5);
        let error = reach(far).err().unwrap().to_string();
        assert!(
            error.starts_with("hand: is ") && error.contains(" from its path at 0."),
            "{error}"
        );
    }
}
