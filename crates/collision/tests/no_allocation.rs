//! Primitives, points, chains and surfaces allocate nothing in steady state.

mod common;

use common::scene::Scene;
use common::{cube_points, rng, rotation};
use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::{Collider, PlacesView, Shape};
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

#[test]
fn points_chains_and_a_surface_allocate_nothing_once_warm() {
    let mut world = Scene::serial(1e-2);
    let shapes = [
        Shape::half_space("ground"),
        Shape::sphere("ball", 0.3).unwrap(),
        Shape::cuboid("box", Vector3::repeat(0.2)).unwrap(),
    ];
    for (frame, shape) in (0..).zip(shapes) {
        let name = format!("shape {frame}");
        world
            .colliders
            .add(Collider::rigid(&name, frame, shape))
            .unwrap();
    }
    for k in 0..3 {
        let frames = (0..8).map(|i| 3 + 8 * k + i).collect();
        let mut chain = Collider::chain(&format!("chain {k}"), frames, 0.05);
        chain.touches_itself = true;
        world.colliders.add(chain).unwrap();
    }
    world
        .colliders
        .add(Collider::points("balls", (0..8).collect(), 0.05))
        .unwrap();
    let cube = Shape::cuboid("cube", Vector3::repeat(0.3)).unwrap();
    let mesh = cube.surface().unwrap();
    let mut soft = Collider::surface("soft", (8..16).collect(), mesh.faces().to_vec(), 0.1);
    soft.touches_itself = true;
    world.colliders.add(soft).unwrap();
    let mut poses = vec![Isometry3::identity(); 27];
    let mut nodes = vec![Point3::origin(); 16];
    let mut contacts = Vec::new();
    let mut most = 0;
    let mut step = |k: usize| {
        // everything turns about the origin at its own speed, the same way every 100 steps
        let phase = std::f64::consts::TAU * k as f64 / 100.0;
        for (i, pose) in poses.iter_mut().enumerate().skip(1) {
            let a = phase + 0.7 * i as f64;
            let place = Vector3::new(a.sin(), a.cos(), 0.5 * (2.0 * a).sin()) * 0.4;
            pose.translation.vector = place;
        }
        for (i, node) in nodes.iter_mut().enumerate().take(8) {
            let a = phase - 0.9 * i as f64;
            *node = Point3::new(a.sin(), 0.2, a.cos()) * 0.4;
        }
        let drift = Vector3::new(phase.sin(), phase.cos(), 0.0) * 0.3;
        for (node, vertex) in nodes[8..].iter_mut().zip(mesh.vertices()) {
            *node = vertex + drift;
        }
        let places = PlacesView::at_rest(&poses, &nodes);
        world.detect_at(&places, &mut contacts).unwrap();
        most = most.max(contacts.len());
    };
    (0..200).for_each(&mut step);
    let before = allocations();
    (200..300).for_each(&mut step);
    let allocations = allocations() - before;
    assert_eq!(allocations, 0, "{allocations} allocations in 100 steps");
    assert!(most > 50, "{most} contacts");
}
