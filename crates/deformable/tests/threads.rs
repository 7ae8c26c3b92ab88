//! The same bits for any number of threads.

mod common;

use common::{Noise, Run, five_tet_box};
use stiction_deformable::fem::{FemSettings, Material};

fn run(threads: usize) -> (Vec<u64>, Vec<u64>) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(|| {
        let mesh = five_tet_box([0.4, 0.1, 0.1], [20, 5, 5]);
        let material = Material::corotational(1e5, 0.45, 1e3).damped(0.1, 1e-3);
        let mut run = Run::new(&mesh, material, FemSettings::default(), 0.01);
        let mut noise = Noise(2);
        for x in &mut run.x {
            *x += 0.005 * noise.next();
        }
        run.spin(6.0);
        for _ in 0..4 {
            run.step();
        }
        let body = run.stepper.body();
        let mut values = vec![0.0; body.model().pattern().row_index().len()];
        body.write_matrix(&mut values).unwrap();
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect();
        (bits(&values), bits(&run.x))
    })
}

#[test]
fn bits_do_not_depend_on_threads() {
    let one = run(1);
    assert!(run(2) == one);
    assert!(run(8) == one);
}
