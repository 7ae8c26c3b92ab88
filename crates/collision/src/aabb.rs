//! Axis-aligned bounding boxes.

use nalgebra::{Isometry3, Point3, Vector3};

/// Axis-aligned box, metres, in whatever frame its owner says. May be infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates.
    pub min: Point3<f64>,
    /// Largest coordinates.
    pub max: Point3<f64>,
}

impl Aabb {
    /// The empty box: contains nothing, and joining it changes nothing.
    pub fn empty() -> Self {
        Self {
            min: Point3::from(Vector3::repeat(f64::INFINITY)),
            max: Point3::from(Vector3::repeat(f64::NEG_INFINITY)),
        }
    }

    /// The whole space.
    pub fn everything() -> Self {
        Self {
            min: Point3::from(Vector3::repeat(f64::NEG_INFINITY)),
            max: Point3::from(Vector3::repeat(f64::INFINITY)),
        }
    }

    /// Box of a centre and half extents.
    pub fn from_center(center: Point3<f64>, half_extents: Vector3<f64>) -> Self {
        Self {
            min: center - half_extents,
            max: center + half_extents,
        }
    }

    /// Smallest box around points.
    pub fn from_points<'a>(points: impl IntoIterator<Item = &'a Point3<f64>>) -> Self {
        points.into_iter().fold(Self::empty(), |mut aabb, p| {
            aabb.include(p);
            aabb
        })
    }

    /// Grows to contain `p`.
    pub fn include(&mut self, p: &Point3<f64>) {
        self.min = self.min.inf(p);
        self.max = self.max.sup(p);
    }

    /// Smallest box containing both.
    pub fn merged(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// Grown by `margin` metres on every side.
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            min: self.min - Vector3::repeat(margin),
            max: self.max + Vector3::repeat(margin),
        }
    }

    /// Whether the two share a point.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }

    /// Whether `other` lies inside.
    pub fn contains(&self, other: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= other.min[i] && other.max[i] <= self.max[i])
    }

    /// Whether all six numbers are finite.
    pub fn is_finite(&self) -> bool {
        (0..3).all(|i| self.min[i].is_finite() && self.max[i].is_finite())
    }

    /// Centre.
    pub fn center(&self) -> Point3<f64> {
        nalgebra::center(&self.min, &self.max)
    }

    /// Half of the side lengths.
    pub fn half_extents(&self) -> Vector3<f64> {
        (self.max - self.min) * 0.5
    }

    /// Smallest box of the rotated and moved box; an infinite box becomes the whole space.
    pub fn transformed(&self, pose: &Isometry3<f64>) -> Self {
        if !self.is_finite() {
            return Self::everything();
        }
        let rotation = pose.rotation.to_rotation_matrix();
        let half = rotation.matrix().abs() * self.half_extents();
        Self::from_center(pose * self.center(), half)
    }

    /// Distance from `p` to the box, zero inside.
    pub fn distance(&self, p: &Point3<f64>) -> f64 {
        let outside =
            Vector3::from_fn(|i, _| (self.min[i] - p[i]).max(p[i] - self.max[i]).max(0.0));
        outside.norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transformed_box_contains_its_corners() {
        let aabb = Aabb::from_center(Point3::new(1.0, 2.0, 3.0), Vector3::new(0.5, 0.2, 0.1));
        let pose = Isometry3::new(Vector3::new(0.3, 0.1, -2.0), Vector3::new(0.4, 1.0, -0.3));
        let turned = aabb.transformed(&pose);
        for corner in 0..8 {
            let sign = Vector3::from_fn(|i, _| if corner >> i & 1 == 1 { 1.0 } else { -1.0 });
            let p = pose * (aabb.center() + sign.component_mul(&aabb.half_extents()));
            assert!(turned.grown(1e-12).contains(&Aabb { min: p, max: p }));
        }
        assert!(!turned.contains(&Aabb::everything()));
    }

    #[test]
    fn distance_is_zero_inside_and_euclidean_outside() {
        let aabb = Aabb::from_center(Point3::origin(), Vector3::repeat(1.0));
        assert_eq!(aabb.distance(&Point3::new(0.5, 0.0, 0.9)), 0.0);
        assert!((aabb.distance(&Point3::new(4.0, 5.0, 0.0)) - 5.0).abs() < 1e-15);
    }
}
