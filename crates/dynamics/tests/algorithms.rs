//! Algorithm against algorithm on random trees with joints of every kind.

mod common;

use common::*;
use nalgebra::{DMatrix, DVector, Matrix3xX, Matrix6xX};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use stiction_dynamics::*;

const TOLERANCE: f64 = 1e-9;

/// Seed, number of bodies, bushiness.
fn any_tree() -> impl Strategy<Value = (u64, usize, usize)> {
    (any::<u64>(), 1..12_usize, 1..4_usize)
}

fn dense_mass(model: &Model, data: &mut Data, q: &[f64]) -> (MassMatrix, DMatrix<f64>) {
    let mut mass = MassMatrix::new(model);
    crba(model, data, q, &mut mass).unwrap();
    let dense = mass.to_dense();
    (mass, dense)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, rng_seed: RngSeed::Fixed(seed()), ..Default::default() })]

    #[test]
    fn mass_matrix_is_rnea_column_by_column((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, _) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let (_, dense) = dense_mass(&model, &mut data, &q);
        let bias = nonlinear_effects(&model, &mut data, &q, &v).unwrap().to_vec();
        for k in 0..model.nv() {
            let mut a = vec![0.0; model.nv()];
            a[k] = 1.0;
            let tau = rnea(&model, &mut data, &q, &v, &a, None).unwrap();
            let column: Vec<f64> = tau.iter().zip(&bias).map(|(t, b)| t - b).collect();
            // differences of torques lose the digits of the larger term
            assert_close("column of M", &column, dense.column(k).as_slice(), 1e-10);
        }
    }

    #[test]
    fn aba_is_mass_matrix_solve((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, tau) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let external = random_forces(&mut rng(seed), model.n_bodies(), 2.0);
        let acceleration = aba(&model, &mut data, &q, &v, &tau, Some(&external)).unwrap().to_vec();

        let (_, dense) = dense_mass(&model, &mut data, &q);
        let zero = vec![0.0; model.nv()];
        let h = rnea(&model, &mut data, &q, &v, &zero, Some(&external)).unwrap();
        let rhs = DVector::from_iterator(model.nv(), tau.iter().zip(h).map(|(t, h)| t - h));
        if let Some(cholesky) = dense.cholesky() {
            assert_close("aba", &acceleration, cholesky.solve(&rhs).as_slice(), TOLERANCE);
        } else {
            prop_assert_eq!(model.nv(), 0);
        }
        let back = rnea(&model, &mut data, &q, &v, &acceleration, Some(&external)).unwrap();
        assert_close("rnea of aba", back, &tau, TOLERANCE);
    }

    #[test]
    fn branch_sparse_is_dense((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, x, _) = random_state(&model, seed);
        let nv = model.nv();
        let mut data = Data::new(&model);
        let (mass, dense) = dense_mass(&model, &mut data, &q);
        let dense_x = DVector::from_column_slice(&x);

        let mut y = vec![0.0; nv];
        mass.mul(&x, &mut y).unwrap();
        assert_close("M x", &y, (&dense * &dense_x).as_slice(), 1e-12);

        let solution = dense.clone().cholesky().map(|c| c.solve(&dense_x)).unwrap_or(dense_x.clone());
        let mut ldl = LdlFactorization::new(&model);
        ldl.factorize(&model, &mass).unwrap();
        let mut s = x.clone();
        ldl.solve(&mut s).unwrap();
        assert_close("LDL solve", &s, solution.as_slice(), TOLERANCE);

        let mut ll = LlFactorization::new(&model);
        ll.factorize(&model, &mass).unwrap();
        let mut s = x.clone();
        ll.solve(&mut s).unwrap();
        assert_close("LL solve", &s, solution.as_slice(), TOLERANCE);
        // |L⁻ᵀ x|² = xᵀ M⁻¹ x
        let mut half = x.clone();
        ll.solve_upper(&mut half).unwrap();
        let norm: f64 = half.iter().map(|h| h * h).sum();
        assert_close("half solve", &[norm], &[dense_x.dot(&solution)], TOLERANCE);

        articulated_inertias(&model, &mut data, &q).unwrap();
        let product = mass_inverse_product(&model, &mut data, &x).unwrap();
        assert_close("M⁻¹ x by articulated inertias", product, solution.as_slice(), TOLERANCE);

        let mut inverse = DMatrix::zeros(nv, nv);
        ldl.write_inverse(&mut inverse).unwrap();
        let identity = DMatrix::identity(nv, nv);
        assert_close("M⁻¹ M", (inverse * dense).as_slice(), identity.as_slice(), TOLERANCE);
    }

    #[test]
    fn tree_views_rebuild_the_mass_matrix((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, _, _) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let (_, dense) = dense_mass(&model, &mut data, &q);
        let mut rebuilt = DMatrix::zeros(model.nv(), model.nv());
        for tree in model.trees() {
            let root = model.bodies().nth(tree.start).unwrap();
            let mut view = TreeView::new(&model, root).unwrap();
            view.update(&model, &data).unwrap();
            for (body, inertia) in view.inertias.iter().enumerate() {
                // all columns that move this body, by walking up the parents
                let mut path = Vec::new();
                let mut at = Some(body);
                while let Some(b) = at {
                    path.extend(view.dof_start[b]..view.dof_start[b + 1]);
                    at = view.parents[b];
                }
                for &i in &path {
                    let force = inertia.mul(&view.columns[i]);
                    for &j in &path {
                        let entry = (view.dofs.start + i, view.dofs.start + j);
                        rebuilt[entry] += view.columns[j].dot(&force);
                    }
                }
            }
            for (k, d) in view.dofs.clone().zip(&view.diagonal) {
                rebuilt[(k, k)] += d;
            }
        }
        assert_close("M from views", rebuilt.as_slice(), dense.as_slice(), 1e-12);
    }

    #[test]
    fn frame_motion_follows_from_jacobians((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, a) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let frame = model.frame_id("probe").unwrap();
        forward_kinematics_acceleration(&model, &mut data, &q, &v, &a).unwrap();
        joint_jacobians_rate(&model, &mut data, &q, &v).unwrap();
        let (mut j, mut rate) = (Matrix6xX::zeros(model.nv()), Matrix6xX::zeros(model.nv()));
        let (v, a) = (DVector::from_vec(v), DVector::from_vec(a));
        for reference in
            [ReferenceFrame::World, ReferenceFrame::Local, ReferenceFrame::LocalWorldAligned]
        {
            frame_jacobian(&model, &data, frame, reference, &mut j).unwrap();
            frame_jacobian_rate(&model, &data, frame, reference, &mut rate).unwrap();
            let velocity = frame_velocity(&model, &data, frame, reference).unwrap();
            assert_close("J v", (&j * &v).as_slice(), &velocity.to_array(), 1e-12);
            // only in coordinates that move as the body does or not at all is J a + J̇ v the
            // spatial acceleration; at the frame's origin in world axes it is the classical one
            let acceleration = match reference {
                ReferenceFrame::LocalWorldAligned => {
                    frame_classical_acceleration(&model, &data, frame, reference).unwrap()
                }
                _ => frame_acceleration(&model, &data, frame, reference).unwrap(),
            };
            let sum = &j * &a + &rate * &v;
            assert_close("J a + J̇ v", sum.as_slice(), &acceleration.to_array(), 1e-11);
        }
    }

    #[test]
    fn centroidal_quantities_agree((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, a) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let (mut matrix, mut com_jacobian) =
            (Matrix6xX::zeros(model.nv()), Matrix3xX::zeros(model.nv()));
        centroidal_momentum_matrix(&model, &mut data, &q, &mut matrix).unwrap();
        center_of_mass_jacobian(&model, &mut data, &q, &mut com_jacobian).unwrap();
        let momentum = centroidal_momentum(&model, &mut data, &q, &v).unwrap();
        let com_velocity = center_of_mass_velocity(&model, &mut data, &q, &v).unwrap();
        let velocity = DVector::from_column_slice(&v);
        assert_close("A v", (&matrix * &velocity).as_slice(), &momentum.to_array(), 1e-12);
        assert_close("J_com v", (&com_jacobian * &velocity).as_slice(), com_velocity.as_slice(), 1e-12);
        let linear = com_velocity * model.total_mass();
        assert_close("m ċ", momentum.linear.as_slice(), linear.as_slice(), 1e-12);

        // Newton and Euler for the whole: the reaction of the ground minus weight moves it
        let rate = centroidal_momentum_rate(&model, &mut data, &q, &v, &a).unwrap();
        rnea(&model, &mut data, &q, &v, &a, None).unwrap();
        let reaction = *data.joint_force(BodyId::WORLD).unwrap();
        let net = reaction.linear + model.gravity() * model.total_mass();
        assert_close("net force", net.as_slice(), rate.linear.as_slice(), 1e-10);
        let com = center_of_mass(&model, &mut data, &q).unwrap();
        let moment = reaction.shifted(&com).angular;
        assert_close("net moment", moment.as_slice(), rate.angular.as_slice(), 1e-10);
    }

    #[test]
    fn kinetic_energy_is_half_v_mass_v((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, _) = random_state(&model, seed);
        let mut data = Data::new(&model);
        let (_, dense) = dense_mass(&model, &mut data, &q);
        let velocity = DVector::from_column_slice(&v);
        let energy = kinetic_energy(&model, &mut data, &q, &v).unwrap();
        assert_close("energy", &[energy], &[0.5 * velocity.dot(&(dense * &velocity))], 1e-12);
    }

    #[test]
    fn what_follows_from_kinematics_is_what_is_computed_from_scratch((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (q, v, _) = random_state(&model, seed);
        let external = random_forces(&mut rng(seed), model.n_bodies(), 2.0);
        let (mut data, mut fresh) = (Data::new(&model), Data::new(&model));
        forward_kinematics_velocity(&model, &mut data, &q, &v).unwrap();

        let zero = vec![0.0; model.nv()];
        let expected = rnea(&model, &mut fresh, &q, &v, &zero, Some(&external)).unwrap();
        let bias = bias_from_kinematics(&model, &mut data, &v, &external).unwrap();
        assert_close("bias", bias, expected, 1e-13);
        let expected = [
            kinetic_energy(&model, &mut fresh, &q, &v).unwrap(),
            potential_energy(&model, &mut fresh, &q).unwrap(),
        ];
        let energy = energy_from_kinematics(&model, &data, &v).unwrap();
        assert_close("energy", &energy, &expected, 1e-13);

        joint_jacobians(&model, &mut fresh, &q).unwrap();
        jacobians_from_kinematics(&model, &mut data).unwrap();
        let mut jacobians = [Matrix6xX::zeros(model.nv()), Matrix6xX::zeros(model.nv())];
        for index in 0..model.frames().len() {
            let frame = model.frame_id(&model.frames()[index].name).unwrap();
            for (jacobian, data) in jacobians.iter_mut().zip([&data, &fresh]) {
                frame_jacobian(&model, data, frame, ReferenceFrame::World, jacobian).unwrap();
            }
            prop_assert_eq!(&jacobians[0], &jacobians[1]);
        }
    }

    #[test]
    fn configurations_integrate_and_differ((seed, n, spread) in any_tree()) {
        let model = random_tree(seed, n, spread);
        let (from, v, _) = random_state(&model, seed);
        let mut to = from.clone();
        integrate(&model, &from, &v, 1.0, &mut to).unwrap();
        let mut back = v.clone();
        difference(&model, &from, &to, &mut back).unwrap();
        assert_close("difference of integrate", &back, &v, 1e-12);

        // half the way twice is the whole way, and interpolation passes there
        let (mut half, mut whole, mut middle) = (from.clone(), from.clone(), from.clone());
        integrate(&model, &from, &v, 0.5, &mut half).unwrap();
        integrate(&model, &half, &v, 0.5, &mut whole).unwrap();
        let mut gap = v.clone();
        difference(&model, &whole, &to, &mut gap).unwrap();
        assert_close("two halves", &gap, &vec![0.0; model.nv()], 1e-10);
        interpolate(&model, &from, &to, 0.5, &mut middle).unwrap();
        difference(&model, &half, &middle, &mut gap).unwrap();
        assert_close("interpolation", &gap, &vec![0.0; model.nv()], 1e-10);

        let mut scaled = from.clone();
        let mut data = Data::new(&model);
        let frame = model.frame_id("probe").unwrap();
        forward_kinematics(&model, &mut data, &from).unwrap();
        let pose = frame_placement(&model, &data, frame).unwrap();
        // quaternions of any length are brought back
        for joint in &model.description().joints {
            let info = model.joint(&joint.name).unwrap();
            let skip = match joint.kind {
                JointKind::Spherical => 0,
                JointKind::Free => 3,
                _ => continue,
            };
            scaled[info.q.clone()][skip..].iter_mut().for_each(|x| *x *= 3.7);
        }
        normalize(&model, &mut scaled).unwrap();
        forward_kinematics(&model, &mut data, &scaled).unwrap();
        let again = frame_placement(&model, &data, frame).unwrap();
        assert_close("pose", again.rotation.as_slice(), pose.rotation.as_slice(), 1e-12);
    }
}
