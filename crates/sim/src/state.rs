//! Everything that changes when a world is stepped and that the next step depends on.

use serde::{Deserialize, Serialize};

/// Positions and velocities of everything, flat and in the order of adding. The world's
/// [layout](crate::mechanism::Layout) says whose numbers are where.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct State {
    /// Simulated time, s.
    pub time: f64,
    /// Steps made.
    pub step: u64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities, subsystem by subsystem.
    pub v: Vec<f64>,
    /// What else is needed to go on, such as velocities of driven bodies and activations of actuators.
    pub memory: Vec<f64>,
}

impl State {
    /// Takes over another state without allocating, if it is of the same world.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.time = other.time;
        self.step = other.step;
        self.q.clone_from(&other.q);
        self.v.clone_from(&other.v);
        self.memory.clone_from(&other.memory);
    }

    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        self.time.is_finite()
            && [&self.q, &self.v, &self.memory]
                .iter()
                .all(|values| are_finite(values))
    }
}

/// Whether all values are finite, without a branch for each.
pub(crate) fn are_finite(values: &[f64]) -> bool {
    values
        .iter()
        .fold(true, |so_far, value| so_far & value.is_finite())
}
