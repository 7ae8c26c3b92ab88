//! The motion of several bodies as one: what their momenta ask for.

use nalgebra::{Matrix3, Vector3};

use crate::free_bodies::Moving;

/// Bodies added up as if they were one rigid body.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Locked {
    /// kg, and kg·m.
    mass: f64,
    first_moment: Vector3<f64>,
    /// Linear momentum, kg·m/s; angular momentum about the world's origin, kg·m²/s.
    momentum: Vector3<f64>,
    angular: Vector3<f64>,
    /// Rotational inertia about the world's origin, kg·m².
    inertia: Matrix3<f64>,
}

/// How bodies that are locked to each other move, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LockedMotion {
    center: Vector3<f64>,
    velocity: Vector3<f64>,
    turn: Vector3<f64>,
    /// J.
    pub(super) kinetic: f64,
}

impl Locked {
    pub(super) fn add(&mut self, body: &Moving) {
        let Moving { mass, center, .. } = *body;
        let spin = body.inertia * body.angular_velocity;
        self.mass += mass;
        self.first_moment += center * mass;
        self.momentum += body.velocity * mass;
        self.angular += center.cross(&body.velocity) * mass + spin;
        let square = Matrix3::identity() * center.norm_squared() - center * center.transpose();
        self.inertia += body.inertia + square * mass;
    }

    /// Their motion as one; `None` where no body was added.
    pub(super) fn motion(&self) -> Option<LockedMotion> {
        if !(self.mass > 0.0) {
            return None;
        }
        let center = self.first_moment / self.mass;
        let square = Matrix3::identity() * center.norm_squared() - center * center.transpose();
        let inertia = self.inertia - square * self.mass;
        let angular = self.angular - center.cross(&self.momentum);
        let turn = inertia.cholesky()?.solve(&angular);
        let velocity = self.momentum / self.mass;
        Some(LockedMotion {
            center,
            velocity,
            turn,
            kinetic: 0.5 * (self.momentum.dot(&velocity) + angular.dot(&turn)),
        })
    }
}

impl LockedMotion {
    /// The same motion with a share of its energy.
    pub(super) fn with_energy(&self, share: f64) -> Self {
        let factor = share.max(0.0).sqrt();
        Self {
            velocity: self.velocity * factor,
            turn: self.turn * factor,
            kinetic: self.kinetic * share.max(0.0),
            ..*self
        }
    }

    /// Velocity of a body's centre of mass and its angular velocity when what it does beside this motion is
    /// multiplied by `factor`.
    pub(super) fn with_rest(&self, body: &Moving, factor: f64) -> [Vector3<f64>; 2] {
        let along = self.velocity + self.turn.cross(&(body.center - self.center));
        [
            along + (body.velocity - along) * factor,
            self.turn + (body.angular_velocity - self.turn) * factor,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_the_rest_keeps_both_momenta() {
        let body = |x: f64| Moving {
            mass: 1.0 + x,
            center: Vector3::new(x, 2.0 * x, 0.3),
            inertia: Matrix3::from_diagonal(&Vector3::new(0.1, 0.2, 0.3 + x)),
            velocity: Vector3::new(1.0, -x, 0.5),
            angular_velocity: Vector3::new(x, 3.0, -1.0),
        };
        let before = [body(0.0), body(1.0), body(-0.4)];
        let sum = |bodies: &[Moving]| {
            let mut sum = Locked::default();
            bodies.iter().for_each(|body| sum.add(body));
            sum
        };
        let motion = sum(&before).motion().unwrap();
        let after = before.map(|body| {
            let [velocity, angular_velocity] = motion.with_rest(&body, 0.3);
            Moving {
                velocity,
                angular_velocity,
                ..body
            }
        });
        let (before, after) = (sum(&before), sum(&after));
        assert!((before.momentum - after.momentum).norm() < 1e-14);
        assert!((before.angular - after.angular).norm() < 1e-14);
    }
}
