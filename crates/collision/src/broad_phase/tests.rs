//! The broad phase against brute force.

use super::*;
use nalgebra::{Point3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn brute_force(broad: &BroadPhase) -> Vec<(u32, u32)> {
    let n = broad.entries.len();
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            if broad.entries[i].fat.overlaps(&broad.entries[j].fat) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

#[test]
fn pairs_are_those_of_brute_force_over_many_steps() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let n = 300;
    let mut centers: Vec<Point3<f64>> = (0..n)
        .map(|_| Point3::from(Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0))))
        .collect();
    // sizes over three decades, so that many levels meet
    let sizes: Vec<f64> = (0..n)
        .map(|_| 10.0_f64.powf(rng.random_range(-2.5..0.0)))
        .collect();
    let mut broad = BroadPhase::new(0.1);
    let mut quiet_steps = 0;
    for step in 0..40 {
        let speed = if step % 3 == 0 { 0.05 } else { 1e-4 };
        let proxies: Vec<Proxy> = centers
            .iter_mut()
            .zip(&sizes)
            .map(|(c, s)| {
                *c += Vector3::from_fn(|_, _| rng.random_range(-speed..speed));
                Proxy::Box(Aabb::from_center(*c, Vector3::repeat(*s)))
            })
            .collect();
        let pairs = broad.update(&proxies, |_, _| true).unwrap().to_vec();
        assert_eq!(pairs, brute_force(&broad), "step {step}");
        quiet_steps += usize::from(broad.n_moved() < n / 2);
    }
    assert!(quiet_steps > 10, "fat boxes should save work");
}

#[test]
fn far_and_huge_and_tiny_boxes_are_found() {
    let ball =
        |x: f64, r: f64| Proxy::Box(Aabb::from_center(Point3::new(x, -x, x), Vector3::repeat(r)));
    let mut broad = BroadPhase::new(0.1);
    let proxies = [
        ball(1e12, 1e-9),
        ball(1e12, 1.0),
        ball(0.0, 1e13),
        ball(-3e5, 1e-3),
        ball(-3e5, 1e-3),
        ball(7.0, 1e-30),
    ];
    let pairs = broad.update(&proxies, |_, _| true).unwrap().to_vec();
    assert_eq!(pairs, brute_force(&broad));
    assert_eq!(pairs.len(), 5 + 2);
}

#[test]
fn moving_ground_and_moving_balls_agree_with_a_fresh_start() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let mut heights: Vec<f64> = (0..50).map(|_| rng.random_range(0.0..2.0)).collect();
    let mut broad = BroadPhase::new(0.1);
    for step in 0..30 {
        for h in &mut heights {
            *h += rng.random_range(-0.02..0.02);
        }
        let mut proxies: Vec<Proxy> = heights
            .iter()
            .map(|h| {
                Proxy::Box(Aabb::from_center(
                    Point3::new(*h, 0.0, *h),
                    Vector3::repeat(0.1),
                ))
            })
            .collect();
        proxies.insert(
            7,
            Proxy::HalfSpace {
                normal: Vector3::z(),
                offset: 0.5 + 0.1 * f64::from(step / 10),
            },
        );
        proxies.push(Proxy::Everywhere);
        let pairs = broad.update(&proxies, |_, _| true).unwrap().to_vec();
        // fat boxes depend on when they were made, so compare with their own overlaps
        let expected: Vec<(u32, u32)> = brute_force(&broad)
            .into_iter()
            .filter(|&(i, j)| {
                let box_of_ground = match (i, j) {
                    (_, 51) => return true,
                    (7, other) | (other, 7) => other,
                    _ => return true,
                };
                let Proxy::HalfSpace { offset, .. } = proxies[7] else {
                    return false;
                };
                broad.entries[box_of_ground as usize].fat.min.z <= offset + 1e-12
            })
            .collect();
        assert_eq!(pairs, expected, "step {step}");
    }
}

#[test]
fn half_space_meets_only_what_reaches_it() {
    let ball = |z: f64| {
        Proxy::Box(Aabb::from_center(
            Point3::new(0.0, 0.0, z),
            Vector3::repeat(0.5),
        ))
    };
    let ground = Proxy::HalfSpace {
        normal: Vector3::z(),
        offset: 0.0,
    };
    let mut broad = BroadPhase::new(0.0);
    assert_eq!(
        broad
            .update(&[ball(0.4), ground, ball(3.0)], |_, _| true)
            .unwrap(),
        [(0, 1)]
    );
    assert_eq!(
        broad
            .update(&[ball(0.4), ground, ball(0.2)], |_, _| true)
            .unwrap(),
        [(0, 1), (0, 2), (1, 2)]
    );
    assert_eq!(
        broad
            .update(&[ball(0.4), ground, ball(3.0)], |_, _| true)
            .unwrap(),
        [(0, 1)]
    );
    assert!(broad.update(&[], |_, _| true).unwrap().is_empty());
}

#[test]
fn a_pile_in_one_place_is_refused_and_the_next_update_starts_afresh() {
    let at = |x: f64| {
        let center = Point3::new(x, 0.0, 0.0);
        Proxy::Box(Aabb::from_points([&center]).grown(0.1))
    };
    let mut broad = BroadPhase::new(0.1);
    // 5000 · 4999 / 2 pairs
    let pile = vec![at(0.0); 5000];
    let Crowded { among: (a, b) } = broad.update(&pile, |_, _| true).unwrap_err();
    assert!(a < b && b < 5000);
    // what is not accepted is not followed
    assert!(broad.update(&pile, |_, _| false).unwrap().is_empty());
    let row: Vec<Proxy> = (0..5000).map(|i| at(0.2 * f64::from(i))).collect();
    broad.clear();
    assert_eq!(broad.update(&row, |_, _| true).unwrap().len(), 4999);
    // some of the row come together
    let mut later = row.clone();
    for proxy in &mut later[..1000] {
        *proxy = at(0.0);
    }
    assert!(broad.update(&later, |_, _| true).is_ok());
    assert!(broad.update(&pile, |_, _| true).is_err());
    assert_eq!(broad.update(&row, |_, _| true).unwrap().len(), 4999);
}
