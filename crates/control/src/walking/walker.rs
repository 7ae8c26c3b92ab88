//! The controller of a walking robot.

use nalgebra::{DMatrix, Matrix3, Quaternion, Rotation3, UnitQuaternion, Vector3};
use stiction_sim::dynamics::spatial::lie::wrap_angle;
use stiction_sim::dynamics::{
    Data, MassMatrix, Model, center_of_mass, center_of_mass_velocity, crba, nonlinear_effects,
};
use stiction_sim::{Commands, Controller, Result, RobotHandle, SimError, Tracking, World};

use super::LEGS;
use super::gait::{Gait, LegPhase};
use super::leg::{Leg, LegKinematics, LegNames};
use super::mpc::{Mpc, MpcSettings, TrunkReference, TrunkState, Weights};
use super::swing::{Landing, way};
use crate::servo::Servo;

/// A foot that touches in this part of its swing or later stands from then on.
const EARLIEST_TOUCH: f64 = 0.5;
/// A foot touches when it is pushed with this part of the robot's weight.
const TOUCH: f64 = 0.02;
/// The wanted place is never farther from the real one than this, in heights and in rad.
const LEASH: [f64; 2] = [0.3, 0.3];

/// How a robot walks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WalkerSettings {
    /// Which foot stands when.
    pub gait: Gait,
    /// How far a swinging foot is lifted, m.
    pub clearance: f64,
    /// Friction that the feet may count on.
    pub friction: f64,
    /// Time between two programs, s.
    pub interval: f64,
    /// Steps of the horizon, and the length of one, s.
    pub horizon: (usize, f64),
    /// What errors and forces cost.
    pub weights: Weights,
    /// What drives the joints of swinging legs.
    pub swing: Servo,
}

impl WalkerSettings {
    /// A trot for a robot whose centre of mass is `height` m above its feet: a cycle of 2.4 √(h/g), a horizon of
    /// one cycle.
    pub fn trot(height: f64, friction: f64, swing: Servo) -> Self {
        let period = 2.4 * (height / 9.81).sqrt();
        let steps = 12;
        Self {
            gait: Gait::trot(period, 0.55),
            clearance: 0.2 * height,
            friction,
            interval: period / 24.0,
            horizon: (steps, period / steps as f64),
            weights: Weights::default(),
            swing,
        }
    }
}

/// Velocity that a robot is told over time (s): forwards and to the left (m/s), turning to the left (rad/s).
pub type VelocityCommand = Box<dyn Fn(f64) -> [f64; 3] + Send>;

/// Walks on four legs of three joints each at a commanded velocity.
///
/// The robot has a free base, the first joint of its model. It begins at rest in the posture in which the
/// controller was made, its feet on the ground: their places below it are those that it keeps to.
pub struct Walker {
    robot: RobotHandle,
    legs: [Leg; LEGS],
    settings: WalkerSettings,
    command: VelocityCommand,
    /// Feet of the standing robot from its centre of mass, m.
    nominal: [Vector3<f64>; LEGS],
    /// Height of the centre of mass above them, m.
    height: f64,
    kinematics: LegKinematics,
    data: Data,
    mass_matrix: MassMatrix,
    dense: DMatrix<f64>,
    memory: Memory,
}

/// What goes on from step to step.
#[derive(Debug, Clone, PartialEq)]
struct Memory {
    /// When the next program is due, s.
    due: f64,
    /// Where the centre of mass should be (m) and the heading (rad).
    place: [f64; 2],
    heading: f64,
    /// Per leg.
    legs: [LegMemory; LEGS],
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct LegMemory {
    /// Force of the foot on the robot, world axes, N.
    force: Vector3<f64>,
    /// Where the foot stood last, world, m.
    stood: Vector3<f64>,
    /// Joints that the swinging leg was told last, rad.
    told: [f64; 3],
    swings: bool,
    /// Whether it touched before its swing was over.
    is_early: bool,
}

/// What is known at the start of a step.
struct Moment {
    time: f64,
    trunk: TrunkState,
    /// Velocity that is asked for, world axes, m/s, and turning, rad/s.
    velocity: Vector3<f64>,
    turning: f64,
    feet: [Vector3<f64>; LEGS],
    phases: [LegPhase; LEGS],
}

impl Walker {
    /// A walker for the robot as it stands now.
    ///
    /// # Errors
    /// A robot, joint or link that does not exist, a robot whose first joint is not free, numbers that make no
    /// gait.
    pub fn new(
        world: &World,
        robot: RobotHandle,
        legs: &[LegNames<'_>; LEGS],
        settings: WalkerSettings,
        command: impl Fn(f64) -> [f64; 3] + Send + 'static,
    ) -> Result<Self> {
        settings.gait.validate()?;
        let model = world.model(robot)?;
        let is_free = model
            .joints()
            .any(|joint| joint.v == (0..6) && joint.q == (0..7));
        if !is_free {
            return Err(SimError::NotPossible {
                element: world.robot_name(robot)?.to_owned(),
                reason: "its first joint is not free, so it cannot walk".to_owned(),
            });
        }
        let mut found = Vec::new();
        for names in legs {
            found.push(Leg::new(world, robot, names)?);
        }
        let legs: [Leg; LEGS] = std::array::from_fn(|leg| found[leg]);
        let (q, _) = world.robot_state(robot)?;
        let mut kinematics = LegKinematics::new(model);
        let mut data = Data::new(model);
        kinematics.place(model, q)?;
        let center = center_of_mass(model, &mut data, q)?;
        let heading = angles(q).z;
        let back = Rotation3::from_axis_angle(&Vector3::z_axis(), -heading);
        let (mut nominal, mut memory) = ([Vector3::zeros(); LEGS], Vec::new());
        for (leg, nominal) in legs.iter().zip(&mut nominal) {
            let foot = kinematics.foot(model, leg)?;
            *nominal = back * (foot - center);
            memory.push(LegMemory {
                force: Vector3::zeros(),
                stood: foot,
                told: leg.joints(q),
                swings: false,
                is_early: false,
            });
        }
        let height = -nominal.iter().map(|foot| foot.z).sum::<f64>() / LEGS as f64;
        Ok(Self {
            robot,
            legs,
            settings,
            command: Box::new(command),
            nominal,
            height,
            kinematics,
            data,
            mass_matrix: MassMatrix::new(model),
            dense: DMatrix::zeros(model.nv(), model.nv()),
            memory: Memory {
                due: world.time(),
                place: [center.x, center.y],
                heading,
                legs: std::array::from_fn(|leg| memory[leg]),
            },
        })
    }

    /// Height of the centre of mass above the feet of the standing robot, m.
    pub fn height(&self) -> f64 {
        self.height
    }

    fn look(&mut self, world: &World) -> Result<Moment> {
        let model = world.model(self.robot)?;
        let (q, v) = world.robot_state(self.robot)?;
        let time = world.time();
        let position = center_of_mass(model, &mut self.data, q)?;
        let velocity = center_of_mass_velocity(model, &mut self.data, q, v)?;
        let mut angles = angles(q);
        // The heading that is nearest to the wanted one, so that turns add up.
        angles.z = self.memory.heading + wrap_angle(angles.z - self.memory.heading);
        self.kinematics.place(model, q)?;
        let mut feet = [Vector3::zeros(); LEGS];
        for (foot, leg) in feet.iter_mut().zip(&self.legs) {
            *foot = self.kinematics.foot(model, leg)?;
        }
        let [forwards, left, turning] = (self.command)(time);
        let heading = Rotation3::from_axis_angle(&Vector3::z_axis(), angles.z);
        Ok(Moment {
            time,
            trunk: TrunkState {
                angles,
                position,
                angular_velocity: rotation(q) * Vector3::new(v[3], v[4], v[5]),
                velocity,
            },
            velocity: heading * Vector3::new(forwards, left, 0.0),
            turning,
            feet,
            phases: std::array::from_fn(|leg| self.settings.gait.phase(leg, time)),
        })
    }

    /// Moves the wanted place on by a step, and keeps it near the real one.
    fn lead(&mut self, moment: &Moment, dt: f64) {
        let Memory { place, heading, .. } = &mut self.memory;
        let far = LEASH[0] * self.height;
        for axis in 0..2 {
            let real = moment.trunk.position[axis];
            place[axis] = (place[axis] + moment.velocity[axis] * dt).clamp(real - far, real + far);
        }
        let real = moment.trunk.angles.z;
        *heading = (*heading + moment.turning * dt).clamp(real - LEASH[1], real + LEASH[1]);
    }

    /// Which feet stand: by the gait, and those that touched early.
    fn stand_or_swing(&mut self, world: &World, moment: &Moment) -> Result<()> {
        let model = world.model(self.robot)?;
        let touch = TOUCH * model.total_mass() * model.gravity().norm();
        let (q, _) = world.robot_state(self.robot)?;
        for (index, (leg, memory)) in self.legs.iter().zip(&mut self.memory.legs).enumerate() {
            match moment.phases[index] {
                LegPhase::Stance(_) => {
                    memory.swings = false;
                    memory.is_early = false;
                }
                LegPhase::Swing(part) => {
                    if !memory.swings && !memory.is_early {
                        memory.told = leg.joints(q);
                        memory.swings = true;
                    }
                    let touches = world.contact_wrench(leg.body)?.force.norm() > touch;
                    if part >= EARLIEST_TOUCH && touches {
                        memory.is_early = true;
                        memory.swings = false;
                    }
                }
            }
            if !memory.swings {
                memory.stood = moment.feet[index];
            }
        }
        Ok(())
    }

    /// Height of the ground's feet, m: of where all of them stood last.
    fn ground(&self) -> f64 {
        self.memory.legs.iter().map(|leg| leg.stood.z).sum::<f64>() / LEGS as f64
    }

    fn landing(&self, moment: &Moment, gravity: f64) -> Landing {
        Landing {
            center: moment.trunk.position,
            velocity: moment.trunk.velocity,
            wanted: moment.velocity,
            yaw: moment.trunk.angles.z,
            turning: moment.turning,
            height: self.height,
            pendulum: (self.height / gravity).sqrt(),
            stance: self.settings.gait.stance_time(),
        }
    }

    /// Solves the program for the forces of the standing feet.
    fn plan(&mut self, world: &World, moment: &Moment) -> Result<()> {
        let model = world.model(self.robot)?;
        let (q, _) = world.robot_state(self.robot)?;
        let (steps, step) = self.settings.horizon;
        let mpc = Mpc {
            mass: model.total_mass(),
            inertia: self.inertia(model, q)?,
            gravity: model.gravity(),
            height: self.height,
        };
        let horizon = self.references(moment, steps, step);
        let settings = MpcSettings {
            step,
            friction: self.settings.friction,
            most: 2.0,
            weights: self.settings.weights,
        };
        let forces = mpc.forces(&moment.trunk, &horizon, &settings)?;
        for (memory, force) in self.memory.legs.iter_mut().zip(forces) {
            memory.force = force;
        }
        Ok(())
    }

    /// Where the trunk should be in each step of the horizon, and which feet stand where.
    fn references(&self, moment: &Moment, steps: usize, step: f64) -> Vec<TrunkReference> {
        let ground = self.ground();
        let mut place = Vector3::new(self.memory.place[0], self.memory.place[1], 0.0);
        place.z = ground + self.height;
        let mut heading = self.memory.heading;
        let body = Rotation3::from_axis_angle(&Vector3::z_axis(), -moment.trunk.angles.z);
        let body_velocity = body * moment.velocity;
        // Feet that have stood without a break since now stand where they are.
        let mut stays: [bool; LEGS] = std::array::from_fn(|leg| !self.memory.legs[leg].swings);
        let mut references = Vec::with_capacity(steps);
        for index in 0..steps {
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), heading);
            let velocity = turn * body_velocity;
            let mut feet = [None; LEGS];
            for leg in 0..LEGS {
                let stands = if index == 0 {
                    !self.memory.legs[leg].swings
                } else {
                    let time = moment.time + (index as f64 + 0.5) * step;
                    let in_swing = self.memory.legs[leg].is_early && stays[leg];
                    self.settings.gait.phase(leg, time).stands()
                        || (in_swing && self.same_swing(leg, moment.time, time))
                };
                stays[leg] &= stands;
                feet[leg] = match (stands, stays[leg]) {
                    (false, _) => None,
                    (true, true) => Some(moment.feet[leg]),
                    (true, false) => {
                        let hip = place + turn * self.nominal[leg];
                        Some(Vector3::new(hip.x, hip.y, ground))
                    }
                };
            }
            place += velocity * step;
            heading += moment.turning * step;
            references.push(TrunkReference {
                wanted: TrunkState {
                    angles: Vector3::new(0.0, 0.0, heading),
                    position: place,
                    angular_velocity: Vector3::new(0.0, 0.0, moment.turning),
                    velocity,
                },
                feet,
            });
        }
        references
    }

    /// Whether a leg that swings at one time is in the same swing at a later one.
    fn same_swing(&self, leg: usize, now: f64, later: f64) -> bool {
        match self.settings.gait.phase(leg, now) {
            LegPhase::Swing(part) => later - now < (1.0 - part) * self.settings.gait.swing_time(),
            LegPhase::Stance(_) => false,
        }
    }

    /// Inertia of the whole robot about its centre of mass, world axes: from the block of its free base in M(q),
    /// which is that of the robot with locked joints at the origin of the base.
    fn inertia(&mut self, model: &Model, q: &[f64]) -> Result<Matrix3<f64>> {
        crba(model, &mut self.data, q, &mut self.mass_matrix)?;
        self.mass_matrix.write_dense(&mut self.dense)?;
        let about_origin = self.dense.fixed_view::<3, 3>(3, 3).into_owned();
        // M = [m 1, −m [c]×; m [c]×, I].
        let mass = self.dense[(0, 0)];
        let first = self.dense.fixed_view::<3, 3>(3, 0);
        let c = Vector3::new(first[(2, 1)], first[(0, 2)], first[(1, 0)]) / mass;
        let about_center =
            about_origin - (Matrix3::identity() * c.norm_squared() - c * c.transpose()) * mass;
        let turn = rotation(q).to_rotation_matrix();
        Ok(turn.matrix() * about_center * turn.matrix().transpose())
    }

    /// Commands a standing leg: τ = h − Jᵀ f.
    fn stand(&mut self, model: &Model, leg: usize) -> Result<[f64; 3]> {
        let jacobian = self.kinematics.jacobian(model, &self.legs[leg])?;
        Ok((-jacobian.transpose() * self.memory.legs[leg].force).into())
    }

    /// Joints (rad) and their rates (rad/s) for a swinging leg at the end of the step.
    fn swing(&mut self, world: &World, moment: &Moment, leg: usize) -> Result<[[f64; 2]; 3]> {
        let LegPhase::Swing(part) = moment.phases[leg] else {
            return Ok([[0.0; 2]; 3]);
        };
        let model = world.model(self.robot)?;
        let (q, _) = world.robot_state(self.robot)?;
        let dt = world.settings().time_step;
        let whole = self.settings.gait.swing_time();
        let remaining = (1.0 - part) * whole;
        let landing = self.landing(moment, model.gravity().norm());
        let to = landing.place(&self.nominal[leg], remaining, self.ground());
        let memory = self.memory.legs[leg];
        // The trunk goes on meanwhile, and the joints are for where it is now.
        let ahead = moment.trunk.velocity * dt;
        let part = (part + dt / whole).min(1.0);
        let place = way(&memory.stood, &to, self.settings.clearance, part) - ahead;
        let joints = self
            .kinematics
            .joints_for(model, &self.legs[leg], &place, memory.told)?;
        self.kinematics.place(model, q)?;
        self.memory.legs[leg].told = joints;
        Ok(std::array::from_fn(|joint| {
            [joints[joint], (joints[joint] - memory.told[joint]) / dt]
        }))
    }
}

impl Controller for Walker {
    fn control(&mut self, world: &World, commands: &mut Commands) -> Result<()> {
        let dt = world.settings().time_step;
        let moment = self.look(world)?;
        self.lead(&moment, dt);
        let swung: [bool; LEGS] = std::array::from_fn(|leg| self.memory.legs[leg].swings);
        self.stand_or_swing(world, &moment)?;
        let changed = (0..LEGS).any(|leg| self.memory.legs[leg].swings != swung[leg]);
        if changed || world.time() >= self.memory.due - 0.5 * dt {
            self.plan(world, &moment)?;
            self.memory.due = world.time() + self.settings.interval;
        }
        let model = world.model(self.robot)?;
        let (q, v) = world.robot_state(self.robot)?;
        let bias = nonlinear_effects(model, &mut self.data, q, v)?.to_vec();
        for leg in 0..LEGS {
            let dofs = self.legs[leg].dofs;
            if self.memory.legs[leg].swings {
                let told = self.swing(world, &moment, leg)?;
                for (dof, told) in dofs.into_iter().zip(told) {
                    let tracking = self.settings.swing.track(told, bias[dof]);
                    commands.track(self.robot, dof, tracking)?;
                }
            } else {
                let torques = self.stand(model, leg)?;
                for (dof, torque) in dofs.into_iter().zip(torques) {
                    let tracking = Tracking {
                        feed_forward: torque + bias[dof],
                        ..Tracking::default()
                    };
                    commands.track(self.robot, dof, tracking)?;
                }
            }
        }
        Ok(())
    }

    fn memory(&self) -> Vec<f64> {
        let Memory {
            due,
            place,
            heading,
            legs,
        } = &self.memory;
        let mut memory = vec![*due, place[0], place[1], *heading];
        for leg in legs {
            memory.extend(leg.force.iter().chain(leg.stood.iter()).chain(&leg.told));
            memory.extend([leg.swings, leg.is_early].map(|flag| f64::from(u8::from(flag))));
        }
        memory
    }

    fn restore(&mut self, memory: &[f64]) {
        let [due, x, y, heading, legs @ ..] = memory else {
            return;
        };
        self.memory.due = *due;
        self.memory.place = [*x, *y];
        self.memory.heading = *heading;
        for (leg, from) in self.memory.legs.iter_mut().zip(legs.chunks_exact(11)) {
            leg.force = Vector3::from_column_slice(&from[..3]);
            leg.stood = Vector3::from_column_slice(&from[3..6]);
            leg.told = [from[6], from[7], from[8]];
            leg.swings = from[9] != 0.0;
            leg.is_early = from[10] != 0.0;
        }
    }
}

/// Rotation of the free base.
fn rotation(q: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(q[6], q[3], q[4], q[5]))
}

/// Roll, pitch and yaw of the free base, rad.
fn angles(q: &[f64]) -> Vector3<f64> {
    let (roll, pitch, yaw) = rotation(q).euler_angles();
    Vector3::new(roll, pitch, yaw)
}
