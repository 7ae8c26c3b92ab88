//! Actuators: from control to activation to force.

use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Deserialize, Serialize};
use stiction_modeling::{Activation, Saturation, Signal, Tracking};

use super::commands::Commands;
use crate::body::BodyHandle;
use crate::error::{Result, SimError, check, finite, finite_vector, not_negative};
use crate::robot::RobotHandle;
use crate::tendon::TendonHandle;
use crate::world::World;

/// An actuator of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ActuatorHandle(pub(crate) usize);

impl ActuatorHandle {
    /// Position among the world's actuators.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A drive: force = gain · activation + bias₀ + bias₁ · length + bias₂ · speed, clamped, where length =
/// gear · coordinate; it acts on the coordinate with gear · force.
///
/// What of the force opposes length and speed acts implicitly, so that no gain is too stiff; whether it is
/// at one of its limits is decided by the end of the step.
///
/// ```
/// use stiction_sim::{
///     Actuator, ActuatorTarget, Inertia, JointKind, ModelDescription, Sensor, SensorKind, Settings,
///     Vector3, World,
/// };
///
/// # fn main() -> stiction_sim::Result<()> {
/// let mut model = ModelDescription::new("wheel");
/// model.add_body("rim", Inertia::solid_sphere(1.0, 0.2));
/// let axis = JointKind::Revolute { axis: Vector3::z() };
/// model.add_joint("axle", axis, "world", "rim");
/// let mut world = World::new(Settings::default())?;
/// let robot = world.add_robot("wheel", model.build()?)?;
/// let dof = world.dof(robot, "axle")?;
///
/// let target = ActuatorTarget::Joint { robot, dof };
/// let servo = world.add_actuator(Actuator::position("servo", target, 20.0, 2.0))?;
/// let angle = world.add_sensor(Sensor::new("angle", SensorKind::JointPosition { robot, dof }))?;
/// world.set_control(servo, 0.5)?;
/// for _ in 0..480 {
///     world.step()?;
/// }
/// assert!((world.read_sensor(angle)?[0] - 0.5).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Actuator {
    /// Unique among actuators.
    pub name: String,
    /// What it drives.
    pub target: ActuatorTarget,
    /// Transmission ratio.
    pub gear: f64,
    /// Force per activation.
    pub gain: f64,
    /// Force at rest, per length and per speed.
    pub bias: [f64; 3],
    /// Range of the control.
    pub control_limits: Option<[f64; 2]>,
    /// Range of the force.
    pub force_limits: Option<[f64; 2]>,
    /// How activation follows control.
    pub activation: Activation,
    /// Control over time, where none is [set](World::set_control).
    pub control: Signal<f64>,
}

/// What an actuator drives.
#[derive(Debug, Clone, PartialEq)]
pub enum ActuatorTarget {
    /// A degree of freedom of a robot, see [`World::dof`].
    Joint {
        /// The robot.
        robot: RobotHandle,
        /// Its degree of freedom.
        dof: usize,
    },
    /// The length of a tendon.
    Tendon(TendonHandle),
    /// A force and torque on a body at a frame, such as a thruster; its length is always zero.
    Frame {
        /// A free body or a link.
        body: BodyHandle,
        /// The frame, in the body's frame.
        pose: Isometry3<f64>,
        /// Force per unit, axes of the frame.
        force: Vector3<f64>,
        /// Torque per unit, axes of the frame, m.
        torque: Vector3<f64>,
    },
}

impl Actuator {
    /// A motor: its force is its control, at first 0.
    pub fn motor(name: &str, target: ActuatorTarget) -> Self {
        Self {
            name: name.to_owned(),
            target,
            gear: 1.0,
            gain: 1.0,
            bias: [0.0; 3],
            control_limits: None,
            force_limits: None,
            activation: Activation::Direct,
            control: Signal::Constant(0.0),
        }
    }

    /// A servo of position: force = stiffness · (control − length) − damping · speed.
    pub fn position(name: &str, target: ActuatorTarget, stiffness: f64, damping: f64) -> Self {
        Self {
            gain: stiffness,
            bias: [0.0, -stiffness, -damping],
            ..Self::motor(name, target)
        }
    }

    /// A servo of speed: force = damping · (control − speed).
    pub fn velocity(name: &str, target: ActuatorTarget, damping: f64) -> Self {
        Self {
            gain: damping,
            bias: [0.0, 0.0, -damping],
            ..Self::motor(name, target)
        }
    }

    fn validate(&self) -> Result<()> {
        let name = &self.name;
        finite(name, "gear", self.gear)?;
        finite(name, "gain", self.gain)?;
        finite_vector(name, "bias", &self.bias)?;
        let in_order = |field: &'static str, limits: Option<[f64; 2]>| match limits {
            None => Ok(()),
            Some([lower, upper]) => {
                let reason = "must not exceed the upper one";
                check(name, field, lower, lower <= upper, reason)
            }
        };
        in_order("lower limit of the control", self.control_limits)?;
        in_order("lower limit of the force", self.force_limits)?;
        match self.activation {
            Activation::Direct => {}
            Activation::Filter { time_constant } => {
                not_negative(name, "time constant", time_constant)?;
            }
            Activation::Integrator { limits } => {
                in_order("lower limit of the activation", limits)?;
            }
        }
        if let ActuatorTarget::Frame {
            pose,
            force,
            torque,
            ..
        } = &self.target
        {
            let position = pose.translation.vector.iter();
            finite_vector(name, "pose", position.chain(pose.rotation.coords.iter()))?;
            finite_vector(name, "force", force.iter())?;
            finite_vector(name, "torque", torque.iter())?;
        }
        Ok(())
    }

    /// The force of a step without its limits as a function of length and speed; coordinate and rate are
    /// those of its start. What would feed energy in acts as it is there.
    fn force(&self, activation: f64, [position, velocity]: [f64; 2]) -> LinearForce {
        let (length, speed) = (self.gear * position, self.gear * velocity);
        let [rest, per_length, per_speed] = self.bias;
        let constant = self.gain * activation + rest;
        LinearForce {
            constant: constant + per_length.max(0.0) * length + per_speed.max(0.0) * speed,
            per_length: per_length.min(0.0),
            per_speed: per_speed.min(0.0),
        }
    }

    /// A piece of a force as it drives the coordinate.
    pub(super) fn tracking(&self, force: LinearForce, piece: Saturation) -> Tracking {
        let limit = piece.limit(self.limits());
        let force = limit.map_or(force, LinearForce::constant);
        let gear = self.gear;
        Tracking {
            feed_forward: gear * force.constant,
            stiffness: -gear * gear * force.per_length,
            damping: -gear * gear * force.per_speed,
            ..Tracking::default()
        }
    }

    /// Force without its limits at a coordinate and its rate.
    pub(super) fn force_at(&self, force: &LinearForce, [position, velocity]: [f64; 2]) -> f64 {
        force.constant + self.gear * (force.per_length * position + force.per_speed * velocity)
    }

    pub(super) fn limits(&self) -> [f64; 2] {
        self.force_limits
            .unwrap_or([f64::NEG_INFINITY, f64::INFINITY])
    }
}

/// A value in a range, if there is one.
fn clamp(value: f64, limits: Option<[f64; 2]>) -> f64 {
    limits.map_or(value, |[lower, upper]| value.max(lower).min(upper))
}

/// constant + per_length · length + per_speed · speed; the latter two are not positive, so that they
/// can act implicitly.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct LinearForce {
    constant: f64,
    per_length: f64,
    per_speed: f64,
}

impl LinearForce {
    fn constant(constant: f64) -> Self {
        Self {
            constant,
            ..Self::default()
        }
    }
}

/// What an actuator remembers from step to step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Memory {
    activation: f64,
    /// Force of the last step, without its limits.
    pub(super) force: LinearForce,
}

impl Memory {
    fn to_array(self) -> [f64; 4] {
        let LinearForce {
            constant,
            per_length,
            per_speed,
        } = self.force;
        [self.activation, constant, per_length, per_speed]
    }

    fn from_slice(values: &[f64]) -> Self {
        Self {
            activation: values[0],
            force: LinearForce {
                constant: values[1],
                per_length: values[2],
                per_speed: values[3],
            },
        }
    }
}

/// An actuator of a world.
#[derive(Debug)]
pub(crate) struct ActuatorEntry {
    pub(super) actuator: Actuator,
    /// Where its memory begins in [`State::memory`](crate::State::memory).
    memory: usize,
    /// Its memory at the end of the step that has begun.
    pub(super) next: Option<Memory>,
    /// The piece of its force that acts in the step that has begun, and its place among what is added to
    /// drives.
    pub(super) piece: Saturation,
    pub(super) addition: usize,
}

impl World {
    /// Adds an actuator; it acts from the next step on, beside everything else that drives its joint,
    /// tendon or body.
    ///
    /// # Errors
    /// A taken name, numbers that no actuator can have, an unknown target, a body that forces don't
    /// move.
    pub fn add_actuator(&mut self, actuator: Actuator) -> Result<ActuatorHandle> {
        actuator.validate()?;
        if self.actuator_names().any(|name| name == actuator.name) {
            return Err(SimError::DuplicateName {
                what: "actuator",
                name: actuator.name,
            });
        }
        if let ActuatorTarget::Frame { body, .. } = actuator.target {
            self.commands.expect_force(body)?;
        }
        let start = self.driven_coordinate(&actuator.target)?;
        let memory = Memory {
            activation: 0.0,
            force: actuator.force(0.0, start),
        };
        // It stands among the state's parts, but belongs to no mechanism.
        let mut registry = self.registry(self.mechanisms.count());
        let element = registry.element(&actuator.name, &[], &memory.to_array());
        self.commands.add_actuator();
        self.actuators.push(ActuatorEntry {
            actuator,
            memory: element.memory.start,
            next: None,
            piece: Saturation::Within,
            addition: 0,
        });
        self.last.is_known = false;
        Ok(ActuatorHandle(self.actuators.len() - 1))
    }

    /// An actuator by its name.
    ///
    /// # Errors
    /// A name that no actuator has; the error lists those that there are.
    pub fn find_actuator(&self, name: &str) -> Result<ActuatorHandle> {
        let found = self.actuator_names().position(|known| known == name);
        found
            .map(ActuatorHandle)
            .ok_or_else(|| SimError::not_among("actuator", name, self.actuator_names()))
    }

    /// Names of the actuators, in the order of adding.
    pub fn actuator_names(&self) -> impl Iterator<Item = &str> {
        self.actuators
            .iter()
            .map(|entry| entry.actuator.name.as_str())
    }

    /// An actuator as it was added.
    ///
    /// # Errors
    /// An unknown actuator.
    pub fn actuator(&self, actuator: ActuatorHandle) -> Result<&Actuator> {
        Ok(&self.actuator_entry(actuator)?.actuator)
    }

    /// Sets the control of an actuator from now on, in place of its own signal.
    ///
    /// # Errors
    /// An unknown actuator, or a value that is not finite.
    pub fn set_control(&mut self, actuator: ActuatorHandle, value: f64) -> Result<()> {
        finite(&self.actuator(actuator)?.name, "control", value)?;
        self.commands.set_control(actuator, value)
    }

    /// Gives the control of an actuator back to its own signal.
    ///
    /// # Errors
    /// An unknown actuator.
    pub fn release_control(&mut self, actuator: ActuatorHandle) -> Result<()> {
        self.commands.release_control(actuator)
    }

    /// The control of an actuator in the next step: the one that was set, or that of its signal.
    ///
    /// # Errors
    /// An unknown actuator.
    pub fn actuator_control(&self, actuator: ActuatorHandle) -> Result<f64> {
        let entry = self.actuator_entry(actuator)?;
        Ok(self.control_of(actuator.0, &entry.actuator, &self.commands))
    }

    /// Activation of an actuator.
    ///
    /// # Errors
    /// An unknown actuator.
    pub fn activation(&self, actuator: ActuatorHandle) -> Result<f64> {
        Ok(self.memory_of(self.actuator_entry(actuator)?).activation)
    }

    /// Force of an actuator before its gear: that of the last step, with length and speed of its end.
    ///
    /// # Errors
    /// An unknown actuator.
    pub fn actuator_force(&self, actuator: ActuatorHandle) -> Result<f64> {
        let entry = self.actuator_entry(actuator)?;
        let actuator = &entry.actuator;
        let at = self.driven_coordinate(&actuator.target)?;
        let force = actuator.force_at(&self.memory_of(entry).force, at);
        Ok(clamp(force, actuator.force_limits))
    }

    fn actuator_entry(&self, actuator: ActuatorHandle) -> Result<&ActuatorEntry> {
        let entry = self.actuators.get(actuator.0);
        entry.ok_or_else(|| SimError::Unknown {
            what: "actuator",
            name: actuator.0.to_string(),
        })
    }

    fn memory_of(&self, entry: &ActuatorEntry) -> Memory {
        Memory::from_slice(&self.state.memory[entry.memory..entry.memory + 4])
    }

    /// Coordinate that an actuator acts on and its rate; zero for a frame.
    fn driven_coordinate(&self, target: &ActuatorTarget) -> Result<[f64; 2]> {
        Ok(match *target {
            ActuatorTarget::Joint { robot, dof } => {
                let state = self.dof_state(robot, dof)?;
                [state.position, state.velocity]
            }
            ActuatorTarget::Tendon(tendon) => {
                let motion = self.tendon_motion(tendon)?;
                [motion.length, motion.before]
            }
            ActuatorTarget::Frame { .. } => [0.0, 0.0],
        })
    }

    /// What an actuator is told in the step that begins: its signal is that of the middle of the step.
    fn control_of(&self, index: usize, actuator: &Actuator, commands: &Commands) -> f64 {
        commands.control(index).unwrap_or_else(|| {
            let middle = self.time() + 0.5 * self.settings().time_step;
            actuator.control.at(middle, 0.0).0
        })
    }

    /// Lets actuators follow their controls and act.
    pub(super) fn run_actuators(&mut self) -> Result<()> {
        let mut actuators = std::mem::take(&mut self.actuators);
        let mut commands = std::mem::take(&mut self.commands);
        let mut all = actuators.iter_mut().enumerate();
        let result = all.try_for_each(|(index, entry)| self.actuate(index, entry, &mut commands));
        self.actuators = actuators;
        self.commands = commands;
        result
    }

    fn actuate(
        &self,
        index: usize,
        entry: &mut ActuatorEntry,
        commands: &mut Commands,
    ) -> Result<()> {
        let actuator = &entry.actuator;
        let control = self.control_of(index, actuator, commands);
        finite(&actuator.name, "control", control)?;
        let control = clamp(control, actuator.control_limits);
        let before = self.memory_of(entry).activation;
        let dt = self.settings.time_step;
        let activation = actuator.activation.advance(before, control, dt);
        let [position, velocity] = self.driven_coordinate(&actuator.target)?;
        let force = actuator.force(activation, [position, velocity]);
        finite(&actuator.name, "force", force.constant)?;
        entry.next = Some(Memory { activation, force });
        let expected = actuator.force_at(&force, [position + dt * velocity, velocity]);
        entry.piece = Saturation::of(expected, actuator.limits());
        entry.addition = commands.addition_count();
        let tracking = actuator.tracking(force, entry.piece);
        match actuator.target {
            ActuatorTarget::Joint { robot, dof } => commands.add_drive(robot, dof, tracking),
            ActuatorTarget::Tendon(tendon) => commands.add_tendon_drive(tendon, tracking),
            ActuatorTarget::Frame {
                body,
                pose,
                force,
                torque,
            } => {
                let frame = self.pose(body)? * pose;
                let size = tracking.feed_forward;
                let at = Point3::from(frame.translation.vector);
                commands.push_at(body, frame.rotation * force * size, at)?;
                commands.push(body, Vector3::zeros(), frame.rotation * torque * size)
            }
        }
    }

    /// Writes what actuators remember at the end of the step.
    pub(crate) fn advance_actuators(&mut self) {
        for entry in &self.actuators {
            if let Some(memory) = entry.next {
                let place = &mut self.next.memory[entry.memory..entry.memory + 4];
                place.copy_from_slice(&memory.to_array());
            }
        }
    }

    /// Forgets a step that has begun.
    pub(crate) fn forget_begun_step(&mut self) {
        for entry in &mut self.actuators {
            entry.next = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_damps_is_implicit_what_drives_is_not_and_limits_are_constant() {
        let target = ActuatorTarget::Tendon(TendonHandle(0));
        let actuator = Actuator {
            gear: 2.0,
            gain: 3.0,
            bias: [0.5, -4.0, 1.0],
            force_limits: Some([-50.0, 50.0]),
            ..Actuator::motor("a", target)
        };
        // 3·0.5 + 0.5 − 4·(2·1) + 1·(2·3)
        let force = actuator.force(0.5, [1.0, 3.0]);
        assert_eq!([force.per_length, force.per_speed], [-4.0, 0.0]);
        assert!((force.constant - (2.0 + 6.0)).abs() < 1e-12);
        let within = actuator.tracking(force, Saturation::Within);
        assert_eq!([within.feed_forward, within.stiffness], [16.0, 16.0]);
        for (piece, limit) in [(Saturation::Lower, -100.0), (Saturation::Upper, 100.0)] {
            let tracking = actuator.tracking(force, piece);
            assert_eq!([tracking.feed_forward, tracking.stiffness], [limit, 0.0]);
        }
    }

    #[test]
    fn numbers_that_no_actuator_can_have() {
        let motor = || Actuator::motor("a", ActuatorTarget::Tendon(TendonHandle(0)));
        let refused = [
            Actuator {
                gear: f64::NAN,
                ..motor()
            },
            Actuator {
                bias: [0.0, f64::INFINITY, 0.0],
                ..motor()
            },
            Actuator {
                control_limits: Some([1.0, -1.0]),
                ..motor()
            },
            Actuator {
                force_limits: Some([f64::NAN, 1.0]),
                ..motor()
            },
            Actuator {
                activation: Activation::Filter {
                    time_constant: -1.0,
                },
                ..motor()
            },
        ];
        for actuator in refused {
            let error = actuator.validate().unwrap_err().to_string();
            assert!(error.starts_with("a: "), "{error}");
        }
        assert!(motor().validate().is_ok());
    }
}
