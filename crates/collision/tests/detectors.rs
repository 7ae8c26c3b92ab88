//! The seam for a whole detection: the built-in one behind it, and one of a user's own.

mod common;

use common::scene::{Scene, settings};
use common::{pose, rng};
use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::sdf::Dish;
use stiction_collision::{
    BuiltInDetector, Collider, ColliderSet, CollisionMemory, ContactPoint, DetectReport, Detector,
    Execution, PlacesView, Result, Shape, Support,
};

/// Balls by their bounding boxes, every pair, one contact each; counts its calls.
#[derive(Debug, Default)]
struct Balls {
    calls: u8,
}

impl Detector for Balls {
    fn detect(
        &mut self,
        colliders: &ColliderSet,
        places: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport> {
        self.calls += 1;
        contacts.clear();
        places.check_finite()?;
        let n = colliders.len() as u32;
        let mut report = DetectReport::default();
        for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
            if !colliders.may_touch(i, j) {
                continue;
            }
            report.n_pairs += 1;
            let pair = colliders.ordered(i, j);
            let mut sides = Vec::new();
            for index in pair {
                if let Some((frame, local, shape)) = colliders.get(index)?.as_rigid() {
                    let center = (places.poses[frame as usize] * local).translation.vector;
                    sides.push((frame, center, shape.bounds().max.x));
                }
            }
            let [(frame_a, a, radius_a), (frame_b, b, radius_b)] = sides[..] else {
                continue;
            };
            let normal = (b - a).normalize();
            contacts.push(ContactPoint {
                id: colliders.contact_id(pair, 0),
                colliders: pair,
                on: [Support::Frame(frame_a), Support::Frame(frame_b)],
                point: Point3::from(0.5 * (a + b + normal * (radius_a - radius_b))),
                normal,
                gap: (b - a).norm() - radius_a - radius_b,
                material: colliders.contact_material(pair, places),
            });
        }
        Ok(report)
    }

    fn memory(&self) -> CollisionMemory {
        CollisionMemory::from_bytes(vec![self.calls])
    }

    fn restore(&mut self, _: &ColliderSet, memory: &CollisionMemory) -> Result<()> {
        self.calls = memory.bytes.first().copied().unwrap_or(0);
        Ok(())
    }
}

#[test]
fn a_detector_of_ones_own_takes_the_place_of_the_built_in_one() {
    let mut colliders = ColliderSet::new();
    for (frame, radius) in [(0, 0.1), (1, 0.2), (2, 0.15)] {
        let ball = Shape::sphere("ball", radius).unwrap();
        let name = format!("ball {frame}");
        colliders.add(Collider::rigid(&name, frame, ball)).unwrap();
    }
    colliders.exclude_frames(0, 2);
    let poses = [0.0, 0.29, 0.5].map(|x| Isometry3::translation(x, 0.1 * x, 0.0));
    let places = PlacesView::of_frames(&poses);
    let built_in = BuiltInDetector::new(settings(Execution::Serial, 1.0)).unwrap();
    let mut detectors: [Box<dyn Detector>; 2] = [Box::new(Balls::default()), Box::new(built_in)];
    let [mine, theirs] = detectors.each_mut().map(|detector| {
        let mut contacts = Vec::new();
        let report = detector.detect(&colliders, &places, &mut contacts).unwrap();
        assert_eq!(report.n_pairs, 2);
        contacts
    });
    assert_eq!(mine.len(), 2);
    for (a, b) in mine.iter().zip(&theirs) {
        assert_eq!(
            (a.colliders, a.on, a.material),
            (b.colliders, b.on, b.material)
        );
        assert!((a.gap - b.gap).abs() < 1e-12 && (a.normal - b.normal).norm() < 1e-12);
        assert!((a.point - b.point).norm() < 1e-12);
    }

    // its memory is its own, and the built-in one knows that it is not its own
    let [own, built_in] = &mut detectors;
    let memory = own.memory();
    assert_eq!(memory.bytes, [1]);
    own.restore(&colliders, &CollisionMemory::from_bytes(vec![9]))
        .unwrap();
    assert_eq!(own.memory().bytes, [9]);
    assert!(built_in.restore(&colliders, &memory).is_err());
}

/// Remembers nothing.
struct Forgetful;

impl Detector for Forgetful {
    fn detect(
        &mut self,
        _: &ColliderSet,
        _: &PlacesView<'_>,
        contacts: &mut Vec<ContactPoint>,
    ) -> Result<DetectReport> {
        contacts.clear();
        Ok(DetectReport::default())
    }
}

#[test]
fn who_remembers_nothing_need_not_say_so() {
    let colliders = ColliderSet::new();
    let mut detector = Forgetful;
    let memory = detector.memory();
    detector.restore(&colliders, &memory).unwrap();
    let other = CollisionMemory::from_bytes(vec![1]);
    assert!(detector.restore(&colliders, &other).is_err());
}

/// Poses of frames and positions of nodes.
type Places = (Vec<Isometry3<f64>>, Vec<Point3<f64>>);

/// Dishes that come and go, so that pairs do too; with points and a chain among them.
fn crowd() -> (Scene, impl Fn(usize) -> Places) {
    let mut scene = Scene::serial(2e-3);
    let bowl = Dish::bowl(0.06, 0.14, 0.1, 0.01).unwrap();
    let bowl = Shape::dish("bowl", bowl, 0.02).unwrap();
    for frame in 0..6 {
        let name = format!("bowl {frame}");
        scene
            .colliders
            .add(Collider::rigid(&name, frame, bowl.clone()))
            .unwrap();
    }
    let chain = Collider::chain("chain", vec![6, 7, 8], 0.02);
    scene.colliders.add(chain).unwrap();
    let points = Collider::points("points", vec![0, 1], 0.05);
    scene.colliders.add(points).unwrap();
    let mut rng = rng(77);
    let phases: Vec<Isometry3<f64>> = (0..9).map(|_| pose(&mut rng, 1.0)).collect();
    let places = move |step: usize| {
        let t = 0.04 * step as f64;
        let sway = |(i, p): (usize, &Isometry3<f64>)| {
            let speed = 1.0 + i as f64;
            let way = p
                .translation
                .vector
                .map(|x| 0.14 * (speed * t + 3.0 * x).sin());
            Isometry3::from_parts(way.into(), p.rotation)
        };
        let poses: Vec<_> = phases.iter().enumerate().map(sway).collect();
        let nodes = [1.0, -1.0].map(|s| Point3::new(s * 0.1 * t.sin(), 0.05, s * 0.05));
        (poses, nodes.to_vec())
    };
    (scene, places)
}

fn step(scene: &mut Scene, (poses, nodes): &Places) -> Vec<ContactPoint> {
    let mut contacts = Vec::new();
    let places = PlacesView::at_rest(poses, nodes);
    scene.detect_at(&places, &mut contacts).unwrap();
    contacts
}

#[test]
fn a_restored_memory_goes_on_to_the_bit_while_pairs_come_and_go() {
    let (mut scene, places) = crowd();
    let (mut lowest, mut highest) = (usize::MAX, 0);
    for k in 0..120 {
        let memory = scene.detector.memory();
        let (mut other, _) = crowd();
        other.detector.restore(&other.colliders, &memory).unwrap();
        let contacts = step(&mut scene, &places(k));
        assert_eq!(step(&mut other, &places(k)), contacts, "step {k}");
        lowest = lowest.min(contacts.len());
        highest = highest.max(contacts.len());
    }
    assert!(
        highest > lowest + 100,
        "pairs come and go: {lowest} to {highest}"
    );
}

#[test]
fn a_memory_of_other_colliders_is_refused() {
    let (mut scene, places) = crowd();
    for k in 0..30 {
        step(&mut scene, &places(k));
    }
    let memory = scene.detector.memory();
    let mut other = Scene::serial(1e-3);
    assert_ne!(memory, CollisionMemory::default());
    assert!(other.detector.restore(&other.colliders, &memory).is_err());
}

#[test]
fn any_number_of_threads_gives_the_same_bits_for_every_geometry() {
    let run = |execution: Execution| {
        let (mut scene, places) = crowd();
        scene
            .detector
            .set_settings(settings(execution, 2e-3))
            .unwrap();
        // enough of them for threads
        for i in 0..20 {
            let mut chain = Collider::chain(&format!("chain {i}"), vec![6, 7, 8], 0.02);
            chain.touches_itself = i % 2 == 0;
            scene.colliders.add(chain).unwrap();
        }
        (0..10)
            .map(|k| step(&mut scene, &places(k)))
            .collect::<Vec<_>>()
    };
    let serial = run(Execution::Serial);
    assert!(serial.iter().flatten().count() > 100);
    for threads in [1, 2, 5] {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = builder.build().unwrap();
        assert!(
            pool.install(|| run(Execution::Parallel)) == serial,
            "{threads} threads"
        );
    }
}

#[test]
fn colliders_may_be_added_and_excluded_between_steps() {
    let mut scene = Scene::serial(1e-3);
    let ball = |name: &str, frame| Collider::rigid(name, frame, Shape::sphere("b", 0.1).unwrap());
    let poses: Vec<_> = (0..3)
        .map(|i| Isometry3::translation(0.15 * f64::from(i), 0.0, 0.0))
        .collect();
    let mut contacts = Vec::new();
    let mut count = |scene: &mut Scene| {
        scene.detect(&poses, &mut contacts).unwrap();
        contacts.len()
    };
    scene.colliders.add(ball("a", 0)).unwrap();
    assert_eq!(count(&mut scene), 0);
    scene.colliders.add(ball("b", 1)).unwrap();
    assert_eq!(count(&mut scene), 1);
    scene.colliders.add(ball("c", 2)).unwrap();
    assert_eq!(count(&mut scene), 2);
    scene.colliders.exclude(1, 0).unwrap();
    assert_eq!(count(&mut scene), 1);
    // another set of colliders, unknown so far
    let mut fresh = ColliderSet::new();
    fresh.add(ball("x", 0)).unwrap();
    fresh.add(ball("y", 1)).unwrap();
    std::mem::swap(&mut scene.colliders, &mut fresh);
    assert_eq!(count(&mut scene), 1);
    std::mem::swap(&mut scene.colliders, &mut fresh);
    assert_eq!(count(&mut scene), 1);
    let reach = Collider::rigid_at(
        "far",
        0,
        Isometry3::translation(1.0, 0.0, 0.0),
        Shape::cuboid("box", Vector3::repeat(0.5)).unwrap(),
    )
    .reach();
    assert!((reach - 2.75_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn groups_exclusions_and_inclusions_hold_for_every_geometry() {
    let ball = Shape::sphere("ball", 0.1).unwrap();
    let cube = Shape::cuboid("cube", Vector3::repeat(0.1)).unwrap();
    let mesh = cube.surface().unwrap();
    let n_nodes = mesh.vertices().len() as u32;
    let kinds = [
        Collider::rigid("thing", 1, ball),
        Collider::points("thing", vec![0, 1], 0.05),
        Collider::chain("thing", vec![1, 2], 0.05),
        Collider::surface("thing", (0..n_nodes).collect(), mesh.faces().to_vec(), 0.05),
    ];
    let poses = [0.0, 0.05, 0.1].map(|z| Isometry3::translation(0.0, z, 0.0));
    let places = PlacesView::at_rest(&poses, mesh.vertices());
    for mut thing in kinds {
        let kind = thing.geometry.kind();
        let count = |thing: &Collider, prepare: &dyn Fn(&mut ColliderSet)| {
            let mut scene = Scene::serial(1e-3);
            let ground = Collider::rigid("ground", 0, Shape::half_space("ground"));
            scene.colliders.add(ground).unwrap();
            scene.colliders.add(thing.clone()).unwrap();
            prepare(&mut scene.colliders);
            let mut contacts = Vec::new();
            scene.detect_at(&places, &mut contacts).unwrap();
            contacts.len()
        };
        let touching = count(&thing, &|_| {});
        assert!(touching > 0, "{kind}");
        assert_eq!(count(&thing, &|c| c.exclude(0, 1).unwrap()), 0, "{kind}");
        let both = |c: &mut ColliderSet| {
            c.exclude_named("ground", "thing").unwrap();
            c.include(0, 1, None).unwrap();
        };
        assert_eq!(count(&thing, &both), touching, "{kind}");
        thing.groups.collides_with = 2;
        assert_eq!(count(&thing, &|_| {}), 0, "{kind}");
        let included = count(&thing, &|c| c.include(1, 0, None).unwrap());
        assert_eq!(included, touching, "{kind}");
    }
}
