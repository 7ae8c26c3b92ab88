//! Configuration and velocity together.

use serde::{Deserialize, Serialize};

use crate::configuration::normalize;
use crate::error::{Result, check_length};
use crate::model::Model;

/// What changes while a robot moves, and all that has to be saved of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Configuration, length `nq`.
    pub q: Vec<f64>,
    /// Velocity, length `nv`.
    pub v: Vec<f64>,
}

impl State {
    /// At rest in the neutral configuration.
    pub fn neutral(model: &Model) -> Self {
        Self {
            q: model.neutral(),
            v: vec![0.0; model.nv()],
        }
    }

    /// Checks the lengths against a model and brings the quaternions to unit length.
    pub fn validate(&mut self, model: &Model) -> Result<()> {
        check_length("v", self.v.len(), model.nv())?;
        normalize(model, &mut self.q)
    }
}
