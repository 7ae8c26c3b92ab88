//! A ball between two plates against Hertz.
#![expect(clippy::print_stdout, reason = "figures are shown with --nocapture")]

mod common;

use common::{Run, five_tet_box, with_policy};
use nalgebra::Vector3;
use stiction_deformable::TetMesh;
use stiction_deformable::fem::{FemSettings, HessianPolicy, Material};

const RADIUS: f64 = 0.05;

/// An eighth of a ball: a cube's cells pushed outward to the sphere.
fn octant(cells: usize) -> TetMesh {
    let cube = five_tet_box([1.0; 3], [cells; 3]);
    let bulge = |p: &Vector3<f64>| {
        let q = p.component_mul(p);
        let factor = |j: f64, k: f64| (1.0 - j / 2.0 - k / 2.0 + j * k / 3.0).sqrt();
        let factors = Vector3::new(factor(q.y, q.z), factor(q.x, q.z), factor(q.x, q.y));
        p.component_mul(&factors) * RADIUS
    };
    TetMesh::new(
        cube.nodes().iter().map(bulge).collect(),
        cube.tets().to_vec(),
    )
    .unwrap()
}

/// Force of a plate that comes `depth` nearer to the middle, over Hertz's; contact of nodes found by an
/// active set.
fn force_over_hertz(cells: usize, poisson: f64, depth: f64) -> f64 {
    let young = 1e6;
    let settings = FemSettings {
        linearizations: 3,
        ..with_policy(HessianPolicy::Psd, false)
    };
    let mesh = octant(cells);
    let material = Material::corotational(young, poisson, 1e3);
    let top = RADIUS - depth;
    let mut active: Vec<bool> = mesh.nodes().iter().map(|x| x.z > top).collect();
    let time = 1e4;
    for _ in 0..20 {
        // A step so long that inertia plays no part: equilibrium.
        let mut run = Run::new(&mesh, material, settings, time);
        for (node, x) in mesh.nodes().iter().enumerate() {
            let held = run.stepper.body_mut().held_mut();
            for axis in (0..3).filter(|&axis| x[axis].abs() < 1e-9) {
                held.pin_axis(node, axis).unwrap();
            }
            if active[node] {
                held.drive_axis(node, 2, (top - x.z) / time).unwrap();
            }
        }
        run.step();
        let mut force = vec![0.0; run.x.len()];
        run.model().internal_forces(&run.x, &mut force).unwrap();
        let next: Vec<bool> = (0..active.len())
            .map(|node| {
                if active[node] {
                    force[3 * node + 2] > 0.0
                } else {
                    run.x[3 * node + 2] > top
                }
            })
            .collect();
        if next == active {
            let touching = (0..active.len()).filter(|&node| active[node]);
            let total: f64 = 4.0 * touching.map(|node| force[3 * node + 2]).sum::<f64>();
            let hertz =
                4.0 / 3.0 * young / (1.0 - poisson * poisson) * RADIUS.sqrt() * depth.powf(1.5);
            return total / hertz;
        }
        active = next;
    }
    panic!("contact does not settle");
}

#[test]
fn a_pressed_ball_pushes_back_as_hertzs() {
    for poisson in [0.3, 0.45] {
        let ratio = force_over_hertz(9, poisson, 0.05 * RADIUS);
        println!("ν {poisson}: {ratio:.3}");
        assert!((ratio - 1.0).abs() < 0.12, "ν {poisson}: {ratio}");
    }
}
