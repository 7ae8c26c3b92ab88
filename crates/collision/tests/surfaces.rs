//! Closed surfaces over moving nodes, against rigid shapes.

mod common;

use common::scene::Scene;
use common::{pose, rng};
use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::{
    Collider, CollisionError, ContactPoint, PlacesView, Shape, Support, shape::CustomShape,
};

/// A cube of 1 m over 8 nodes, its faces outward.
fn block() -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let shape = Shape::cuboid("block", Vector3::repeat(0.5)).unwrap();
    let mesh = shape.surface().unwrap();
    (mesh.vertices().to_vec(), mesh.faces().to_vec())
}

fn soft(faces: Vec<[u32; 3]>, n: usize) -> Collider {
    Collider::surface("soft", (0..n as u32).collect(), faces, 0.05)
}

fn scene(shape: Shape) -> (Scene, Vec<Point3<f64>>) {
    let (nodes, faces) = block();
    let mut scene = Scene::serial(1e-3);
    scene
        .colliders
        .add(Collider::rigid("shape", 0, shape))
        .unwrap();
    scene.colliders.add(soft(faces, nodes.len())).unwrap();
    (scene, nodes)
}

fn detect(scene: &mut Scene, pose: Isometry3<f64>, nodes: &[Point3<f64>]) -> Vec<ContactPoint> {
    let mut contacts = Vec::new();
    let places = PlacesView::at_rest(std::slice::from_ref(&pose), nodes);
    scene.detect_at(&places, &mut contacts).unwrap();
    contacts
}

/// Side of the surface, and the normal towards it.
fn of_surface(contact: &ContactPoint) -> (Support, Vector3<f64>) {
    match contact.on[0] {
        Support::Frame(_) => (contact.on[1], contact.normal),
        _ => (contact.on[0], -contact.normal),
    }
}

#[test]
fn a_block_stands_on_its_nodes() {
    let (mut scene, mut nodes) = scene(Shape::half_space("ground"));
    for p in &mut nodes {
        p.z += 0.499;
    }
    let contacts = detect(&mut scene, Isometry3::identity(), &nodes);
    assert_eq!(contacts.len(), 4);
    for c in &contacts {
        let (support, normal) = of_surface(c);
        assert!((c.gap + 1e-3).abs() < 1e-12 && (normal - Vector3::z()).norm() < 1e-12);
        assert_eq!(support.nodes().count(), 1);
    }
}

/// The small box as one shape, and as a part of a compound.
fn tips() -> [Shape; 2] {
    let tip = Shape::cuboid("tip", Vector3::repeat(0.1)).unwrap();
    let part = (Isometry3::identity(), tip.clone());
    [tip, Shape::compound("tips", vec![part]).unwrap()]
}

#[test]
fn corners_of_a_rigid_box_press_into_a_moved_block() {
    for tip in tips() {
        let (mut scene, mut nodes) = scene(tip);
        detect(&mut scene, Isometry3::translation(0.0, 0.0, 5.0), &nodes);
        for p in &mut nodes {
            p.z -= 0.1;
        }
        // bottom face of the small box 2 mm below the block's top at z = 0.4
        let mut ids = Vec::new();
        for step in 0..10 {
            let x = 0.1 + 1e-3 * f64::from(step);
            let place = Isometry3::translation(x, 0.05, 0.498);
            let contacts = detect(&mut scene, place, &nodes);
            assert_eq!(contacts.len(), 4);
            for c in &contacts {
                let (support, normal) = of_surface(c);
                assert!((c.gap + 2e-3).abs() < 1e-12);
                assert!((normal + Vector3::z()).norm() < 1e-12, "into the block");
                let weights: f64 = support.nodes().map(|(_, w)| w).sum();
                assert!((weights - 1.0).abs() < 1e-12);
                let at: Vector3<f64> = support
                    .nodes()
                    .map(|(n, w)| nodes[n as usize].coords * w)
                    .sum();
                assert!((at.z - 0.4).abs() < 1e-12);
            }
            ids.push(contacts.iter().map(|c| c.id).collect::<Vec<_>>());
        }
        assert!(ids.windows(2).all(|w| w[0] == w[1]));
    }
}

#[test]
fn edges_and_corners_of_the_surface_know_inside_from_outside() {
    // a needle's tip beside an edge: the nearest face alone would call some of these points inside
    let needle = Shape::convex_hull(
        "needle",
        &[
            Point3::origin(),
            Point3::new(1.0, 0.1, 1.0),
            Point3::new(1.1, 0.0, 1.0),
            Point3::new(1.0, -0.1, 1.1),
        ],
    )
    .unwrap();
    let (mut scene, nodes) = scene(needle);
    for (offset, expected) in [(5e-4, true), (-5e-4, true), (2e-3, false)] {
        let place = Isometry3::translation(0.5 + offset, 0.1, 0.5 + offset);
        let contacts = detect(&mut scene, place, &nodes);
        assert_eq!(!contacts.is_empty(), expected, "{offset}");
        for c in contacts {
            let distance = if offset > 0.0 {
                offset * 2.0_f64.sqrt()
            } else {
                offset
            };
            assert!((c.gap - distance).abs() < 1e-12, "{offset}: {}", c.gap);
        }
    }
}

#[test]
fn contacts_depend_on_positions_and_not_on_how_they_came_about() {
    let ball = Shape::sphere("ball", 0.3).unwrap();
    let mut rng = rng(12);
    let (mut moved, rest) = scene(ball.clone());
    for _ in 0..20 {
        let jitter = pose(&mut rng, 0.2);
        let nodes: Vec<_> = rest.iter().map(|p| jitter * p).collect();
        let place = pose(&mut rng, 0.4);
        let contacts = detect(&mut moved, place, &nodes);
        let (mut fresh, _) = scene(ball.clone());
        assert_eq!(contacts, detect(&mut fresh, place, &nodes));
    }
}

#[derive(Debug)]
struct Nothing;

impl CustomShape for Nothing {
    fn bounds(&self) -> stiction_collision::Aabb {
        stiction_collision::Aabb::from_center(Point3::origin(), Vector3::repeat(0.1))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[test]
fn pairs_that_are_not_tested_are_refused_even_far_apart_until_excluded() {
    let (nodes, faces) = block();
    let far = Isometry3::translation(100.0, 0.0, 0.0);
    let poses = [far, far];
    let others = [
        Collider::chain("other", vec![0, 1], 0.1),
        Collider::points("other", vec![0], 0.1),
        Collider::surface("other", (0..8).collect(), faces.clone(), 0.1),
        Collider::rigid(
            "other",
            0,
            Shape::custom("own", std::sync::Arc::new(Nothing)),
        ),
    ];
    for other in others {
        let mut scene = Scene::serial(1e-3);
        scene
            .colliders
            .add(soft(faces.clone(), nodes.len()))
            .unwrap();
        scene.colliders.add(other).unwrap();
        let places = PlacesView::at_rest(&poses, &nodes);
        let mut contacts = Vec::new();
        let error = scene.detect_at(&places, &mut contacts).unwrap_err();
        assert!(matches!(error, CollisionError::UnsupportedPair { .. }));
        let message = error.to_string();
        assert!(message.contains("\"soft\"") && message.contains("\"other\""));
        // it is said again, and not only the first time
        assert!(scene.detect_at(&places, &mut contacts).is_err());
        scene.colliders.exclude(0, 1).unwrap();
        scene.detect_at(&places, &mut contacts).unwrap();
    }
}

#[test]
fn bad_surfaces_are_refused_by_name() {
    let (nodes, faces) = block();
    let mut scene = Scene::serial(1e-3);
    let mut refused = |collider: Collider, word: &str| {
        let message = scene.colliders.add(collider).unwrap_err().to_string();
        assert!(
            message.contains("soft") && message.contains(word),
            "{message}"
        );
    };
    refused(soft(faces[1..].to_vec(), 8), "open");
    refused(soft(faces.clone(), 7), "vertex 7");
    refused(soft(faces.clone(), 9), "no face");
    refused(soft(vec![[0, 0, 1]], 2), "repeats");
    refused(
        Collider::surface("soft", (0..8).collect(), faces.clone(), 0.0),
        "depth",
    );
    let mut itself = soft(faces.clone(), 8);
    itself.touches_itself = true;
    refused(itself, "itself");

    let inverted = faces.iter().map(|f| [f[1], f[0], f[2]]).collect();
    scene.colliders.add(soft(inverted, 8)).unwrap();
    let error = scene.detect_at(&PlacesView::at_rest(&[], &nodes), &mut Vec::new());
    assert!(error.unwrap_err().to_string().contains("inside out"));
}
