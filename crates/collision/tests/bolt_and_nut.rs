//! M48 bolt in its nut: enough contacts, reduced without losing what they can hold.

mod common;
#[path = "common/solids.rs"]
mod solids;
#[path = "common/wrench.rs"]
mod wrench;

use common::{rng, unit};
use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use rand::RngExt;
use solids::m48;
use stiction_collision::sdf::Sdf;
use stiction_collision::{
    NarrowScratch, NarrowSettings, PairMemory, ReduceSettings, Shape, ShapeContact,
    contacts_between,
};

const MARGIN: f64 = 2e-4;

fn parts() -> (Shape, Shape) {
    let (bolt, nut) = m48();
    (
        Shape::bolt("bolt", bolt, 10e-3).unwrap(),
        Shape::nut("nut", nut, 4e-3).unwrap(),
    )
}

/// Nut screwed on: five pitches up, centred, then moved a little within its clearance.
fn poses() -> Vec<Isometry3<f64>> {
    let mut rng = rng(48);
    let engaged = Isometry3::translation(0.0, 0.0, 0.025);
    let mut poses = vec![engaged];
    for _ in 0..10 {
        // a turn about z with its lead, then an offset and a tilt smaller than the clearance
        let turn = rng.random_range(-3.0..3.0);
        let advance = 5e-3 / std::f64::consts::TAU * turn;
        let screw = Isometry3::from_parts(
            (Vector3::z() * (0.025 + advance)).into(),
            UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn),
        );
        let nudge = Isometry3::new(unit(&mut rng) * 5e-5, unit(&mut rng) * 5e-4);
        poses.push(screw * nudge);
    }
    poses
}

fn detect(
    bolt: &Shape,
    nut: &Shape,
    pose: &Isometry3<f64>,
    max: usize,
    friction: f64,
) -> (Vec<ShapeContact>, usize) {
    let settings = NarrowSettings {
        margin: MARGIN,
        reduce: ReduceSettings {
            max_contacts: max,
            friction,
            ..ReduceSettings::default()
        },
        ..NarrowSettings::default()
    };
    let mut memory = PairMemory::default();
    let mut out = Vec::new();
    let mut scratch = NarrowScratch::default();
    contacts_between(
        bolt,
        nut,
        pose,
        &settings,
        &mut memory,
        &mut scratch,
        &mut out,
    )
    .unwrap();
    (out, memory.n_raw())
}

/// At least 200 contacts become at most 120 that hold 95 % of the largest force along and torque
/// about each axis.
fn reduces_without_loss(friction: f64) {
    let (bolt, nut) = parts();
    for (i, pose) in poses().iter().enumerate() {
        let (raw, n_raw) = detect(&bolt, &nut, pose, usize::MAX, 0.5);
        let (reduced, _) = detect(&bolt, &nut, pose, 120, friction);
        assert!(n_raw >= 200, "pose {i}: {n_raw} raw contacts");
        assert!(
            reduced.len() <= 120 && reduced.len() > 60,
            "{}",
            reduced.len()
        );
        let deepest = |c: &[ShapeContact]| c.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
        assert_eq!(deepest(&raw), deepest(&reduced), "pose {i}");
        let center = pose * Point3::new(0.0, 0.0, 0.019);
        // forces along and torques about x, y, z
        for axis in 0..6 {
            for sign in [1.0, -1.0] {
                let mut direction = [0.0; 6];
                direction[axis] = sign;
                let strength =
                    |c: &[ShapeContact]| wrench::largest(c, direction, friction, &center, 0.022);
                let (before, after) = (strength(&raw), strength(&reduced));
                assert!(before > 1e-3, "pose {i}: nothing holds axis {axis}");
                assert!(
                    after > 0.95 * before,
                    "pose {i}, axis {axis} {sign:+}: {before} fell to {after}"
                );
            }
        }
    }
}

#[test]
fn many_contacts_reduce_to_120_that_hold_the_same_wrenches() {
    for friction in [0.2, 0.5] {
        reduces_without_loss(friction);
    }
}

#[test]
fn gaps_are_those_of_the_two_distance_functions() {
    let (bolt_sdf, nut_sdf) = m48();
    let (bolt, nut) = parts();
    for pose in &poses() {
        let (contacts, _) = detect(&bolt, &nut, pose, usize::MAX, 0.5);
        for c in &contacts {
            // The finer mesh brings the faces: its point lies on its own surface, and the gap is φ of
            // the other solid there. Both ways of reading must not fail together.
            let on_bolt = c.point - c.normal * (0.5 * c.gap);
            let on_nut = c.point + c.normal * (0.5 * c.gap);
            let in_nut = |p: &Point3<f64>| nut_sdf.sample(&(pose.inverse() * p));
            let (bolt_there, nut_there) = (bolt_sdf.sample(&on_nut), in_nut(&on_bolt));
            let nut_faces = in_nut(&on_nut).value.abs() < 1e-7
                && (bolt_there.value - c.gap).abs() < 1e-9
                && (bolt_there.gradient.normalize() - c.normal).norm() < 1e-6;
            let bolt_faces = bolt_sdf.value(&on_bolt).abs() < 1e-7
                && (nut_there.value - c.gap).abs() < 1e-9
                && (pose.rotation * nut_there.gradient.normalize() + c.normal).norm() < 1e-6;
            assert!(nut_faces || bolt_faces, "gap {} at {}", c.gap, c.point);
        }
    }
}

#[test]
fn centred_nut_has_its_clearance_all_round() {
    let (bolt, nut) = parts();
    let (contacts, _) = detect(&bolt, &nut, &poses()[0], usize::MAX, 0.5);
    let closest = contacts.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    assert!((closest - 1e-4).abs() < 1e-6, "closest gap {closest}");
    // contacts on both flanks and all round
    let upper = contacts.iter().filter(|c| c.normal.z > 0.3).count();
    let lower = contacts.iter().filter(|c| c.normal.z < -0.3).count();
    assert!(upper > 100 && lower > 100, "{upper} above, {lower} below");
    for quadrant in 0..4 {
        let n = contacts
            .iter()
            .filter(|c| {
                let angle = c.point.y.atan2(c.point.x).rem_euclid(std::f64::consts::TAU);
                (angle / std::f64::consts::FRAC_PI_2) as i32 == quadrant
            })
            .count();
        assert!(n > 50, "quadrant {quadrant}: {n}");
    }
}
