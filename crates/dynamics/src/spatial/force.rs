//! Spatial force vectors.

use nalgebra::{Vector3, Vector6};
use serde::{Deserialize, Serialize};

use super::impl_vector_space;
use super::small::cross;

/// A spatial force (wrench) or a spatial momentum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Force {
    /// Linear part: force (N) or linear momentum (kg·m/s).
    pub linear: Vector3<f64>,
    /// Angular part: moment (N·m) or angular momentum (kg·m²/s) about the origin of the frame.
    pub angular: Vector3<f64>,
}

impl_vector_space!(Force);

impl Force {
    /// The same force in coordinates whose origin is moved by `offset` (axes unchanged).
    #[inline]
    pub fn shifted(&self, offset: &Vector3<f64>) -> Force {
        Force::new(self.linear, self.angular - cross(offset, &self.linear))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moment_about_a_point_on_the_line_of_action_vanishes() {
        let push = Force::new(Vector3::new(0.0, 5.0, 0.0), Vector3::new(0.0, 0.0, 10.0)); // acts at x = 2
        let there = push.shifted(&Vector3::new(2.0, 7.0, 0.0));
        assert_eq!(there.angular, Vector3::zeros());
        assert_eq!(there.linear, push.linear);
    }
}
