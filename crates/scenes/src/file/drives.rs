//! The controller that owns all drives of a scene file: controllers of joints, actuators and
//! gravity compensation. What acts on one joint or tendon adds up.

use stiction_io::scene_file::Signal;
use stiction_sim::{
    BodyHandle, Commands, Controller, Point3, Result, RobotHandle, TendonHandle, Tracking, Vector3,
    World,
};

use super::actuator::{Actuator, Target};
use crate::panel::Panel;

/// A controller of a joint: tracks a position, or applies a torque where the gains are zero.
pub(super) struct JointDrive {
    pub(super) robot: RobotHandle,
    pub(super) dof: usize,
    pub(super) target: Signal<f64>,
    pub(super) torque: Signal<f64>,
    /// Stiffness and damping.
    pub(super) gains: [f64; 2],
}

/// Something unseen that carries part of a body's weight.
pub(super) struct Compensation {
    pub(super) body: BodyHandle,
    /// Where, in the body's frame; `None` for its centre of mass.
    pub(super) point: Option<Point3<f64>>,
    /// The mass that it carries, kg.
    pub(super) mass: f64,
}

/// Σ of implicit forces: force + Σ stiffness (position − q) + Σ damping (velocity − v).
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    force: f64,
    stiffness: f64,
    damping: f64,
    /// Σ stiffness · position and Σ damping · velocity.
    pull: [f64; 2],
}

impl Sum {
    fn add(&mut self, tracking: &Tracking) {
        self.force += tracking.feed_forward;
        self.stiffness += tracking.stiffness;
        self.damping += tracking.damping;
        self.pull[0] += tracking.stiffness * tracking.position;
        self.pull[1] += tracking.damping * tracking.velocity;
    }

    fn tracking(&self) -> Tracking {
        let mean = |pull: f64, gain: f64| if gain > 0.0 { pull / gain } else { 0.0 };
        Tracking {
            position: mean(self.pull[0], self.stiffness),
            velocity: mean(self.pull[1], self.damping),
            stiffness: self.stiffness,
            damping: self.damping,
            feed_forward: self.force,
        }
    }
}

/// All drives of a scene file.
#[derive(Default)]
pub(super) struct Drives {
    pub(super) joints: Vec<JointDrive>,
    /// As many as the panel has dials, in the same order.
    pub(super) actuators: Vec<Actuator>,
    pub(super) compensations: Vec<Compensation>,
    pub(super) panel: Panel,
    /// The step that began last.
    step: Option<u64>,
    joint_sums: Vec<(RobotHandle, usize, Sum)>,
    /// Where in `joint_sums` the next one is, as drives come in the same order in every step.
    next_joint: usize,
    tendon_sums: Vec<(TendonHandle, Sum)>,
}

impl Drives {
    pub(super) fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.actuators.is_empty() && self.compensations.is_empty()
    }

    /// The sum of everything that acts on a degree of freedom.
    fn joint(&mut self, robot: RobotHandle, dof: usize) -> &mut Sum {
        let sums = &mut self.joint_sums;
        let is_it = |&(known, at, _): &(RobotHandle, usize, Sum)| (known, at) == (robot, dof);
        let index = match sums.get(self.next_joint) {
            Some(sum) if is_it(sum) => self.next_joint,
            _ => sums.iter().position(is_it).unwrap_or_else(|| {
                sums.push((robot, dof, Sum::default()));
                sums.len() - 1
            }),
        };
        self.next_joint = index + 1;
        &mut sums[index].2
    }

    fn tendon(&mut self, tendon: TendonHandle) -> &mut Sum {
        let sums = &mut self.tendon_sums;
        let found = sums.iter().position(|&(known, _)| known == tendon);
        let index = found.unwrap_or_else(|| {
            sums.push((tendon, Sum::default()));
            sums.len() - 1
        });
        &mut sums[index].1
    }

    fn run_joints(&mut self, world: &World) {
        let dt = world.settings().time_step;
        for index in 0..self.joints.len() {
            let drive = &self.joints[index];
            // Tracking compares with the end of the step; a torque acts throughout it.
            let (position, velocity) = drive.target.at(world.time() + dt, 0.0);
            let (feed_forward, _) = drive.torque.at(world.time() + 0.5 * dt, 0.0);
            let [stiffness, damping] = drive.gains;
            let tracking = Tracking {
                position,
                velocity,
                stiffness,
                damping,
                feed_forward,
            };
            let (robot, dof) = (drive.robot, drive.dof);
            self.joint(robot, dof).add(&tracking);
        }
    }

    fn run_actuators(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let dt = world.settings().time_step;
        // The last try of this step failed.
        let again = self.step.replace(world.step_count()) == Some(world.step_count());
        let panel = self.panel.clone();
        let mut dials = panel.dials();
        for (index, dial) in dials.iter_mut().enumerate() {
            let actuator = &mut self.actuators[index];
            let control = dial.control.unwrap_or_else(|| actuator.signal(world));
            actuator.begin(again);
            actuator.advance(control, dt);
            dial.force = actuator.force(actuator.target.coordinate(world)?);
            let [constant, per_length, per_speed] = dial.force;
            let gear = actuator.gear;
            let tracking = Tracking {
                feed_forward: gear * constant,
                stiffness: -gear * gear * per_length,
                damping: -gear * gear * per_speed,
                ..Tracking::default()
            };
            match actuator.target {
                Target::Joint { robot, dof } => self.joint(robot, dof).add(&tracking),
                Target::Tendon(tendon) => self.tendon(tendon).add(&tracking),
                Target::Frame {
                    body,
                    pose,
                    force,
                    torque,
                } => {
                    let frame = world.pose(body)? * pose;
                    let size = tracking.feed_forward;
                    let at = Point3::from(frame.translation.vector);
                    commands.push_at(body, frame.rotation * force * size, at)?;
                    commands.push(body, Vector3::zeros(), frame.rotation * torque * size)?;
                }
            }
        }
        Ok(())
    }
}

impl Controller for Drives {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        self.next_joint = 0;
        for (_, _, sum) in &mut self.joint_sums {
            *sum = Sum::default();
        }
        for (_, sum) in &mut self.tendon_sums {
            *sum = Sum::default();
        }
        self.run_joints(world);
        self.run_actuators(world, commands)?;
        for (robot, dof, sum) in &self.joint_sums {
            commands.track(*robot, *dof, sum.tracking())?;
        }
        for (tendon, sum) in &self.tendon_sums {
            commands.drive_tendon(*tendon, sum.tracking())?;
        }
        for carried in &self.compensations {
            let force = world.settings().gravity * -carried.mass;
            match carried.point {
                None => commands.push(carried.body, force, Vector3::zeros())?,
                Some(point) => {
                    commands.push_at(carried.body, force, world.pose(carried.body)? * point)?;
                }
            }
        }
        Ok(())
    }

    /// Per actuator: activation, whether the user set its control, and that control.
    fn memory(&self) -> Vec<f64> {
        let dials = self.panel.dials();
        let all = self.actuators.iter().zip(dials.iter());
        all.flat_map(|(actuator, dial)| {
            [
                actuator.activation,
                f64::from(dial.control.is_some()),
                dial.control.unwrap_or(0.0),
            ]
        })
        .collect()
    }

    fn restore(&mut self, memory: &[f64]) {
        self.step = None;
        let mut dials = self.panel.dials();
        let all = self.actuators.iter_mut().zip(dials.iter_mut());
        for ((actuator, dial), part) in all.zip(memory.chunks_exact(3)) {
            actuator.activation = part[0];
            dial.control = (part[1] != 0.0).then_some(part[2]);
        }
    }
}
