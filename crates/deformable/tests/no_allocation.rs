//! Steps allocate nothing after the first.

mod common;

use common::{Run, five_tet_box, with_policy};
use nalgebra::Vector3;
use stiction_deformable::fem::{FemSettings, HessianPolicy, Material, StepStart};
use stiction_test_support::allocations;

#[test]
fn the_second_step_allocates_nothing() {
    // One thread, so that all of it is counted.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| {
        let mesh = five_tet_box([0.4, 0.1, 0.1], [8, 3, 3]);
        for (material, settings) in [
            (
                Material::corotational(1e5, 0.45, 1e3),
                with_policy(HessianPolicy::CoRotated, true),
            ),
            (
                Material::neo_hookean(1e5, 0.45, 1e3),
                FemSettings::default(),
            ),
        ] {
            let mut run = Run::new(&mesh, material.damped(0.1, 1e-3), settings, 0.01);
            run.spin(6.7);
            run.gravity = Vector3::new(0.0, 0.0, -9.81);
            run.step();
            let before = allocations();
            for _ in 0..3 {
                run.step();
            }
            assert_eq!(allocations(), before);

            // As a world does it: linearised, written, judged.
            let (x, v) = (run.x.clone(), run.v.clone());
            let body = run.stepper.body_mut();
            let mut values = vec![0.0; body.model().pattern().row_index().len()];
            let (mut x_end, mut v_end) = (x.clone(), v.clone());
            let start = StepStart {
                x: &x,
                v: &v,
                force: &[],
                gravity: Vector3::zeros(),
                time_step: 0.01,
                theta: 0.0,
            };
            let before = allocations();
            body.linearize(&start, None).unwrap();
            body.write_matrix(&mut values).unwrap();
            body.linearize(&start, Some(&v)).unwrap();
            body.ledger(&start, &v, &x).unwrap();
            body.merit(&start, &v).unwrap();
            body.advance(&start, &v, &mut x_end, &mut v_end).unwrap();
            assert_eq!(allocations(), before);
        }
    });
}
