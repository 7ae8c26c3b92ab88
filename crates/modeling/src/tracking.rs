//! A drive of one coordinate.

use serde::{Deserialize, Serialize};

/// Tracking of a coordinate: τ = feed-forward + stiffness (position − q) + damping (velocity − v),
/// with q and v of the **end** of the step, so that no gain is too stiff.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Tracking {
    /// Wanted position, rad or m.
    pub position: f64,
    /// Wanted velocity, rad/s or m/s.
    pub velocity: f64,
    /// Proportional gain, N·m/rad or N/m.
    pub stiffness: f64,
    /// Derivative gain, N·m·s/rad or N·s/m.
    pub damping: f64,
    /// Torque added, N·m or N.
    pub feed_forward: f64,
}
