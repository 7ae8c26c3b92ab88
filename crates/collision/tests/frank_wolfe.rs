//! Minimum of φ over random triangles against dense sampling with local refinement.

mod common;
#[path = "common/solids.rs"]
mod solids;

use common::{rng, rotation};
use nalgebra::{Point3, Vector3};
use rand::RngExt;
use solids::{Solid, analytic, sampled};
use stiction_collision::sdf::Sdf;
use stiction_collision::{
    FrankWolfeSettings, SearchEffort, minimize_on_face, minimize_on_face_splitting,
};

/// Best of a dense grid, refined around its best few points by shrinking steps.
fn oracle(sdf: &dyn Sdf, t: &[Point3<f64>; 3]) -> f64 {
    let at = |u: f64, v: f64| t[0] + (t[1] - t[0]) * u + (t[2] - t[0]) * v;
    const N: usize = 24;
    let mut samples = Vec::new();
    for i in 0..=N {
        for j in 0..=N - i {
            let (u, v) = (i as f64 / N as f64, j as f64 / N as f64);
            samples.push((sdf.value(&at(u, v)), u, v));
        }
    }
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut best = f64::INFINITY;
    for &(value, u, v) in samples.iter().take(4) {
        let (mut value, mut u, mut v) = (value, u, v);
        let (mut step, mut turn) = (1.0 / N as f64, 0.0_f64);
        while step > 1e-7 {
            let mut moved = false;
            for k in 0..16 {
                let angle = turn + f64::from(k) * std::f64::consts::TAU / 16.0;
                let (a, b) = (u + step * angle.cos(), v + step * angle.sin());
                // slide along the edges
                let (a, b) = (a.max(0.0), b.max(0.0));
                let over = (a + b - 1.0).max(0.0) * 0.5;
                let (a, b) = ((a - over).max(0.0), (b - over).max(0.0));
                if a + b > 1.0 + 1e-15 {
                    continue;
                }
                let s = sdf.value(&at(a, b));
                if s < value {
                    (value, u, v, moved) = (s, a, b, true);
                }
            }
            turn += 0.61;
            if !moved {
                step *= 0.5;
            }
        }
        best = best.min(value);
    }
    best
}

/// The effort for which the accuracy below is promised.
fn thorough() -> FrankWolfeSettings {
    FrankWolfeSettings {
        effort: SearchEffort::Thorough,
        ..FrankWolfeSettings::default()
    }
}

fn check(solid: &Solid, n_triangles: usize) {
    let mut rng = rng(11);
    let feature = solid.sdf.feature_size().min(solid.reach);
    let settings = thorough();
    let mut tested = 0;
    while tested < n_triangles {
        // near the surface, where contacts are
        let p = Point3::from(Vector3::from_fn(|_, _| {
            rng.random_range(-solid.reach..solid.reach)
        }));
        let s = solid.sdf.sample(&p);
        if s.value.abs() > 0.5 * solid.reach {
            continue;
        }
        let center = p - s.gradient * (s.value + feature * rng.random_range(-0.3..0.3));
        let turn = rotation(&mut rng);
        let corner = |angle: f64| {
            center + turn * (Vector3::new(angle.cos(), angle.sin(), 0.0) * (0.55 * feature))
        };
        let a = rng.random_range(0.0..2.0);
        let triangle = [
            corner(a),
            corner(a + rng.random_range(1.0..2.5)),
            corner(a + rng.random_range(3.2..5.2)),
        ];
        tested += 1;
        let found = minimize_on_face(&*solid.sdf, &triangle, None, &settings);
        let value = found.sample.value;
        let best = oracle(&*solid.sdf, &triangle);
        assert!(
            (solid.sdf.value(&found.point) - value).abs() < 1e-12,
            "{}: point and value disagree",
            solid.name
        );
        let w = found.weights;
        assert!(w.iter().all(|&x| x >= -1e-12) && (w.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(
            value <= best + 1e-6,
            "{}: {value} is above {best} by {:e} on {triangle:?}",
            solid.name,
            value - best
        );
        assert!(
            (value - best).abs() < 1e-6 || value < best,
            "{}: {value} against {best}",
            solid.name
        );
    }
}

#[test]
fn random_triangles_up_to_the_smallest_feature() {
    for solid in &analytic() {
        check(solid, 150);
    }
}

#[test]
fn random_triangles_against_sampled_functions() {
    for solid in &sampled() {
        check(solid, 60);
    }
}

#[test]
fn larger_triangles_are_split() {
    let mut rng = rng(5);
    let settings = thorough();
    for solid in &analytic() {
        let size = solid.reach;
        if solid.sdf.feature_size() < 0.02 * size {
            // the oracle's grid would be coarser than the feature
            continue;
        }
        for _ in 0..8 {
            let triangle = [(); 3]
                .map(|()| Point3::from(Vector3::from_fn(|_, _| rng.random_range(-size..size))));
            let best = oracle(&*solid.sdf, &triangle);
            let found =
                minimize_on_face_splitting(&*solid.sdf, &triangle, f64::INFINITY, &settings)
                    .expect("no ceiling");
            assert!(
                found.sample.value <= best + 1e-6,
                "{}: {} above {best}",
                solid.name,
                found.sample.value
            );
            // below the minimum by the size of the smallest piece there is nothing to find
            let ceiling = found.sample.value - 2.0 * solid.sdf.feature_size();
            let none = minimize_on_face_splitting(&*solid.sdf, &triangle, ceiling, &settings);
            assert!(none.is_none(), "{}", solid.name);
        }
    }
}

#[test]
fn warm_start_at_the_answer_stays_there() {
    let solid = analytic().remove(4);
    let triangle = [
        Point3::new(0.7, 0.0, 0.05),
        Point3::new(0.75, 0.1, 0.0),
        Point3::new(0.75, -0.1, 0.0),
    ];
    let settings = thorough();
    let cold = minimize_on_face(&*solid.sdf, &triangle, None, &settings);
    let warm = minimize_on_face(&*solid.sdf, &triangle, Some(cold.weights), &settings);
    assert!((cold.sample.value - warm.sample.value).abs() < 1e-12);
}
