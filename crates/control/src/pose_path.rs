//! Paths of a tool through given poses.

use stiction_sim::{Isometry3, UnitQuaternion};

use crate::minimum_jerk::minimum_jerk;

/// A path through poses at given times (s), ascending, that rests at each of them.
///
/// Between two the tool goes straight and turns about one axis with minimum jerk.
pub fn through(poses: Vec<(f64, Isometry3<f64>)>) -> impl Fn(f64) -> Isometry3<f64> {
    move |time| {
        let after = poses.partition_point(|&(at, _)| at <= time);
        let Some(&(end, to)) = poses.get(after) else {
            return poses.last().map_or_else(Isometry3::identity, |last| last.1);
        };
        let Some(&(start, from)) = after.checked_sub(1).and_then(|before| poses.get(before)) else {
            return to;
        };
        between(&from, &to, minimum_jerk((time - start) / (end - start)))
    }
}

/// The pose at a part of the way from one to another: straight, and about one axis.
pub fn between(from: &Isometry3<f64>, to: &Isometry3<f64>, part: f64) -> Isometry3<f64> {
    let along = from.translation.vector.lerp(&to.translation.vector, part);
    let turn = (to.rotation * from.rotation.inverse()).scaled_axis() * part;
    let turn = UnitQuaternion::from_scaled_axis(turn);
    Isometry3::from_parts(along.into(), turn * from.rotation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_sim::Vector3;

    #[test]
    fn it_passes_through_its_poses_and_turns_about_one_axis() {
        let from = Isometry3::new(Vector3::x(), Vector3::z() * 0.3);
        let to = Isometry3::new(Vector3::y(), Vector3::z() * 1.5);
        let path = through(vec![(1.0, from), (3.0, to)]);
        for (time, pose) in [(0.0, from), (1.0, from), (3.0, to), (8.0, to)] {
            assert!((path(time).inverse() * pose).translation.vector.norm() < 1e-12);
            assert!((path(time).inverse() * pose).rotation.angle() < 1e-12);
        }
        let middle = path(2.0);
        assert!((middle.rotation.scaled_axis() - Vector3::z() * 0.9).norm() < 1e-12);
        assert!((middle.translation.vector - Vector3::new(0.5, 0.5, 0.0)).norm() < 1e-12);
    }
}
