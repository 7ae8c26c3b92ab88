//! Contact by springs and dampers: a rigid box whose lower corners are pushed out of the floor.
//!
//! The force of a corner that is below the floor by d and sinks at v_n is f_n = max(0, k d − c v_n); friction is that of a damper,
//! f_t = −c_t v_t, cut at μ f_n. All forces act over a step from the state at its start (semi-implicit Euler), as
//! simulators with this model do; it solves no contact problem.

use stiction_sim::{UnitQuaternion, Vector3};

/// Gains of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyGains {
    /// Spring of a corner, N/m.
    pub stiffness: f64,
    /// Damper along the normal, N·s/m.
    pub damping: f64,
    /// Damper along the floor, N·s/m.
    pub friction_damping: f64,
    /// Friction coefficient.
    pub friction: f64,
}

/// A cube on the floor z = 0, in world axes.
#[derive(Debug, Clone, PartialEq)]
pub struct PenaltyBox {
    /// Side, m.
    pub side: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Middle, m, and orientation.
    pub position: Vector3<f64>,
    /// Orientation.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity of the middle, m/s.
    pub velocity: Vector3<f64>,
    /// Angular velocity, rad/s.
    pub spin: Vector3<f64>,
    /// Gains of its contacts.
    pub gains: PenaltyGains,
}

impl PenaltyBox {
    /// A cube at rest that just touches the floor.
    pub fn resting(side: f64, mass: f64, gains: PenaltyGains) -> Self {
        Self {
            side,
            mass,
            position: Vector3::z() * (0.5 * side),
            rotation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
            gains,
        }
    }

    /// Force of the floor on a corner at `at` (m) that moves with `velocity` (m/s), N.
    fn contact_force(&self, at: &Vector3<f64>, velocity: &Vector3<f64>) -> Vector3<f64> {
        let gains = &self.gains;
        if at.z >= 0.0 {
            return Vector3::zeros();
        }
        let normal = (-gains.stiffness * at.z - gains.damping * velocity.z).max(0.0);
        let slip = Vector3::new(velocity.x, velocity.y, 0.0);
        let wanted = slip * -gains.friction_damping;
        let most = gains.friction * normal;
        let size = wanted.norm();
        let friction = if size > most {
            wanted * (most / size)
        } else {
            wanted
        };
        friction + Vector3::z() * normal
    }

    /// One step of `dt` s under gravity (m/s²) and a force on the middle (N).
    pub fn step(&mut self, dt: f64, gravity: &Vector3<f64>, push: &Vector3<f64>) {
        let mut force = gravity * self.mass + push;
        let mut torque = Vector3::zeros();
        let half = 0.5 * self.side;
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            let arm = self.rotation * Vector3::new(x * half, y * half, -half);
            let velocity = self.velocity + self.spin.cross(&arm);
            let own = self.contact_force(&(self.position + arm), &velocity);
            force += own;
            torque += arm.cross(&own);
        }
        // A cube turns as easily about every axis: no gyroscopic term.
        let inertia = self.mass * self.side * self.side / 6.0;
        self.velocity += force * (dt / self.mass);
        self.spin += torque * (dt / inertia);
        self.position += self.velocity * dt;
        self.rotation = UnitQuaternion::from_scaled_axis(self.spin * dt) * self.rotation;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAINS: PenaltyGains = PenaltyGains {
        stiffness: 1e3,
        damping: 20.0,
        friction_damping: 20.0,
        friction: 0.2,
    };

    #[test]
    fn a_box_rests_in_the_floor_by_its_weight_over_the_springs() {
        let mut cube = PenaltyBox::resting(0.2, 0.5, GAINS);
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        for _ in 0..20_000 {
            cube.step(1e-4, &gravity, &Vector3::zeros());
        }
        let sunk = 0.1 - cube.position.z;
        assert!((sunk - 0.5 * 9.81 / 4e3).abs() < 1e-6, "{sunk}");
    }

    #[test]
    fn a_box_that_slides_is_slowed_down_by_coulomb_friction() {
        let mut cube = PenaltyBox::resting(0.2, 0.5, GAINS);
        cube.velocity.x = 2.0;
        cube.position.z -= 0.5 * 9.81 / 4e3;
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        for _ in 0..2000 {
            cube.step(1e-4, &gravity, &Vector3::zeros());
        }
        let expected = 2.0 - 0.2 * 9.81 * 0.2;
        assert!(
            (cube.velocity.x - expected).abs() < 0.02,
            "{}",
            cube.velocity.x
        );
    }
}
