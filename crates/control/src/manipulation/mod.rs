//! Grasp and place: a small state machine over an arm and its hand.

mod phase;

pub use phase::{GraspAndPlace, Hand, HandJoint, Phase, Until};

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use stiction_sim::{
    BodyHandle, Commands, Controller, Isometry3, Result, RobotHandle, SimError, World,
};

use crate::impedance::GravityCompensation;
use crate::inverse_kinematics::InverseKinematics;
use crate::minimum_jerk::{minimum_jerk, share};
use crate::pose_path::between;
use crate::reach::{Arm, place_joints};
use crate::servo::Servo;

/// How far the arm may be from its path, m and rad: it is told where to go by its joints.
const CLOSE: f64 = 1e-4;
/// Poses of each phase that are tried before the run.
const TRIES: usize = 20;

/// How a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is in the phase of this number, from 0.
    Running(usize),
    /// All phases are over.
    Done,
    /// This phase did not end in time; the robot stays as it is.
    Failed(usize),
}

/// Tells how a task stands while its controller belongs to a world.
#[derive(Debug, Clone)]
pub struct Progress(Arc<AtomicUsize>);

impl Progress {
    /// As of the last step.
    pub fn state(&self) -> State {
        State::of(self.0.load(Ordering::Relaxed))
    }
}

impl State {
    fn of(code: usize) -> Self {
        match code {
            usize::MAX => Self::Done,
            code if code % 2 == 0 => Self::Running(code / 2),
            code => Self::Failed(code / 2),
        }
    }

    fn code(self) -> usize {
        match self {
            Self::Done => usize::MAX,
            Self::Running(phase) => 2 * phase,
            Self::Failed(phase) => 2 * phase + 1,
        }
    }
}

/// How things stand when a phase begins.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    tool: Isometry3<f64>,
    /// How far the hand is closed.
    grip: f64,
    /// kg.
    load: f64,
}

/// Leads the tool of an arm and its hand through the phases of a task, by joint impedance with gravity
/// compensation. Joints come from inverse kinematics in every step, paths are straight with minimum jerk.
#[derive(Debug)]
pub struct Manipulation {
    robot: RobotHandle,
    from_tool: Isometry3<f64>,
    kinematics: InverseKinematics,
    servos: Vec<Servo>,
    hand: Hand,
    hand_dofs: Vec<usize>,
    /// Bodies that move with the joints of the hand.
    hand_bodies: Vec<BodyHandle>,
    gravity: GravityCompensation,
    phases: Vec<Phase>,
    /// Where the tool and the hand were told to be when the first phase begins, and what the arm carried.
    home: Beginning,
    /// Torques of the arm's joints that bear the load, N·m or N.
    bearing: Vec<f64>,
    state: State,
    /// When the phase began, s.
    began: f64,
    progress: Arc<AtomicUsize>,
    /// The arm's joints of the last step, rad or m.
    before: Vec<f64>,
}

impl Manipulation {
    /// A task of an arm with its hand, from the arm's `near` and an open hand.
    ///
    /// # Errors
    /// A robot, link or joint that does not exist, numbers that are not finite, no phases, a phase that the arm
    /// cannot reach.
    pub fn new(world: &World, arm: &Arm<'_>, hand: Hand, phases: Vec<Phase>) -> Result<Self> {
        let model = world.model(arm.robot)?;
        let mut kinematics = arm.inverse_kinematics(world)?;
        let home = kinematics.pose(model)? * arm.tool;
        check(&phases)?;
        let hand_dofs = hand.joints.iter();
        let hand_dofs = hand_dofs.map(|joint| world.dof(arm.robot, &joint.name));
        let hand_dofs = hand_dofs.collect::<Result<Vec<_>>>()?;
        let task = Self {
            robot: arm.robot,
            from_tool: arm.tool.inverse(),
            servos: arm.servos.to_vec(),
            hand_bodies: bodies_of(world, arm.robot, &hand)?,
            hand_dofs,
            hand,
            gravity: GravityCompensation::new(model),
            phases,
            home: Beginning {
                tool: home,
                grip: 0.0,
                load: 0.0,
            },
            bearing: vec![0.0; arm.joints.len()],
            state: State::Running(0),
            began: world.time(),
            progress: Arc::new(AtomicUsize::new(State::Running(0).code())),
            before: kinematics.joints().collect(),
            kinematics,
        };
        task.rehearse(world)?;
        Ok(task)
    }

    /// Tells how the task stands, also after a world has taken it.
    pub fn progress(&self) -> Progress {
        Progress(Arc::clone(&self.progress))
    }

    /// Puts the arm where the task begins, its hand open, the robot at rest.
    ///
    /// # Errors
    /// A world that it was not made for.
    pub fn start(&self, world: &mut World) -> Result<()> {
        let mut dofs = self.kinematics.dofs().to_vec();
        dofs.extend(&self.hand_dofs);
        let mut joints = self.before.clone();
        joints.extend(self.hand.joints.iter().map(|joint| joint.open));
        place_joints(world, self.robot, &dofs, &joints)
    }

    /// Tries the whole way before the run.
    fn rehearse(&self, world: &World) -> Result<()> {
        let model = world.model(self.robot)?;
        let mut kinematics = self.kinematics.clone();
        for phase in 0..self.phases.len() {
            for index in 1..=TRIES {
                let part = minimum_jerk(index as f64 / TRIES as f64);
                let goal = self.goal(phase, part);
                let miss = kinematics.go_to(model, &(goal * self.from_tool))?;
                self.expect_close(phase, miss)?;
            }
        }
        Ok(())
    }

    fn expect_close(&self, phase: usize, miss: f64) -> Result<()> {
        if miss <= CLOSE {
            return Ok(());
        }
        Err(SimError::NotPossible {
            element: format!("phase \"{}\"", self.phases[phase].name),
            reason: format!("the arm ends {miss:.1e} (m, rad) from its path"),
        })
    }

    /// Where a phase begins.
    fn beginning(&self, phase: usize) -> Beginning {
        match phase.checked_sub(1).map(|before| &self.phases[before]) {
            Some(before) => Beginning {
                tool: before.tool,
                grip: before.grip,
                load: before.load,
            },
            None => self.home,
        }
    }

    /// Where the tool is at a part of the way of a phase.
    fn goal(&self, phase: usize, part: f64) -> Isometry3<f64> {
        between(&self.beginning(phase).tool, &self.phases[phase].tool, part)
    }

    /// What bears a mass (kg) at the tool where the arm is now.
    fn bear(&mut self, world: &World, mass: f64) -> Result<()> {
        if mass == 0.0 {
            self.bearing.fill(0.0);
            return Ok(());
        }
        let (q, _) = world.robot_state(self.robot)?;
        let model = world.model(self.robot)?;
        let hand = self.kinematics.pose_at(model, q)?;
        let tool = (hand * self.from_tool.inverse()).translation.vector;
        let push = model.gravity() * -mass;
        self.kinematics
            .torques_of_force(model, q, [tool, push], &mut self.bearing)
    }

    /// Goes on to the next phase when this one is over.
    fn advance(&mut self, world: &World) -> Result<()> {
        let State::Running(index) = self.state else {
            return Ok(());
        };
        let (phase, passed) = (&self.phases[index], world.time() - self.began);
        if passed < phase.seconds - 1e-9 {
            return Ok(());
        }
        let (seconds, patience) = (phase.seconds, phase.patience);
        if self.has_ended(world, index)? {
            self.began = world.time();
            self.state = match index + 1 < self.phases.len() {
                true => State::Running(index + 1),
                false => State::Done,
            };
        } else if passed > seconds + patience {
            self.state = State::Failed(index);
        }
        Ok(())
    }

    fn has_ended(&mut self, world: &World, index: usize) -> Result<bool> {
        let (until, tool) = (self.phases[index].until, self.phases[index].tool);
        Ok(match until {
            Until::Elapsed => true,
            Until::Arrived { within } => {
                let (q, _) = world.robot_state(self.robot)?;
                let model = world.model(self.robot)?;
                let hand = self.kinematics.pose_at(model, q)?;
                let miss =
                    tool.translation.vector - (hand * self.from_tool.inverse()).translation.vector;
                miss.norm() <= within
            }
            Until::Holding { force } => self.force_on_hand(world) >= force,
        })
    }

    /// Sum of the forces that others exert on the hand, N.
    fn force_on_hand(&self, world: &World) -> f64 {
        let is_hand =
            |body: Option<BodyHandle>| body.is_some_and(|body| self.hand_bodies.contains(&body));
        let contacts = world.contact_forces().iter();
        let outside = contacts.filter(|contact| is_hand(contact.body_a) != is_hand(contact.body_b));
        outside.map(|contact| contact.force.norm()).sum()
    }
}

impl Controller for Manipulation {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        self.advance(world)?;
        self.progress.store(self.state.code(), Ordering::Relaxed);
        let dt = world.settings().time_step;
        let model = world.model(self.robot)?;
        let (index, part) = match self.state {
            State::Running(index) => {
                let end = self.began + self.phases[index].seconds;
                (
                    index,
                    minimum_jerk(share(world.time() + dt, [self.began, end])),
                )
            }
            State::Failed(index) => (index, 1.0),
            State::Done => (self.phases.len() - 1, 1.0),
        };
        let goal = self.goal(index, part) * self.from_tool;
        let miss = self.kinematics.go_to(model, &goal)?;
        self.expect_close(index, miss)?;
        let (from, phase) = (self.beginning(index), &self.phases[index]);
        let grip = from.grip + part * (phase.grip - from.grip);
        self.bear(world, from.load + part * (phase.load - from.load))?;
        let held = self.gravity.torques(world, self.robot)?;
        let joints = self.kinematics.dofs().iter().zip(self.kinematics.joints());
        for (place, (&dof, position)) in joints.enumerate() {
            let velocity = (position - self.before[place]) / dt;
            let hold = held[dof] + self.bearing[place];
            let tracking = self.servos[place].track([position, velocity], hold);
            commands.track(self.robot, dof, tracking)?;
            self.before[place] = position;
        }
        for (joint, &dof) in self.hand.joints.iter().zip(&self.hand_dofs) {
            let position = joint.open + grip * (joint.closed - joint.open);
            let tracking = joint.servo.track([position, 0.0], held[dof]);
            commands.track(self.robot, dof, tracking)?;
        }
        Ok(())
    }

    fn memory(&self) -> Vec<f64> {
        let state = match self.state {
            State::Running(phase) => [0.0, phase as f64],
            State::Done => [1.0, 0.0],
            State::Failed(phase) => [2.0, phase as f64],
        };
        let mut memory = vec![state[0], state[1], self.began];
        memory.extend(&self.before);
        memory
    }

    fn restore(&mut self, memory: &[f64]) {
        let [kind, phase, began, joints @ ..] = memory else {
            return;
        };
        self.state = match *kind {
            0.0 => State::Running(*phase as usize),
            1.0 => State::Done,
            _ => State::Failed(*phase as usize),
        };
        self.began = *began;
        self.before.copy_from_slice(joints);
        self.kinematics.set_joints(joints);
        self.progress.store(self.state.code(), Ordering::Relaxed);
    }
}

fn check(phases: &[Phase]) -> Result<()> {
    let refuse = |element: String, reason: &str| {
        Err(SimError::NotPossible {
            element,
            reason: reason.to_owned(),
        })
    };
    if phases.is_empty() {
        return refuse("task".to_owned(), "has no phases");
    }
    for phase in phases {
        let position = phase.tool.translation.vector.iter();
        let numbers = [phase.grip, phase.load, phase.seconds, phase.patience];
        let mut all = position
            .chain(phase.tool.rotation.coords.iter())
            .chain(&numbers);
        let name = format!("phase \"{}\"", phase.name);
        if !all.all(|number| number.is_finite()) {
            return refuse(name, "has a number that is not finite");
        }
        if phase.seconds < 0.0 || phase.patience < 0.0 {
            return refuse(name, "has a negative time");
        }
    }
    Ok(())
}

/// The bodies that move with the joints of a hand.
fn bodies_of(world: &World, robot: RobotHandle, hand: &Hand) -> Result<Vec<BodyHandle>> {
    let (model, name) = (world.model(robot)?, world.robot_name(robot)?);
    let moved = hand.joints.iter();
    let moved: Vec<_> = moved
        .filter_map(|joint| Some(model.joint(&joint.name)?.body))
        .collect();
    let names = moved.iter().filter_map(|&body| model.body_name(body));
    names
        .map(|link| world.find_body(&format!("{name}/{link}")))
        .collect()
}
