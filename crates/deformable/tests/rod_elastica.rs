//! Cantilevers under a load at the tip that keeps its direction, against the elastica.

use nalgebra::Vector3;
use stiction_deformable::rod::{
    EquilibriumSettings, Profile, Rod, RodMaterial, RodShape, Supports, equilibrium,
};
use stiction_test_support::outside;

const LINKS: usize = 100;

/// Tip down and back over the length, and the angle there, for load · length²/(E I).
fn bent(load: f64) -> [f64; 3] {
    let material = RodMaterial {
        young: 1e9,
        poisson: 0.3,
        density: 1000.0,
    };
    // Thin enough that stretch and shear do not show: EA L²/EI = 4e6.
    let profile = Profile::round(1e-3, &material).unwrap();
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x(), LINKS).unwrap();
    let rod = Rod::new(shape, profile).unwrap();
    let mut supports = Supports::free(LINKS);
    supports.clamp(0).unwrap();
    let mut forces = vec![Vector3::zeros(); LINKS];
    forces[LINKS - 1] = Vector3::z() * (-load * profile.stiffness.bend[0]);
    let mut poses = rod.rest().poses.clone();
    let settings = EquilibriumSettings::default();
    let found = equilibrium(&rod, &mut poses, &supports, &forces, &settings).unwrap();
    assert!(found.is_stable);
    let tip = poses[LINKS - 1];
    let tangent = tip.rotation * Vector3::z();
    [
        -tip.translation.vector.z,
        1.0 - tip.translation.vector.x,
        (-tangent.z).atan2(tangent.x),
    ]
}

/// The same of the exact curve by shooting: θ'' = −a cos θ with θ(0) = 0 and θ'(1) = 0, lengths over L;
/// classical Runge–Kutta, bisection on θ'(0) ≤ √(2a). The first zero of θ' counts: under large loads there
/// are other curves, which are not stable.
fn exact(load: f64) -> [f64; 3] {
    const STEPS: usize = 2000;
    let shoot = |slope: f64| {
        let rate =
            |[angle, slope, ..]: [f64; 4]| [slope, -load * angle.cos(), angle.sin(), angle.cos()];
        let add = |a: [f64; 4], b: [f64; 4], by: f64| std::array::from_fn(|at| a[at] + by * b[at]);
        let mut y = [0.0, slope, 0.0, 0.0];
        let mut turned_back = false;
        let h = 1.0 / STEPS as f64;
        for _ in 0..STEPS {
            let first = rate(y);
            let second = rate(add(y, first, 0.5 * h));
            let third = rate(add(y, second, 0.5 * h));
            let fourth = rate(add(y, third, h));
            y = std::array::from_fn(|at| {
                y[at] + h / 6.0 * (first[at] + 2.0 * (second[at] + third[at]) + fourth[at])
            });
            turned_back |= y[1] < 0.0;
        }
        (y, turned_back)
    };
    let (mut low, mut high) = (0.0, (2.0 * load).sqrt());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        match shoot(middle).1 {
            true => low = middle,
            false => high = middle,
        }
    }
    let ([angle, _, down, along], _) = shoot(0.5 * (low + high));
    [down, 1.0 - along, angle]
}

fn compare(load: f64, wanted: [f64; 3]) {
    let found = bent(load);
    for (what, (found, wanted)) in ["down", "back", "angle"]
        .iter()
        .zip(found.into_iter().zip(wanted))
    {
        let error = found / wanted - 1.0;
        assert!(error.abs() < 5e-4, "load {load}, {what}: {error:e}");
    }
}

#[test]
fn a_cantilever_is_the_elastica() {
    for load in [0.2, 1.5, 7.0] {
        compare(load, exact(load));
    }
}

#[test]
fn a_cantilever_is_the_elastica_under_many_loads() {
    for at in 1..=30 {
        let load = 0.05 * 1.25_f64.powi(at);
        compare(load, exact(load));
    }
}

#[test]
fn stored_values_of_the_elastica_are_met() {
    let Some(file) = outside::shared("deformable_reference/elastica.json") else {
        return;
    };
    let text = std::fs::read_to_string(file).unwrap();
    let stored: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = stored["rows"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let number = |key: &str| row[key].as_f64().unwrap();
        let wanted = [number("down"), number("back"), number("tip_angle")];
        compare(number("load"), wanted);
    }
}
