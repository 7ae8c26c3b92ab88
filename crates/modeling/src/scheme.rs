//! How a step goes through time, as far as rows need to know.

/// Time step, θ of v̂ = θ v + (1 − θ) v⁺, and how fast errors of position are removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    /// Time step, s.
    pub dt: f64,
    /// θ in [0, 1).
    pub theta: f64,
    /// Share of a penetration or of a joint's error that is removed in a step, in [0, 1].
    pub baumgarte: f64,
    /// Largest speed at which a penetration is pushed out, m/s, and at which a joint or tendon that
    /// is beyond its limits comes back, m/s or rad/s.
    pub push_out_speed: f64,
}

impl Scheme {
    /// Whether it is the midpoint rule, θ = 1/2.
    pub fn is_midpoint(&self) -> bool {
        self.theta == 0.5
    }
}
