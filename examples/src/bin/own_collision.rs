//! A whole collision of one's own in place of ours: `cargo run -p stiction-examples --bin own_collision`.
//!
//! Balls and a floor need no more than this. The same pile falls with the built-in detection too, and
//! both runs are compared.
#![expect(clippy::print_stdout, reason = "an example shows its result")]

use anyhow::Result;
use stiction_sim::collision::{
    self, ColliderSet, ContactPoint, DetectReport, Detector, PlacesView, Support,
};
use stiction_sim::{
    Inertia, Isometry3, Material, Point3, RigidBody, Settings, Shape, Vector3, World,
};

/// Gap up to which contacts are reported, m, beside how far things move in a step.
const MARGIN: f64 = 1e-3;

/// Balls against balls and the floor, every pair in turn.
struct BallsAndFloor;

/// What a collider is here.
struct Ball {
    center: Point3<f64>,
    /// m; `None` for the floor, z ≤ 0.
    radius: Option<f64>,
}

/// The points of the two surfaces that are nearest to each other, and the normal from a to b.
fn nearest(a: &Ball, b: &Ball) -> Option<(Point3<f64>, Point3<f64>, Vector3<f64>)> {
    match (a.radius, b.radius) {
        (Some(r), Some(s)) => {
            let normal = (b.center - a.center).normalize();
            Some((a.center + normal * r, b.center - normal * s, normal))
        }
        (None, Some(s)) => {
            let lowest = b.center - Vector3::z() * s;
            Some((Point3::new(lowest.x, lowest.y, 0.0), lowest, Vector3::z()))
        }
        (Some(_), None) => nearest(b, a).map(|(on_b, on_a, normal)| (on_a, on_b, -normal)),
        (None, None) => None,
    }
}

impl Detector for BallsAndFloor {
    fn detect(
        &mut self,
        colliders: &ColliderSet,
        places: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> collision::Result<DetectReport> {
        contacts.clear();
        places.check_finite()?;
        let count = colliders.len() as u32;
        for (i, j) in (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))) {
            if !colliders.may_touch(i, j) {
                continue;
            }
            // The order of a pair and the id of a contact come from names, so that impulses of the
            // last step are found again.
            let pair = colliders.ordered(i, j);
            let mut sides = Vec::new();
            for index in pair {
                if let Some((frame, local, shape)) = colliders.get(index)?.as_rigid() {
                    let center =
                        Point3::from((places.poses[frame as usize] * local).translation.vector);
                    let radius = (shape.kind() == "sphere").then(|| shape.bounds().max.x);
                    sides.push((Support::Frame(frame), Ball { center, radius }));
                }
            }
            let [(frame_a, a), (frame_b, b)] = &sides[..] else {
                continue;
            };
            let Some((on_a, on_b, normal)) = nearest(a, b) else {
                continue;
            };
            let gap = (on_b - on_a).dot(&normal);
            let travel: f64 = pair
                .iter()
                .map(|&at| places.travel.get(at as usize).unwrap_or(&0.0))
                .sum();
            if gap <= MARGIN + travel {
                contacts.push(ContactPoint {
                    id: colliders.contact_id(pair, 0),
                    colliders: pair,
                    on: [*frame_a, *frame_b],
                    point: stiction_sim::nalgebra::center(&on_a, &on_b),
                    normal,
                    gap,
                    material: colliders.contact_material(pair, places),
                });
            }
        }
        Ok(DetectReport::default())
    }
}

/// A pile of balls, each resting on the floor or between others.
fn drop_balls(detector: Option<Box<dyn Detector>>) -> Result<World> {
    let mut world = World::new(Settings {
        tolerance: 1e-12,
        ..Settings::default()
    })?;
    let material = Material::with_friction(0.5);
    let floor = world.add_body(RigidBody::fixed("floor"))?;
    world.attach(floor, Shape::half_space("plane"), material)?;
    for number in 0..12 {
        let radius = 0.05 + 0.01 * f64::from(number % 3);
        let ball = RigidBody::free(
            &format!("ball {number}"),
            Inertia::solid_sphere(1.0, radius),
        );
        let place = f64::from(number);
        let pose =
            Isometry3::translation(0.04 * place.sin(), 0.04 * place.cos(), 0.1 + 0.15 * place);
        let ball = world.add_body(ball.at(pose))?;
        world.attach(ball, Shape::sphere("ball", radius)?, material)?;
    }
    if let Some(detector) = detector {
        world.set_detector(detector);
    }
    for _ in 0..240 {
        world.step()?;
    }
    Ok(world)
}

fn main() -> Result<()> {
    let mine = drop_balls(Some(Box::new(BallsAndFloor)))?;
    let theirs = drop_balls(None)?;
    for (name, world) in [("own", &mine), ("built-in", &theirs)] {
        let report = world.report();
        println!(
            "{name:9} {} contacts, penetration {:.1e} m, kinetic energy {:.6} J",
            report.contacts, report.penetration, report.kinetic_energy
        );
    }
    let positions = mine.state().q.iter().zip(&theirs.state().q);
    let apart = positions.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("positions differ by at most {apart:.1e}");
    Ok(())
}
