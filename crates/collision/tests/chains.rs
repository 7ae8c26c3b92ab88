//! Chains of capsules: on a plane, over a drum, against each other and against themselves.

mod common;

use std::collections::HashSet;
use std::f64::consts::{FRAC_PI_2, PI};

use common::scene::Scene;
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use stiction_collision::{Collider, ContactId, ContactPoint, Geometry, PlacesView, Shape, Support};

fn frames(points: impl IntoIterator<Item = Vector3<f64>>) -> Vec<Isometry3<f64>> {
    points
        .into_iter()
        .map(|p| Isometry3::from_parts(p.into(), UnitQuaternion::identity()))
        .collect()
}

/// Frame 0 is the rigid shape's; the chain has the frames behind it.
fn against(shape: Shape, n: u32, radius: f64, margin: f64) -> Scene {
    let mut scene = Scene::serial(margin);
    let colliders = &mut scene.colliders;
    colliders.add(Collider::rigid("shape", 0, shape)).unwrap();
    let chain = Collider::chain("chain", (1..=n).collect(), radius);
    colliders.add(chain).unwrap();
    scene
}

fn detect(scene: &mut Scene, poses: &[Isometry3<f64>]) -> Vec<ContactPoint> {
    let mut contacts = Vec::new();
    scene.detect(poses, &mut contacts).unwrap();
    contacts
}

/// Side of the chain, and the normal towards it.
fn of_chain(contact: &ContactPoint) -> (Support, Vector3<f64>) {
    if contact.on[0].frame() == Some(0) {
        (contact.on[1], contact.normal)
    } else {
        (contact.on[0], -contact.normal)
    }
}

#[test]
fn a_chain_on_a_plane_touches_at_every_vertex() {
    let mut scene = against(Shape::half_space("ground"), 5, 0.02, 1e-3);
    let line = (0..5).map(|i| Vector3::new(0.1 * f64::from(i), 0.0, 0.0195));
    let mut poses = frames([Vector3::zeros()]);
    poses.extend(frames(line));
    let contacts = detect(&mut scene, &poses);
    assert_eq!(contacts.len(), 5);
    for (i, c) in (1..).zip(&contacts) {
        let (support, normal) = of_chain(c);
        assert_eq!(support, Support::Frame(i));
        assert!((c.gap + 5e-4).abs() < 1e-12 && (normal - Vector3::z()).norm() < 1e-12);
    }
}

#[test]
fn a_chain_over_a_drum_touches_between_its_vertices_and_its_ids_stay() {
    let drum = Shape::cylinder("drum", 1.0, 0.2).unwrap();
    let mut scene = against(drum, 5, 0.04, 0.02);
    let lying = Isometry3::rotation(Vector3::x() * FRAC_PI_2);
    let mut id = None;
    // from a quarter of the third link to three quarters of it, through the very middle
    for step in 0..=40 {
        let shift = 0.1 - 0.005 * f64::from(step);
        let line = (0..5).map(|i| Vector3::new(0.4 * f64::from(i) - 1.0 + shift, 0.0, 0.25));
        let mut poses = vec![lying];
        poses.extend(frames(line));
        let contacts = detect(&mut scene, &poses);
        assert_eq!(contacts.len(), 1, "step {step}: {contacts:?}");
        let c = &contacts[0];
        let (support, normal) = of_chain(c);
        assert!((c.gap - 0.01).abs() < 1e-9 && (normal - Vector3::z()).norm() < 1e-9);
        let fraction = (0.2 - shift) / 0.4;
        let expected = [(3, 1.0 - fraction), (4, fraction)];
        for ((frame, weight), (f, w)) in support.frames().zip(expected) {
            assert!(frame == f && (weight - w).abs() < 1e-9, "step {step}");
        }
        assert_eq!(*id.get_or_insert(c.id), c.id, "step {step}");
    }
}

#[test]
fn chains_cross_with_the_gap_of_their_axes() {
    for (angle, lift) in [(FRAC_PI_2, 0.1), (0.7, 0.06), (0.2, 0.05)] {
        let mut scene = Scene::serial(1e-2);
        let a = Collider::chain("a", (0..4).collect(), 0.03);
        let b = Collider::chain("b", (4..8).collect(), 0.02);
        scene.colliders.add(a).unwrap();
        scene.colliders.add(b).unwrap();
        let along = |i: i32| 0.8 * f64::from(i) - 1.2;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let first = (0..4).map(|i| Vector3::x() * along(i));
        let second = (0..4).map(|i| turn * Vector3::x() * along(i) + Vector3::z() * lift);
        let mut ids = HashSet::new();
        for step in 0..20 {
            let slide = Vector3::new(1e-3, 2e-3, 0.0) * f64::from(step);
            let mut poses = frames(first.clone());
            poses.extend(frames(second.clone().map(|p| p + slide)));
            let contacts = detect(&mut scene, &poses);
            let gap = lift - 0.05;
            if gap > 1e-2 {
                assert!(contacts.is_empty());
                continue;
            }
            let c = contacts
                .iter()
                .min_by(|a, b| a.gap.total_cmp(&b.gap))
                .unwrap();
            assert!((c.gap - gap).abs() < 1e-12, "{}", c.gap);
            let up = if c.colliders == [0, 1] { 1.0 } else { -1.0 };
            assert!((c.normal - Vector3::z() * up).norm() < 1e-9);
            ids.insert(c.id);
            // the axis points of both sides, from what carries them
            let axis = |s: &Support| -> Vector3<f64> {
                let at = |f: u32| poses[f as usize].translation.vector;
                s.frames().map(|(f, w)| at(f) * w).sum()
            };
            let [p, q] = [axis(&c.on[0]), axis(&c.on[1])];
            assert!(((q - p).norm() - lift).abs() < 1e-12);
        }
        assert!(ids.len() <= 1, "the same links cross all the time");
    }
}

#[test]
fn a_vertex_where_two_links_meet_makes_one_contact() {
    let mut scene = Scene::serial(1e-3);
    // the corner of a roof under a straight chain
    let roof = Collider::chain("roof", vec![0, 1, 2], 0.05);
    let beam = Collider::chain("beam", vec![3, 4], 0.05);
    scene.colliders.add(roof).unwrap();
    scene.colliders.add(beam).unwrap();
    let poses = frames([
        Vector3::new(-1.0, 0.0, -1.0),
        Vector3::zeros(),
        Vector3::new(1.0, 0.0, -1.0),
        Vector3::new(-1.0, 0.0, 0.1),
        Vector3::new(1.0, 0.0, 0.1),
    ]);
    let contacts = detect(&mut scene, &poses);
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert!(contacts[0].gap.abs() < 1e-12);
    assert!(contacts[0].on.contains(&Support::Frame(1)));
}

/// One and a half turns of a helix whose turns touch.
fn helix(n: i32, pitch: f64) -> Vec<Isometry3<f64>> {
    frames((0..=n).map(|i| {
        let a = 3.0 * PI * f64::from(i) / f64::from(n);
        Vector3::new(a.cos(), a.sin(), pitch * a)
    }))
}

#[test]
fn a_coil_touches_itself_turn_on_turn_and_a_straight_chain_does_not() {
    let (n, pitch) = (60, 0.02);
    let radius = pitch * PI;
    let mut scene = Scene::serial(1e-2);
    let mut coil = Collider::chain("coil", (0..=n as u32).collect(), radius);
    coil.touches_itself = true;
    scene.colliders.add(coil).unwrap();
    let contacts = detect(&mut scene, &helix(n, pitch));
    assert!(contacts.len() >= 20, "{}", contacts.len());
    let ids: HashSet<ContactId> = contacts.iter().map(|c| c.id).collect();
    assert_eq!(ids.len(), contacts.len());
    for c in &contacts {
        assert!(c.normal.z > 0.9 && c.gap.abs() < 1e-2, "{c:?}");
        let frame = |s: &Support| s.frames().next().unwrap().0 as i32;
        let apart = frame(&c.on[1]) - frame(&c.on[0]);
        assert!((apart - 40).abs() <= 1, "one turn is 40 links: {apart}");
    }
    // links much shorter than thick
    let line = frames((0..=n).map(|i| Vector3::x() * (0.01 * f64::from(i))));
    assert!(detect(&mut scene, &line).is_empty());
}

#[test]
fn a_ring_does_not_touch_itself_where_it_closes() {
    let mut scene = Scene::serial(1e-3);
    let mut ring = Collider::chain("ring", (0..12).chain([0]).collect(), 0.1);
    ring.touches_itself = true;
    scene.colliders.add(ring).unwrap();
    let circle = |squeeze: f64| {
        frames((0..12).map(move |i| {
            let a = PI / 6.0 * f64::from(i);
            Vector3::new(a.cos(), squeeze * a.sin(), 0.0)
        }))
    };
    assert!(detect(&mut scene, &circle(1.0)).is_empty());
    // pressed flat, its long sides touch
    let contacts = detect(&mut scene, &circle(0.09));
    assert!(!contacts.is_empty());
    assert!(contacts.iter().all(|c| c.normal.y.abs() > 0.9));
}

#[test]
fn links_spare_the_frames_they_hang_on_and_those_excluded() {
    let ball = || Shape::sphere("ball", 0.1).unwrap();
    let poses = frames((0..4).map(|i| Vector3::x() * (0.05 * f64::from(i))));
    let run = |prepare: &dyn Fn(&mut Scene)| {
        let mut scene = Scene::serial(1e-3);
        scene
            .colliders
            .add(Collider::rigid("ball", 0, ball()))
            .unwrap();
        let chain = Collider::chain("chain", vec![0, 1, 2, 3], 0.01);
        scene.colliders.add(chain).unwrap();
        prepare(&mut scene);
        let contacts = detect(&mut scene, &poses);
        let mut touched: Vec<u32> = contacts
            .iter()
            .flat_map(|c| c.on.iter().flat_map(Support::frames).collect::<Vec<_>>())
            .map(|(frame, _)| frame)
            .filter(|&frame| frame != 0)
            .collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    };
    // the first vertex is the ball's own frame, the fourth is outside the ball
    assert_eq!(run(&|_| {}), [1, 2]);
    assert_eq!(run(&|s| s.colliders.exclude_frames(1, 0)), [2]);
    assert!(run(&|s| s.colliders.exclude_named("ball", "chain").unwrap()).is_empty());
    let included = run(&|s| {
        s.colliders.exclude_frames(1, 0);
        s.colliders.exclude_named("ball", "chain").unwrap();
        s.colliders.include(0, 1, None).unwrap();
    });
    assert_eq!(included, [1, 2]);
}

#[test]
fn points_touch_chains() {
    let mut scene = Scene::serial(1e-3);
    scene
        .colliders
        .add(Collider::chain("chain", vec![0, 1], 0.1))
        .unwrap();
    scene
        .colliders
        .add(Collider::points("points", vec![0, 1], 0.0))
        .unwrap();
    let poses = frames([Vector3::zeros(), Vector3::x()]);
    let nodes = [Point3::new(0.25, 0.0, 0.09), Point3::new(0.5, 0.2, 0.0)];
    let mut contacts = Vec::new();
    let places = PlacesView::at_rest(&poses, &nodes);
    scene.detect_at(&places, &mut contacts).unwrap();
    assert_eq!(contacts.len(), 1);
    let c = &contacts[0];
    assert!((c.gap + 0.01).abs() < 1e-12 && c.normal.z.abs() > 0.999);
    assert!(c.on.contains(&Support::between([0, 1], 0.25)));
    assert!(c.on.contains(&Support::node(0)));
}

#[test]
fn bad_chains_are_refused_by_name() {
    let mut scene = Scene::serial(1e-3);
    for (frames, radius) in [
        (vec![1], 0.1),
        (vec![1, 1], 0.1),
        (vec![1, 2, 1], 0.1),
        (vec![1, 2], 0.0),
        (vec![1, 2], f64::NAN),
    ] {
        let geometry = Geometry::Chain { frames, radius };
        let error = scene.colliders.add(Collider::new("rope", geometry));
        assert!(error.unwrap_err().to_string().contains("rope"));
    }
    scene
        .colliders
        .add(Collider::chain("rope", vec![0, 7], 0.1))
        .unwrap();
    let missing = scene.detect(&[Isometry3::identity()], &mut Vec::new());
    let message = missing.unwrap_err().to_string();
    assert!(message.contains("\"rope\" needs frame 7"), "{message}");
}
