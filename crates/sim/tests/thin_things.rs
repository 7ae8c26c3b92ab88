//! Thin things on shapes with grooves and edges do not sink in: rings on a thread, a rod in a corner.
#![cfg(feature = "deformable")]

use std::f64::consts::FRAC_PI_2;

use stiction_sim::deformable::rod::{Profile, Rod, RodMaterial, RodShape};
use stiction_sim::sdf::{BoltSdf, MetricThread, ThreadEnd};
use stiction_sim::{
    Isometry3, Material, Point3, RigidBody, RodBody, RodHandle, Settings, Shape, Vector3, World,
};

fn world() -> World {
    World::new(Settings {
        time_step: 0.01,
        tolerance: 1e-6,
        ..Settings::default()
    })
    .unwrap()
}

/// A rod along a curve.
fn rod(wire: f64, young: f64, points: &[Vector3<f64>]) -> RodBody {
    let material = RodMaterial {
        young,
        poisson: 0.45,
        density: 1200.0,
    };
    let profile = Profile::round(wire, &material).unwrap();
    let rod = Rod::new(RodShape::along_points(points).unwrap(), profile).unwrap();
    RodBody::new("rod", rod).touching(wire, Material::with_friction(0.3))
}

/// An open ring in a plane.
fn ring(radius: f64, links: usize, place: &Isometry3<f64>) -> Vec<Vector3<f64>> {
    let at = |link: usize| {
        let angle = 6.2 * (link as f64 / (links - 1) as f64 - 0.5);
        let point = Point3::new(radius * angle.cos(), radius * angle.sin(), 0.0);
        (place * point).coords
    };
    (0..links).map(at).collect()
}

/// Deepest that a rod is in a shape, at points all along it, m.
fn depth(world: &World, rod: RodHandle, shape: &Shape, pose: &Isometry3<f64>, wire: f64) -> f64 {
    let links = world.rod_links(rod).unwrap().iter();
    let at: Vec<_> = links
        .map(|&link| world.pose(link).unwrap().translation.vector)
        .collect();
    let mut deepest = 0.0_f64;
    for pair in at.windows(2) {
        for part in 0..=10 {
            let point = pair[0] + (pair[1] - pair[0]) * (f64::from(part) / 10.0);
            let point = pose.inverse_transform_point(&Point3::from(point));
            deepest = deepest.max(wire - shape.signed_distance(&point).unwrap().value);
        }
    }
    deepest
}

/// Deepest that a rod gets into a fixed shape in a number of steps.
fn deepest(
    shape: &Shape,
    pose: Isometry3<f64>,
    (wire, young, points): (f64, f64, &[Vector3<f64>]),
    steps: usize,
) -> f64 {
    let mut world = world();
    let body = world.add_body(RigidBody::fixed("shape").at(pose)).unwrap();
    let surface = Material::with_friction(0.15);
    world.attach(body, shape.clone(), surface).unwrap();
    let handle = world.add_rod(rod(wire, young, points)).unwrap();
    let mut deepest = 0.0_f64;
    for _ in 0..steps {
        let report = world.step().unwrap();
        assert_eq!(report.unconverged, 0, "at {} s", report.time);
        deepest = deepest.max(depth(&world, handle, shape, &pose, wire));
    }
    deepest
}

fn bolt() -> Shape {
    let metric = MetricThread::coarse(48).unwrap();
    let bolt = BoltSdf::with_head(metric, 0.12, 0.03, 0.075, ThreadEnd::Chamfered).unwrap();
    Shape::bolt("thread", bolt, 4e-3).unwrap()
}

/// Rings of a wire of 2 mm fall down an upright bolt at up to a metre a second, two pitches a step, and over a
/// bolt that lies.
#[test]
fn rings_do_not_sink_into_a_thread() {
    let shape = bolt();
    let up = Isometry3::translation(0.0, 0.0, 0.06);
    for (radius, tilt) in [(0.026, 0.0), (0.03, 0.3)] {
        let place = up * Isometry3::rotation(Vector3::x() * tilt);
        let points = ring(radius, 61, &place);
        let depth = deepest(&shape, Isometry3::identity(), (1e-3, 1e7, &points), 40);
        assert!(depth < 1e-5, "{radius} m, {tilt} rad: {depth} m");
    }
    let lying = Isometry3::rotation(Vector3::x() * -FRAC_PI_2);
    let place = Isometry3::translation(0.0, 0.06, 0.0) * Isometry3::rotation(Vector3::x() * 1.57);
    let points = ring(0.06, 81, &place);
    let depth = deepest(&shape, lying, (1e-3, 1e6, &points), 20);
    assert!(depth < 2e-4, "lying: {depth} m");
}

/// A corner of two boards that are one shape: the rod touches both from its first step on.
#[test]
fn a_rod_slides_into_a_corner() {
    let board = |half: [f64; 3]| Shape::cuboid("board", Vector3::from(half)).unwrap();
    let parts = vec![
        (
            Isometry3::translation(0.0, 0.0, -0.01),
            board([0.1, 0.1, 0.01]),
        ),
        (
            Isometry3::translation(0.06, 0.0, 0.05),
            board([0.01, 0.1, 0.05]),
        ),
    ];
    let shape = Shape::compound("corner", parts).unwrap();
    let pose = Isometry3::rotation(Vector3::y() * 0.6);
    let wire = 2e-3;
    let points: Vec<_> = (0..21)
        .map(|link| Point3::new(0.02, 0.008 * (f64::from(link) - 10.0), wire + 1e-4))
        .map(|point| (pose * point).coords)
        .collect();
    let depth = deepest(&shape, pose, (wire, 1e7, &points), 60);
    assert!(depth < 1e-6, "{depth} m");
}
