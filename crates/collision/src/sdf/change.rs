//! How much a signed distance changes when points move: by L times the longest way, less what the
//! solid's own symmetry makes of it.
//!
//! A motion M that maps the solid to itself changes nothing: φ(M p) = φ(p). Any motion is one of
//! these after a remainder, M = S R, so that |φ(M p) − φ(p)| = |φ(R p) − φ(p)| ≤ L |R p − p|.

use nalgebra::{Isometry3, Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::aabb::Aabb;

/// Longest way (m) of a point of the box. The way is convex in the point: a corner goes farthest.
pub(crate) fn longest_way(motion: &Isometry3<f64>, region: &Aabb) -> f64 {
    let turn = motion.rotation.to_rotation_matrix().into_inner() - Matrix3::identity();
    let middle = turn * region.center().coords + motion.translation.vector;
    let half = region.half_extents();
    let [x, y, z] = [0, 1, 2].map(|k| turn.column(k) * half[k]);
    let mut longest = 0.0_f64;
    for (sx, sy) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let edge: Vector3<f64> = middle + x * sx + y * sy;
        for end in [edge + z, edge - z] {
            // what is not a number must not be lost, as it would be in `max`
            let way = end.norm_squared();
            longest = if way <= longest { longest } else { way };
        }
    }
    longest.sqrt()
}

/// The motion without its turn about z, and that turn, rad in (−π, π].
fn without_turn(motion: &Isometry3<f64>) -> (Isometry3<f64>, f64) {
    let q = motion.rotation.quaternion();
    let norm = q.w.hypot(q.k);
    if norm < 1e-9 {
        return (*motion, 0.0);
    }
    let sign = 1.0_f64.copysign(q.w) / norm;
    let back = UnitQuaternion::new_unchecked(Quaternion::new(q.w * sign, 0.0, 0.0, -q.k * sign));
    let rest = Isometry3::from_parts(
        (back * motion.translation.vector).into(),
        back * motion.rotation,
    );
    (rest, 2.0 * (q.k * sign).atan2(q.w * sign))
}

/// Longest way (m) in the box but for turning about z, which changes nothing on a solid of revolution.
pub(crate) fn way_but_turning(motion: &Isometry3<f64>, region: &Aabb) -> f64 {
    let (rest, _) = without_turn(motion);
    longest_way(&rest, region).min(longest_way(motion, region))
}

/// Longest way (m) in the box but for screwing along z with `lead` m per rad.
pub(crate) fn way_but_screwing(motion: &Isometry3<f64>, region: &Aabb, lead: f64) -> f64 {
    let (mut rest, turn) = without_turn(motion);
    rest.translation.vector.z -= lead * turn;
    longest_way(&rest, region)
}

/// Way (m) but for turning about the origin, which changes nothing on a ball.
pub(crate) fn way_of_center(motion: &Isometry3<f64>) -> f64 {
    motion.translation.vector.norm()
}

/// Longest way along z (m) of a point of the box.
pub(crate) fn way_along_z(motion: &Isometry3<f64>, region: &Aabb) -> f64 {
    let turn = motion.rotation.to_rotation_matrix().into_inner() - Matrix3::identity();
    let row = turn.row(2).transpose();
    let middle = row.dot(&region.center().coords) + motion.translation.vector.z;
    middle.abs() + row.abs().dot(&region.half_extents())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::{Point2, Point3};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::sdf::{
        BoltSdf, BoxSdf, CapsuleSdf, CylinderSdf, Difference, Dish, EllipsoidSdf, HalfSpaceSdf,
        Intersection, MetricThread, NutSdf, Polygon, Revolution, Rounded, Scaled, Sdf, Shell,
        SphereSdf, ThreadEnd, TorusSdf, Transformed, Union,
    };

    fn solids() -> Vec<(&'static str, Arc<dyn Sdf>)> {
        let thread = |size| MetricThread::coarse(size).unwrap();
        let dish: Arc<dyn Sdf> = Arc::new(Dish::bowl(0.02, 0.04, 0.03, 2e-3).unwrap());
        let ball: Arc<dyn Sdf> = Arc::new(SphereSdf::new(0.03).unwrap());
        let outline = [(0.0, 0.0), (0.03, 0.0), (0.02, 0.05), (0.0, 0.04)];
        let outline = outline.map(|(r, z)| Point2::new(r, z)).to_vec();
        let pose = Isometry3::new(Vector3::new(0.01, 0.0, 0.02), Vector3::new(0.3, 1.0, 0.0));
        let placed = Transformed::new(dish.clone(), pose).unwrap();
        let headed = |size: u32, length: f64| {
            let d = f64::from(size) * 1e-3;
            BoltSdf::with_head(thread(size), length, 0.6 * d, 1.6 * d, ThreadEnd::Chamfered)
        };
        let nut = NutSdf::new(thread(20), 0.03, 0.035, 1e-4, ThreadEnd::Chamfered);
        let flat = MetricThread::new(0.02, 1e-3, 1.0).unwrap();
        vec![
            ("ball", ball.clone()),
            (
                "box",
                Arc::new(BoxSdf::new(Vector3::new(0.01, 0.02, 0.03)).unwrap()),
            ),
            ("capsule", Arc::new(CapsuleSdf::new(0.02, 0.01).unwrap())),
            ("cylinder", Arc::new(CylinderSdf::new(0.02, 0.01).unwrap())),
            ("torus", Arc::new(TorusSdf::new(0.03, 0.01).unwrap())),
            ("half-space", Arc::new(HalfSpaceSdf)),
            (
                "egg",
                Arc::new(EllipsoidSdf::new(Vector3::new(0.02, 0.02, 0.03)).unwrap()),
            ),
            (
                "lens",
                Arc::new(EllipsoidSdf::new(Vector3::new(0.02, 0.03, 0.01)).unwrap()),
            ),
            (
                "revolution",
                Arc::new(Revolution::new(Polygon::new(outline).unwrap())),
            ),
            (
                "union",
                Arc::new(Union::new(vec![dish.clone(), ball.clone()]).unwrap()),
            ),
            (
                "blend",
                Arc::new(Union::smooth(vec![dish.clone(), ball.clone()], 5e-3).unwrap()),
            ),
            (
                "common",
                Arc::new(Intersection::new(vec![dish.clone(), ball.clone()]).unwrap()),
            ),
            (
                "difference",
                Arc::new(Difference::new(ball.clone(), dish.clone())),
            ),
            (
                "rounded",
                Arc::new(Rounded::new(dish.clone(), 1e-3).unwrap()),
            ),
            ("shell", Arc::new(Shell::new(ball, 2e-3).unwrap())),
            ("scaled", Arc::new(Scaled::new(dish.clone(), 1.7).unwrap())),
            ("placed", Arc::new(placed)),
            ("dish", dish),
            ("M48", Arc::new(headed(48, 0.12).unwrap())),
            ("M8", Arc::new(headed(8, 0.06).unwrap())),
            (
                "rod",
                Arc::new(BoltSdf::rod(thread(20), 0.09, ThreadEnd::Flat).unwrap()),
            ),
            (
                "fine",
                Arc::new(BoltSdf::rod(flat, 0.05, ThreadEnd::Chamfered).unwrap()),
            ),
            ("nut", Arc::new(nut.unwrap())),
        ]
    }

    /// |Δ clamp φ| of random points under random motions, and under screws and turns about z with a
    /// little added: never above the bound.
    #[test]
    fn no_point_changes_by_more_than_the_bound() {
        let mut rng = ChaCha8Rng::seed_from_u64(20);
        for (name, sdf) in solids() {
            let mut helped = 0;
            for case in 0..400 {
                let size = 10.0_f64.powf(rng.random_range(-6.0..-1.5));
                let mut vector = |s: f64| Vector3::from_fn(|_, _| rng.random_range(-s..s));
                let nudge = Isometry3::new(vector(size), vector(10.0 * size));
                let turn = rng.random_range(-3.0..3.0);
                let lead = [0.0, 5e-3, 1.25e-3, 2.5e-3, 1e-3][case % 5] / std::f64::consts::TAU;
                let screw = Isometry3::new(Vector3::z() * (lead * turn), Vector3::z() * turn);
                let motion = if case % 2 == 0 { nudge } else { screw * nudge };
                let center = Point3::new(
                    rng.random_range(-0.02..0.02),
                    rng.random_range(-0.02..0.02),
                    rng.random_range(-0.01..0.12),
                );
                let half = Vector3::from_fn(|_, _| rng.random_range(1e-3..0.03));
                let region = Aabb::from_center(center, half);
                let reach = 10.0_f64.powf(rng.random_range(-4.0..-2.0));
                let bound = sdf.change(&motion, &region, reach);
                assert!(bound.is_finite() && bound >= 0.0, "{name}");
                helped +=
                    usize::from(bound < 0.5 * sdf.lipschitz() * longest_way(&motion, &region));
                for _ in 0..50 {
                    let part = Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0));
                    let p = center + half.component_mul(&part);
                    let clamped = |p: &Point3<f64>| sdf.value(p).clamp(-reach, reach);
                    let change = (clamped(&(motion * p)) - clamped(&p)).abs();
                    assert!(
                        change <= bound + 1e-14,
                        "{name}: {change} > {bound} at {p}, {motion}, reach {reach}"
                    );
                }
            }
            let symmetric = !matches!(name, "box" | "lens" | "blend" | "nut" | "placed" | "scaled");
            assert!(
                !symmetric || helped > 10,
                "{name}: symmetry helped {helped} times"
            );
        }
    }

    #[test]
    fn a_box_goes_as_far_as_its_farthest_corner() {
        let region = Aabb::from_center(Point3::new(1.0, 0.0, 0.0), Vector3::repeat(1.0));
        let shift = Isometry3::translation(0.3, 0.0, 0.4);
        assert!((longest_way(&shift, &region) - 0.5).abs() < 1e-15);
        let turn = Isometry3::rotation(Vector3::z() * 0.1);
        let expected = 2.0 * 0.05_f64.sin() * 5.0_f64.sqrt();
        assert!((longest_way(&turn, &region) - expected).abs() < 1e-15);
        assert!(way_but_turning(&turn, &region) < 1e-15);
        let screw = Isometry3::translation(0.0, 0.0, 0.02) * turn;
        assert!(way_but_screwing(&screw, &region, 0.2) < 1e-15);
    }
}
