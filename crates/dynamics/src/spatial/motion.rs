//! Spatial motion vectors.

use nalgebra::{Vector3, Vector6};
use serde::{Deserialize, Serialize};

use super::small::cross;
use super::{Force, impl_vector_space};

/// A spatial motion: velocity, acceleration, or a column of a joint's motion subspace.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Linear part: velocity (m/s) or acceleration (m/s²) of the body-fixed point at the origin.
    pub linear: Vector3<f64>,
    /// Angular part: angular velocity (rad/s) or acceleration (rad/s²).
    pub angular: Vector3<f64>,
}

impl_vector_space!(Motion);

impl Motion {
    /// Spatial cross product `self × other` of two motions [RBDA, (2.31)].
    #[inline]
    pub fn cross(&self, other: &Motion) -> Motion {
        Motion::new(
            cross(&self.angular, &other.linear) + cross(&self.linear, &other.angular),
            cross(&self.angular, &other.angular),
        )
    }

    /// Spatial cross product `self ×* force` of a motion with a force [RBDA, (2.32)].
    #[inline]
    pub fn cross_force(&self, force: &Force) -> Force {
        Force::new(
            cross(&self.angular, &force.linear),
            cross(&self.angular, &force.angular) + cross(&self.linear, &force.linear),
        )
    }

    /// Power of `force` along this motion (W when `self` is a velocity).
    #[inline]
    pub fn dot(&self, force: &Force) -> f64 {
        let (v, w, f, n) = (&self.linear, &self.angular, &force.linear, &force.angular);
        (v.x * f.x + v.y * f.y + v.z * f.z) + (w.x * n.x + w.y * n.y + w.z * n.z)
    }

    /// The same motion in coordinates whose origin is moved by `offset` (axes unchanged).
    #[inline]
    pub fn shifted(&self, offset: &Vector3<f64>) -> Motion {
        Motion::new(self.linear + cross(&self.angular, offset), self.angular)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn force_cross_is_minus_the_adjoint_of_motion_cross() {
        let a = Motion::from_array([0.3, -1.0, 2.0, 0.7, 0.1, -0.4]);
        let b = Motion::from_array([1.3, 0.2, -0.5, -0.6, 0.9, 1.1]);
        let f = Force::from_array([2.0, 0.1, -0.7, 0.4, -1.2, 0.8]);
        // (a × b)·f + b·(a ×* f) = 0
        assert!((a.cross(&b).dot(&f) + b.dot(&a.cross_force(&f))).abs() < 1e-14);
    }

    #[test]
    fn shifting_moves_the_point_whose_velocity_is_measured() {
        // turning about z at 2 rad/s: a point 3 m along x moves along y at 6 m/s
        let spin = Motion::new(Vector3::zeros(), Vector3::new(0.0, 0.0, 2.0));
        let there = spin.shifted(&Vector3::new(3.0, 0.0, 0.0));
        assert_eq!(there.linear, Vector3::new(0.0, 6.0, 0.0));
    }
}
