//! Analytic derivatives against finite differences on random trees with joints of every kind.

mod common;

use common::*;
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6xX};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stiction_dynamics::*;

/// The derivative at zero by central differences of sixth order. With this step both the
/// truncation (h⁶) and the rounding (ε/h) stay near 1e-12 for functions of size one.
fn derivative(f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    central_difference(4e-3, f)
}

/// The same for functions that are polynomials of low degree, for which the rule is exact: torques
/// are quadratic in v and linear in a. A long step then costs nothing and keeps rounding away.
fn derivative_of_polynomial(f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    central_difference(0.5, f)
}

fn central_difference(h: f64, mut f: impl FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let mut sum: Vec<f64> = Vec::new();
    for (step, weight) in [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)] {
        let (plus, minus) = (f(step * h), f(-step * h));
        sum.resize(plus.len(), 0.0);
        for ((s, p), m) in sum.iter_mut().zip(&plus).zip(&minus) {
            *s += weight * (p - m) / (60.0 * h);
        }
    }
    sum
}

/// Compares derivatives of a quantity of the given size. A derivative that is small beside the
/// quantity itself is known by differences only to the quantity's rounding.
#[track_caller]
fn assert_derivative(what: &str, actual: &[f64], expected: &[f64], size: &[f64]) {
    let floor = size.iter().fold(1e-3_f64, |m, x| m.max(x.abs()));
    let error = relative_error(actual, expected, floor);
    assert!(error <= TOLERANCE, "{what}: relative error {error:.2e}");
}

/// q moved for time `t` at velocity `v`.
fn moved(model: &Model, q: &[f64], v: &[f64], t: f64) -> Vec<f64> {
    let mut out = q.to_vec();
    integrate(model, q, v, t, &mut out).unwrap();
    out
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    let mut e = vec![0.0; n];
    e[k] = 1.0;
    e
}

fn added(x: &[f64], k: usize, t: f64) -> Vec<f64> {
    let mut y = x.to_vec();
    y[k] += t;
    y
}

const REFERENCES: [ReferenceFrame; 3] = [
    ReferenceFrame::World,
    ReferenceFrame::Local,
    ReferenceFrame::LocalWorldAligned,
];

fn any_tree() -> impl Strategy<Value = (u64, usize, usize)> {
    (any::<u64>(), 1..8_usize, 1..4_usize)
}

/// Differences of sixth order reach this in all cases tried, with a decade to spare.
const TOLERANCE: f64 = 1e-9;

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, rng_seed: RngSeed::Fixed(seed()), ..Default::default() })]

    #[test]
    fn jacobian_is_the_derivative_of_the_pose((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, _, _) = random_state(&model, seed);
        let nv = model.nv();
        let mut data = Data::new(&model);
        let frame = model.frame_id("probe").unwrap();
        joint_jacobians(&model, &mut data, &q).unwrap();
        let pose = frame_placement(&model, &data, frame).unwrap();
        let mut j = Matrix6xX::zeros(nv);
        frame_jacobian(&model, &data, frame, ReferenceFrame::Local, &mut j).unwrap();
        for k in 0..nv {
            let rate = derivative(|t| {
                forward_kinematics(&model, &mut data, &moved(&model, &q, &unit(nv, k), t)).unwrap();
                let pose = frame_placement(&model, &data, frame).unwrap();
                pose.rotation.iter().chain(pose.translation.iter()).copied().collect()
            });
            let turning = pose.rotation.transpose() * Matrix3::from_column_slice(&rate[..9]);
            let travel = pose.rotation.transpose() * nalgebra::Vector3::from_column_slice(&rate[9..]);
            let expected =
                [travel.x, travel.y, travel.z, turning.m32, turning.m13, turning.m21];
            assert_close("Jacobian column", j.column(k).as_slice(), &expected, TOLERANCE);
        }
    }

    #[test]
    fn jacobian_rate_is_the_derivative_of_the_jacobian((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, _) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let frame = model.frame_id("probe").unwrap();
        let mut rate = Matrix6xX::zeros(model.nv());
        for reference in REFERENCES {
            let mut j = Matrix6xX::zeros(model.nv());
            let expected = derivative(|t| {
                joint_jacobians(&model, &mut data, &moved(&model, &q, &v, t)).unwrap();
                frame_jacobian(&model, &data, frame, reference, &mut j).unwrap();
                j.as_slice().to_vec()
            });
            joint_jacobians_rate(&model, &mut data, &q, &v).unwrap();
            frame_jacobian_rate(&model, &data, frame, reference, &mut rate).unwrap();
            assert_close("Jacobian rate", rate.as_slice(), &expected, TOLERANCE);
        }
    }

    #[test]
    fn inverse_dynamics_derivatives((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, a) = random_state(&model, seed);
        let nv = model.nv();
        let mut data = Data::new(&model);
        let external = random_forces(&mut rng(seed), model.n_bodies(), 2.0);
        let external = Some(external.as_slice());
        let mut out = RneaDerivatives::new(&model);
        rnea_derivatives(&model, &mut data, &q, &v, &a, external, &mut out).unwrap();
        let (mut dq, mut dv, mut da) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..nv {
            dq.extend(derivative(|t| {
                let q = moved(&model, &q, &unit(nv, k), t);
                rnea(&model, &mut data, &q, &v, &a, external).unwrap().to_vec()
            }));
            dv.extend(derivative_of_polynomial(|t| {
                rnea(&model, &mut data, &q, &added(&v, k, t), &a, external).unwrap().to_vec()
            }));
            da.extend(derivative_of_polynomial(|t| {
                rnea(&model, &mut data, &q, &v, &added(&a, k, t), external).unwrap().to_vec()
            }));
        }
        let tau = rnea(&model, &mut data, &q, &v, &a, external).unwrap();
        assert_derivative("∂τ/∂q", out.dtau_dq.as_slice(), &dq, tau);
        assert_close("∂τ/∂v", out.dtau_dv.as_slice(), &dv, TOLERANCE);
        assert_close("∂τ/∂a", out.dtau_da.as_slice(), &da, TOLERANCE);
    }

    #[test]
    fn forward_dynamics_derivatives((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, tau) = random_state(&model, seed);
        let nv = model.nv();
        let mut data = Data::new(&model);
        let mut out = AbaDerivatives::new(&model);
        aba_derivatives(&model, &mut data, &q, &v, &tau, None, &mut out).unwrap();
        let acceleration = aba(&model, &mut data, &q, &v, &tau, None).unwrap();
        assert_close("v̇", &out.acceleration, acceleration, 1e-15);
        let (mut dq, mut dv, mut dtau) = (Vec::new(), Vec::new(), Vec::new());
        for k in 0..nv {
            dq.extend(derivative(|t| {
                let q = moved(&model, &q, &unit(nv, k), t);
                aba(&model, &mut data, &q, &v, &tau, None).unwrap().to_vec()
            }));
            dv.extend(derivative_of_polynomial(|t| {
                aba(&model, &mut data, &q, &added(&v, k, t), &tau, None).unwrap().to_vec()
            }));
            dtau.extend(derivative_of_polynomial(|t| {
                aba(&model, &mut data, &q, &v, &added(&tau, k, t), None).unwrap().to_vec()
            }));
        }
        assert_derivative("∂v̇/∂q", out.da_dq.as_slice(), &dq, &out.acceleration);
        assert_close("∂v̇/∂v", out.da_dv.as_slice(), &dv, TOLERANCE);
        assert_close("∂v̇/∂τ", out.da_dtau.as_slice(), &dtau, TOLERANCE);
    }

    #[test]
    fn energy_changes_by_the_power_of_the_joints((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, a) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let tau = rnea(&model, &mut data, &q, &v, &a, None).unwrap();
        let power: f64 = tau.iter().zip(&v).map(|(t, v)| t * v).sum();
        let rate = derivative(|t| {
            let q = moved(&model, &q, &v, t);
            let v: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + a * t).collect();
            let kinetic = kinetic_energy(&model, &mut data, &q, &v).unwrap();
            vec![kinetic + potential_energy(&model, &mut data, &q).unwrap()]
        });
        // energies of some 100 J lose digits that a small power would need
        prop_assert!((rate[0] - power).abs() < TOLERANCE * (10.0 + power.abs()));
    }

    #[test]
    fn momentum_changes_at_the_given_rate((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, a) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let rate = centroidal_momentum_rate(&model, &mut data, &q, &v, &a).unwrap();
        let expected = derivative(|t| {
            let q = moved(&model, &q, &v, t);
            let v: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + a * t).collect();
            centroidal_momentum(&model, &mut data, &q, &v).unwrap().to_array().to_vec()
        });
        assert_close("momentum rate", &rate.to_array(), &expected, TOLERANCE);
    }

    #[test]
    fn coriolis_matrix_makes_the_bias_and_a_skew_matrix((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, _) = random_state(&model, seed);
        let nv = model.nv();
        let mut data = Data::new(&model);
        let mut c = DMatrix::zeros(nv, nv);
        coriolis_matrix(&model, &mut data, &q, &v, &mut c).unwrap();
        let h = nonlinear_effects(&model, &mut data, &q, &v).unwrap().to_vec();
        let g = gravity_torque(&model, &mut data, &q).unwrap();
        let bias: Vec<f64> = h.iter().zip(g).map(|(h, g)| h - g).collect();
        let product = &c * DVector::from_column_slice(&v);
        assert_close("C v", product.as_slice(), &bias, 1e-10);

        let mut mass = MassMatrix::new(&model);
        let rate = derivative(|t| {
            crba(&model, &mut data, &moved(&model, &q, &v, t), &mut mass).unwrap();
            mass.to_dense().as_slice().to_vec()
        });
        let sum = &c + c.transpose();
        assert_derivative("Ṁ = C + Cᵀ", &rate, sum.as_slice(), mass.to_dense().as_slice());
    }
}
