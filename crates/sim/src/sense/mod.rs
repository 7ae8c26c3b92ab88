//! Sensors: what is measured on a world, by name.

mod frame;
mod reading;

pub use reading::Reading;

use nalgebra::Isometry3;
use serde::{Deserialize, Serialize};
use stiction_modeling::FrameQuantity;

use crate::body::BodyHandle;
use crate::drive::ActuatorHandle;
use crate::error::{Result, SimError, check, finite_vector};
use crate::robot::RobotHandle;
use crate::tendon::TendonHandle;
use crate::world::World;

/// A sensor of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SensorHandle(pub(crate) usize);

impl SensorHandle {
    /// Position among the world's sensors.
    pub fn index(self) -> usize {
        self.0
    }
}

/// Something that is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensor {
    /// Unique among sensors.
    pub name: String,
    /// What it measures.
    pub kind: SensorKind,
    /// Largest absolute value it shows; `None` for no bound.
    pub cutoff: Option<f64>,
}

/// What a sensor measures, in SI units.
#[derive(Debug, Clone, PartialEq)]
pub enum SensorKind {
    /// Position of a degree of freedom of a robot, rad or m.
    JointPosition {
        /// The robot.
        robot: RobotHandle,
        /// Its degree of freedom.
        dof: usize,
    },
    /// Velocity of a degree of freedom of a robot, rad/s or m/s.
    JointVelocity {
        /// The robot.
        robot: RobotHandle,
        /// Its degree of freedom.
        dof: usize,
    },
    /// Length of a tendon.
    TendonLength(TendonHandle),
    /// Rate of change of a tendon's length.
    TendonVelocity(TendonHandle),
    /// [Force of an actuator](World::actuator_force).
    ActuatorForce(ActuatorHandle),
    /// Something about a frame.
    Frame {
        /// The body.
        body: BodyHandle,
        /// The frame, in the body's frame.
        pose: Isometry3<f64>,
        /// What about it.
        quantity: FrameQuantity,
    },
}

impl Sensor {
    /// A sensor that shows whatever it measures.
    pub fn new(name: &str, kind: SensorKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            cutoff: None,
        }
    }
}

impl World {
    /// Adds a sensor.
    ///
    /// # Errors
    /// A taken name, numbers that no sensor can have, something unknown to measure, a load where no
    /// joint carries the body.
    pub fn add_sensor(&mut self, sensor: Sensor) -> Result<SensorHandle> {
        let name = &sensor.name;
        if self.sensor_names().any(|known| known == name) {
            return Err(SimError::DuplicateName {
                what: "sensor",
                name: sensor.name,
            });
        }
        if let Some(cutoff) = sensor.cutoff {
            check(
                name,
                "cutoff",
                cutoff,
                cutoff >= 0.0,
                "must not be negative",
            )?;
        }
        if let SensorKind::Frame {
            body,
            pose,
            quantity,
        } = &sensor.kind
        {
            let position = pose.translation.vector.iter();
            finite_vector(name, "pose", position.chain(pose.rotation.coords.iter()))?;
            if quantity.is_load() && !self.is_moving_link(*body)? {
                return Err(SimError::NotPossible {
                    element: name.clone(),
                    reason: format!("no joint carries \"{}\"", self.body_name(*body)?),
                });
            }
        }
        // What cannot be measured is refused now, not when it is read.
        self.measure(&sensor.kind)?;
        self.sensors.push(sensor);
        Ok(SensorHandle(self.sensors.len() - 1))
    }

    /// A sensor by its name.
    ///
    /// # Errors
    /// A name that no sensor has; the error lists those that there are.
    pub fn find_sensor(&self, name: &str) -> Result<SensorHandle> {
        let found = self.sensor_names().position(|known| known == name);
        found
            .map(SensorHandle)
            .ok_or_else(|| SimError::not_among("sensor", name, self.sensor_names()))
    }

    /// Names of the sensors, in the order of adding.
    pub fn sensor_names(&self) -> impl Iterator<Item = &str> {
        self.sensors.iter().map(|sensor| sensor.name.as_str())
    }

    /// The sensors, in the order of adding.
    pub fn sensors(&self) -> impl Iterator<Item = SensorHandle> + use<> {
        (0..self.sensors.len()).map(SensorHandle)
    }

    /// A sensor as it was added.
    ///
    /// # Errors
    /// An unknown sensor.
    pub fn sensor(&self, sensor: SensorHandle) -> Result<&Sensor> {
        let found = self.sensors.get(sensor.0);
        found.ok_or_else(|| SimError::Unknown {
            what: "sensor",
            name: sensor.0.to_string(),
        })
    }

    /// What a sensor shows now, in SI units. Accelerometers show the change of velocity over the last
    /// step, force and torque sensors the mean over it; before the first step (and after the state was
    /// set) a body counts as at rest and joints as without load.
    ///
    /// # Errors
    /// An unknown sensor.
    pub fn read_sensor(&self, sensor: SensorHandle) -> Result<Reading> {
        let sensor = self.sensor(sensor)?;
        let mut reading = self.measure(&sensor.kind)?;
        if let Some(cutoff) = sensor.cutoff {
            reading.clamp(cutoff);
        }
        Ok(reading)
    }

    fn measure(&self, kind: &SensorKind) -> Result<Reading> {
        Ok(match *kind {
            SensorKind::JointPosition { robot, dof } => {
                Reading::from(self.dof_state(robot, dof)?.position)
            }
            SensorKind::JointVelocity { robot, dof } => {
                Reading::from(self.dof_state(robot, dof)?.velocity)
            }
            SensorKind::TendonLength(tendon) => Reading::from(self.tendon_motion(tendon)?.length),
            SensorKind::TendonVelocity(tendon) => Reading::from(self.tendon_motion(tendon)?.before),
            SensorKind::ActuatorForce(actuator) => Reading::from(self.actuator_force(actuator)?),
            SensorKind::Frame {
                body,
                ref pose,
                quantity,
            } => self.measure_frame(body, pose, quantity)?,
        })
    }
}
