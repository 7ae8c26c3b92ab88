//! Dishes at rest on each other touch on rings that geometry predicts.

mod common;

use common::contacts;
use nalgebra::{Isometry3, Point2, Vector2};
use stiction_collision::sdf::Dish;
use stiction_collision::{Shape, ShapeContact};

/// Where a dish touches the one below when lowered straight down: the drop height and the ring's
/// radius. In the half plane both are chains of two segments padded by d; the smallest vertical
/// distance between two chains is taken at a corner of one of them (they are piecewise linear), the
/// padded surfaces touch where the closest points of the centre lines are 2d̄ apart.
fn resting(lower: &Dish, upper: &Dish) -> (f64, f64) {
    let chain = |d: &Dish| [Point2::origin(), d.a(), d.b()];
    let (low, up) = (chain(lower), chain(upper));
    let padding = lower.thickness() + upper.thickness();
    // distance between the chains with the upper one at height h, and where it is attained
    let distance = |h: f64| {
        let mut best = (f64::INFINITY, 0.0);
        for i in 0..2 {
            for j in 0..2 {
                let lift = Vector2::new(0.0, h);
                let (p, q) = (up[j] + lift, up[j + 1] + lift);
                for (point, s, t, on_upper) in [
                    (p, low[i], low[i + 1], true),
                    (q, low[i], low[i + 1], true),
                    (low[i], p, q, false),
                    (low[i + 1], p, q, false),
                ] {
                    let e = t - s;
                    let u = ((point - s).dot(&e) / e.norm_squared()).clamp(0.0, 1.0);
                    let foot = s + e * u;
                    let d = (point - foot).norm();
                    // midpoint of the two surface points
                    let (below, above, pad_below) = if on_upper {
                        (foot, point, lower.thickness())
                    } else {
                        (point, foot, lower.thickness())
                    };
                    let x = below.x + (above.x - below.x) * pad_below / padding;
                    if d < best.0 - 1e-12 {
                        best = (d, x);
                    }
                }
            }
        }
        best
    };
    // lower the dish from far above until the padded surfaces touch
    let mut free = 0.3;
    while distance(free).0 >= padding {
        free -= 1e-4;
    }
    let mut touching = free;
    free += 1e-4;
    for _ in 0..60 {
        let h = 0.5 * (touching + free);
        if distance(h).0 < padding {
            touching = h;
        } else {
            free = h;
        }
    }
    (free, distance(free).1)
}

fn radius(c: &ShapeContact) -> f64 {
    c.point.x.hypot(c.point.y)
}

/// Checks the contacts of `upper` at rest on `lower`; returns its height.
fn check(name: &str, lower: &Dish, upper: &Dish) -> f64 {
    let (height, ring) = resting(lower, upper);
    let below = Shape::dish("lower", *lower, 2e-3).unwrap();
    let above = Shape::dish("upper", *upper, 2e-3).unwrap();
    let pose = Isometry3::translation(0.0, 0.0, height);
    let found = contacts(&below, &above, &pose, 2e-4);
    assert!(found.len() >= 40, "{name}: only {} contacts", found.len());
    // it rests: touching, not penetrating
    let deepest = found.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    assert!(deepest.abs() < 1e-6, "{name}: closest gap {deepest:e}");
    // all points that (nearly) touch lie on the ring, and go all round
    let mut sectors = [0; 8];
    for c in found.iter().filter(|c| c.gap < 2e-6) {
        assert!(
            (radius(c) - ring).abs() < 6e-4,
            "{name}: contact at radius {} instead of {ring}",
            radius(c)
        );
        let angle = c.point.y.atan2(c.point.x) + std::f64::consts::PI;
        sectors[(angle / std::f64::consts::TAU * 8.0) as usize % 8] += 1;
    }
    assert!(sectors.iter().all(|&n| n > 0), "{name}: {sectors:?}");
    height
}

#[test]
fn bowl_bowl_plate_pot() {
    let bowl = Dish::bowl(0.035, 0.075, 0.05, 0.002).unwrap();
    // a slightly wider rim, so that the bowls touch on a ring and not on a whole cone
    let second = Dish::bowl(0.037, 0.09, 0.048, 0.002).unwrap();
    let plate = Dish::plate(0.1, 0.14, 0.02, 0.0025).unwrap();
    let pot = Dish::pot(0.06, 0.09, 0.003).unwrap();
    check("bowl in bowl", &bowl, &second);
    let height = check("plate on bowl", &second, &plate);
    // the plate's floor lies on the bowl's rim
    assert!((height - (0.048 + 0.002 + 0.0025)).abs() < 1e-9, "{height}");
    // The pot's flat floor lies flat on the plate's: rings everywhere up to the foot's radius.
    let below = Shape::dish("plate", plate, 3e-3).unwrap();
    let above = Shape::dish("pot", pot, 3e-3).unwrap();
    let pose = Isometry3::translation(0.0, 0.0, 0.0025 + 0.003);
    let found = contacts(&below, &above, &pose, 1e-5);
    assert!(found.len() >= 60);
    for c in &found {
        assert!(
            c.gap.abs() < 1e-6 || radius(c) > 0.0595,
            "{} at {}",
            c.gap,
            radius(c)
        );
        assert!(c.point.z > 0.0024 && c.point.z < 0.0026);
        assert!(radius(c) < 0.0605);
    }
    let widest = found.iter().map(radius).fold(0.0, f64::max);
    assert!((widest - 0.06).abs() < 1e-3, "spread out to {widest}");
}

#[test]
fn ball_in_a_crease_rests_on_both_sides() {
    let pot = Shape::dish("pot", Dish::pot(0.06, 0.09, 0.003).unwrap(), 4e-3).unwrap();
    let ball = Shape::sphere("ball", 0.005).unwrap();
    // touching floor (z = 3 mm) and wall (r = 57 mm)
    let pose = Isometry3::translation(0.052, 0.0, 0.008);
    let found = contacts(&pot, &ball, &pose, 1e-4);
    assert_eq!(found.len(), 2);
    for c in &found {
        assert!(c.gap.abs() < 1e-12);
    }
    assert!((found[0].normal.dot(&found[1].normal)).abs() < 1e-9);
}
