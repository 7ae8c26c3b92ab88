//! Arms and axes averaged over a step.
//!
//! With v̂ and ω̂ constant over a step of length h and the Cayley turn R⁺ = cay(h ω̂) R, an arm r of a body
//! obeys r⁺ − r = h ω̂ × (r + r⁺)/2 exactly. A row with averaged arms and axes therefore measures the
//! change of what it constrains over the whole step, whatever its length, and its impulse does exactly
//! the work that this change takes. The first pass of a step has no v̂ yet and uses those of the start.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

use crate::places::Places;

/// A point of a frame over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointOverStep {
    /// Where it is at the start of the step, world, m.
    pub start: Point3<f64>,
    /// Where rows act on it: at the end of its averaged arm, world, m.
    pub at: Point3<f64>,
}

/// (r + r⁺)/2 of a vector r that turns with angular velocity `angular` (rad/s) for `dt`.
pub fn averaged(vector: &Vector3<f64>, angular: &Vector3<f64>, dt: f64) -> Vector3<f64> {
    // (1 − a×)⁻¹ r with a = ω̂ dt/2.
    let half = angular * (0.5 * dt);
    (vector + half.cross(vector) + half * half.dot(vector)) / (1.0 + half.norm_squared())
}

impl Places {
    /// A point of a frame, given in its axes, over a step of `dt` s.
    pub fn point_over_step(&self, frame: u32, local: &Point3<f64>, dt: f64) -> PointOverStep {
        let (index, placed) = (frame as usize, &self.frames.pose[frame as usize]);
        let now = placed * local;
        if self.advance == 0.0 {
            return PointOverStep {
                start: now,
                at: now,
            };
        }
        let guess = &self.frames.guess[index];
        if !self.frames.is_averaged[index] {
            return PointOverStep {
                start: now - guess.at(&placed.translation.vector, &now) * self.advance,
                at: now,
            };
        }
        let center = match self.frames.motion[index].subsystem() {
            Some(subsystem) => Point3::from(self.references[subsystem]),
            None => Point3::from(placed.translation.vector),
        };
        let start = self.frames.start[index];
        let arm = start.rotation * (local - placed.inverse_transform_point(&center));
        PointOverStep {
            start: start * local,
            at: center + averaged(&arm, &guess.angular, dt),
        }
    }

    /// A direction of a frame, given in its axes: at the start of a step of `dt` s and averaged over it.
    pub fn axis_over_step(&self, frame: u32, local: &Vector3<f64>, dt: f64) -> [Vector3<f64>; 2] {
        let index = frame as usize;
        let now = self.frames.pose[index].rotation * local;
        let angular = &self.frames.guess[index].angular;
        if self.advance == 0.0 {
            [now, now]
        } else if self.frames.is_averaged[index] {
            let start = self.frames.start[index].rotation * local;
            [start, averaged(&start, angular, dt)]
        } else {
            [now - angular.cross(&now) * self.advance, now]
        }
    }
}

/// Stiffness of an arm's direction against a force on its end, as far as it is positive.
///
/// The torque r × f of a force on an arm changes as the body turns by δ: (δ × r) × f = −K δ with
/// K = (r·f) 1 − r fᵀ. Its symmetric part has the eigenvalues r·f across both and (r·f ± |r||f|)/2 in
/// their plane; what is negative, as under compression, is left out.
pub fn arm_stiffness(arm: &Vector3<f64>, force: &Vector3<f64>) -> Matrix3<f64> {
    let (along, size) = (arm.dot(force), arm.norm() * force.norm());
    if !(size > 0.0) {
        return Matrix3::zeros();
    }
    let [r, f] = [arm.normalize(), force.normalize()];
    let mut stiffness =
        Matrix3::identity() * along - (arm * force.transpose() + force * arm.transpose()) * 0.5;
    match (r + f).try_normalize(1e-9) {
        // Pure compression.
        None => return Matrix3::zeros(),
        Some(between) => {
            stiffness += between * between.transpose() * (0.5 * (size - along));
        }
    }
    if along < 0.0
        && let Some(across) = r.cross(&f).try_normalize(1e-9)
    {
        stiffness -= across * across.transpose() * along;
    }
    stiffness
}

/// Position of an anchor in its body.
pub(crate) fn origin_of(anchor: &Isometry3<f64>) -> Point3<f64> {
    Point3::from(anchor.translation.vector)
}
