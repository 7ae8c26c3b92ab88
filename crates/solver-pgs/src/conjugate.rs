//! The conjugate-gradient acceleration of Gauss–Seidel sweeps, \[NNCG\].
//!
//! What a sweep changes plays the part of the negative gradient: r = x − y with x the impulses after the sweep that
//! began at y. With β = |r|²/|r_old|² (Fletcher–Reeves), p ← β p + r and the next sweep begins at y + p = x + β p_old;
//! where β > 1 the directions are forgotten. z = J v̂ is affine in the impulses, so that its changes follow
//! without a product. What is handed back is x, which every sweep leaves admissible.

use crate::local::Local;

/// Directions of the last sweep, and what they do to the row velocities.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conjugate {
    /// y and its z.
    from: Vec<f64>,
    from_velocity: Vec<f64>,
    /// p and G p.
    direction: Vec<f64>,
    response: Vec<f64>,
    /// β of the last sweep times p of the one before: what the next begins with.
    ahead: Vec<f64>,
    ahead_velocity: Vec<f64>,
    /// |r|² of the last sweep in the metric of one over the steps, J; 0 before the first.
    size: f64,
}

impl Conjugate {
    /// Forgets everything.
    pub(crate) fn restart(&mut self, rows: usize) {
        for vector in [
            &mut self.from,
            &mut self.from_velocity,
            &mut self.direction,
            &mut self.response,
            &mut self.ahead,
            &mut self.ahead_velocity,
        ] {
            vector.clear();
            vector.resize(rows, 0.0);
        }
        self.size = 0.0;
    }

    /// Before a sweep: goes ahead along the last direction.
    pub(crate) fn extrapolate(&mut self, impulse: &mut [f64], row_velocity: &mut [f64]) {
        for row in 0..impulse.len() {
            impulse[row] += self.ahead[row];
            row_velocity[row] += self.ahead_velocity[row];
        }
        self.from.copy_from_slice(impulse);
        self.from_velocity.copy_from_slice(row_velocity);
    }

    /// After a sweep: the next direction.
    pub(crate) fn learn(&mut self, locals: &[Local], impulse: &[f64], row_velocity: &[f64]) {
        let mut size = 0.0;
        for local in locals {
            for row in 0..local.rows {
                let at = local.first_row + row;
                let change = impulse[at] - self.from[at];
                size += change * change / local.step[row];
            }
        }
        // The first sweep has none to be conjugate to; one that changes more than the last begins anew.
        let is_restart = !(self.size > 0.0 && size <= self.size);
        let beta = if is_restart { 0.0 } else { size / self.size };
        for row in 0..impulse.len() {
            self.ahead[row] = beta * self.direction[row];
            self.ahead_velocity[row] = beta * self.response[row];
            self.direction[row] = self.ahead[row] + impulse[row] - self.from[row];
            self.response[row] =
                self.ahead_velocity[row] + row_velocity[row] - self.from_velocity[row];
        }
        self.size = size;
    }
}
