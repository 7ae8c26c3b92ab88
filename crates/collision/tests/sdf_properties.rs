//! Gradients against differences, slopes against their bounds, on random points.

mod common;
#[path = "common/solids.rs"]
mod solids;

use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use solids::{Solid, analytic, sampled};
use std::sync::LazyLock;

static ANALYTIC: LazyLock<Vec<Solid>> = LazyLock::new(analytic);
static SAMPLED: LazyLock<Vec<Solid>> = LazyLock::new(sampled);

fn point() -> impl Strategy<Value = Point3<f64>> {
    [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0].prop_map(|p| Point3::from(Vector3::from(p)))
}

/// Central difference, or `None` across a kink: there the one-sided differences disagree.
fn difference(solid: &Solid, p: &Point3<f64>, h: f64) -> Option<Vector3<f64>> {
    let mut g = Vector3::zeros();
    let at = solid.sdf.value(p);
    for i in 0..3 {
        let mut e = Vector3::zeros();
        e[i] = h;
        let (forward, backward) = (solid.sdf.value(&(p + e)), solid.sdf.value(&(p - e)));
        if ((forward - at) - (at - backward)).abs() > 1e-4 * h {
            return None;
        }
        g[i] = (forward - backward) / (2.0 * h);
    }
    Some(g)
}

fn check_gradient(solid: &Solid, p: &Point3<f64>) -> Result<(), TestCaseError> {
    let s = solid.sdf.sample(p);
    prop_assert!(s.value.is_finite() && s.gradient.iter().all(|x| x.is_finite()));
    prop_assert!((s.value - solid.sdf.value(p)).abs() == 0.0);
    // small enough for curvatures of a millimetre, large enough for rounding
    let h = 1e-6 * solid.reach;
    if let Some(g) = difference(solid, p, h) {
        prop_assert!(
            (g - s.gradient).norm() < 1e-4,
            "{} at {p}: gradient {} but differences {g}",
            solid.name,
            s.gradient
        );
    }
    prop_assert!(s.gradient.norm() <= solid.sdf.lipschitz() * (1.0 + 1e-9));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn gradient_equals_differences(p in point()) {
        for solid in ANALYTIC.iter().chain(SAMPLED.iter()) {
            check_gradient(solid, &(p * solid.reach))?;
        }
    }

    #[test]
    fn slope_is_within_the_bound(p in point(), q in point()) {
        for solid in ANALYTIC.iter().chain(SAMPLED.iter()) {
            let (p, q) = (p * solid.reach, q * solid.reach);
            let slope = (solid.sdf.value(&p) - solid.sdf.value(&q)).abs();
            let bound = solid.sdf.lipschitz() * (p - q).norm();
            prop_assert!(slope <= bound + 1e-12, "{}: {slope} > {bound}", solid.name);
        }
    }

    #[test]
    fn analytic_functions_are_distances(p in point()) {
        for solid in ANALYTIC.iter() {
            prop_assert!(solid.sdf.lipschitz() == 1.0, "{}", solid.name);
            let s = solid.sdf.sample(&(p * solid.reach));
            if solid.exact_outside {
                prop_assert!((s.gradient.norm() - 1.0).abs() < 1e-9, "{}", solid.name);
            }
        }
    }

    #[test]
    fn thread_slopes_are_within_a_thousandth_of_one_near_the_surface(p in point()) {
        for solid in ANALYTIC.iter().filter(|s| s.name.starts_with("M48")) {
            let s = solid.sdf.sample(&(p * solid.reach));
            if s.value.abs() < 5e-4 {
                prop_assert!((s.gradient.norm() - 1.0).abs() < 1e-3, "{}", solid.name);
            }
        }
    }
}

#[test]
fn gradients_are_finite_at_the_worst_points() {
    for solid in ANALYTIC.iter() {
        for p in [
            Point3::origin(),
            Point3::new(0.0, 0.0, 0.05),
            Point3::new(0.0, 0.0, -0.3),
            Point3::new(0.5, 0.4, 0.3),
        ] {
            let s = solid.sdf.sample(&p);
            let n = s.normal_or(Vector3::z());
            assert!(s.value.is_finite(), "{}", solid.name);
            assert!((n.norm() - 1.0).abs() < 1e-9, "{}", solid.name);
        }
    }
}

#[test]
fn exact_distances_agree_with_sampled_surfaces() {
    // φ outside equals the distance to the nearest point of a fine surface mesh
    use stiction_collision::surface::surface_mesh;
    let mut rng = common::rng(3);
    // a chord of a smooth surface is off by its height; creases are cut off by up to an edge
    for (name, resolution, tolerance) in [
        ("torus", 0.03, 5e-4),
        ("ellipsoid", 0.03, 5e-4),
        ("box", 0.03, 0.015),
        ("revolution", 0.03, 0.03),
        ("rounded", 0.03, 2e-3),
    ] {
        let solid = ANALYTIC.iter().find(|s| s.name == name).unwrap();
        let mesh = surface_mesh(name, &*solid.sdf, resolution).unwrap();
        let mut worst = 0.0_f64;
        for _ in 0..200 {
            let p = Point3::from(common::unit(&mut rng) * solid.reach);
            let (distance, _) = mesh.signed_distance(&p);
            worst = worst.max((distance - solid.sdf.value(&p)).abs());
        }
        assert!(worst < tolerance, "{name}: {worst}");
    }
}
