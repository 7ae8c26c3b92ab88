//! No algorithm allocates after its buffers are made.

mod common;

use nalgebra::{DMatrix, Matrix3xX, Matrix6xX};
use stiction_dynamics::*;
use stiction_test_support::allocations;

#[track_caller]
fn assert_silent(name: &str, call: impl FnOnce() -> Result<()>) {
    let before = allocations();
    call().unwrap();
    let count = allocations() - before;
    assert_eq!(count, 0, "{name} allocated {count} times");
}

#[test]
fn the_counter_counts() {
    let before = allocations();
    std::hint::black_box(vec![1.0_f64; 100]);
    assert!(allocations() > before);
}

#[test]
fn algorithms_do_not_allocate() {
    // the seed gives a tree in which every kind of joint occurs
    let model = &common::random_tree(4, 60, 3);
    for kind in 0..13 {
        let wanted = std::mem::discriminant(&common::joint_kind(kind, &mut common::rng(0)));
        let joints = &model.description().joints;
        assert!(
            joints
                .iter()
                .any(|j| std::mem::discriminant(&j.kind) == wanted),
            "kind {kind}"
        );
    }
    let nv = model.nv();
    let (q, v, a) = common::random_state(model, 4);
    let external = vec![Force::zero(); model.n_bodies()];
    let external = Some(external.as_slice());
    let frame = model.frame_id("probe").unwrap();
    let mut rng = common::rng(4);

    let data = &mut Data::new(model);
    let mass = &mut MassMatrix::new(model);
    let ldl = &mut LdlFactorization::new(model);
    let ll = &mut LlFactorization::new(model);
    let (mut x, mut y, mut other) = (v.clone(), v.clone(), q.clone());
    let (mut j, mut j3) = (Matrix6xX::zeros(nv), Matrix3xX::zeros(nv));
    let mut square = DMatrix::zeros(nv, nv);
    let mut inverse = RneaDerivatives::new(model);
    let mut forward = AbaDerivatives::new(model);
    let mut view = TreeView::new(model, model.bodies().nth(1).unwrap()).unwrap();

    assert_silent("integrate", || integrate(model, &q, &v, 0.1, &mut other));
    assert_silent("difference", || difference(model, &q, &other, &mut x));
    assert_silent("interpolate", || {
        interpolate(model, &q, &q, 0.5, &mut other)
    });
    assert_silent("normalize", || normalize(model, &mut other));
    assert_silent("random", || {
        random_configuration(model, &mut rng, &mut other)
    });
    assert_silent("kinematics", || {
        forward_kinematics_acceleration(model, data, &q, &v, &a)
    });
    for reference in [
        ReferenceFrame::World,
        ReferenceFrame::Local,
        ReferenceFrame::LocalWorldAligned,
    ] {
        assert_silent("frames", || {
            frame_placement(model, data, frame)?;
            frame_classical_acceleration(model, data, frame, reference).map(drop)
        });
        assert_silent("Jacobian rate", || {
            joint_jacobians_rate(model, data, &q, &v)?;
            frame_jacobian(model, data, frame, reference, &mut j)?;
            frame_jacobian_rate(model, data, frame, reference, &mut j)
        });
    }
    assert_silent("rnea", || rnea(model, data, &q, &v, &a, external).map(drop));
    assert_silent("nonlinear effects", || {
        nonlinear_effects(model, data, &q, &v).map(drop)
    });
    assert_silent("gravity torque", || {
        gravity_torque(model, data, &q).map(drop)
    });
    assert_silent("aba", || aba(model, data, &q, &v, &a, external).map(drop));
    assert_silent("articulated inertias", || {
        articulated_inertias(model, data, &q)
    });
    assert_silent("M⁻¹ x", || {
        mass_inverse_product(model, data, &a).map(drop)
    });
    assert_silent("crba", || crba(model, data, &q, mass));
    assert_silent("M x", || mass.mul(&v, &mut y));
    assert_silent("LDL", || {
        ldl.factorize(model, mass)?;
        ldl.solve(&mut x)?;
        ldl.write_inverse(&mut square)
    });
    assert_silent("LL", || {
        ll.factorize(model, mass)?;
        ll.solve(&mut x)
    });
    assert_silent("dense", || mass.write_dense(&mut square));
    assert_silent("centre of mass", || {
        center_of_mass(model, data, &q)?;
        center_of_mass_velocity(model, data, &q, &v)?;
        center_of_mass_jacobian(model, data, &q, &mut j3)
    });
    assert_silent("centroidal", || {
        centroidal_momentum(model, data, &q, &v)?;
        centroidal_momentum_rate(model, data, &q, &v, &a)?;
        centroidal_momentum_matrix(model, data, &q, &mut j)
    });
    assert_silent("energy", || {
        kinetic_energy(model, data, &q, &v)?;
        potential_energy(model, data, &q).map(drop)
    });
    assert_silent("coriolis", || {
        coriolis_matrix(model, data, &q, &v, &mut square)
    });
    assert_silent("rnea derivatives", || {
        rnea_derivatives(model, data, &q, &v, &a, external, &mut inverse)
    });
    assert_silent("aba derivatives", || {
        aba_derivatives(model, data, &q, &v, &a, external, &mut forward)
    });
    assert_silent("tree view", || view.update(model, data));
}
