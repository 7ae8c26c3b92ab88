//! Random poses of every convex pair against a dense search over separating axes.

mod common;

use common::{contacts, deepest, pose, rng, sphere_points};
use nalgebra::{Isometry3, Point3, Vector3};
use rand::RngExt;
use stiction_collision::Shape;

type Support = Box<dyn Fn(&Vector3<f64>) -> f64>;

/// A shape and, written independently, its support function.
struct Known {
    shape: Shape,
    support: Support,
}

fn all() -> Vec<Known> {
    let mut rng = rng(7);
    let cloud: Vec<Point3<f64>> = (0..14)
        .map(|_| Point3::from(Vector3::from_fn(|_, _| rng.random_range(-0.5..0.5))))
        .collect();
    let hull = Shape::convex_hull("hull", &cloud).unwrap();
    vec![
        Known {
            shape: Shape::sphere("sphere", 0.3).unwrap(),
            support: Box::new(|_| 0.3),
        },
        Known {
            shape: Shape::cuboid("box", Vector3::new(0.5, 0.3, 0.2)).unwrap(),
            support: Box::new(|n| 0.5 * n.x.abs() + 0.3 * n.y.abs() + 0.2 * n.z.abs()),
        },
        Known {
            shape: Shape::capsule("capsule", 0.4, 0.2).unwrap(),
            support: Box::new(|n| 0.4 * n.z.abs() + 0.2),
        },
        Known {
            shape: Shape::cylinder("cylinder", 0.4, 0.3).unwrap(),
            support: Box::new(|n| 0.4 * n.z.abs() + 0.3 * n.x.hypot(n.y)),
        },
        Known {
            shape: Shape::cone("cone", 0.4, 0.3).unwrap(),
            support: Box::new(|n| (0.4 * n.z).max(0.3 * n.x.hypot(n.y) - 0.4 * n.z)),
        },
        Known {
            shape: Shape::ellipsoid("ellipsoid", Vector3::new(0.5, 0.3, 0.2)).unwrap(),
            support: Box::new(|n| Vector3::new(0.5 * n.x, 0.3 * n.y, 0.2 * n.z).norm()),
        },
        Known {
            shape: hull,
            support: Box::new(move |n| {
                cloud
                    .iter()
                    .map(|p| p.coords.dot(n))
                    .fold(f64::NEG_INFINITY, f64::max)
            }),
        },
    ]
}

/// max over axes of the separation: dense directions, then the best dozen refined by shrinking steps.
fn oracle(a: &Known, b: &Known, pose: &Isometry3<f64>) -> f64 {
    let separation = |n: &Vector3<f64>| {
        let local = pose.rotation.inverse() * -n;
        pose.translation.vector.dot(n) - (a.support)(n) - (b.support)(&local)
    };
    let mut starts: Vec<(f64, Vector3<f64>)> =
        sphere_points(2000).map(|n| (separation(&n), n)).collect();
    starts.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut best = f64::NEG_INFINITY;
    for &(value, n) in starts.iter().take(12) {
        let (mut value, mut n, mut step) = (value, n, 0.05);
        // tangential directions turn with the step so that kinks cannot block all of them
        let mut turn = 0.0_f64;
        while step > 1e-9 {
            let u = n.cross(&Vector3::new(0.3, -0.8, 0.5)).normalize();
            let v = n.cross(&u);
            let mut moved = false;
            for k in 0..12 {
                let t = turn + f64::from(k) * std::f64::consts::TAU / 12.0;
                let m = (n + (u * t.cos() + v * t.sin()) * step).normalize();
                let s = separation(&m);
                if s > value {
                    (value, n, moved) = (s, m, true);
                }
            }
            turn += 0.37;
            if !moved {
                step *= 0.6;
            }
        }
        best = best.max(value);
    }
    best
}

#[test]
fn every_pair_matches_the_axis_search() {
    let shapes = all();
    let mut rng = rng(1);
    for (i, a) in shapes.iter().enumerate() {
        for b in &shapes[i..] {
            for _ in 0..12 {
                let pose = pose(&mut rng, 0.8);
                let found = deepest(&contacts(&a.shape, &b.shape, &pose, 10.0));
                // Two-sided: along the reported normal the shapes are as far apart as reported (so
                // the true signed distance is no less), and no other axis does better.
                let n = found.normal;
                let certified = pose.translation.vector.dot(&n)
                    - (a.support)(&n)
                    - (b.support)(&(pose.rotation.inverse() * -n));
                let best = oracle(a, b, &pose);
                let names = format!("{} – {} at {pose}", a.shape.name(), b.shape.name());
                assert!(
                    (found.gap - certified).abs() < 1e-9,
                    "{names}: gap {} but {certified} along its normal",
                    found.gap
                );
                assert!(
                    found.gap > best - 1e-6,
                    "{names}: gap {} but another axis has {best}",
                    found.gap
                );
                // every reported point lies between the two surfaces
                let back = deepest(&contacts(&b.shape, &a.shape, &pose.inverse(), 10.0));
                assert!((back.gap - found.gap).abs() < 1e-6);
            }
        }
    }
}
