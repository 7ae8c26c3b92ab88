//! Surface meshes: watertight by construction (the constructor refuses others), on the surface, with
//! the right volume, and without degenerate faces.

mod common;
#[path = "common/solids.rs"]
mod solids;

use std::f64::consts::PI;

use nalgebra::Vector3;
use solids::{analytic, m48, sampled};
use stiction_collision::sdf::{BoxSdf, Dish, Sdf, SphereSdf, TorusSdf};
use stiction_collision::shape::TriangleMesh;
use stiction_collision::surface::{bolt_mesh, dish_mesh, nut_mesh, surface_mesh};

/// Smallest angle of any face, degrees.
fn smallest_angle(mesh: &TriangleMesh) -> f64 {
    let mut smallest = f64::INFINITY;
    for f in 0..mesh.faces().len() {
        let t = mesh.triangle(f);
        for k in 0..3 {
            let (u, v) = (t[(k + 1) % 3] - t[k], t[(k + 2) % 3] - t[k]);
            smallest = smallest.min(u.angle(&v).to_degrees());
        }
    }
    smallest
}

fn farthest_from_surface(mesh: &TriangleMesh, sdf: &dyn Sdf) -> f64 {
    mesh.vertices()
        .iter()
        .map(|v| sdf.value(v).abs())
        .fold(0.0, f64::max)
}

#[test]
fn every_bounded_solid_has_a_clean_mesh() {
    for solid in analytic().iter().chain(&sampled()) {
        if !solid.sdf.bounds().is_finite() {
            assert!(surface_mesh(solid.name, &*solid.sdf, 0.1).is_err());
            continue;
        }
        let resolution = (1.2 * solid.sdf.feature_size()).min(0.15 * solid.reach);
        let resolution = resolution.max(0.02 * solid.reach);
        let mesh = surface_mesh(solid.name, &*solid.sdf, resolution).unwrap();
        let off = farthest_from_surface(&mesh, &*solid.sdf);
        assert!(off < 1e-9, "{}: a vertex is {off:e} m off", solid.name);
        let angle = smallest_angle(&mesh);
        assert!(angle > 3.0, "{}: smallest angle {angle}°", solid.name);
    }
}

#[test]
fn volumes_converge() {
    let cases: [(&dyn Sdf, f64); 3] = [
        (&SphereSdf::new(0.5).unwrap(), 4.0 / 3.0 * PI * 0.125),
        (
            &TorusSdf::new(0.5, 0.2).unwrap(),
            2.0 * PI * PI * 0.5 * 0.04,
        ),
        (&BoxSdf::new(Vector3::new(0.5, 0.4, 0.3)).unwrap(), 0.48),
    ];
    for (sdf, volume) in cases {
        let error = |h: f64| (surface_mesh("solid", sdf, h).unwrap().volume() - volume).abs();
        let (coarse, fine) = (error(0.1), error(0.05));
        assert!(
            fine < 0.4 * coarse && fine < 0.02 * volume,
            "{coarse} {fine}"
        );
    }
}

#[test]
fn structured_meshes_lie_on_their_solids() {
    let (bolt, nut) = m48();
    let bolt_mesh = bolt_mesh("bolt", &bolt, 2.5e-3).unwrap();
    let nut_mesh = nut_mesh("nut", &nut, 2.5e-3).unwrap();
    assert!(farthest_from_surface(&bolt_mesh, &bolt) < 1e-9);
    assert!(farthest_from_surface(&nut_mesh, &nut) < 1e-9);
    // volume of the nut: hexagonal prism less the bore at about its pitch radius
    let hexagon = 3.0_f64.sqrt() / 2.0 * 0.075 * 0.075 * 0.038;
    let bore = PI * 0.0224 * 0.0224 * 0.038;
    let expected = hexagon - bore;
    assert!((nut_mesh.volume() - expected).abs() < 0.03 * expected);
    for dish in [
        Dish::bowl(0.03, 0.08, 0.06, 0.003).unwrap(),
        Dish::plate(0.07, 0.12, 0.015, 0.003).unwrap(),
        Dish::pot(0.1, 0.12, 0.004).unwrap(),
        Dish::bottle(0.04, 0.015, 0.15, 0.003).unwrap(),
    ] {
        let mesh = dish_mesh("dish", &dish, 4e-3).unwrap();
        assert!(farthest_from_surface(&mesh, &dish) < 1e-9);
        let reference = surface_mesh("dish", &dish, 4e-3).unwrap().volume();
        assert!((mesh.volume() - reference).abs() < 0.08 * reference);
    }
}

#[test]
fn impossible_resolutions_are_refused() {
    let ball = SphereSdf::new(0.5).unwrap();
    for h in [0.0, -1.0, f64::NAN, 1e-9] {
        let error = surface_mesh("ball", &ball, h).unwrap_err();
        assert!(error.to_string().contains("ball"));
    }
}
