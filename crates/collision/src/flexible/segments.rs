//! Closest points of two segments.

use nalgebra::Point3;

/// Closest points of two segments, with their fractions along them (Ericson, "Real-Time Collision
/// Detection", §5.1.9). Parallel segments meet in the middle of where they run side by side. Either
/// may be a point.
pub(super) fn closest_on_segments(
    [p1, q1]: [Point3<f64>; 2],
    [p2, q2]: [Point3<f64>; 2],
) -> ([f64; 2], [Point3<f64>; 2]) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.norm_squared(), d2.norm_squared(), d2.dot(&r));
    let (b, c) = (d1.dot(&d2), d1.dot(&r));
    let ratio = |x: f64, y: f64| {
        if y > 0.0 {
            (x / y).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let denom = a * e - b * b;
    let mut s = if denom > 1e-14 * a * e {
        ratio(b * f - c * e, denom)
    } else {
        // the ends of the second, seen from the first
        0.5 * (ratio(-c, a) + ratio(b - c, a))
    };
    let mut t = if e > 0.0 { (b * s + f) / e } else { 0.0 };
    if t < 0.0 {
        t = 0.0;
        s = ratio(-c, a);
    } else if t > 1.0 {
        t = 1.0;
        s = ratio(b - c, a);
    }
    ([s, t], [p1 + d1 * s, p2 + d2 * t])
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn no_sampled_pair_of_points_is_closer() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut point = || Point3::from(Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0)));
        for case in 0..200 {
            let (mut first, mut second) = ([point(), point()], [point(), point()]);
            match case % 5 {
                // parallel, points
                0 => second[1] = second[0] + (first[1] - first[0]) * 0.7,
                1 => first[1] = first[0],
                2 => second[1] = second[0],
                _ => {}
            }
            let (_, [p, q]) = closest_on_segments(first, second);
            let found = (p - q).norm();
            for i in 0..=40 {
                for j in 0..=40 {
                    let x = first[0] + (first[1] - first[0]) * (f64::from(i) / 40.0);
                    let y = second[0] + (second[1] - second[0]) * (f64::from(j) / 40.0);
                    assert!(found <= (x - y).norm() + 1e-12, "case {case}");
                }
            }
        }
    }

    #[test]
    fn parallel_segments_meet_in_the_middle_of_their_overlap() {
        let line =
            |from: f64, to: f64, y: f64| [Point3::new(from, y, 0.0), Point3::new(to, y, 0.0)];
        let ([s, t], _) = closest_on_segments(line(0.0, 4.0, 0.0), line(3.0, 1.0, 1.0));
        assert!((s - 0.5).abs() < 1e-15 && (t - 0.5).abs() < 1e-15);
        let ([s, t], _) = closest_on_segments(line(0.0, 1.0, 0.0), line(2.0, 3.0, 1.0));
        assert_eq!([s, t], [1.0, 0.0]);
    }
}
