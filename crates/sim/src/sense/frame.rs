//! Sensors on frames of bodies.

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_modeling::FrameQuantity;

use super::Reading;
use crate::body::BodyHandle;
use crate::error::Result;
use crate::world::World;

impl World {
    /// Something about the frame `local` on a body.
    pub(super) fn measure_frame(
        &self,
        body: BodyHandle,
        local: &Isometry3<f64>,
        quantity: FrameQuantity,
    ) -> Result<Reading> {
        let (body_pose, twist) = (self.pose(body)?, self.velocity(body)?);
        let pose = body_pose * local;
        let point = Point3::from(pose.translation.vector);
        let velocity = twist.at(&body_pose.translation.vector, &point);
        let own = |vector: Vector3<f64>| pose.rotation.inverse() * vector;
        Ok(match quantity {
            FrameQuantity::Position => point.coords.into(),
            FrameQuantity::Orientation => pose.rotation.into(),
            FrameQuantity::LinearVelocity => velocity.into(),
            FrameQuantity::AngularVelocity => twist.angular.into(),
            FrameQuantity::Velocimeter => own(velocity).into(),
            FrameQuantity::Gyro => own(twist.angular).into(),
            FrameQuantity::Accelerometer => {
                // The change of velocity over the last step; at rest before the first one.
                let change = match self.previous_motion(body)? {
                    None => Vector3::zeros(),
                    Some((before, twist)) => {
                        let origin = Point3::from((before * local).translation.vector);
                        velocity - twist.at(&before.translation.vector, &origin)
                    }
                };
                let settings = self.settings();
                own(change / settings.time_step - settings.gravity).into()
            }
            FrameQuantity::Force | FrameQuantity::Torque => {
                if !self.last.is_known {
                    return Ok(Vector3::zeros().into());
                }
                let wrench = self.link_wrench(body)?;
                // From the link's origin and axes to those of the frame.
                let turn = local.rotation.inverse();
                let torque = wrench.torque - local.translation.vector.cross(&wrench.force);
                match quantity {
                    FrameQuantity::Force => (turn * wrench.force).into(),
                    _ => (turn * torque).into(),
                }
            }
        })
    }
}
