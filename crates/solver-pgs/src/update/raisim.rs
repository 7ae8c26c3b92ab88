//! One contact solved exactly under zero normal velocity, [CMC, Alg. 4, (20)], after Hwangbo, Lee
//! and Hutter, *Per-contact iteration method for solving contact dynamics*, 2018.
//!
//! A sliding contact minimises ½ λᵀGλ + ũᵀλ over the curve where the cone's surface meets the plane
//! of zero normal velocity, an ellipse run through by one angle. Signorini's condition holds, but
//! the friction does not oppose the slip exactly, [CMC, (21)].

use nalgebra::{Matrix3, Vector3};

use crate::local::Local;

/// First step of the search for a bracket in rad, and its growth: a small step that grows
/// geometrically, by the β₁ and β₃ of the code published with [CMC].
const FIRST_STEP: f64 = 0.01;
const STEP_GROWTH: f64 = 1.3;

/// Halvings of the bracket: to the rounding of the angle.
const HALVINGS: usize = 60;

#[inline]
pub(super) fn update(local: &Local, z: &Vector3<f64>, impulse: &Vector3<f64>) -> Vector3<f64> {
    // Line 3: the velocity without the contact's own impulse.
    let free = z + local.error - local.block * impulse;
    if free.z > 0.0 {
        return Vector3::zeros();
    }
    // Line 4: the impulse that stops the contact.
    let stopping = local.inverse * -free;
    let friction = local.friction();
    if is_inside(&stopping, friction) {
        return stopping;
    }
    let sliding = Sliding {
        block: local.block + Matrix3::from_diagonal(&local.compliance),
        free,
        friction,
    };
    sliding.solve(&stopping)
}

fn is_inside(impulse: &Vector3<f64>, friction: [f64; 2]) -> bool {
    let inside = |tangential: f64, friction: f64| {
        if friction > 0.0 {
            tangential / friction
        } else if tangential == 0.0 {
            0.0
        } else {
            f64::INFINITY
        }
    };
    inside(impulse.x, friction[0]).hypot(inside(impulse.y, friction[1])) <= impulse.z
}

/// The minimisation over the ellipse.
struct Sliding {
    /// G_ii + R.
    block: Matrix3<f64>,
    free: Vector3<f64>,
    friction: [f64; 2],
}

/// A point of the curve.
#[derive(Clone, Copy)]
struct Point {
    impulse: Vector3<f64>,
    /// d(objective)/d(angle).
    slope: f64,
}

impl Sliding {
    /// The point at an angle: λ_t = λ_n (μ1 cos, μ2 sin) and zero normal velocity. `None` where
    /// the plane and the cone's surface do not meet (strong coupling of normal and tangential
    /// velocity opens the ellipse).
    fn point(&self, angle: f64) -> Option<Point> {
        let (sin, cos) = angle.sin_cos();
        let direction = Vector3::new(self.friction[0] * cos, self.friction[1] * sin, 1.0);
        let turned = Vector3::new(-self.friction[0] * sin, self.friction[1] * cos, 0.0);
        let normal_row = self.block.row(2).transpose();
        let response = normal_row.dot(&direction);
        if response <= 1e-12 * self.block[(2, 2)] {
            return None;
        }
        let normal = -self.free.z / response;
        let impulse = direction * normal;
        // λ = n(θ) d(θ) with n' = −n (g·d')/(g·d).
        let tangent = turned * normal - direction * (normal * normal_row.dot(&turned) / response);
        let velocity = self.block * impulse + self.free;
        Some(Point {
            impulse,
            slope: velocity.dot(&tangent),
        })
    }

    fn solve(&self, stopping: &Vector3<f64>) -> Vector3<f64> {
        if self.block[(2, 2)] <= 0.0 {
            return Vector3::zeros();
        }
        let frictionless = Vector3::new(0.0, 0.0, -self.free.z / self.block[(2, 2)]);
        if self.friction == [0.0; 2] {
            return frictionless;
        }
        let toward = |impulse: &Vector3<f64>| {
            (impulse.y / self.friction[1]).atan2(impulse.x / self.friction[0])
        };
        let first = self.descend(toward(stopping));
        if let Some(point) = first
            && self.is_nearest(&point, &frictionless)
        {
            return point.impulse;
        }
        // The start ran into a minimum on the far side, or the curve is open there: look around.
        let mut best = first.map(|point| point.impulse);
        for k in 0..8 {
            let angle = f64::from(k) * std::f64::consts::FRAC_PI_4;
            if let Some(point) = self.descend(angle)
                && best.is_none_or(|best| self.objective(&point.impulse) < self.objective(&best))
            {
                best = Some(point.impulse);
            }
        }
        best.unwrap_or(frictionless)
    }

    fn objective(&self, impulse: &Vector3<f64>) -> f64 {
        (self.block * impulse * 0.5 + self.free).dot(impulse)
    }

    /// Whether a stationary point is the nearest one of the filled ellipse: moving inwards must
    /// not descend.
    fn is_nearest(&self, point: &Point, inside: &Vector3<f64>) -> bool {
        let velocity = self.block * point.impulse + self.free;
        let inward = inside - point.impulse;
        // At the edge of sticking the velocity is rounding, and its sign says nothing.
        velocity.dot(&inward) >= -1e-9 * self.free.norm() * inward.norm()
    }

    /// Walks downhill from an angle until the slope changes its sign or the curve ends, then
    /// halves the bracket.
    fn descend(&self, start: f64) -> Option<Point> {
        let mut near = self.point(start)?;
        if near.slope == 0.0 {
            return Some(near);
        }
        let heading = -near.slope.signum();
        let (mut low, mut step) = (0.0, FIRST_STEP);
        let mut high = loop {
            let trial = low + step;
            match self.point(start + heading * trial) {
                // Towards an open end the objective grows without bound: uphill.
                None => break trial,
                Some(point) if point.slope * heading >= 0.0 => break trial,
                Some(point) => {
                    (low, near) = (trial, point);
                    step *= STEP_GROWTH;
                }
            }
            if low > std::f64::consts::TAU {
                return Some(near);
            }
        };
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            match self.point(start + heading * middle) {
                Some(point) if point.slope * heading < 0.0 => (low, near) = (middle, point),
                _ => high = middle,
            }
            if high - low <= 1e-16 * start.abs().max(1.0) {
                break;
            }
        }
        Some(near)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The slip is along −λ_T − μ² λ_N/G_NN G_NT, [CMC, (21)], not against friction.
        #[test]
        fn slips_as_the_model_says(
            entries in prop::array::uniform9(-1.0f64..1.0),
            free in prop::array::uniform3(-1.0f64..1.0),
            friction in 0.05f64..1.5,
        ) {
            let root = Matrix3::from_row_slice(&entries);
            let block = root * root.transpose() + Matrix3::identity() * 0.2;
            let free = Vector3::new(free[0], free[1], -free[2].abs() - 1e-3);
            let stopping = -block.try_inverse().unwrap() * free;
            let coupling = Vector3::new(block[(0, 2)], block[(1, 2)], 0.0);
            // Where normal and tangential velocity couple so much that the ellipse opens there need be no minimum.
            prop_assume!(!is_inside(&stopping, [friction; 2]) && friction * coupling.norm() < block[(2, 2)]);
            let found = Sliding { block, free, friction: [friction; 2] }.solve(&stopping);
            let slip = (block * found + free).xy();
            let along = -found.xy() - coupling.xy() * (friction * friction * found.z / block[(2, 2)]);
            let (sine, cosine) = (slip.perp(&along), slip.dot(&along));
            prop_assert!(cosine > 0.0 && sine.abs() < 1e-6 * cosine.max(1e-3), "{sine} {cosine}");
        }

        /// Against a fine scan of the angle: nothing lower, zero normal velocity, on the cone.
        #[test]
        fn finds_the_lowest_point_of_the_ellipse(
            entries in prop::array::uniform9(-1.0f64..1.0),
            free in prop::array::uniform3(-1.0f64..1.0),
            friction in prop::array::uniform2(0.05f64..1.5),
        ) {
            let root = Matrix3::from_row_slice(&entries);
            let block = root * root.transpose() + Matrix3::identity() * 0.05;
            let free = Vector3::new(free[0], free[1], -free[2].abs() - 1e-3);
            let stopping = -block.try_inverse().unwrap() * free;
            prop_assume!(!is_inside(&stopping, friction));
            let sliding = Sliding { block, free, friction };
            let found = sliding.solve(&stopping);
            let velocity = block * found + free;
            prop_assert!(velocity.z.abs() < 1e-9 * (1.0 + found.norm()));
            let reach = (found.x / friction[0]).hypot(found.y / friction[1]);
            prop_assert!((reach - found.z).abs() < 1e-9 * (1.0 + found.z));
            for k in 0..3600 {
                let angle = f64::from(k) * std::f64::consts::TAU / 3600.0;
                if let Some(point) = sliding.point(angle) {
                    let (other, own) = (sliding.objective(&point.impulse), sliding.objective(&found));
                    prop_assert!(own <= other + 1e-9 * (1.0 + own.abs()), "{own} {other} at {angle}");
                }
            }
        }
    }
}
