//! Tendons, actuators, sensors, keyframes and contact pairs: from names to handles.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use stiction_io::IoError;
use stiction_io::scene_file::{
    ActuatorTarget, KeyframeDescription, SensorKind, TendonPath as DescribedPath,
};
use stiction_sim::{
    Actuator, ActuatorTarget as Target, Result as SimResult, RobotHandle, Sensor,
    SensorKind as Measured, SimError, Tendon, TendonBranch, TendonPath, Touching,
};

use super::world::Builder;

impl Builder<'_> {
    pub(super) fn include_pairs(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, pair) in file.scene.contact_pairs.iter().enumerate() {
            let key = format!("contact_pairs[{index}]");
            let [a, b] = [0, 1].map(|end| self.world.find_collider(&pair.shapes[end]));
            let included = a.and_then(|a| self.world.include_pair(a, b?, pair.friction));
            included.map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    pub(super) fn add_tendons(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, description) in file.scene.tendons.iter().enumerate() {
            let key = format!("tendons[{index}]");
            let path = match &description.path {
                DescribedPath::Joints { robot, terms } => {
                    let path = self.joint_path(robot, terms);
                    path.map_err(|error| self.error(&key, error))?
                }
                DescribedPath::Points(branches) => {
                    let mut found = Vec::new();
                    for branch in branches {
                        let mut points = Vec::new();
                        for (body, point) in &branch.points {
                            let place = self.find(&key, body)?;
                            points.push((place.body, place.offset * point));
                        }
                        found.push(TendonBranch {
                            divisor: branch.divisor,
                            points,
                        });
                    }
                    TendonPath::Points(found)
                }
                _ => return Err(self.error(&key, "the simulator does not know this path")),
            };
            let tendon = Tendon {
                name: description.name.clone(),
                path,
                limits: description
                    .limits
                    .unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
                stiffness: description.stiffness,
                damping: description.damping,
                rest: description.rest,
                friction_loss: description.friction_loss,
            };
            self.world
                .add_tendon(tendon)
                .map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    fn joint_path(&self, robot: &str, terms: &[(String, f64)]) -> SimResult<TendonPath> {
        let robot = self.world.find_robot(robot)?;
        let mut found = Vec::new();
        for (joint, coefficient) in terms {
            found.push((self.world.dof(robot, joint)?, *coefficient));
        }
        Ok(TendonPath::Joints {
            robot,
            terms: found,
        })
    }

    fn joint(&self, robot: &str, joint: &str) -> SimResult<(RobotHandle, usize)> {
        let robot = self.world.find_robot(robot)?;
        Ok((robot, self.world.dof(robot, joint)?))
    }

    pub(super) fn add_actuators(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, description) in file.scene.actuators.iter().enumerate() {
            let key = format!("actuators[{index}]");
            let target = match &description.target {
                ActuatorTarget::Joint { robot, joint } => self
                    .joint(robot, joint)
                    .map(|(robot, dof)| Target::Joint { robot, dof }),
                ActuatorTarget::Tendon(name) => self.world.find_tendon(name).map(Target::Tendon),
                ActuatorTarget::Frame {
                    body,
                    pose,
                    force,
                    torque,
                } => {
                    let place = self.find(&key, body)?;
                    Ok(Target::Frame {
                        body: place.body,
                        pose: place.offset * pose,
                        force: *force,
                        torque: *torque,
                    })
                }
                _ => return Err(self.error(&key, "the simulator does not know this target")),
            };
            let added = target.and_then(|target| {
                self.world.add_actuator(Actuator {
                    name: description.name.clone(),
                    target,
                    gear: description.gear,
                    gain: description.gain,
                    bias: description.bias,
                    control_limits: description.control_limits,
                    force_limits: description.force_limits,
                    activation: description.activation,
                    control: description.control.clone(),
                })
            });
            added.map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    pub(super) fn add_sensors(&mut self) -> Result<(), IoError> {
        let file = self.file;
        for (index, description) in file.scene.sensors.iter().enumerate() {
            let key = format!("sensors[{index}]");
            let kind = match &description.kind {
                SensorKind::Frame {
                    body,
                    pose,
                    quantity,
                } => {
                    let place = self.find(&key, body)?;
                    Ok(Measured::Frame {
                        body: place.body,
                        pose: place.offset * pose,
                        quantity: *quantity,
                    })
                }
                SensorKind::ContactForce { on, from } => {
                    let from = from.as_ref().map(|from| self.touching(&key, from));
                    Ok(Measured::ContactForce {
                        on: self.touching(&key, on)?,
                        from: from.transpose()?,
                    })
                }
                other => self.plain_sensor(other),
            };
            let added = kind.and_then(|kind| {
                self.world.add_sensor(Sensor {
                    name: description.name.clone(),
                    kind,
                    cutoff: description.cutoff,
                })
            });
            added.map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    /// A body, or what a soft body or rod of this name touches with.
    fn touching(&self, key: &str, name: &str) -> Result<Touching, IoError> {
        let world = &self.world;
        let soft = world.find_soft_body(name);
        let rod = world.find_rod(name);
        let collider = match (soft, rod) {
            (Ok(soft), _) => world.soft_collider(soft),
            (_, Ok(rod)) => world.rod_collider(rod),
            _ => return Ok(Touching::Body(self.find(key, name)?.body)),
        };
        let collider = collider.map_err(|error| self.error(key, error))?;
        let collider = collider.map(Touching::Collider);
        collider.ok_or_else(|| self.error(key, format!("\"{name}\" touches nothing")))
    }

    fn plain_sensor(&self, kind: &SensorKind) -> SimResult<Measured> {
        Ok(match kind {
            SensorKind::JointPosition { robot, joint } => {
                let (robot, dof) = self.joint(robot, joint)?;
                Measured::JointPosition { robot, dof }
            }
            SensorKind::JointVelocity { robot, joint } => {
                let (robot, dof) = self.joint(robot, joint)?;
                Measured::JointVelocity { robot, dof }
            }
            SensorKind::TendonLength(name) => Measured::TendonLength(self.world.find_tendon(name)?),
            SensorKind::TendonVelocity(name) => {
                Measured::TendonVelocity(self.world.find_tendon(name)?)
            }
            SensorKind::ActuatorForce(name) => {
                Measured::ActuatorForce(self.world.find_actuator(name)?)
            }
            SensorKind::SoftStress { soft, node } => Measured::SoftStress {
                soft: self.world.find_soft_body(soft)?,
                node: *node,
            },
            SensorKind::RodForce { rod, joint } => Measured::RodForce {
                rod: self.world.find_rod(rod)?,
                joint: *joint,
            },
            SensorKind::RodMoment { rod, joint } => Measured::RodMoment {
                rod: self.world.find_rod(rod)?,
                joint: *joint,
            },
            _ => {
                return Err(SimError::NotPossible {
                    element: "sensor".to_owned(),
                    reason: "the simulator does not know this kind".to_owned(),
                });
            }
        })
    }

    /// The keyframe of a name; the error lists those that there are.
    pub(super) fn keyframe(&self, name: &str) -> SimResult<(usize, &KeyframeDescription)> {
        let keyframes = &self.file.scene.keyframes;
        let mut all = keyframes.iter().enumerate();
        all.find(|(_, keyframe)| keyframe.name == name)
            .ok_or_else(|| {
                let known = keyframes.iter().map(|keyframe| keyframe.name.as_str());
                SimError::not_among("keyframe", name, known)
            })
    }

    /// Starts the scene at a keyframe.
    pub(super) fn start_at(
        &mut self,
        index: usize,
        keyframe: &KeyframeDescription,
    ) -> Result<(), IoError> {
        let key = format!("keyframes[{index}]");
        self.place_joints(keyframe)
            .map_err(|error| self.error(&key, error))?;
        for body in &keyframe.bodies {
            let handle = self.find(&key, &body.body)?.body;
            self.world
                .set_body_state(handle, body.pose, body.velocity, body.angular_velocity)
                .map_err(|error| self.error(&key, error))?;
        }
        for (name, control) in &keyframe.controls {
            let actuator = self.world.find_actuator(name);
            let set = actuator.and_then(|actuator| self.world.set_control(actuator, *control));
            set.map_err(|error| self.error(&key, error))?;
        }
        Ok(())
    }

    /// Places the joints of a keyframe, those of a robot at once.
    fn place_joints(&mut self, keyframe: &KeyframeDescription) -> SimResult<()> {
        let mut states: BTreeMap<&str, (RobotHandle, Vec<f64>, Vec<f64>)> = BTreeMap::new();
        for joint in &keyframe.joints {
            let (handle, q, v) = match states.entry(&joint.robot) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let handle = self.world.find_robot(&joint.robot)?;
                    let (q, v) = self.world.robot_state(handle)?;
                    new.insert((handle, q.to_vec(), v.to_vec()))
                }
            };
            let info = self.world.model(*handle)?.joint(&joint.joint);
            let info = info.ok_or_else(|| SimError::Unknown {
                what: "joint",
                name: format!("{}/{}", joint.robot, joint.joint),
            })?;
            fill(&mut q[info.q.clone()], &joint.position, "position")?;
            let v = &mut v[info.v.clone()];
            v.fill(0.0);
            if !joint.velocity.is_empty() {
                fill(v, &joint.velocity, "velocity")?;
            }
        }
        for (handle, q, v) in states.values() {
            self.world.set_robot_state(*handle, q, v)?;
        }
        Ok(())
    }
}

/// Copies coordinates of a joint, which must be as many as it has.
fn fill(to: &mut [f64], from: &[f64], what: &str) -> SimResult<()> {
    if to.len() != from.len() {
        return Err(SimError::NotPossible {
            element: what.to_owned(),
            reason: format!("has {} numbers, the joint {}", from.len(), to.len()),
        });
    }
    to.copy_from_slice(from);
    Ok(())
}
