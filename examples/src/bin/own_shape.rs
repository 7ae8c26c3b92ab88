//! A shape that no crate knows, with a pair detector of its own: `cargo run -p stiction-examples --bin own_shape`.
//!
//! A rounded cube x⁴ + y⁴ + z⁴ ≤ r⁴ falls on the floor and rocks on its flat sides; nothing in the world
//! takes energy from what rolls. Every other pair stays with the built-in detection.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::any::Any;
use std::sync::Arc;

use stiction_sim::collision::shape::CustomShape;
use stiction_sim::collision::{self, Aabb, Handled, PairDetector, ShapeContact};
use stiction_sim::{
    Inertia, Isometry3, Material, Point3, RigidBody, Settings, Shape, Vector3, World,
};

/// The rounded cube.
#[derive(Debug)]
struct Superball {
    /// Half of its height on a flat side, m.
    radius: f64,
}

impl Superball {
    /// Farthest point along `d`: the gradient of the dual norm, Hölder's equality.
    fn support(&self, d: &Vector3<f64>) -> Point3<f64> {
        let p = d.map(|x| x.abs().cbrt() * x.signum());
        let norm = p.map(|x| x.powi(4)).sum().powf(0.25);
        Point3::from(p * (self.radius / norm))
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
struct SuperballOnGround;

impl PairDetector for SuperballOnGround {
    fn detect(
        &self,
        a: &Shape,
        b: &Shape,
        pose_ab: &Isometry3<f64>,
        margin: f64,
        out: &mut Vec<ShapeContact>,
    ) -> collision::Result<Handled> {
        // Either order may come: with the ground second, the pair is turned round.
        if b.kind() == "half-space" {
            let start = out.len();
            let handled = self.detect(b, a, &pose_ab.inverse(), margin, out)?;
            for contact in &mut out[start..] {
                contact.point = pose_ab * contact.point;
                contact.normal = -(pose_ab.rotation * contact.normal);
            }
            return Ok(handled);
        }
        let ball = b
            .as_custom()
            .and_then(|own| own.as_any().downcast_ref::<Superball>());
        let (Some(ball), "half-space") = (ball, a.kind()) else {
            return Ok(Handled::No);
        };
        let down = pose_ab.rotation.inverse() * -Vector3::z();
        let lowest = pose_ab * ball.support(&down);
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

fn main() -> anyhow::Result<()> {
    let mut world = World::new(Settings {
        time_step: 1e-3,
        ..Settings::default()
    })?;
    world.add_detector(Arc::new(SuperballOnGround));
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    world.attach(
        floor,
        Shape::half_space("plane"),
        Material::with_friction(0.4),
    )?;
    let radius = 0.1;
    let tilted = Isometry3::new(Vector3::new(0.0, 0.0, 0.3), Vector3::new(0.4, 0.3, 0.0));
    let inertia = Inertia::solid_box(1.0, Vector3::repeat(2.0 * radius));
    let ball = world.add_body(RigidBody::free("superball", inertia).at(tilted))?;
    let shape = Shape::custom("superball", Arc::new(Superball { radius }));
    world.attach(ball, shape, Material::with_friction(0.4))?;

    println!("time    lowest point   energy");
    for step in 1..=3000 {
        world.step()?;
        if step % 500 == 0 {
            let pose = world.pose(ball)?;
            let lowest =
                pose * Superball { radius }.support(&(pose.rotation.inverse() * -Vector3::z()));
            let report = world.report();
            let energy = report.kinetic_energy + report.potential_energy;
            println!("{:.2} s  {:9.1e} m   {energy:.4} J", world.time(), lowest.z);
        }
    }
    Ok(())
}
