//! A shape this crate does not know, with its own detection: a superellipsoid (x⁴ + y⁴ + z⁴ ≤ r⁴)
//! against the ground. Every other pair stays with the built-in detection.
//!
//! ```sh
//! cargo run -p stiction-collision --example custom_detector
//! ```
#![expect(clippy::print_stdout, reason = "an example reports to the terminal")]

use std::any::Any;
use std::sync::Arc;

use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::shape::CustomShape;
use stiction_collision::{
    Aabb, BuiltInDetector, Collider, ColliderSet, DetectionSettings, Detector, Handled,
    PairDetector, PlacesView, Result, Shape, ShapeContact,
};

/// Rounded cube x⁴ + y⁴ + z⁴ ≤ r⁴.
#[derive(Debug)]
struct Superball {
    radius: f64,
}

impl Superball {
    /// Farthest point along `d`: the gradient of the dual norm, Hölder's equality.
    fn support(&self, d: &Vector3<f64>) -> Vector3<f64> {
        let p = d.map(|x| x.abs().cbrt() * x.signum());
        let norm = p.map(|x| x.powi(4)).sum().powf(0.25);
        p * (self.radius / norm)
    }
}

impl CustomShape for Superball {
    fn bounds(&self) -> Aabb {
        Aabb::from_center(Point3::origin(), Vector3::repeat(self.radius))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Superball against the ground: its lowest point, by the support function.
#[derive(Debug)]
struct SuperballDetector;

impl PairDetector for SuperballDetector {
    fn detect(
        &self,
        a: &Shape,
        b: &Shape,
        pose_ab: &Isometry3<f64>,
        margin: f64,
        out: &mut Vec<ShapeContact>,
    ) -> Result<Handled> {
        // either order may come: turn to ground first
        if b.kind() == "half-space" {
            let start = out.len();
            let handled = self.detect(b, a, &pose_ab.inverse(), margin, out)?;
            for c in &mut out[start..] {
                c.point = pose_ab * c.point;
                c.normal = -(pose_ab.rotation * c.normal);
            }
            return Ok(handled);
        }
        let ball = b
            .as_custom()
            .and_then(|c| c.as_any().downcast_ref::<Superball>());
        let (Some(ball), "half-space") = (ball, a.kind()) else {
            return Ok(Handled::No);
        };
        let down = pose_ab.rotation.inverse() * -Vector3::z();
        let lowest = pose_ab * Point3::from(ball.support(&down));
        if lowest.z <= margin {
            out.push(ShapeContact {
                feature: 0,
                point: Point3::new(lowest.x, lowest.y, 0.5 * lowest.z),
                normal: Vector3::z(),
                gap: lowest.z,
            });
        }
        Ok(Handled::Yes)
    }
}

fn main() -> Result<()> {
    let mut detector = BuiltInDetector::new(DetectionSettings::default())?;
    detector.add_pair_detector(Arc::new(SuperballDetector));
    let mut colliders = ColliderSet::new();
    colliders.add(Collider::rigid("ground", 0, Shape::half_space("ground")))?;
    let superball = Shape::custom("superball", Arc::new(Superball { radius: 0.5 }));
    colliders.add(Collider::rigid("superball", 1, superball))?;
    colliders.add(Collider::rigid("ball", 2, Shape::sphere("ball", 0.1)?))?;
    let mut contacts = Vec::new();
    for tilt in [0.0, 0.3, std::f64::consts::FRAC_PI_4] {
        let poses = [
            Isometry3::identity(),
            Isometry3::new(Vector3::new(0.0, 0.0, 0.5), Vector3::x() * tilt),
            Isometry3::translation(3.0, 0.0, 0.1),
        ];
        detector.detect(&colliders, &PlacesView::of_frames(&poses), &mut contacts)?;
        for c in &contacts {
            let [a, b] = c
                .colliders
                .map(|index| &colliders.as_slice()[index as usize].name);
            println!("tilt {tilt:.2} rad: {a} – {b}, gap {:+.4} m", c.gap);
        }
    }
    Ok(())
}
