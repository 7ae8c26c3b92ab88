//! Laws of the elements: patches, rigid motion, derivatives.

mod common;

use common::{Noise, bcc_box, five_tet_box, moved, norm, turn};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use stiction_deformable::fem::{
    FemModel, FemSettings, HessianPolicy, Law, Material, SoftBody, StepStart,
};

const POLICIES: [HessianPolicy; 6] = [
    HessianPolicy::Psd,
    HessianPolicy::CoRotated,
    HessianPolicy::Majorizing,
    HessianPolicy::ConstantDamping { rate: 0.0 },
    HessianPolicy::AbsoluteColumnSums,
    HessianPolicy::Exact,
];

/// A and b with the settings.
fn assemble(
    body: &mut SoftBody,
    start: &StepStart<'_>,
    guess: Option<&[f64]>,
) -> (DMatrix<f64>, DVector<f64>) {
    body.linearize(start, guess).unwrap();
    let mut values = vec![0.0; body.model().pattern().row_index().len()];
    body.write_matrix(&mut values).unwrap();
    let n = body.model().dof_count();
    let mut a = DMatrix::zeros(n, n);
    for ((row, column), value) in body.model().pattern().places().zip(values) {
        a[(row, column)] = value;
        a[(column, row)] = value;
    }
    (a, DVector::from_column_slice(body.right_hand_side()))
}

fn start<'a>(x: &'a [f64], v: &'a [f64], time_step: f64) -> StepStart<'a> {
    StepStart {
        x,
        v,
        force: &[],
        gravity: Vector3::zeros(),
        time_step,
        theta: 0.0,
    }
}

/// H at positions x by a policy.
fn hessian(model: &FemModel, x: &[f64], hessian: HessianPolicy) -> DMatrix<f64> {
    let settings = FemSettings {
        hessian,
        ..FemSettings::default()
    };
    let mut body = SoftBody::new(model.clone(), settings).unwrap();
    let v = vec![0.0; x.len()];
    let (mut a, _) = assemble(&mut body, &start(x, &v, 1.0), None);
    for dof in 0..x.len() {
        a[(dof, dof)] -= model.masses()[dof / 3];
    }
    a
}

fn forces(model: &FemModel, x: &[f64]) -> Vec<f64> {
    let mut forces = vec![0.0; x.len()];
    model.internal_forces(x, &mut forces).unwrap();
    forces
}

fn laws(poisson: f64) -> [Material; 2] {
    [
        Material::corotational(1e5, poisson, 1e3),
        Material::neo_hookean(1e5, poisson, 1e3),
    ]
}

/// A rotated uniform stretch stresses all elements alike and leaves no force inside.
#[test]
fn patches_of_uniform_strain_are_exact() {
    for mesh in [
        five_tet_box([0.2; 3], [2, 2, 2]),
        bcc_box([0.2; 3], [2, 2, 2]),
    ] {
        for material in laws(0.4) {
            let model = FemModel::new(&mesh, material).unwrap();
            let stretch = Vector3::new(1.1, 0.95, 1.02);
            let rotation = turn([1.0, -2.0, 0.5], 1.3);
            let x = moved(model.rest_positions(), |x| {
                rotation * x.component_mul(&stretch)
            });
            let force = forces(&model, &x);
            let largest = force
                .iter()
                .fold(0.0_f64, |largest, f| largest.max(f.abs()));
            for (node, at) in model.rest_positions().chunks_exact(3).enumerate() {
                if at.iter().all(|&x| x > 1e-9 && x < 0.2 - 1e-9) {
                    assert!(norm(&force[3 * node..3 * node + 3]) < 1e-10 * largest);
                }
            }
            let states = model.element_states(&x).unwrap();
            let (mu, lambda) = (material.shear_modulus(), material.lame_lambda());
            let principal = match material.law {
                Law::Corotational => {
                    stretch.map(|s| 2.0 * mu * (s - 1.0) + lambda * (stretch.sum() - 3.0))
                }
                Law::NeoHookean => {
                    let growth = stretch.product();
                    let pressure = (lambda + mu) * (growth - 1.0) - mu;
                    stretch.map(|s| mu * s + pressure * growth / s)
                }
            };
            let expected = rotation * Matrix3::from_diagonal(&principal) * rotation.transpose();
            let [a, b, c] = [principal[0], principal[1], principal[2]];
            let von_mises = (0.5 * ((a - b).powi(2) + (b - c).powi(2) + (c - a).powi(2))).sqrt();
            let strain =
                rotation * Matrix3::from_diagonal(&stretch.add_scalar(-1.0)) * rotation.transpose();
            for state in &states {
                assert!((state.stress - expected).amax() < 1e-10 * expected.amax());
                assert!((state.strain - strain).amax() < 1e-13);
                assert!((state.von_mises - von_mises).abs() < 1e-10 * von_mises);
                assert!((state.volume_ratio - stretch.product()).abs() < 1e-13);
            }
            let mut nodal = vec![0.0; model.node_count()];
            model.nodal_von_mises(&x, &mut nodal).unwrap();
            assert!(
                nodal
                    .iter()
                    .all(|stress| (stress - von_mises).abs() < 1e-10 * von_mises)
            );
        }
    }
}

#[test]
fn rigid_motion_costs_nothing() {
    let mesh = five_tet_box([0.2, 0.1, 0.1], [4, 2, 2]);
    for material in laws(0.45) {
        let model = FemModel::new(&mesh, material).unwrap();
        for angle in [0.01, 1.0, 3.1] {
            let rotation = turn([1.0, 1.0, -3.0], angle);
            let x = moved(model.rest_positions(), |x| {
                rotation * x + Vector3::new(0.3, -0.2, 0.1)
            });
            let force = forces(&model, &x);
            let worst = force.iter().fold(0.0_f64, |worst, f| worst.max(f.abs()));
            assert!(worst < 1e-12 * material.young * 0.05 * 0.05, "{worst:e}");
            assert!(model.elastic_energy(&x).unwrap() < 1e-24 * material.young * model.volume());
        }
    }
}

/// Energies, forces and the exact Hessian are derivatives of each other, inside out too.
#[test]
fn hessians_are_derivatives() {
    let mesh = five_tet_box([0.1, 0.1, 0.1], [1, 1, 1]);
    let mut noise = Noise(5);
    for (material, size) in laws(0.4).into_iter().flat_map(|m| [(m, 0.01), (m, 0.04)]) {
        let model = FemModel::new(&mesh, material).unwrap();
        let rotation = turn([0.3, 1.0, 2.0], 0.8);
        let x = moved(model.rest_positions(), |x| rotation * x);
        let x: Vec<f64> = x.iter().map(|x| x + size * noise.next()).collect();
        let exact = hessian(&model, &x, HessianPolicy::Exact);
        let force = forces(&model, &x);
        let step = 1e-7;
        let mut energy_error = 0.0_f64;
        let mut force_error = 0.0_f64;
        for dof in 0..x.len() {
            let side = |sign: f64| {
                let mut x = x.clone();
                x[dof] += sign * step;
                x
            };
            let [plus, minus] = [side(1.0), side(-1.0)];
            let slope =
                model.elastic_energy(&plus).unwrap() - model.elastic_energy(&minus).unwrap();
            energy_error = energy_error.max((slope / (2.0 * step) + force[dof]).abs());
            let [plus, minus] = [forces(&model, &plus), forces(&model, &minus)];
            for row in 0..x.len() {
                let slope = (plus[row] - minus[row]) / (2.0 * step);
                force_error = force_error.max((slope + exact[(row, dof)]).abs());
            }
        }
        assert!(
            energy_error < 1e-6 * norm(&force),
            "{energy_error:e} {:e}",
            norm(&force)
        );
        assert!(
            force_error < 1e-6 * exact.amax(),
            "{force_error:e} {:e}",
            exact.amax()
        );
    }
}

/// Every policy is the stiffness of linear elasticity at rest; all but `exact` have no negative
/// eigenvalue anywhere; `psd` differs from `exact` where that has some.
#[test]
fn policies_agree_at_rest_and_are_not_indefinite() {
    let mesh = five_tet_box([0.1, 0.1, 0.1], [1, 1, 1]);
    let mut noise = Noise(11);
    for material in laws(0.45) {
        let model = FemModel::new(&mesh, material).unwrap();
        let suits = |policy: &HessianPolicy| {
            material.law == Law::Corotational
                || matches!(
                    policy,
                    HessianPolicy::Psd | HessianPolicy::CoRotated | HessianPolicy::Exact
                )
        };
        let rest = model.rest_positions().to_vec();
        let linear = hessian(&model, &rest, HessianPolicy::Exact);
        let squeezed = moved(&rest, |x| Vector3::new(x.x, x.y, 0.3 * x.z));
        let random: Vec<f64> = rest.iter().map(|x| x + 0.05 * noise.next()).collect();
        for policy in POLICIES.iter().filter(|policy| suits(policy)) {
            let at_rest = hessian(&model, &rest, *policy);
            let is_rigid_twist_free = !matches!(policy, HessianPolicy::Majorizing);
            if is_rigid_twist_free {
                assert!(
                    (&at_rest - &linear).amax() < 1e-9 * linear.amax(),
                    "{}",
                    policy.name()
                );
            }
            for x in [&rest, &squeezed, &random] {
                let eigenvalues = hessian(&model, x, *policy).symmetric_eigenvalues();
                let is_positive = eigenvalues.min() > -1e-9 * eigenvalues.max();
                let is_exact_under_load = *policy == HessianPolicy::Exact && x != &rest;
                assert_eq!(
                    is_positive,
                    !is_exact_under_load,
                    "{} {}",
                    policy.name(),
                    eigenvalues.min()
                );
            }
        }
    }
}

/// JᵀKJ of the strains S − I, S² = FᵀF, against their finite differences, in one tetrahedron.
#[test]
fn the_split_of_the_paper_is_that_of_its_strains() {
    let nodes = vec![
        Vector3::zeros(),
        Vector3::x(),
        Vector3::y() * 1.2,
        Vector3::new(0.2, 0.3, 0.8),
    ];
    let mesh = stiction_deformable::TetMesh::new(nodes.clone(), vec![[0, 1, 2, 3]]).unwrap();
    let material = Material::corotational(1e5, 0.3, 1e3);
    let model = FemModel::new(&mesh, material).unwrap();
    let mut noise = Noise(21);
    let x: Vec<f64> = model
        .rest_positions()
        .iter()
        .map(|x| x + 0.2 * noise.next())
        .collect();
    let edges =
        |x: &[Vector3<f64>]| Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
    let rest = edges(&nodes).try_inverse().unwrap();
    let stretch = |x: &[f64]| {
        let corners: Vec<Vector3<f64>> = (0..4).map(|node| common::at(x, node)).collect();
        let f = edges(&corners) * rest;
        let eigen = (f.transpose() * f).symmetric_eigen();
        let roots = Matrix3::from_diagonal(&eigen.eigenvalues.map(f64::sqrt));
        eigen.eigenvectors * roots * eigen.eigenvectors.transpose()
    };
    let slopes: Vec<Matrix3<f64>> = (0..12)
        .map(|dof| {
            let side = |step: f64| {
                let mut x = x.clone();
                x[dof] += step;
                stretch(&x)
            };
            (side(1e-6) - side(-1e-6)) / 2e-6
        })
        .collect();
    let bare = hessian(&model, &x, HessianPolicy::ConstantDamping { rate: 0.0 });
    let (mu, lambda, volume) = (
        material.shear_modulus(),
        material.lame_lambda(),
        model.volume(),
    );
    for (i, j) in (0..12).flat_map(|i| (0..12).map(move |j| (i, j))) {
        let (a, b) = (slopes[i], slopes[j]);
        let expected = volume * (2.0 * mu * a.dot(&b) + lambda * a.trace() * b.trace());
        assert!((bare[(i, j)] - expected).abs() < 1e-7 * bare.amax());
    }
}

/// What stands in for the geometric stiffness is on the diagonal alone.
#[test]
fn constant_damping_is_a_share_of_the_mass() {
    let mesh = five_tet_box([0.1, 0.1, 0.1], [1, 1, 1]);
    let model = FemModel::new(&mesh, Material::corotational(1e5, 0.3, 1e3)).unwrap();
    let x = moved(model.rest_positions(), |x| {
        Vector3::new(1.2 * x.x, 0.8 * x.y, x.z)
    });
    let bare = hessian(&model, &x, HessianPolicy::ConstantDamping { rate: 0.0 });
    let damped = hessian(&model, &x, HessianPolicy::ConstantDamping { rate: 50.0 });
    let summed = hessian(&model, &x, HessianPolicy::AbsoluteColumnSums);
    for (row, column) in (0..x.len()).flat_map(|row| (0..x.len()).map(move |column| (row, column)))
    {
        let added = damped[(row, column)] - bare[(row, column)];
        let expected = if row == column {
            50.0 * model.masses()[row / 3]
        } else {
            0.0
        };
        assert!((added - expected).abs() < 1e-9 * bare.amax());
        let added = summed[(row, column)] - bare[(row, column)];
        if row == column {
            assert!(added > 0.0);
        } else {
            assert!(added.abs() < 1e-9 * bare.amax());
        }
    }
}

/// A step linearised again at v̂: A v̂ − b there is the residual of implicit Euler.
#[test]
fn linearised_at_a_guess_b_holds_the_residual() {
    let mesh = five_tet_box([0.2, 0.1, 0.1], [2, 1, 1]);
    let model = FemModel::new(
        &mesh,
        Material::corotational(1e5, 0.4, 1e3).damped(0.7, 0.0),
    )
    .unwrap();
    let mut noise = Noise(3);
    let n = model.dof_count();
    let x: Vec<f64> = model
        .rest_positions()
        .iter()
        .map(|x| x + 0.01 * noise.next())
        .collect();
    let v: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    let guess: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    let h = 0.01;
    let mut body = SoftBody::new(model.clone(), FemSettings::default()).unwrap();
    let mut start = start(&x, &v, h);
    start.gravity = Vector3::new(0.0, 0.0, -9.81);
    let (a, b) = assemble(&mut body, &start, Some(&guess));
    let residual = a * DVector::from_column_slice(&guess) - b;
    let there: Vec<f64> = x.iter().zip(&guess).map(|(x, v)| x + h * v).collect();
    let force = forces(&model, &there);
    for dof in 0..n {
        let mass = model.masses()[dof / 3];
        let outside = force[dof] + mass * start.gravity[dof % 3] - 0.7 * mass * guess[dof];
        let expected = mass * (guess[dof] - v[dof]) - h * outside;
        assert!(
            (residual[dof] - expected).abs() < 1e-11,
            "{} {expected}",
            residual[dof]
        );
    }
}

/// Held and driven nodes: what is left is the reduced system.
#[test]
fn eliminated_nodes_leave_the_reduced_system() {
    let mesh = five_tet_box([0.2, 0.1, 0.1], [2, 1, 1]);
    let material = Material::corotational(1e5, 0.4, 1e3).damped(0.5, 0.01);
    let model = FemModel::new(&mesh, material).unwrap();
    let mut noise = Noise(9);
    let n = model.dof_count();
    let x: Vec<f64> = model
        .rest_positions()
        .iter()
        .map(|x| x + 0.01 * noise.next())
        .collect();
    let v: Vec<f64> = (0..n).map(|_| noise.next()).collect();
    let mut body = SoftBody::new(model, FemSettings::default()).unwrap();
    let start = start(&x, &v, 0.01);
    let (free_a, free_b) = assemble(&mut body, &start, None);
    let velocity = Vector3::new(0.3, -0.1, 0.2);
    body.held_mut().drive(2, velocity).unwrap();
    body.held_mut().pin(5).unwrap();
    body.held_mut().pin_axis(0, 1).unwrap();
    let (a, b) = assemble(&mut body, &start, None);
    let held = body.held().is_held().to_vec();
    let prescribed = DVector::from_column_slice(body.held().velocities());
    let driven = &free_a * &prescribed;
    for i in 0..n {
        for j in 0..n {
            let is_known = held[i] || held[j];
            if i != j {
                let expected = if is_known { 0.0 } else { free_a[(i, j)] };
                assert_eq!(a[(i, j)], expected);
            }
        }
        if !held[i] {
            assert!((b[i] - (free_b[i] - driven[i])).abs() < 1e-12 * free_b.amax());
        }
    }
    let solved = a.cholesky().unwrap().solve(&b);
    for dof in (0..n).filter(|&dof| held[dof]) {
        assert!((solved[dof] - prescribed[dof]).abs() < 1e-15);
    }
    body.held_mut().release(2).unwrap();
    body.held_mut().release(5).unwrap();
    body.held_mut().release(0).unwrap();
    assert_eq!(assemble(&mut body, &start, None), (free_a, free_b));
}
