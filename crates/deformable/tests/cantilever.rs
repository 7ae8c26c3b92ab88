//! A bar bent by a load at its tip against Timoshenko's beam.
#![expect(clippy::print_stdout, reason = "figures are shown with --nocapture")]

mod common;

use common::{Run, bcc_box, five_tet_box, with_policy};
use stiction_deformable::TetMesh;
use stiction_deformable::fem::{HessianPolicy, Material};

const SIDE: f64 = 0.1;
const LENGTH: f64 = 1.0;

/// Deflection of the tip over that of Timoshenko's beam, P L³/(3 E I) + P L/(k G A), clamped so that the
/// face may grow and shrink across: u_x on the face, u_y and u_z on its middle lines.
fn deflection(mesh: &TetMesh, poisson: f64) -> f64 {
    let young = 1e6;
    let material = Material::corotational(young, poisson, 1e3);
    // A step so long that inertia plays no part: one linear solve of K u = f.
    let mut run = Run::new(
        mesh,
        material,
        with_policy(HessianPolicy::CoRotated, false),
        1e5,
    );
    let is = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let mut tip = Vec::new();
    let nodes: Vec<[f64; 3]> = run.x.chunks_exact(3).map(|x| [x[0], x[1], x[2]]).collect();
    for (node, &[x, y, z]) in nodes.iter().enumerate() {
        let held = run.stepper.body_mut().held_mut();
        if is(x, 0.0) {
            held.pin_axis(node, 0).unwrap();
            if is(y, SIDE / 2.0) {
                held.pin_axis(node, 1).unwrap();
            }
            if is(z, SIDE / 2.0) {
                held.pin_axis(node, 2).unwrap();
            }
        }
        if is(x, LENGTH) {
            // By the share of the face, a load without a moment.
            let share = |t: f64| if is(t, 0.0) || is(t, SIDE) { 0.5 } else { 1.0 };
            tip.push((node, share(y) * share(z)));
        }
    }
    let load = 1e-6;
    let total: f64 = tip.iter().map(|(_, share)| share).sum();
    run.force = vec![0.0; run.x.len()];
    for &(node, share) in &tip {
        run.force[3 * node + 2] = load * share / total;
    }
    run.step();
    let mean: f64 = tip
        .iter()
        .map(|&(node, share)| run.x[3 * node + 2] * share - nodes[node][2] * share)
        .sum::<f64>()
        / total;
    let (inertia, area) = (SIDE.powi(4) / 12.0, SIDE * SIDE);
    let shear = young / (2.0 * (1.0 + poisson));
    let k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    mean / (load * (LENGTH.powi(3) / (3.0 * young * inertia) + LENGTH / (k * shear * area)))
}

fn bar(n: usize, mesh: fn([f64; 3], [usize; 3]) -> TetMesh) -> TetMesh {
    mesh([LENGTH, SIDE, SIDE], [10 * n, n, n])
}

/// Order of the error by halving the cells.
fn order(coarse: f64, fine: f64) -> f64 {
    ((1.0 - coarse) / (1.0 - fine)).log2()
}

#[test]
fn a_coarse_cantilever_bends_with_second_order() {
    for (poisson, [coarse_limit, fine_limit]) in [(0.3, [0.27, 0.08]), (0.49, [0.42, 0.11])] {
        let [coarse, fine] = [2, 4].map(|n| deflection(&bar(n, bcc_box), poisson));
        println!(
            "BCC ν {poisson}: {coarse:.3} {fine:.3}, order {:.2}",
            order(coarse, fine)
        );
        assert!(1.0 - coarse < coarse_limit && 1.0 - fine < fine_limit);
        assert!(order(coarse, fine) > 1.8);
    }
    let five = deflection(&bar(4, five_tet_box), 0.3);
    println!("five-tet ν 0.3: {five:.3}");
    assert!(1.0 - five < 0.11);
}

/// Two percent of Timoshenko's beam at ν 0.3, three at 0.49.
#[test]
#[ignore = "factorises 36 000 degrees of freedom several times: cargo test --release -- --ignored"]
fn a_fine_cantilever_bends_as_timoshenkos() {
    for (name, mesh, n) in [
        ("BCC", bar(8, bcc_box), 8),
        ("five-tet", bar(10, five_tet_box), 10),
    ] {
        for (poisson, limit) in [(0.3, 0.02), (0.49, 0.03)] {
            let ratio = deflection(&mesh, poisson);
            println!("{name} n {n} ν {poisson}: {ratio:.4}");
            assert!((ratio - 1.0).abs() < limit, "{name} {poisson}: {ratio}");
        }
    }
    let coarse = deflection(&bar(4, bcc_box), 0.3);
    let fine = deflection(&bar(8, bcc_box), 0.3);
    assert!(order(coarse, fine) > 1.8, "{coarse} {fine}");
}
