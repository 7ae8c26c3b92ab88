//! Free rotation of a rigid body over one step, with energy and angular momentum kept.
//!
//! Euler's equations in body axes, I ω̇ = −ω × I ω, are quadratic, and so are their invariants, the
//! energy and |I ω|². The implicit midpoint rule keeps quadratic invariants exactly, whatever the
//! step; with the Cayley map for the orientation the angular momentum in the world is kept as well.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// Free rotation over a step, body axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FreeRotation {
    /// Angular velocity at the end of the step, in the axes of the body then, rad/s.
    pub(crate) end: Vector3<f64>,
    /// Angular velocity in the middle, which turns the body, rad/s.
    pub(crate) middle: Vector3<f64>,
}

/// Most times that a step is halved in which Newton's method does not settle.
const MOST_HALVINGS: u32 = 12;

/// The free rotation over a step of `dt` s. A thin body that tumbles may turn about itself a hundred times in it:
/// where Newton's method does not settle, it is made of shorter ones.
pub(crate) fn free_rotation(inertia: &Matrix3<f64>, start: &Vector3<f64>, dt: f64) -> FreeRotation {
    let whole = midpoint(inertia, start, dt);
    if let Some(rotation) = whole {
        return rotation;
    }
    let (mut end, mut turned) = (*start, UnitQuaternion::identity());
    // Time in units of the shortest part.
    let (mut at, units) = (0u64, 1u64 << MOST_HALVINGS);
    let mut length = units;
    while at < units {
        let h = dt * (length as f64 / units as f64);
        match midpoint(inertia, &end, h) {
            Some(part) => {
                let local = Quaternion::from_parts(1.0, part.middle * (0.5 * h));
                turned = UnitQuaternion::new_normalize(turned.into_inner() * local);
                end = part.end;
                at += length;
                while at.is_multiple_of(2 * length) && 2 * length <= units - at {
                    length *= 2;
                }
            }
            None if length > 1 => length /= 2,
            // It waits.
            None => at += length,
        }
    }
    let middle = turned.imag() * (2.0 / (dt * turned.scalar()));
    FreeRotation { end, middle }
}

/// Newton's method on I(ω⁺ − ω) + dt ω̄ × I ω̄ = 0 with ω̄ = (ω + ω⁺)/2; `None` where it does not settle.
fn midpoint(inertia: &Matrix3<f64>, start: &Vector3<f64>, dt: f64) -> Option<FreeRotation> {
    const MOST_STEPS: usize = 20;
    const SETTLED: f64 = 1e-13;
    let mut middle = *start;
    let mut change = f64::INFINITY;
    for _ in 0..MOST_STEPS {
        // In ω̄: 2 I (ω̄ − ω) + dt ω̄ × I ω̄ = 0.
        let momentum = inertia * middle;
        let residual = inertia * (middle - start) * 2.0 + middle.cross(&momentum) * dt;
        let slope =
            inertia * 2.0 + (middle.cross_matrix() * inertia - momentum.cross_matrix()) * dt;
        let step = slope.lu().solve(&residual)?;
        middle -= step;
        change = step.norm();
        if change <= 1e-15 * middle.norm() {
            break;
        }
    }
    (change <= SETTLED * middle.norm()).then(|| FreeRotation {
        end: middle * 2.0 - start,
        middle,
    })
}

/// The orientation after turning with angular velocity `angular` (world axes, rad/s) for `dt`: the
/// Cayley map, which differs from the exponential by O(dt³) and needs no trigonometry.
pub(crate) fn turn(
    rotation: &UnitQuaternion<f64>,
    angular: &Vector3<f64>,
    dt: f64,
) -> UnitQuaternion<f64> {
    let increment = Quaternion::from_parts(1.0, angular * (0.5 * dt));
    UnitQuaternion::new_normalize(increment * rotation.quaternion())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_body_that_tumbles_keeps_its_energy_in_long_steps() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1e-2, 0.95e-2, 1e-8));
        let energy = |omega: &Vector3<f64>| omega.dot(&(inertia * omega));
        let start = Vector3::new(5.0, 6.0, 1.0);
        let mut omega = start;
        for _ in 0..20 {
            omega = free_rotation(&inertia, &omega, 0.01).end;
            let change = energy(&omega) / energy(&start) - 1.0;
            assert!(change.abs() < 1e-9, "{change:e}");
        }
    }

    #[test]
    fn energy_and_momentum_of_a_tumbling_body_are_kept() {
        let inertia = Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0));
        let mut rotation = UnitQuaternion::identity();
        let mut omega = Vector3::new(0.01, 50.0, 0.02);
        let energy = omega.dot(&(inertia * omega));
        let momentum = rotation * (inertia * omega);
        let mut flipped = false;
        for _ in 0..2000 {
            let free = free_rotation(&inertia, &omega, 1.0 / 240.0);
            rotation = turn(&rotation, &(rotation * free.middle), 1.0 / 240.0);
            omega = free.end;
            flipped |= omega.y < 0.0;
            assert!((omega.dot(&(inertia * omega)) - energy).abs() < 1e-9 * energy);
            let drift = (rotation * (inertia * omega) - momentum).norm();
            assert!(drift < 1e-9 * momentum.norm(), "{drift}");
        }
        assert!(flipped, "the intermediate axis is unstable");
    }

    #[test]
    fn a_ball_turns_steadily() {
        let omega = Vector3::new(1.0, 2.0, 3.0);
        let free = free_rotation(&(Matrix3::identity() * 0.3), &omega, 0.01);
        assert_eq!((free.end, free.middle), (omega, omega));
    }
}
