//! Sensors of scenes: what is measured, and how.

use stiction_io::scene_file::FrameQuantity;
use stiction_sim::{
    BodyHandle, Isometry3, Point3, Result, RobotHandle, TendonHandle, Vector3, World,
};

use crate::file::Target;
use crate::panel::Panel;

/// A sensor of a scene.
pub(crate) struct Sensor {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Largest absolute value it shows.
    pub(crate) cutoff: Option<f64>,
}

/// What a sensor measures, by handles.
pub(crate) enum Kind {
    JointPosition(RobotHandle, usize),
    JointVelocity(RobotHandle, usize),
    TendonLength(TendonHandle),
    TendonVelocity(TendonHandle),
    /// Position on the panel, and what the actuator acts on.
    ActuatorForce {
        dial: usize,
        gear: f64,
        target: Target,
    },
    Frame {
        body: BodyHandle,
        pose: Isometry3<f64>,
        quantity: FrameQuantity,
    },
}

impl Sensor {
    /// What the sensor shows now.
    pub(crate) fn read(&self, world: &mut World, panel: &Panel) -> Result<Vec<f64>> {
        let mut values = match &self.kind {
            Kind::JointPosition(robot, dof) => vec![world.dof_state(*robot, *dof)?.position],
            Kind::JointVelocity(robot, dof) => vec![world.dof_state(*robot, *dof)?.velocity],
            Kind::TendonLength(tendon) => vec![world.tendon_state(*tendon)?.length],
            Kind::TendonVelocity(tendon) => vec![world.tendon_state(*tendon)?.velocity],
            Kind::ActuatorForce { dial, gear, target } => {
                let [position, velocity] = target.coordinate(world)?;
                let dials = panel.dials();
                let [constant, per_length, per_speed] =
                    dials.get(*dial).map_or([0.0; 3], |dial| dial.force);
                vec![constant + gear * (per_length * position + per_speed * velocity)]
            }
            Kind::Frame {
                body,
                pose,
                quantity,
            } => frame(world, *body, pose, *quantity)?,
        };
        if let Some(cutoff) = self.cutoff {
            for value in &mut values {
                *value = value.max(-cutoff).min(cutoff);
            }
        }
        Ok(values)
    }
}

fn frame(
    world: &mut World,
    body: BodyHandle,
    local: &Isometry3<f64>,
    quantity: FrameQuantity,
) -> Result<Vec<f64>> {
    let (body_pose, twist) = (world.pose(body)?, world.velocity(body)?);
    let pose = body_pose * local;
    let point = Point3::from(pose.translation.vector);
    let velocity = twist.at(&body_pose.translation.vector, &point);
    let own = |vector: Vector3<f64>| pose.rotation.inverse() * vector;
    let list = |vector: Vector3<f64>| vector.iter().copied().collect();
    Ok(match quantity {
        FrameQuantity::Position => list(point.coords),
        FrameQuantity::Orientation => {
            let q = pose.rotation;
            vec![q.w, q.i, q.j, q.k]
        }
        FrameQuantity::LinearVelocity => list(velocity),
        FrameQuantity::AngularVelocity => list(twist.angular),
        FrameQuantity::Velocimeter => list(own(velocity)),
        FrameQuantity::Gyro => list(own(twist.angular)),
        FrameQuantity::Accelerometer => {
            // The change of velocity over the last step; at rest before the first one.
            let change = match world.previous_motion(body)? {
                None => Vector3::zeros(),
                Some((before, twist)) => {
                    let origin = Point3::from((before * local).translation.vector);
                    velocity - twist.at(&before.translation.vector, &origin)
                }
            };
            let settings = world.settings();
            list(own(change / settings.time_step - settings.gravity))
        }
        FrameQuantity::Force | FrameQuantity::Torque => {
            if world.previous_motion(body)?.is_none() {
                return Ok(vec![0.0; 3]);
            }
            let wrench = world.link_wrench(body)?;
            // From the link's origin and axes to those of the frame.
            let turn = local.rotation.inverse();
            let torque = wrench.torque - local.translation.vector.cross(&wrench.force);
            match quantity {
                FrameQuantity::Force => list(turn * wrench.force),
                _ => list(turn * torque),
            }
        }
        _ => {
            return Err(stiction_sim::SimError::NotPossible {
                element: "sensor".to_owned(),
                reason: "the simulator does not know this quantity".to_owned(),
            });
        }
    })
}
