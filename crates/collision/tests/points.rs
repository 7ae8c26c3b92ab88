//! Points and balls around nodes: exact gaps and normals on every shape, ids, filters, materials.

mod common;

use std::collections::HashSet;

use common::scene::Scene;
use common::{cube_points, pose, rng, unit};
use nalgebra::{Isometry3, Point3, Vector3};
use proptest::prelude::*;
use stiction_collision::shape::HeightField;
use stiction_collision::{
    Collider, CollisionError, ContactId, ContactPoint, Friction, Groups, Material, PlacesView,
    Shape, Support,
};

/// One shape on frame 0, and nodes against it.
fn against(shape: Shape, n_nodes: u32, radius: f64, margin: f64) -> Scene {
    let mut scene = Scene::serial(margin);
    let colliders = &mut scene.colliders;
    colliders.add(Collider::rigid("shape", 0, shape)).unwrap();
    let points = Collider::points("points", (0..n_nodes).collect(), radius);
    colliders.add(points).unwrap();
    scene
}

fn detect(scene: &mut Scene, pose: Isometry3<f64>, nodes: &[Point3<f64>]) -> Vec<ContactPoint> {
    let mut contacts = Vec::new();
    let places = PlacesView::at_rest(std::slice::from_ref(&pose), nodes);
    scene.detect_at(&places, &mut contacts).unwrap();
    contacts
}

/// Normal from the shape to the point, whichever is A.
fn outward(contact: &ContactPoint) -> Vector3<f64> {
    match contact.on[0] {
        Support::Frame(_) => contact.normal,
        _ => -contact.normal,
    }
}

fn node_of(contact: &ContactPoint) -> u32 {
    let mut nodes = contact.on.iter().flat_map(Support::nodes);
    let (node, weight) = nodes.next().unwrap();
    assert!(weight == 1.0 && nodes.next().is_none());
    node
}

/// A point outside or inside a primitive, its signed distance and normal, all by hand.
type Analytic = (Point3<f64>, f64, Vector3<f64>);

fn sphere(r: f64, d: Vector3<f64>, h: f64) -> Analytic {
    (Point3::from(d * (r + h)), h, d)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn gaps_and_normals_are_those_of_the_primitive(
        seed in 0_u64..1000,
        gap in -0.03_f64..0.02,
        radius in prop_oneof![Just(0.0), 0.001_f64..0.1],
    ) {
        let mut rng = rng(seed);
        let place = pose(&mut rng, 0.5);
        let d = unit(&mut rng);
        // distance of the centre
        let h = gap + radius;
        let around = Vector3::new(d.x, d.y, 0.0).normalize();
        let cases: [(Shape, Analytic); 5] = [
            (Shape::sphere("ball", 0.2).unwrap(), sphere(0.2, d, h)),
            (
                Shape::cuboid("box", Vector3::new(0.3, 0.2, 0.15)).unwrap(),
                (Point3::new(0.05 * d.x, 0.05 * d.y, 0.15 + h), h, Vector3::z()),
            ),
            (
                Shape::capsule("capsule", 0.2, 0.1).unwrap(),
                (Point3::from(around * (0.1 + h) + Vector3::z() * (0.15 * d.z)), h, around),
            ),
            (
                Shape::cylinder("cylinder", 0.2, 0.1).unwrap(),
                (Point3::from(around * (0.1 + h) + Vector3::z() * (0.1 * d.z)), h, around),
            ),
            (
                Shape::half_space("plane"),
                (Point3::new(3.0 * d.x, 3.0 * d.y, h), h, Vector3::z()),
            ),
        ];
        for (shape, (center, distance, normal)) in cases {
            let kind = shape.kind();
            let mut scene = against(shape, 1, radius, 0.021);
            let node = place * center;
            let contacts = detect(&mut scene, place, &[node]);
            prop_assert_eq!(contacts.len(), 1, "{}", kind);
            let c = &contacts[0];
            prop_assert!((c.gap - (distance - radius)).abs() < 1e-9, "{}: {}", kind, c.gap);
            prop_assert!((outward(c) - place.rotation * normal).norm() < 1e-9, "{}", kind);
            prop_assert_eq!(node_of(c), 0);
            // the surface point of the ball lies radius from the node, that of the shape gap further
            let on_ball = if c.on[0] == Support::Frame(0) { c.point_b() } else { c.point_a() };
            prop_assert!(((node - on_ball) - outward(c) * radius).norm() < 1e-9);
        }
    }
}

#[test]
fn every_shape_that_knows_its_distance_is_met() {
    let field = HeightField {
        n_x: 5,
        n_y: 5,
        spacing: (0.2, 0.2),
        heights: vec![0.0; 25],
    };
    let cube = Shape::cuboid("cube", Vector3::repeat(0.2)).unwrap();
    let mesh = cube.surface().unwrap();
    let (vertices, faces) = (mesh.vertices().to_vec(), mesh.faces().to_vec());
    let raised = Isometry3::translation(0.0, 0.0, 0.1);
    let ball = Shape::sphere("ball", 0.1).unwrap();
    // shape, height of its top above x = y = 0
    let shapes = [
        (Shape::convex_hull("hull", &cube_points(0.2)).unwrap(), 0.2),
        (Shape::triangle_mesh("mesh", vertices, faces).unwrap(), 0.2),
        (Shape::height_field("field", &field).unwrap(), 0.0),
        (
            Shape::compound("compound", vec![(raised, ball)]).unwrap(),
            0.2,
        ),
        (
            Shape::ellipsoid("egg", Vector3::new(0.1, 0.2, 0.3)).unwrap(),
            0.3,
        ),
        (
            Shape::sdf(
                "sdf",
                std::sync::Arc::new(stiction_collision::sdf::SphereSdf::new(0.2).unwrap()),
                0.05,
            )
            .unwrap(),
            0.2,
        ),
    ];
    for (shape, top) in shapes {
        let kind = shape.kind();
        let mut scene = against(shape, 1, 0.05, 0.01);
        let node = Point3::new(0.0, 0.0, top + 0.055);
        let contacts = detect(&mut scene, Isometry3::identity(), &[node]);
        assert_eq!(contacts.len(), 1, "{kind}");
        assert!((contacts[0].gap - 0.005).abs() < 1e-9, "{kind}");
        assert!(
            (outward(&contacts[0]) - Vector3::z()).norm() < 1e-9,
            "{kind}"
        );
        // out of reach
        let far = Point3::new(0.0, 0.0, top + 0.2);
        assert!(detect(&mut scene, Isometry3::identity(), &[far]).is_empty());
    }
}

#[test]
fn ids_stay_while_nodes_slide_and_name_the_node() {
    let mut scene = against(Shape::half_space("ground"), 3, 0.0, 1e-3);
    let mut ids = None;
    for step in 0..100 {
        let x = 1e-3 * f64::from(step);
        let nodes = [0.0, 1.0, 2.0].map(|y| Point3::new(x, y, 1e-4 * x.sin()));
        let contacts = detect(&mut scene, Isometry3::identity(), &nodes);
        let now: Vec<(u32, ContactId)> = contacts.iter().map(|c| (node_of(c), c.id)).collect();
        let distinct: HashSet<ContactId> = contacts.iter().map(|c| c.id).collect();
        assert_eq!(distinct.len(), 3);
        assert_eq!(*ids.get_or_insert(now.clone()), now);
    }
}

#[test]
fn ids_and_contacts_do_not_depend_on_the_order_of_adding() {
    let run = |points_first: bool| {
        let mut scene = Scene::serial(1e-2);
        let ball = Collider::rigid("ball", 0, Shape::sphere("ball", 0.2).unwrap());
        let points = Collider::points("points", vec![0, 1], 0.01);
        let mut both = [ball, points];
        if points_first {
            both.reverse();
        }
        for collider in both {
            scene.colliders.add(collider).unwrap();
        }
        let nodes = [Point3::new(0.21, 0.0, 0.0), Point3::new(0.0, 0.19, 0.0)];
        let contacts = detect(&mut scene, Isometry3::identity(), &nodes);
        let seen = |c: &ContactPoint| (c.id, c.on, c.point, c.normal, c.gap);
        contacts.iter().map(seen).collect::<Vec<_>>()
    };
    assert_eq!(run(false).len(), 2);
    assert_eq!(run(false), run(true));
}

#[test]
fn materials_combine_and_filters_hold() {
    let node = [Point3::origin()];
    let ball = || Shape::sphere("ball", 0.1).unwrap();
    let mut scene = against(ball(), 1, 0.0, 1e-3);
    let mut slick = Collider::points("slick", vec![0], 0.0);
    slick.material = Material::with_friction(0.08);
    scene.colliders.add(slick).unwrap();
    let contacts = detect(&mut scene, Isometry3::identity(), &node);
    // two sets of points in the ball, and not each other: bare points have no size
    assert_eq!(contacts.len(), 2);
    let friction: Vec<f64> = contacts.iter().map(|c| c.material.friction_along).collect();
    assert!(friction.contains(&0.5) && friction.contains(&(0.5_f64 * 0.08).sqrt()));

    scene.colliders.exclude_named("shape", "slick").unwrap();
    assert_eq!(detect(&mut scene, Isometry3::identity(), &node).len(), 1);
    let mut ghost = Collider::points("ghost", vec![0], 0.0);
    ghost.groups = Groups {
        member_of: 2,
        collides_with: 2,
        either: false,
    };
    let ghost = scene.colliders.add(ghost).unwrap();
    assert_eq!(detect(&mut scene, Isometry3::identity(), &node).len(), 1);
    scene.colliders.include(ghost, 0, Some(0.03)).unwrap();
    let contacts = detect(&mut scene, Isometry3::identity(), &node);
    assert_eq!(contacts.len(), 2);
    assert!(contacts.iter().any(|c| c.material.friction_along == 0.03));
}

#[test]
fn balls_touch_balls_and_themselves_where_they_may() {
    let mut scene = Scene::serial(1e-3);
    let mut grains = Collider::points("grains", vec![0, 1, 2], 0.1);
    let other = Collider::points("others", vec![3], 0.2);
    let nodes = [0.0, 0.19, 1.0, 0.45].map(|x| Point3::new(x, 0.0, 0.0));
    let places = PlacesView::at_rest(&[], &nodes);
    let mut contacts = Vec::new();
    scene.colliders.add(grains.clone()).unwrap();
    scene.colliders.add(other).unwrap();
    scene.detect_at(&places, &mut contacts).unwrap();
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert!((contacts[0].gap - (0.26 - 0.3)).abs() < 1e-12);

    let mut scene = Scene::serial(1e-3);
    grains.touches_itself = true;
    scene.colliders.add(grains).unwrap();
    let report = scene.detect_at(&places, &mut contacts).unwrap();
    assert_eq!((contacts.len(), report.n_pairs), (1, 1));
    let c = &contacts[0];
    assert!((c.gap + 0.01).abs() < 1e-12 && (c.normal - Vector3::x()).norm() < 1e-12);
    assert_eq!(c.on, [Support::node(0), Support::node(1)]);
    assert_eq!(c.colliders, [0, 0]);
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let mut scene = against(Shape::half_space("ground"), 2, 0.0, 1e-3);
    let colliders = &mut scene.colliders;
    let mut refused = |collider: Collider| {
        let message = colliders.add(collider).unwrap_err().to_string();
        assert!(message.contains("bad"), "{message}");
    };
    refused(Collider::points("bad", vec![], 0.1));
    refused(Collider::points("bad", vec![1, 2, 1], 0.1));
    refused(Collider::points("bad", vec![1], -0.1));
    let mut itself = Collider::points("bad", vec![1], 0.0);
    itself.touches_itself = true;
    refused(itself);
    let mut grained = Collider::points("bad", vec![1], 0.0);
    grained.material.friction = Friction::TwoAxis {
        along: 0.1,
        across: 0.2,
        direction: Vector3::x_axis(),
    };
    refused(grained);

    let poses = [Isometry3::identity()];
    let mut contacts = Vec::new();
    let nodes = [Point3::origin()];
    let missing = scene.detect_at(&PlacesView::at_rest(&poses, &nodes), &mut contacts);
    assert!(
        missing
            .unwrap_err()
            .to_string()
            .contains("\"points\" needs node 1")
    );
    let nodes = [Point3::origin(), Point3::new(0.0, f64::NAN, 0.0)];
    let nan = scene.detect_at(&PlacesView::at_rest(&poses, &nodes), &mut contacts);
    assert_eq!(nan, Err(CollisionError::NonFiniteNode { node: 1 }));
    let nodes = [Point3::origin(); 2];
    for travel in [&[0.1][..], &[0.1, -1.0], &[0.1, f64::NAN]] {
        let places = PlacesView {
            travel,
            ..PlacesView::at_rest(&poses, &nodes)
        };
        assert!(scene.detect_at(&places, &mut contacts).is_err());
        assert!(contacts.is_empty());
    }
    let travel = [0.0, 0.5];
    let nodes = [Point3::new(0.0, 0.0, 0.4), Point3::new(0.0, 0.0, 0.6)];
    let places = PlacesView {
        travel: &travel,
        ..PlacesView::at_rest(&poses, &nodes)
    };
    scene.detect_at(&places, &mut contacts).unwrap();
    assert_eq!(contacts.len(), 1, "what moves sees as far as it goes");
}
