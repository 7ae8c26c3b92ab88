//! Helpers shared by the integration tests.
#![allow(dead_code, reason = "each test file uses its own part of this module")]

pub(crate) mod scene;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_collision::{
    NarrowScratch, NarrowSettings, PairMemory, Shape, ShapeContact, contacts_between,
};

pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn unit(rng: &mut ChaCha8Rng) -> Vector3<f64> {
    loop {
        let v = Vector3::from_fn(|_, _| rng.random_range(-1.0..1.0));
        let n: f64 = v.norm();
        if n > 0.1 && n < 1.0 {
            return v / n;
        }
    }
}

pub(crate) fn rotation(rng: &mut ChaCha8Rng) -> UnitQuaternion<f64> {
    let angle = rng.random_range(0.0..std::f64::consts::PI);
    UnitQuaternion::from_scaled_axis(unit(rng) * angle)
}

pub(crate) fn pose(rng: &mut ChaCha8Rng, reach: f64) -> Isometry3<f64> {
    let t = Vector3::from_fn(|_, _| rng.random_range(-reach..reach));
    Isometry3::from_parts(Translation3::from(t), rotation(rng))
}

pub(crate) fn translation(x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::translation(x, y, z)
}

/// Contacts of a fresh pair, frame of `a`.
pub(crate) fn contacts(
    a: &Shape,
    b: &Shape,
    pose: &Isometry3<f64>,
    margin: f64,
) -> Vec<ShapeContact> {
    let settings = NarrowSettings {
        margin,
        ..NarrowSettings::default()
    };
    let mut out = Vec::new();
    contacts_between(
        a,
        b,
        pose,
        &settings,
        &mut PairMemory::default(),
        &mut NarrowScratch::default(),
        &mut out,
    )
    .unwrap();
    for c in &out {
        assert!(c.gap.is_finite() && c.point.iter().all(|x| x.is_finite()));
        assert!((c.normal.norm() - 1.0).abs() < 1e-9, "normal {}", c.normal);
    }
    let mut features: Vec<u64> = out.iter().map(|c| c.feature).collect();
    features.sort_unstable();
    features.dedup();
    assert_eq!(features.len(), out.len(), "feature names repeat");
    out
}

pub(crate) fn deepest(contacts: &[ShapeContact]) -> ShapeContact {
    *contacts
        .iter()
        .min_by(|a, b| a.gap.total_cmp(&b.gap))
        .expect("a contact")
}

/// Evenly spread directions.
pub(crate) fn sphere_points(n: usize) -> impl Iterator<Item = Vector3<f64>> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..n).map(move |i| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / n as f64;
        let r = (1.0 - z * z).sqrt();
        let t = golden * i as f64;
        Vector3::new(r * t.cos(), r * t.sin(), z)
    })
}

pub(crate) fn cube_points(half: f64) -> Vec<Point3<f64>> {
    (0..8)
        .map(|k| {
            Point3::from(Vector3::from_fn(
                |i, _| {
                    if k >> i & 1 == 1 { half } else { -half }
                },
            ))
        })
        .collect()
}
