//! What a sensor shows.

use std::ops::Deref;

use nalgebra::{UnitQuaternion, Vector3};

/// The values that a sensor shows: one to four numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    values: [f64; 4],
    count: usize,
}

impl Reading {
    /// Bounds all values.
    pub(super) fn clamp(&mut self, cutoff: f64) {
        for value in &mut self.values {
            *value = value.max(-cutoff).min(cutoff);
        }
    }
}

impl Deref for Reading {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.values[..self.count]
    }
}

impl From<f64> for Reading {
    fn from(value: f64) -> Self {
        Self {
            values: [value, 0.0, 0.0, 0.0],
            count: 1,
        }
    }
}

impl From<Vector3<f64>> for Reading {
    fn from(vector: Vector3<f64>) -> Self {
        Self {
            values: [vector.x, vector.y, vector.z, 0.0],
            count: 3,
        }
    }
}

impl From<UnitQuaternion<f64>> for Reading {
    /// As (w, x, y, z).
    fn from(q: UnitQuaternion<f64>) -> Self {
        Self {
            values: [q.w, q.i, q.j, q.k],
            count: 4,
        }
    }
}
