//! A user's own detection: asked first, in either order, may decline or fail, and its contacts reach
//! the world's list like any other.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::scene::Scene;
use nalgebra::{Isometry3, Point3, Vector3};
use stiction_collision::{
    Collider, CollisionError, ContactPoint, DetectionSettings, Handled, PairDetector, Result,
    Shape, ShapeContact,
};

/// Spheres against the ground, with the ground half a metre higher than it is.
#[derive(Debug, Default)]
struct RaisedGround {
    asked: AtomicUsize,
}

impl PairDetector for RaisedGround {
    fn detect(
        &self,
        a: &Shape,
        b: &Shape,
        pose_ab: &Isometry3<f64>,
        margin: f64,
        out: &mut Vec<ShapeContact>,
    ) -> Result<Handled> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        // frame of the ground, whichever shape it is
        let (pose, flipped) = match (a.kind(), b.kind()) {
            ("half-space", "sphere") => (*pose_ab, false),
            ("sphere", "half-space") => (pose_ab.inverse(), true),
            _ => return Ok(Handled::No),
        };
        let (center, radius) = (
            pose.translation.vector,
            b.bounds().max.x.min(a.bounds().max.x),
        );
        let gap = center.z - 0.5 - radius;
        if gap <= margin {
            let point = Point3::new(center.x, center.y, 0.5 + 0.5 * gap);
            let (point, normal) = if flipped {
                (pose_ab * point, -(pose_ab.rotation * Vector3::z()))
            } else {
                (point, Vector3::z())
            };
            out.push(ShapeContact {
                feature: 7,
                point,
                normal,
                gap,
            });
        }
        Ok(Handled::Yes)
    }
}

/// Refuses everything.
#[derive(Debug)]
struct Broken;

impl PairDetector for Broken {
    fn detect(
        &self,
        a: &Shape,
        _: &Shape,
        _: &Isometry3<f64>,
        _: f64,
        _: &mut Vec<ShapeContact>,
    ) -> Result<Handled> {
        Err(CollisionError::Unknown {
            what: "shape",
            name: a.name().to_owned(),
        })
    }
}

fn world() -> (Scene, Vec<Isometry3<f64>>) {
    let mut world = Scene::new(DetectionSettings::default());
    let ball = Shape::sphere("ball", 0.1).unwrap();
    let block = Shape::cuboid("block", Vector3::repeat(0.1)).unwrap();
    for (i, (name, shape)) in [
        ("ground", Shape::half_space("ground")),
        // two names, so that the ground comes first in one pair and second in the other, if ever
        ("ball", ball.clone()),
        ("another ball", ball),
        ("block", block),
    ]
    .into_iter()
    .enumerate()
    {
        world
            .colliders
            .add(Collider::rigid(name, i as u32, shape))
            .unwrap();
    }
    let poses = vec![
        Isometry3::translation(0.0, 0.0, -0.5),
        Isometry3::translation(1.0, 0.0, 0.099),
        Isometry3::translation(2.0, 0.0, 0.099),
        Isometry3::translation(3.0, 0.0, -0.4),
    ];
    (world, poses)
}

fn frames(contact: &ContactPoint) -> [u32; 2] {
    contact.frames().unwrap()
}

#[test]
fn it_takes_the_pairs_it_knows_and_leaves_the_rest() {
    let (mut world, mut poses) = world();
    let mut contacts = Vec::new();
    // the built-in detection: balls half a metre above the ground, block on it
    world.detect(&poses, &mut contacts).unwrap();
    assert_eq!(contacts.len(), 4);
    assert!(contacts.iter().all(|c| frames(c).contains(&3)));

    // a broad phase knows the shapes' boxes only: let the balls reach the ground
    let detector = Arc::new(RaisedGround::default());
    world.detector.add_pair_detector(detector.clone());
    poses[1].translation.vector.z = -0.45;
    poses[2].translation.vector.z = -0.45;
    world.detect(&poses, &mut contacts).unwrap();
    assert_eq!(detector.asked.load(Ordering::Relaxed), 3);
    assert_eq!(contacts.len(), 6);
    for c in &contacts {
        let up = if frames(c)[0] == 0 {
            c.normal.z
        } else {
            -c.normal.z
        };
        assert!((up - 1.0).abs() < 1e-12, "from the ground up");
        let expected = if frames(c).contains(&3) { 0.0 } else { -0.55 };
        assert!((c.gap - expected).abs() < 1e-12, "{}", c.gap);
    }
    let ids = |contacts: &[ContactPoint]| contacts.iter().map(|c| c.id).collect::<Vec<_>>();
    let before = ids(&contacts);
    poses[1].translation.vector.x += 1e-3;
    world.detect(&poses, &mut contacts).unwrap();
    assert_eq!(ids(&contacts), before, "features make ids that stay");
}

#[test]
fn its_errors_are_the_callers_and_the_last_added_is_asked_first() {
    let (mut world, poses) = world();
    world
        .detector
        .add_pair_detector(Arc::new(RaisedGround::default()));
    world.detector.add_pair_detector(Arc::new(Broken));
    let mut contacts = Vec::new();
    let error = world.detect(&poses, &mut contacts).unwrap_err();
    assert!(matches!(error, CollisionError::Unknown { .. }), "{error}");
    assert!(contacts.is_empty());
}
