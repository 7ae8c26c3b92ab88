//! Small loads in every direction against beam theory.

use nalgebra::{Vector3, Vector6};
use stiction_deformable::rod::{
    EquilibriumSettings, Profile, Rod, RodMaterial, RodShape, Section, Stiffness, Supports,
    equilibrium,
};

const MATERIAL: RodMaterial = RodMaterial {
    young: 1e9,
    poisson: 0.25,
    density: 1000.0,
};

/// A short bar along x with d1 along z, so that shear shows; where its tip goes under a force.
fn tip(profile: Profile, force: Vector3<f64>) -> Vector3<f64> {
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * 0.2, 51).unwrap();
    let shape = shape.with_normal(Vector3::z()).unwrap();
    let rod = Rod::new(shape, profile).unwrap();
    let mut supports = Supports::free(51);
    supports.clamp(0).unwrap();
    let mut forces = vec![Vector3::zeros(); 51];
    forces[50] = force;
    let mut poses = rod.rest().poses.clone();
    let settings = EquilibriumSettings::default();
    equilibrium(&rod, &mut poses, &supports, &forces, &settings).unwrap();
    poses[50].translation.vector - Vector3::x() * 0.2
}

#[test]
fn stretch_shear_and_bending_are_those_of_timoshenkos_beam() {
    let section = Section::rectangle(0.04, 0.02, MATERIAL.poisson);
    let profile = Profile::new(&section, &MATERIAL).unwrap();
    let Stiffness {
        shear,
        stretch,
        bend,
        ..
    } = profile.stiffness;
    // The wider side lies along d1: bending about d2 is the stiff one.
    assert!((bend[1] / bend[0] - 4.0).abs() < 1e-12);
    let (length, load) = (0.2_f64, 0.01);
    let beam = |bend: f64, shear: f64| load * (length.powi(3) / (3.0 * bend) + length / shear);
    for (force, found, wanted) in [
        (Vector3::x(), 0, load * length / stretch),
        // d1 lies along z and d2 along −y or y: a force along z bends about d2.
        (Vector3::z(), 2, beam(bend[1], shear[0])),
        (Vector3::y(), 1, beam(bend[0], shear[1])),
    ] {
        let moved = tip(profile, force * load);
        let error = moved[found] / wanted - 1.0;
        assert!(error.abs() < 1e-3, "{force}: {error:e}");
        assert!((moved.norm() - moved[found].abs()) < 1e-3 * moved.norm());
    }
}

#[test]
fn bending_is_set_apart_from_stretch() {
    let mut profile = Profile::round(0.01, &MATERIAL).unwrap();
    let plain = tip(profile, Vector3::z() * 1e-3);
    let stretched = tip(profile, Vector3::x() * 1e-3);
    profile.stiffness.bend = profile.stiffness.bend.map(|bend| 0.1 * bend);
    let soft = tip(profile, Vector3::z() * 1e-3);
    assert!((soft.z / plain.z - 10.0).abs() < 0.2);
    assert!((tip(profile, Vector3::x() * 1e-3) - stretched).norm() < 1e-15);
}

#[test]
fn a_round_rod_has_the_textbook_stiffness() {
    let profile = Profile::round(0.003, &MATERIAL).unwrap();
    let area = std::f64::consts::PI * 9e-6;
    let second = std::f64::consts::PI / 4.0 * 81e-12;
    let shear_modulus = 0.4e9;
    let factor = 6.0 * 1.25 / (7.0 + 1.5);
    let wanted = Vector6::new(
        factor * shear_modulus * area,
        factor * shear_modulus * area,
        1e9 * area,
        1e9 * second,
        1e9 * second,
        shear_modulus * 2.0 * second,
    );
    let found = Vector6::from(profile.stiffness.diagonal());
    assert!((found.component_div(&wanted) - Vector6::repeat(1.0)).amax() < 1e-12);
    assert!((profile.mass_per_length - 1000.0 * area).abs() < 1e-12);
}

/// Twist by hand: the moment is GJ times angle over length.
#[test]
fn twist_is_resisted() {
    let profile = Profile::round(0.003, &MATERIAL).unwrap();
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * 0.2, 11).unwrap();
    let rod = Rod::new(shape.clone(), profile).unwrap();
    let twisted = shape.twisted(5.0);
    for joint in 0..10 {
        let stress = rod.stress(joint, &twisted.poses).unwrap();
        let wanted = profile.stiffness.twist * 5.0;
        assert!((stress.twisting_moment() / wanted - 1.0).abs() < 1e-12);
        assert!(stress.bending_moment() < 1e-12 * wanted);
        assert!((stress.moment_world - Vector3::x() * wanted).norm() < 1e-12);
    }
}
