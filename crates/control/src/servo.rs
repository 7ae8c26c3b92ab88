//! What drives one joint.

use stiction_sim::Tracking;

/// Gains of a joint's drive: τ = feed-forward + stiffness (q_d − q) + damping (v_d − v), at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Servo {
    /// N·m/rad or N/m.
    pub stiffness: f64,
    /// N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Added torque (N·m) or force (N).
    pub feed_forward: f64,
}

impl Servo {
    /// A servo that adds nothing.
    pub const fn new(stiffness: f64, damping: f64) -> Self {
        Self {
            stiffness,
            damping,
            feed_forward: 0.0,
        }
    }

    /// Tracks a position (rad or m) and a velocity (rad/s or m/s), with a torque (N·m or N) that holds the joint
    /// there.
    pub fn track(&self, [position, velocity]: [f64; 2], hold: f64) -> Tracking {
        Tracking {
            position,
            velocity,
            stiffness: self.stiffness,
            damping: self.damping,
            feed_forward: self.feed_forward + hold,
        }
    }
}
