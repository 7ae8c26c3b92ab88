//! Truths that no algorithm may break.

mod common;

use common::*;
use nalgebra::{UnitQuaternion, Vector3};
use stiction_dynamics::*;

/// One classical Runge–Kutta step for models whose q is a plain vector.
fn runge_kutta_4(model: &Model, data: &mut Data, q: &mut [f64], v: &mut [f64], dt: f64) {
    let n = v.len();
    let tau = vec![0.0; n];
    let (q0, v0) = (q.to_vec(), v.to_vec());
    let mut stage_v = v0.clone();
    let mut stage_a = aba(model, data, &q0, &v0, &tau, None).unwrap().to_vec();
    for (weight, next) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
        for k in 0..n {
            q[k] += dt / 6.0 * weight * stage_v[k];
            v[k] += dt / 6.0 * weight * stage_a[k];
        }
        let at: Vec<f64> = (0..n).map(|k| q0[k] + dt * next * stage_v[k]).collect();
        stage_v = (0..n).map(|k| v0[k] + dt * next * stage_a[k]).collect();
        stage_a = aba(model, data, &at, &stage_v, &tau, None)
            .unwrap()
            .to_vec();
    }
}

fn chain(n: usize) -> Model {
    let mut rng = rng(7);
    let mut chain = ModelDescription::new("chain");
    for i in 0..n {
        let name = format!("{i}");
        chain.add_body(&name, random_inertia(&mut rng));
        let parent = if i == 0 {
            WORLD.to_owned()
        } else {
            format!("{}", i - 1)
        };
        let kind = joint_kind([0, 3, 5, 2, 6][i % 5], &mut rng);
        let placement = random_pose(&mut rng);
        chain.add_joint(&name, kind, parent, &name).at(placement);
    }
    chain.build().unwrap()
}

fn energy(model: &Model, data: &mut Data, q: &[f64], v: &[f64]) -> f64 {
    kinetic_energy(model, data, q, v).unwrap() + potential_energy(model, data, q).unwrap()
}

#[test]
fn a_frictionless_chain_keeps_its_energy_to_the_order_of_the_integrator() {
    let model = chain(5);
    let mut data = Data::new(&model);
    let drift = |steps: u32, data: &mut Data| {
        let (mut q, mut v) = (vec![0.3; 5], vec![0.5; 5]);
        let start = energy(&model, data, &q, &v);
        for _ in 0..steps {
            runge_kutta_4(&model, data, &mut q, &mut v, 0.5 / f64::from(steps));
        }
        (energy(&model, data, &q, &v) - start).abs()
    };
    let (coarse, fine) = (drift(250, &mut data), drift(500, &mut data));
    assert!(fine < 1e-6, "energy drifts by {fine} J");
    // fourth order: half the step, a sixteenth of the error or less
    assert!(
        coarse > 10.0 * fine,
        "{coarse:.2e} J, then only {fine:.2e} J with half the step"
    );
}

/// A box with three different moments, spinning about the middle one: it turns over and over
/// (Dzhanibekov), while its momentum stays as it was.
#[test]
fn the_intermediate_axis_flips_and_momentum_stays() {
    let mut description = ModelDescription::new("wing nut");
    description.gravity = Vector3::zeros();
    description.add_body("nut", Inertia::solid_box(1.0, Vector3::new(0.3, 0.2, 0.1)));
    description.add_joint("free", JointKind::Free, WORLD, "nut");
    let model = description.build().unwrap();
    let mut data = Data::new(&model);
    let tau = [0.0; 6];
    let mut q = model.neutral();
    let mut next = q.clone();
    // y carries the middle moment: sides 0.3, 0.2, 0.1 give x < y < z
    let mut v = vec![0.3, -0.2, 0.1, 0.05, 6.0, 0.05];
    let start = centroidal_momentum(&model, &mut data, &q, &v).unwrap();
    let start_energy = kinetic_energy(&model, &mut data, &q, &v).unwrap();
    let (dt, mut flips, mut side) = (1e-3, 0, 1.0);
    for _ in 0..15_000 {
        // v̇ of a free body depends on v alone: a Runge–Kutta step for v, and q follows
        let stage =
            |x: &[f64], data: &mut Data| aba(&model, data, &q, x, &tau, None).unwrap().to_vec();
        let at =
            |a: &[f64], h: f64| -> Vec<f64> { v.iter().zip(a).map(|(v, a)| v + h * a).collect() };
        let k1 = stage(&v, &mut data);
        let k2 = stage(&at(&k1, 0.5 * dt), &mut data);
        let k3 = stage(&at(&k2, 0.5 * dt), &mut data);
        let k4 = stage(&at(&k3, dt), &mut data);
        let end: Vec<f64> = (0..6)
            .map(|k| v[k] + dt / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]))
            .collect();
        // ∫v by Hermite's rule, plus the first Magnus term for its change of direction
        let next_k1 = stage(&end, &mut data);
        let twist = |x: &[f64]| {
            Motion::new(
                Vector3::new(x[0], x[1], x[2]),
                Vector3::new(x[3], x[4], x[5]),
            )
        };
        let turning = twist(&v).cross(&twist(&end)).to_array();
        let mean: Vec<f64> = (0..6)
            .map(|k| (v[k] + end[k]) / 2.0 + dt / 12.0 * (k1[k] - next_k1[k] + turning[k]))
            .collect();
        integrate(&model, &q, &mean, dt, &mut next).unwrap();
        q.copy_from_slice(&next);
        v = end;
        if v[4] * side < -3.0 {
            flips += 1;
            side = -side;
        }
    }
    assert!(flips >= 3, "only {flips} flips in 15 s");
    let end = centroidal_momentum(&model, &mut data, &q, &v).unwrap();
    assert_close(
        "angular momentum",
        end.angular.as_slice(),
        start.angular.as_slice(),
        1e-8,
    );
    assert_close(
        "linear momentum",
        end.linear.as_slice(),
        start.linear.as_slice(),
        1e-8,
    );
    let end_energy = kinetic_energy(&model, &mut data, &q, &v).unwrap();
    assert_close("energy", &[end_energy], &[start_energy], 1e-9);
}

/// The same robot at the origin and `offset` away from it.
fn check_far_away(base: JointKind, offset: Vector3<f64>) {
    let build = |at: Vector3<f64>| {
        let mut rng = rng(11);
        let mut robot = ModelDescription::new("robot");
        for i in 0..8 {
            let name = format!("{i}");
            robot.add_body(&name, random_inertia(&mut rng));
            let (parent, kind, placement) = match i {
                0 => (
                    WORLD.to_owned(),
                    base.clone(),
                    Transform::from_translation(at),
                ),
                _ => (
                    format!("{}", (i - 1) / 2),
                    joint_kind(i, &mut rng),
                    random_pose(&mut rng),
                ),
            };
            robot.add_joint(&name, kind, parent, &name).at(placement);
        }
        robot.build().unwrap()
    };
    let (here, there) = (build(Vector3::zeros()), build(offset));
    let (q, v, tau) = random_state(&here, 3);
    let solve = |model: &Model| {
        let mut data = Data::new(model);
        let by_aba = aba(model, &mut data, &q, &v, &tau, None).unwrap().to_vec();
        let mut mass = MassMatrix::new(model);
        crba(model, &mut data, &q, &mut mass).unwrap();
        let mut factor = LdlFactorization::new(model);
        factor.factorize(model, &mass).unwrap();
        let h = nonlinear_effects(model, &mut data, &q, &v).unwrap();
        let mut by_crba: Vec<f64> = tau.iter().zip(h).map(|(t, h)| t - h).collect();
        factor.solve(&mut by_crba).unwrap();
        let mut derivatives = RneaDerivatives::new(model);
        rnea_derivatives(model, &mut data, &q, &v, &tau, None, &mut derivatives).unwrap();
        (by_aba, by_crba, derivatives.dtau_dq.as_slice().to_vec())
    };
    let (near, far) = (solve(&here), solve(&there));
    assert_close("aba", &far.0, &near.0, 1e-9);
    assert_close("crba", &far.1, &near.1, 1e-9);
    assert_close("aba and crba", &far.0, &far.1, 1e-9);
    assert_close("derivatives", &far.2, &near.2, 1e-9);
}

#[test]
fn a_robot_one_kilometre_away_accelerates_alike() {
    let offset = Vector3::new(600.0, -800.0, 10.0);
    check_far_away(JointKind::Revolute { axis: Vector3::z() }, offset);
    check_far_away(JointKind::Free, offset);
}

/// A base of three massless sliding carriages (as some files build it) far out on its rails.
#[test]
fn far_out_on_massless_rails_nothing_is_lost() {
    let mut robot = ModelDescription::new("gantry");
    let mut rng = rng(5);
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let mut parent = WORLD.to_owned();
    for (name, axis) in ["a", "b", "c"].into_iter().zip(axes) {
        if name == "c" {
            robot.add_body(name, random_inertia(&mut rng));
        } else {
            robot.add_massless_body(name);
        }
        robot.add_joint(name, JointKind::Prismatic { axis }, parent, name);
        parent = name.to_owned();
    }
    for i in 0..3 {
        let name = format!("arm{i}");
        robot.add_body(&name, random_inertia(&mut rng));
        robot
            .add_joint(&name, joint_kind(i, &mut rng), parent, &name)
            .at(random_pose(&mut rng));
        parent = name;
    }
    let model = robot.build().unwrap();
    let mut data = Data::new(&model);
    let mut mass = MassMatrix::new(&model);
    let mut q = vec![0.0, 0.0, 0.0, 0.3, -0.8, 1.1];
    crba(&model, &mut data, &q, &mut mass).unwrap();
    let near = mass.to_dense();
    q[..3].copy_from_slice(&[1e3, -2e3, 5e2]);
    crba(&model, &mut data, &q, &mut mass).unwrap();
    assert_close(
        "mass matrix",
        mass.to_dense().as_slice(),
        near.as_slice(),
        1e-11,
    );
}

#[test]
fn a_pendulum_swings_as_the_textbook_says() {
    // a point-like bob of 2 kg on a massless rod of 0.7 m: θ̈ = −m g l sin θ / (m l² + I)
    let mut pendulum = ModelDescription::new("pendulum");
    let bob = Inertia::solid_sphere(2.0, 0.01);
    let about = bob.about_com();
    pendulum.add_body(
        "rod",
        Inertia::from_com(2.0, Vector3::new(0.0, 0.0, -0.7), about),
    );
    pendulum.add_joint(
        "hinge",
        JointKind::Revolute { axis: Vector3::y() },
        WORLD,
        "rod",
    );
    let model = pendulum.build().unwrap();
    let mut data = Data::new(&model);
    let theta: f64 = 0.4;
    let a = aba(&model, &mut data, &[theta], &[1.3], &[0.0], None).unwrap()[0];
    let expected = -2.0 * 9.81 * 0.7 * theta.sin() / (2.0 * 0.49 + about.yy);
    assert!((a - expected).abs() < 1e-12);
}

#[test]
fn a_rotor_behind_a_gear_adds_its_reflected_inertia() {
    let mut robot = ModelDescription::new("motor");
    robot.add_body("arm", Inertia::solid_sphere(1.0, 0.5));
    let motor = DofProperties {
        armature: 0.02,
        rotor_inertia: 1e-4,
        gear_ratio: 50.0,
        ..Default::default()
    };
    robot
        .add_joint(
            "hinge",
            JointKind::Revolute { axis: Vector3::x() },
            WORLD,
            "arm",
        )
        .with_properties(motor);
    let model = robot.build().unwrap();
    let mut data = Data::new(&model);
    let inertia = 0.4 * 0.25 + 0.02 + 2500.0 * 1e-4;
    let tau = rnea(&model, &mut data, &[0.3], &[0.0], &[2.0], None).unwrap()[0];
    assert!((tau - 2.0 * inertia).abs() < 1e-14);
    let a = aba(&model, &mut data, &[0.3], &[0.0], &[1.0], None).unwrap()[0];
    assert!((a - 1.0 / inertia).abs() < 1e-13);
}

#[test]
fn a_body_on_a_fixed_joint_moves_as_one_with_its_parent() {
    let mut rng = rng(21);
    let (arm, tool, mount) = (
        random_inertia(&mut rng),
        random_inertia(&mut rng),
        random_pose(&mut rng),
    );
    let hinge = JointKind::Revolute { axis: Vector3::z() };
    let mut merged = ModelDescription::new("merged");
    merged.add_body("arm", arm);
    merged.add_body("tool", tool);
    merged.add_joint("hinge", hinge.clone(), WORLD, "arm");
    merged
        .add_joint("mount", JointKind::Fixed, "arm", "tool")
        .at(mount);
    let merged = merged.build().unwrap();
    let mut whole = ModelDescription::new("whole");
    whole.add_body("arm", arm + mount.apply_inertia(&tool));
    whole.add_joint("hinge", hinge, WORLD, "arm");
    let whole = whole.build().unwrap();
    assert_eq!((merged.nv(), merged.n_bodies()), (1, 2));

    let torque = |model: &Model| {
        let mut data = Data::new(model);
        rnea(model, &mut data, &[0.7], &[1.0], &[-0.4], None)
            .unwrap()
            .to_vec()
    };
    assert_close("torque", &torque(&merged), &torque(&whole), 1e-14);

    // the tool stays addressable, by its body and by its joint
    let mut data = Data::new(&merged);
    forward_kinematics(&merged, &mut data, &[0.7]).unwrap();
    let info = merged.joint("mount").unwrap();
    assert!(info.v.is_empty());
    assert_eq!(Some(info.frame), merged.frame_id("tool"));
    let pose = frame_placement(&merged, &data, info.frame).unwrap();
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.7);
    assert!((pose.translation - turn * mount.translation).norm() < 1e-14);
}

#[test]
fn a_deep_chain_needs_no_deep_stack() {
    // far less than ten thousand nested calls would need
    let small_stack = std::thread::Builder::new().stack_size(192 * 1024);
    let run = || {
        let n = 10_000;
        let mut chain = ModelDescription::new("cable");
        for i in 0..n {
            let name = format!("{i}");
            chain.add_body(&name, Inertia::solid_sphere(0.01, 0.02));
            let parent = if i == 0 {
                WORLD.to_owned()
            } else {
                format!("{}", i - 1)
            };
            let axis = if i % 2 == 0 {
                Vector3::x()
            } else {
                Vector3::y()
            };
            chain
                .add_joint(&name, JointKind::Revolute { axis }, parent, &name)
                .at(Transform::from_translation(Vector3::new(0.0, 0.0, -0.01)));
        }
        let model = chain.build().unwrap();
        let mut data = Data::new(&model);
        let mut rng = rng(1);
        let (q, v) = (
            random_vector(&mut rng, n, 1e-3),
            random_vector(&mut rng, n, 1e-3),
        );
        let tau = random_vector(&mut rng, n, 1e-3);
        let a = aba(&model, &mut data, &q, &v, &tau, None).unwrap().to_vec();
        let back = rnea(&model, &mut data, &q, &v, &a, None).unwrap();
        // torques near the top carry 100 kg over 100 m: that sets the scale of rounding
        let gap = back
            .iter()
            .zip(&tau)
            .fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        assert!(gap < 1e-7, "rnea of aba is off by {gap:.1e} N·m");
        joint_jacobians_rate(&model, &mut data, &q, &v).unwrap();
        center_of_mass(&model, &mut data, &q).unwrap();
        kinetic_energy(&model, &mut data, &q, &v).unwrap();
    };
    small_stack.spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_large_balanced_tree_factorises_sparsely() {
    let n = 4_095;
    let mut rng = rng(2);
    let mut tree = ModelDescription::new("tree");
    for i in 0..n {
        let name = format!("{i}");
        tree.add_body(&name, random_inertia(&mut rng));
        let parent = if i == 0 {
            WORLD.to_owned()
        } else {
            format!("{}", (i - 1) / 2)
        };
        let kind = joint_kind(i % 3, &mut rng);
        tree.add_joint(&name, kind, parent, &name)
            .at(random_pose(&mut rng));
    }
    let model = tree.build().unwrap();
    let (q, _, tau) = random_state(&model, 2);
    let mut data = Data::new(&model);
    let mut mass = MassMatrix::new(&model);
    let entries: usize = (0..n).map(|k| mass.row(k).len()).sum();
    assert!(entries < 12 * n, "{entries} entries: not sparse");
    crba(&model, &mut data, &q, &mut mass).unwrap();
    let mut factor = LdlFactorization::new(&model);
    factor.factorize(&model, &mass).unwrap();
    let mut x = tau.clone();
    factor.solve(&mut x).unwrap();
    articulated_inertias(&model, &mut data, &q).unwrap();
    let y = mass_inverse_product(&model, &mut data, &tau).unwrap();
    assert_close("M⁻¹ τ", &x, y, 1e-9);
}
