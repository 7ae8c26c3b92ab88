//! Motion of trees with joints of every kind.

mod common;

use nalgebra::Vector3;
use stiction_dynamics::*;
use stiction_test_support::allocations;

/// Steps a model's first tree through `seconds` s.
fn run(
    model: &Model,
    start: [&[f64]; 2],
    seconds: f64,
    steps: usize,
    settings: &MotionSettings,
) -> State {
    let mut motion = TreeMotion::new(model);
    let mut state = State {
        q: start[0].to_vec(),
        v: start[1].to_vec(),
    };
    let mut memory = MotionMemory::default();
    for _ in 0..steps {
        let step = seconds / steps as f64;
        let now = [state.q.as_slice(), &state.v];
        motion
            .step(model, 0, step, settings, &NoForces, now, &mut memory)
            .unwrap();
        let (q, v) = motion.end();
        (state.q, state.v) = (q.to_vec(), v.to_vec());
    }
    state
}

/// Every joint on its own, and on a body that moves.
#[test]
fn every_joint_moves_with_fourth_order() {
    let settings = MotionSettings {
        max_substeps: 1,
        energy_account: false,
        ..MotionSettings::default()
    };
    for which in 0..12 {
        let mut rng = common::rng(which as u64);
        let mut tree = ModelDescription::new("two");
        for (body, parent) in [("first", WORLD), ("second", "first")] {
            tree.add_body(body, common::random_inertia(&mut rng));
            let kind = common::joint_kind(which, &mut rng);
            tree.add_joint(format!("{body} joint"), kind, parent, body)
                .at(common::random_pose(&mut rng));
        }
        let model = tree.build().unwrap();
        let q = model.neutral();
        let v = common::random_vector(&mut rng, model.nv(), 3.0);
        let exact = run(&model, [&q, &v], 0.25, 800, &settings);
        let errors = [25, 50].map(|steps| {
            let end = run(&model, [&q, &v], 0.25, steps, &settings);
            let difference = |(a, b): (&f64, &f64)| (a - b).abs();
            let velocities = end.v.iter().zip(&exact.v).map(difference);
            velocities
                .chain(end.q.iter().zip(&exact.q).map(difference))
                .fold(0.0, f64::max)
        });
        // Some move exactly: a slide under gravity.
        let is_exact = errors[0] < 1e-12;
        assert!(
            is_exact || errors[0] / errors[1] > 11.0,
            "joint {which}: {errors:?}"
        );
    }
}

#[test]
fn a_floating_tree_keeps_momentum_and_falls_as_it_must() {
    let mut rng = common::rng(7);
    let mut tree = ModelDescription::new("floating");
    for (number, kind) in [(0, 11), (1, 3), (2, 10), (3, 5)] {
        let body = format!("body {number}");
        tree.add_body(&body, common::random_inertia(&mut rng));
        let parent = match number {
            0 => WORLD.to_owned(),
            _ => format!("body {}", number - 1),
        };
        let kind = common::joint_kind(kind, &mut rng);
        tree.add_joint(format!("joint {number}"), kind, parent, &body)
            .at(common::random_pose(&mut rng));
    }
    let model = tree.build().unwrap();
    let (q, v) = (
        model.neutral(),
        common::random_vector(&mut rng, model.nv(), 3.0),
    );
    let mut data = Data::new(&model);
    let before = centroidal_momentum(&model, &mut data, &q, &v).unwrap();
    let center = center_of_mass(&model, &mut data, &q).unwrap();
    let end = run(&model, [&q, &v], 1.0, 240, &MotionSettings::default());
    let after = centroidal_momentum(&model, &mut data, &end.q, &end.v).unwrap();
    let mass = model.total_mass();
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    assert!((after.linear - before.linear - gravity * mass).norm() < 1e-11);
    assert!((after.angular - before.angular).norm() < 1e-11);
    let fallen = center_of_mass(&model, &mut data, &end.q).unwrap() - center;
    let expected = before.linear / mass + gravity * 0.5;
    assert!((fallen - expected).norm() < 1e-12, "{fallen} {expected}");
}

/// Trees of one model move as if each were alone, and stepping allocates nothing.
#[test]
fn trees_of_one_model_do_not_see_each_other() {
    let pendulum = |tree: &mut ModelDescription, name: &str, at: f64| {
        let inertia = Inertia::from_com(
            1.0,
            Vector3::new(0.3, 0.0, 0.0),
            Symmetric3::diagonal(0.1, 0.1, 0.1),
        );
        tree.add_body(name, inertia);
        tree.add_joint(format!("{name} joint"), JointKind::Spherical, WORLD, name)
            .at(Transform::from_translation(Vector3::new(0.0, at, 0.0)));
    };
    let (mut one, mut two) = (ModelDescription::new("one"), ModelDescription::new("two"));
    pendulum(&mut one, "b", 1.0);
    pendulum(&mut two, "a", 0.0);
    pendulum(&mut two, "b", 1.0);
    let (one, two) = (one.build().unwrap(), two.build().unwrap());
    let alone = run(
        &one,
        [&one.neutral(), &[0.1, 2.0, 3.0]],
        0.5,
        60,
        &MotionSettings::default(),
    );
    let mut motion = TreeMotion::new(&two);
    let (mut q, mut v) = (two.neutral(), vec![0.5, 0.2, 0.1, 0.1, 2.0, 3.0]);
    let mut memories = [MotionMemory::default(); 2];
    let before = allocations();
    for _ in 0..60 {
        for tree in 0..2 {
            let settings = MotionSettings::default();
            let memory = &mut memories[tree];
            motion
                .step(
                    &two,
                    tree,
                    0.5 / 60.0,
                    &settings,
                    &NoForces,
                    [&q, &v],
                    memory,
                )
                .unwrap();
        }
        let end = motion.end();
        q.copy_from_slice(end.0);
        v.copy_from_slice(end.1);
    }
    assert_eq!(allocations() - before, 0);
    assert_eq!(alone.q, q[4..]);
    assert_eq!(alone.v, v[3..]);
}

/// A rod whose velocity turns in its own axes with every spin: each turn must take as good as nothing.
#[test]
fn a_thin_rod_that_spins_fast_keeps_the_energy_of_its_swing() {
    let settings = MotionSettings {
        tolerance: 1e-5,
        max_substeps: 64,
        ..MotionSettings::default()
    };
    for (ratio, spin) in [(1e2, 200.0), (1e4, 150.0), (1e6, 200.0)] {
        let mut tree = ModelDescription::new("rod");
        let across = 1.0 / 12.0;
        let about = Symmetric3::diagonal(across, across, across / ratio);
        let inertia = Inertia::from_com(1.0, Vector3::new(0.0, 0.0, -0.5), about);
        tree.add_body("rod", inertia);
        tree.add_joint("ball", JointKind::Spherical, WORLD, "rod");
        let model = tree.build().unwrap();
        let (q, v) = ([0.0, 0.5f64.sin(), 0.0, 0.5f64.cos()], [2.0, 0.0, spin]);
        let energy = |state: &State| {
            let mut data = Data::new(&model);
            let kinetic = kinetic_energy(&model, &mut data, &state.q, &state.v).unwrap();
            kinetic + potential_energy(&model, &mut data, &state.q).unwrap()
        };
        let start = State {
            q: q.to_vec(),
            v: v.to_vec(),
        };
        let seconds = 6.0;
        let end = run(&model, [&q, &v], seconds, 1440, &settings);
        // 0.1 % of the energy of motion in a minute.
        let swing = 0.5 * (across + 0.25) * 4.0;
        let turning = 0.5 * across / ratio * spin * spin;
        let loss = (energy(&start) - energy(&end)) / (swing + turning);
        assert!(loss.abs() < 1e-3 * seconds / 60.0, "{ratio:e}: {loss:e}");
    }
}
