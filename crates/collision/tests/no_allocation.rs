//! Primitive pairs allocate nothing in steady state.

mod common;

use common::scene::Scene;
use common::{cube_points, rng, rotation};
use nalgebra::{Isometry3, Vector3};
use stiction_collision::{Collider, Shape};
use stiction_test_support::allocations;

#[test]
fn a_heap_of_primitives_allocates_nothing_once_warm() {
    let shapes = [
        Shape::sphere("sphere", 0.12).unwrap(),
        Shape::cuboid("box", Vector3::new(0.15, 0.1, 0.08)).unwrap(),
        Shape::capsule("capsule", 0.12, 0.06).unwrap(),
        Shape::cylinder("cylinder", 0.12, 0.08).unwrap(),
        Shape::cone("cone", 0.12, 0.1).unwrap(),
        Shape::ellipsoid("ellipsoid", Vector3::new(0.15, 0.1, 0.07)).unwrap(),
        Shape::convex_hull("hull", &cube_points(0.1)).unwrap(),
    ];
    let mut world = Scene::serial(1e-3);
    world
        .colliders
        .add(Collider::rigid("ground", 0, Shape::half_space("ground")))
        .unwrap();
    let mut rng = rng(3);
    let mut poses = vec![Isometry3::identity()];
    for i in 0..60 {
        let name = format!("body {i}");
        world
            .colliders
            .add(Collider::rigid(&name, i as u32 + 1, shapes[i % 7].clone()))
            .unwrap();
        // a loose grid, so that neighbours overlap a little
        let place = Vector3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64) * 0.18;
        poses.push(Isometry3::from_parts(place.into(), rotation(&mut rng)));
    }
    let mut contacts = Vec::new();
    let mut step = |poses: &mut [Isometry3<f64>], k: usize| {
        // a swaying motion: pairs come and go, the same ones every period
        for (i, p) in poses.iter_mut().enumerate().skip(1) {
            let phase = 0.5 * k as f64 + i as f64;
            p.translation.vector.x += 2e-3 * phase.sin();
        }
        world.detect(poses, &mut contacts).unwrap();
        contacts.len()
    };
    let mut most = 0;
    for k in 0..200 {
        most = most.max(step(&mut poses, k));
    }
    assert!(most > 100, "{most} contacts");
    let before = allocations();
    for k in 200..260 {
        step(&mut poses, k);
    }
    let allocations = allocations() - before;
    assert_eq!(allocations, 0, "{allocations} allocations in 60 steps");
}
