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
use crate::measure::Touching;
use crate::robot::RobotHandle;
#[cfg(feature = "deformable")]
use crate::rod::RodHandle;
#[cfg(feature = "deformable")]
use crate::soft::SoftHandle;
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
    /// Sum of the contact forces on something, world axes, N, as [`World::contact_force`] has it.
    ContactForce {
        /// What the force is on.
        on: Touching,
        /// What it comes from; `None` for all contacts.
        from: Option<Touching>,
    },
    /// Von Mises stress of a soft body, Pa.
    #[cfg(feature = "deformable")]
    SoftStress {
        /// The soft body.
        soft: SoftHandle,
        /// At this node ([`World::soft_stress`]); `None` for the largest of all.
        node: Option<usize>,
    },
    /// Force that a joint between two links of a rod carries, in its axes, N: two shear forces and tension.
    #[cfg(feature = "deformable")]
    RodForce {
        /// The rod.
        rod: RodHandle,
        /// The joint, from 0.
        joint: usize,
    },
    /// Moment that a joint between two links of a rod carries, in its axes, N·m: two of bending, one of
    /// twisting.
    #[cfg(feature = "deformable")]
    RodMoment {
        /// The rod.
        rod: RodHandle,
        /// The joint, from 0.
        joint: usize,
    },
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
                let reason = format!("no joint carries \"{}\"", self.body_name(*body)?);
                return Err(SimError::not_possible(name, reason));
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
            SensorKind::ContactForce { on, from } => Reading::from(self.contact_force(on, from)?),
            #[cfg(feature = "deformable")]
            SensorKind::SoftStress { soft, node } => {
                let stress = self.soft_stress(soft)?;
                Reading::from(match node {
                    None => stress.iter().copied().fold(0.0, f64::max),
                    Some(node) => *stress.get(node).ok_or_else(|| SimError::Unknown {
                        what: "node",
                        name: node.to_string(),
                    })?,
                })
            }
            #[cfg(feature = "deformable")]
            SensorKind::RodForce { rod, joint } => {
                Reading::from(self.rod_stress(rod, joint)?.force)
            }
            #[cfg(feature = "deformable")]
            SensorKind::RodMoment { rod, joint } => {
                Reading::from(self.rod_stress(rod, joint)?.moment)
            }
            SensorKind::Frame {
                body,
                ref pose,
                quantity,
            } => self.measure_frame(body, pose, quantity)?,
        })
    }
}
