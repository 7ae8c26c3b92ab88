//! Loads at which rods give way: Euler's column, Michell's ring, Greenhill's shaft; the hanging chain.

use std::f64::consts::PI;

use nalgebra::{Isometry3, Vector3};
use stiction_deformable::rod::{
    EquilibriumSettings, Profile, Rod, RodMaterial, RodShape, Supports, equilibrium,
};

const LINKS: usize = 100;

/// A straight rod along x, 1 m, thin enough that stretch and shear do not show.
fn rod(links: usize) -> Rod {
    let material = RodMaterial {
        young: 1e9,
        poisson: 0.3,
        density: 1000.0,
    };
    let profile = Profile::round(1e-3, &material).unwrap();
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x(), links).unwrap();
    Rod::new(shape, profile).unwrap()
}

/// Whether a rod stands in stable equilibrium near these poses.
fn is_stable(
    rod: &Rod,
    mut poses: Vec<Isometry3<f64>>,
    supports: &Supports,
    forces: &[Vector3<f64>],
) -> bool {
    let settings = EquilibriumSettings::default();
    equilibrium(rod, &mut poses, supports, forces, &settings)
        .unwrap()
        .is_stable
}

/// Where a property that holds at `low` and not at `high` ends, to 1e-5.
fn last(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    assert!(holds(low) && !holds(high), "{low} to {high}");
    while high - low > 1e-5 * high {
        let middle = 0.5 * (low + high);
        match holds(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    0.5 * (low + high)
}

#[test]
fn columns_buckle_at_eulers_loads() {
    let rod = rod(LINKS);
    let bend = rod.profile().stiffness.bend[0];
    let end = LINKS - 1;
    // Free, pinned, and clamped at the far end: length of the half wave.
    for (case, half_wave) in [("free", 2.0), ("pinned", 1.0), ("clamped", 0.5)] {
        let mut supports = Supports::free(LINKS);
        match case {
            "free" => supports.clamp(0).unwrap(),
            "pinned" => {
                supports.pin(0).unwrap();
                // Turning about the axis is no buckling.
                supports.give(0, 3, 0.0).unwrap();
                supports.give(end, 1, 0.0).unwrap();
                supports.give(end, 2, 0.0).unwrap();
            }
            _ => {
                supports.clamp(0).unwrap();
                (1..6).for_each(|axis| supports.give(end, axis, 0.0).unwrap());
            }
        }
        let euler = PI * PI * bend / f64::powi(half_wave, 2);
        let load = last(0.9 * euler, 1.1 * euler, |load| {
            let mut forces = vec![Vector3::zeros(); LINKS];
            forces[end] = Vector3::x() * -load;
            is_stable(&rod, rod.rest().poses.clone(), &supports, &forces)
        });
        let error = load / euler - 1.0;
        assert!(error.abs() < 2e-3, "{case}: {error:e}");
    }
}

/// Buckling load of a pinned column of few links over Euler's.
fn coarse_column(rod: &Rod) -> f64 {
    let end = rod.link_count() - 1;
    let mut supports = Supports::free(rod.link_count());
    supports.pin(0).unwrap();
    supports.give(0, 3, 0.0).unwrap();
    supports.give(end, 1, 0.0).unwrap();
    supports.give(end, 2, 0.0).unwrap();
    let euler = PI * PI * rod.profile().stiffness.bend[0];
    let load = last(0.8 * euler, 1.2 * euler, |load| {
        let mut forces = vec![Vector3::zeros(); end + 1];
        forces[end] = Vector3::x() * -load;
        is_stable(rod, rod.rest().poses.clone(), &supports, &forces)
    });
    load / euler - 1.0
}

#[test]
fn residual_bending_halves_the_error_of_a_coarse_column() {
    let plain = coarse_column(&rod(11));
    let residual = coarse_column(&rod(11).with_residual_bending());
    assert!(plain > 0.01 && plain < 0.03, "{plain:e}");
    assert!(residual.abs() < 0.6 * plain, "{residual:e} of {plain:e}");
}

#[test]
fn a_twisted_ring_gives_way_at_michells_angle() {
    let rod = rod(LINKS);
    let radius = 0.5 / PI;
    let ring = |angle: f64| radius * Vector3::new(angle.sin(), 1.0 - angle.cos(), 0.0);
    let shape = RodShape::along_curve(ring, 0.0..2.0 * PI, LINKS).unwrap();
    let mut supports = Supports::free(LINKS);
    supports.clamp(0).unwrap();
    supports.clamp(LINKS - 1).unwrap();
    // The ring may swing about its clamped tangent, its material turning back the other way, at no cost:
    // the height of the link across takes this motion out and no other.
    supports.give(LINKS / 2, 2, 0.0).unwrap();
    let stiffness = rod.profile().stiffness;
    let michell = 2.0 * PI * 3.0_f64.sqrt() * stiffness.bend[0] / stiffness.twist;
    let angle = last(0.95 * michell, 1.05 * michell, |angle| {
        let shape = shape.clone().twisted(angle / rod.rest().length());
        is_stable(&rod, shape.poses, &supports, &[])
    });
    let error = angle / michell - 1.0;
    assert!(error.abs() < 1e-2, "{error:e}");
}

#[test]
fn a_clamped_shaft_gives_way_at_greenhills_moment() {
    let rod = rod(LINKS);
    let mut supports = Supports::free(LINKS);
    supports.clamp(0).unwrap();
    // The far end may slide along the shaft: no tension.
    (1..6).for_each(|axis| supports.give(LINKS - 1, axis, 0.0).unwrap());
    let stiffness = rod.profile().stiffness;
    let greenhill = 8.9868 * stiffness.bend[0];
    let moment = last(0.95 * greenhill, 1.05 * greenhill, |moment| {
        let shape = rod.rest().clone().twisted(moment / stiffness.twist);
        is_stable(&rod, shape.poses, &supports, &[])
    });
    let error = moment / greenhill - 1.0;
    assert!(error.abs() < 1e-2, "{error:e}");
}

/// Sag over length of an inextensible chain that hangs from two points of one height, `span` lengths apart.
fn catenary_sag(span: f64) -> f64 {
    // span = 2 a asinh(1/(2a)), sag = √(a² + 1/4) − a.
    let (mut low, mut high) = (1e-6_f64, 1e3);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        match 2.0 * middle * (0.5 / middle).asinh() < span {
            true => low = middle,
            false => high = middle,
        }
    }
    low.hypot(0.5) - low
}

#[test]
fn a_hanging_rod_is_a_catenary() {
    // The narrower the span, the sharper the bottom: bending shows there sooner.
    for (span, stretch, bend) in [(0.5, 1e-3, 0.05), (0.8, 1e-4, 0.05), (0.3, 1e-3, 0.02)] {
        let mut profile = *rod(2).profile();
        let weight = profile.mass_per_length * 9.81;
        // wL/EA and (EI/w)^⅓ over L, as asked for.
        profile.stiffness.stretch = weight / stretch;
        profile.stiffness.shear = [0.4 * weight / stretch; 2];
        profile.stiffness.bend = [weight * f64::powi(bend, 3); 2];
        profile.stiffness.twist = weight * f64::powi(bend, 3) / 1.3;
        let rest = RodShape::straight(Vector3::zeros(), Vector3::x(), LINKS).unwrap();
        let rod = Rod::new(rest, profile).unwrap();
        // From an arc of a circle with the same ends.
        let (mut low, mut high) = (1e-3_f64, PI - 1e-3);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            match middle.sin() / middle > span {
                true => low = middle,
                false => high = middle,
            }
        }
        let (half, radius) = (low, 0.5 / low);
        let arc = |angle: f64| radius * Vector3::new(angle.sin(), 0.0, half.cos() - angle.cos());
        let mut poses = RodShape::along_curve(arc, -half..half, LINKS)
            .unwrap()
            .poses;
        let mut supports = Supports::free(LINKS);
        supports.pin(0).unwrap();
        supports.pin(LINKS - 1).unwrap();
        // Twist about the pinned ends is held at one of them.
        supports.give(0, 3, 0.0).unwrap();
        let settings = EquilibriumSettings {
            gravity: Vector3::z() * -9.81,
            ..EquilibriumSettings::default()
        };
        let found = equilibrium(&rod, &mut poses, &supports, &[], &settings).unwrap();
        assert!(found.is_stable);
        let lowest = poses
            .iter()
            .map(|pose| pose.translation.z)
            .fold(0.0, f64::min);
        let error = -lowest / catenary_sag(span) - 1.0;
        assert!(error.abs() < 1e-2, "span {span}: {error:e}");
    }
}
