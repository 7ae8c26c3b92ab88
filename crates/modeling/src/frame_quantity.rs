//! What a sensor measures of a frame.

use serde::{Deserialize, Serialize};

/// What a sensor measures of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FrameQuantity {
    /// Position in the world, m.
    Position,
    /// Orientation in the world as a quaternion (w, x, y, z).
    Orientation,
    /// Velocity of its origin, world axes, m/s.
    LinearVelocity,
    /// Angular velocity, world axes, rad/s.
    AngularVelocity,
    /// Velocity of its origin, its own axes, m/s.
    Velocimeter,
    /// Angular velocity, its own axes, rad/s.
    Gyro,
    /// Acceleration of its origin without that of free fall, its own axes, m/s².
    Accelerometer,
    /// Force that the joint behind it passes on to its link, its own axes, N.
    Force,
    /// Torque about its origin that the joint behind it passes on, its own axes, N·m.
    Torque,
}

impl FrameQuantity {
    /// Whether it is a load that a joint carries.
    pub fn is_load(self) -> bool {
        matches!(self, Self::Force | Self::Torque)
    }
}
