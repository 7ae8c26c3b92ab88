//! A box along the axes.

use nalgebra::Vector3;

/// A box along the axes, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The corner with the smallest coordinates.
    pub min: Vector3<f64>,
    /// The corner with the largest coordinates.
    pub max: Vector3<f64>,
}

impl Bounds {
    /// The smallest box around points; inside out if there are none.
    pub fn around<'a>(points: impl IntoIterator<Item = &'a Vector3<f64>>) -> Self {
        let mut bounds = Self {
            min: Vector3::repeat(f64::INFINITY),
            max: Vector3::repeat(f64::NEG_INFINITY),
        };
        for point in points {
            bounds.min = bounds.min.inf(point);
            bounds.max = bounds.max.sup(point);
        }
        bounds
    }

    /// A box of these sides around the origin.
    pub fn centred(sides: Vector3<f64>) -> Self {
        Self {
            min: -0.5 * sides,
            max: 0.5 * sides,
        }
    }

    /// Lengths along the axes, m.
    pub fn sides(&self) -> Vector3<f64> {
        self.max - self.min
    }

    /// The middle, m.
    pub fn centre(&self) -> Vector3<f64> {
        0.5 * self.min + 0.5 * self.max
    }

    /// Square of the distance from a point; zero inside.
    pub(super) fn distance_squared(&self, point: &Vector3<f64>) -> f64 {
        let outside = (self.min - point).sup(&(point - self.max));
        outside.sup(&Vector3::zeros()).norm_squared()
    }

    /// Whether they come as near as this.
    pub(super) fn is_near(&self, other: &Self, distance: f64) -> bool {
        (0..3).all(|axis| {
            self.min[axis] <= other.max[axis] + distance
                && other.min[axis] <= self.max[axis] + distance
        })
    }
}
