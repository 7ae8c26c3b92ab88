//! Elements that are flat or inside out find back.
#![expect(clippy::print_stdout, reason = "figures are shown with --nocapture")]

mod common;

use common::{Noise, Run, bcc_box, five_tet_box, moved};
use nalgebra::{DMatrix, Vector3};
use stiction_deformable::fem::{FemSettings, HessianPolicy, Material, SoftBody, StepStart};

fn cube() -> stiction_deformable::TetMesh {
    five_tet_box([0.1; 3], [3; 3])
}

/// How far the shape is from that at rest, rigid motion apart, over the side: by distances of all pairs.
fn misshape(run: &Run) -> f64 {
    let (rest, x) = (run.model().rest_positions(), &run.x);
    let nodes = x.len() / 3;
    let mut worst = 0.0_f64;
    for a in 0..nodes {
        for b in 0..a {
            let length = |x: &[f64]| (common::at(x, a) - common::at(x, b)).norm();
            worst = worst.max((length(x) - length(rest)).abs());
        }
    }
    worst / 0.1
}

/// From a start with noise of 1 % of the side. Where the cube spins in the end (`K` keeps that) it stays
/// stretched a little.
fn recovers(
    name: &str,
    poisson: f64,
    hessian: HessianPolicy,
    start: impl Fn(Vector3<f64>, &mut Noise) -> Vector3<f64>,
) {
    let settings = FemSettings {
        hessian,
        ..FemSettings::default()
    };
    for seed in 0..2 {
        let mut noise = Noise(seed);
        let material = Material::corotational(1e5, poisson, 1e3);
        let mut run = Run::new(&bcc_box([0.1; 3], [3; 3]), material, settings, 0.01);
        let nodes = run.x.chunks_exact(3).map(|x| {
            let x = start(Vector3::new(x[0], x[1], x[2]), &mut noise);
            x + Vector3::from_fn(|_, _| 1e-3 * noise.next())
        });
        run.x = nodes.flat_map(|x| [x.x, x.y, x.z]).collect();
        let initial = run.energy();
        let mut gained = 0.0;
        for _ in 0..200 {
            gained += run.step().ledger.balance().max(0.0);
        }
        let (off, name) = (
            misshape(&run),
            format!("{name} {poisson} {} {seed}", hessian.name()),
        );
        println!("{name}: off {off:.1e} gained {:.1e}", gained / initial);
        assert!(off < 1e-3, "{name}: {off}");
        assert!(gained < 1e-9 * initial, "{name}");
        let states = run.model().element_states(&run.x).unwrap();
        assert!(
            states.iter().all(|state| state.volume_ratio > 0.0),
            "{name}"
        );
    }
}

#[test]
fn turned_inside_out_flat_and_collapsed_cubes_recover() {
    for hessian in [HessianPolicy::Psd, HessianPolicy::CoRotated] {
        recovers("mirrored", 0.3, hessian, |x, _| {
            Vector3::new(-x.x, x.y, x.z)
        });
        recovers("flat", 0.3, hessian, |x, _| Vector3::new(x.x, x.y, 0.0));
        recovers("flat", 0.45, hessian, |x, _| Vector3::new(x.x, x.y, 0.0));
        recovers("point", 0.3, hessian, |_, _| Vector3::zeros());
        recovers("random", 0.3, hessian, |_, noise| {
            Vector3::from_fn(|_, _| 0.05 * noise.next())
        });
    }
}

/// The smallest and the largest eigenvalue of the true Hessian of the energy, N/m.
fn curvatures(run: &Run) -> [f64; 2] {
    let settings = FemSettings {
        hessian: HessianPolicy::Exact,
        ..FemSettings::default()
    };
    let mut body = SoftBody::new(run.model().clone(), settings).unwrap();
    let n = body.model().dof_count();
    let start = StepStart {
        x: &run.x,
        v: &vec![0.0; n],
        force: &[],
        gravity: Vector3::zeros(),
        time_step: 1.0,
        theta: 0.0,
    };
    body.linearize(&start, None).unwrap();
    let mut values = vec![0.0; body.model().pattern().row_index().len()];
    body.write_matrix(&mut values).unwrap();
    let mut hessian = DMatrix::zeros(n, n);
    for ((row, column), value) in body.model().pattern().places().zip(values) {
        hessian[(row, column)] = value;
        hessian[(column, row)] = value;
    }
    for dof in 0..n {
        hessian[(dof, dof)] -= body.model().masses()[dof / 3];
    }
    let values = hessian.symmetric_eigenvalues();
    [values.min(), values.max()]
}

/// At ν 0.45 some cubes that begin inside out or scrambled come to rest with inverted elements. No step can
/// help: where they rest all forces are zero and the energy that is prescribed has a minimum.
#[test]
fn what_stays_tangled_rests_in_a_minimum_of_the_energy() {
    let (mut tangled, mut all) = (0, 0);
    for (name, is_scrambled) in [("mirrored", false), ("random", true)] {
        for seed in 0..6 {
            let mut noise = Noise(seed);
            let material = Material::corotational(1e5, 0.45, 1e3);
            let mesh = bcc_box([0.1; 3], [3; 3]);
            let mut run = Run::new(&mesh, material, FemSettings::default(), 0.01);
            for x in run.x.chunks_exact_mut(3) {
                x[0] = -x[0];
                for value in x {
                    let apart = noise.next();
                    *value = match is_scrambled {
                        true => 0.05 * apart,
                        false => *value + 1e-3 * apart,
                    };
                }
            }
            for _ in 0..1500 {
                run.step();
            }
            all += 1;
            let off = misshape(&run);
            if off < 1e-3 {
                continue;
            }
            tangled += 1;
            let mut force = vec![0.0; run.x.len()];
            run.model().internal_forces(&run.x, &mut force).unwrap();
            let force = common::norm(&force) / (1e5 * 0.1 * 0.1);
            let [least, most] = curvatures(&run);
            let states = run.model().element_states(&run.x).unwrap();
            let inverted = states.iter().filter(|one| one.volume_ratio < 0.0).count();
            println!(
                "{name} {seed}: off {off:.2}, {inverted} inverted, force {force:.1e}, curvature {:.1e}",
                least / most
            );
            assert!(force < 1e-8, "{name} {seed}: {force:e}");
            assert!(least > -1e-8 * most, "{name} {seed}: {least:e} of {most:e}");
            assert!(inverted > 0, "{name} {seed}");
        }
    }
    println!("{tangled} of {all} stay tangled");
    assert!(tangled > 0 && 4 * tangled < 3 * all, "{tangled} of {all}");
}

/// Squeezed between glued plates to a fifth of its height in half a second, then let go: how far it is off
/// after 3 s, and what it gained over what it had.
fn squeeze(material: Material, settings: FemSettings, time_step: f64) -> [f64; 2] {
    let mut run = Run::new(&cube(), material, settings, time_step);
    let plates: Vec<(usize, f64)> = run.x.chunks_exact(3).map(|x| x[2]).enumerate().collect();
    for &(node, z) in &plates {
        let held = run.stepper.body_mut().held_mut();
        if z < 1e-9 {
            held.pin(node).unwrap();
        } else if z > 0.1 - 1e-9 {
            held.drive(node, Vector3::new(0.0, 0.0, -0.08 / 0.5))
                .unwrap();
        }
    }
    for _ in 0..(0.5 / time_step).round() as usize {
        run.step();
    }
    let states = run.model().element_states(&run.x).unwrap();
    let inverted = states
        .iter()
        .filter(|state| state.volume_ratio < 0.0)
        .count();
    assert!(inverted > 0 || material.law != stiction_deformable::fem::Law::Corotational);
    for (node, _) in plates {
        run.stepper.body_mut().held_mut().release(node).unwrap();
    }
    run.v.fill(0.0);
    let initial = run.energy();
    let mut gained = 0.0;
    for _ in 0..(3.0 / time_step).round() as usize {
        gained += run.step().ledger.balance().max(0.0);
    }
    let off = misshape(&run);
    println!(
        "{:?} {} {time_step} s: {inverted} inverted, off {off:.1e}, gained {:.1e}",
        material.law,
        settings.hessian.name(),
        gained / initial
    );
    [off, gained / initial]
}

#[test]
fn a_squeezed_cube_returns() {
    for hessian in [HessianPolicy::Psd, HessianPolicy::CoRotated] {
        for poisson in [0.3, 0.45] {
            let settings = FemSettings {
                hessian,
                ..FemSettings::default()
            };
            let [off, gained] = squeeze(Material::corotational(1e5, poisson, 1e3), settings, 0.01);
            assert!(off < 1e-4 && gained < 1e-9, "{off} {gained}");
        }
    }
    let [off, gained] = squeeze(
        Material::corotational(1e5, 0.45, 1e3),
        FemSettings::default(),
        0.001,
    );
    assert!(off < 1e-4 && gained < 1e-9, "{off} {gained}");
}

#[test]
fn a_squeezed_neo_hookean_cube_returns() {
    for time_step in [0.01, 0.001] {
        let [off, gained] = squeeze(
            Material::neo_hookean(1e5, 0.45, 1e3),
            FemSettings::default(),
            time_step,
        );
        assert!(off < 1e-4 && gained < 1e-9, "{off} {gained}");
    }
}

#[test]
fn thrown_through_itself_it_lands_where_it_was_thrown() {
    // Recovery keeps the momentum: a mirrored cube in free flight.
    let mut run = Run::new(
        &cube(),
        Material::corotational(1e5, 0.45, 1e3),
        FemSettings::default(),
        0.01,
    );
    run.x = moved(&run.x, |x| Vector3::new(x.x, x.y, 0.1 - x.z));
    let mut noise = Noise(4);
    for x in &mut run.x {
        *x += 1e-3 * noise.next();
    }
    for v in run.v.chunks_exact_mut(3) {
        v[0] = 2.0;
    }
    let before = run.momentum()[0];
    for _ in 0..100 {
        run.step();
    }
    assert!((run.momentum()[0] - before).norm() < 1e-12 * before.norm());
    assert!(misshape(&run) < 1e-2);
}
