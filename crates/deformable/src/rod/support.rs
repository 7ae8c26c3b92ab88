//! Links whose motion is given: clamped, pinned, driven.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::error::RodError;

/// Which degrees of freedom of a rod's links are given, and how they move. They are eliminated: the
/// pattern of A stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Supports {
    /// Whether each degree of freedom is given: (v, ω) of each link, world axes.
    given: Vec<bool>,
    /// Velocity of the given ones, m/s and rad/s; of others 0.
    velocity: Vec<f64>,
}

impl Supports {
    /// A rod of this many links, all free.
    pub fn free(links: usize) -> Self {
        Self {
            given: vec![false; 6 * links],
            velocity: vec![0.0; 6 * links],
        }
    }

    /// Holds a link: it neither moves nor turns.
    ///
    /// # Errors
    /// A link that does not exist.
    pub fn clamp(&mut self, link: usize) -> Result<(), RodError> {
        self.drive(link, Vector3::zeros(), Vector3::zeros())
    }

    /// Holds the centre of a link, which turns freely.
    ///
    /// # Errors
    /// A link that does not exist.
    pub fn pin(&mut self, link: usize) -> Result<(), RodError> {
        (0..3).try_for_each(|axis| self.give(link, axis, 0.0))
    }

    /// Moves and turns a link: velocity of its centre, m/s, and angular velocity, rad/s, world axes.
    ///
    /// # Errors
    /// A link that does not exist, a velocity that is not finite.
    pub fn drive(
        &mut self,
        link: usize,
        linear: Vector3<f64>,
        angular: Vector3<f64>,
    ) -> Result<(), RodError> {
        for (axis, &velocity) in linear.iter().chain(angular.iter()).enumerate() {
            self.give(link, axis, velocity)?;
        }
        Ok(())
    }

    /// Gives one velocity of a link: `axis` 0–2 along, 3–5 about the world's axes; m/s or rad/s.
    ///
    /// # Errors
    /// A link or axis that does not exist, a velocity that is not finite.
    pub fn give(&mut self, link: usize, axis: usize, velocity: f64) -> Result<(), RodError> {
        let links = self.given.len() / 6;
        if link >= links {
            return Err(RodError::NoSuchLink { link, links });
        }
        if axis >= 6 {
            return Err(RodError::NoSuchAxis { axis });
        }
        if !velocity.is_finite() {
            let what = "the given velocity";
            return Err(RodError::LinkNotFinite { what, link });
        }
        self.given[6 * link + axis] = true;
        self.velocity[6 * link + axis] = velocity;
        Ok(())
    }

    /// Lets a link go.
    ///
    /// # Errors
    /// A link that does not exist.
    pub fn release(&mut self, link: usize) -> Result<(), RodError> {
        let links = self.given.len() / 6;
        if link >= links {
            return Err(RodError::NoSuchLink { link, links });
        }
        self.given[6 * link..6 * link + 6].fill(false);
        self.velocity[6 * link..6 * link + 6].fill(0.0);
        Ok(())
    }

    /// Whether any link is driven, not merely held.
    pub(super) fn are_moving(&self) -> bool {
        self.velocity.iter().any(|&velocity| velocity != 0.0)
    }

    /// Whether each degree of freedom is given.
    pub fn given(&self) -> &[bool] {
        &self.given
    }

    /// Velocities of the given degrees of freedom, m/s and rad/s; of others 0.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }
}
