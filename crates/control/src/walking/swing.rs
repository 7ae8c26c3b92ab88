//! Where a foot goes next, and on which way.

use nalgebra::{Rotation3, Vector3};

use crate::minimum_jerk::minimum_jerk;

/// How much of the error of the velocity a step corrects, in √(h/g): a little, beside what the forces do.
const FEEDBACK: f64 = 0.15;
/// How far a foot goes at most from below its hip, in heights of the centre of mass.
const FARTHEST: f64 = 0.6;

/// What the next place of a foot depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landing {
    /// Centre of mass, world, m, and its velocity, m/s; what it should be, m/s.
    pub(super) center: Vector3<f64>,
    pub(super) velocity: Vector3<f64>,
    pub(super) wanted: Vector3<f64>,
    /// Heading, rad, and wanted turning rate, rad/s.
    pub(super) yaw: f64,
    pub(super) turning: f64,
    /// Height of the centre of mass above the feet, m, and √(h/g), s.
    pub(super) height: f64,
    pub(super) pendulum: f64,
    /// How long a foot stands, s.
    pub(super) stance: f64,
}

impl Landing {
    /// Where a foot lands in `remaining` s: below its hip, ahead by half the way that the trunk goes while it
    /// stands (Raibert's neutral point), and by a part of the error of the velocity. `nominal` is where the foot
    /// is below a standing robot, from the centre of mass, in the trunk's heading; `ground` its height, m.
    pub(super) fn place(
        &self,
        nominal: &Vector3<f64>,
        remaining: f64,
        ground: f64,
    ) -> Vector3<f64> {
        let center = self.center + self.velocity * remaining;
        let yaw = self.yaw + self.turning * (remaining + 0.5 * self.stance);
        let hip = Rotation3::from_axis_angle(&Vector3::z_axis(), yaw) * nominal;
        let feedback = FEEDBACK * self.pendulum;
        let ahead = self.velocity * (0.5 * self.stance) + (self.velocity - self.wanted) * feedback;
        let ahead = ahead.xy().cap_magnitude(FARTHEST * self.height);
        Vector3::new(
            center.x + hip.x + ahead.x,
            center.y + hip.y + ahead.y,
            ground,
        )
    }
}

/// The way of a foot from where it lifts off to where it lands, at a part of its time: over the ground with
/// minimum jerk, and up to `clearance` (m) above both and down again.
pub(super) fn way(
    from: &Vector3<f64>,
    to: &Vector3<f64>,
    clearance: f64,
    part: f64,
) -> Vector3<f64> {
    let top = from.z.max(to.z) + clearance;
    let height = match part < 0.5 {
        true => from.z + (top - from.z) * minimum_jerk(2.0 * part),
        false => top + (to.z - top) * minimum_jerk(2.0 * part - 1.0),
    };
    let along = from.lerp(to, minimum_jerk(part));
    Vector3::new(along.x, along.y, height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foot_lifts_off_clears_the_ground_and_lands() {
        let (from, to) = (Vector3::new(0.0, 0.1, 0.02), Vector3::new(0.3, 0.1, 0.0));
        assert_eq!(way(&from, &to, 0.05, 0.0), from);
        assert!((way(&from, &to, 0.05, 0.5).z - 0.07).abs() < 1e-12);
        assert!((way(&from, &to, 0.05, 1.0) - to).norm() < 1e-12);
    }

    #[test]
    fn a_foot_lands_half_a_stance_ahead_and_around_the_turn() {
        let landing = Landing {
            center: Vector3::new(1.0, 2.0, 0.4),
            velocity: Vector3::new(0.5, 0.0, 0.0),
            wanted: Vector3::new(0.5, 0.0, 0.0),
            yaw: 0.0,
            turning: 0.0,
            height: 0.4,
            pendulum: 0.2,
            stance: 0.3,
        };
        let nominal = Vector3::new(0.2, -0.1, -0.4);
        let place = landing.place(&nominal, 0.1, 0.03);
        let known = Vector3::new(1.0 + 0.2 + 0.5 * 0.1 + 0.5 * 0.15, 1.9, 0.03);
        assert!((place - known).norm() < 1e-12, "{place}");
        let slow = Landing {
            wanted: Vector3::zeros(),
            ..landing
        };
        assert!(
            slow.place(&nominal, 0.1, 0.03).x > place.x,
            "too fast, so farther ahead"
        );
        let turning = Landing {
            velocity: Vector3::zeros(),
            wanted: Vector3::zeros(),
            turning: std::f64::consts::PI,
            stance: 1.0,
            ..landing
        };
        let place = turning.place(&nominal, 0.0, 0.0) - turning.center;
        assert!(
            (place.xy() - nalgebra::Vector2::new(0.1, 0.2)).norm() < 1e-12,
            "{place}"
        );
    }
}
