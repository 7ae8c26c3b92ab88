//! What a step of a cable of 320 links costs, part by part.
//!
//! ```sh
//! cargo run --release -p stiction-deformable --example rod_cost
//! ```

use std::time::Instant;

use nalgebra::Vector3;
use stiction_deformable::rod::{
    Profile, Rod, RodEquations, RodError, RodInput, RodMaterial, RodShape, RodState,
    RodStepSettings, RodStepper, Strains, Supports,
};

const LINKS: usize = 320;
const REPEATS: u32 = 100;

/// Microseconds of one call, the mean of many.
fn time(mut call: impl FnMut() -> Result<(), RodError>) -> Result<f64, RodError> {
    call()?;
    let start = Instant::now();
    for _ in 0..REPEATS {
        call()?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e6 / f64::from(REPEATS))
}

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn measure(threads: usize) -> Result<(), RodError> {
    let material = RodMaterial {
        young: 2.954e6,
        poisson: 0.49,
        density: 1259.0,
    };
    let profile = Profile::round(4e-3, &material)?;
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * 1.2, LINKS)?;
    let rod = Rod::new(shape, profile)?;
    let mut supports = Supports::free(LINKS);
    supports.clamp(0)?;
    let settings = RodStepSettings::default();
    let mut state = RodState::at_rest(rod.rest().poses.clone());
    let mut stepper = RodStepper::default();
    for _ in 0..30 {
        stepper.step(&rod, &mut state, &supports, &[], &settings)?;
    }
    let input = RodInput {
        poses: &state.poses,
        velocity: &state.velocity,
        wrenches: &[],
        supports: &supports,
        guess: None,
    };
    let mut equations = RodEquations::default();
    let folded = time(|| equations.assemble(&rod, &input, &settings, Strains::Folded))?;
    let masses = time(|| equations.assemble(&rod, &input, &settings, Strains::AsRows))?;
    let rows = time(|| {
        for joint in 0..rod.joint_count() {
            std::hint::black_box(rod.joint_rows(joint, &state.poses)?);
        }
        Ok(())
    })?;
    let step = time(|| {
        let mut next = state.clone();
        stepper.step(&rod, &mut next, &supports, &[], &settings)?;
        Ok(())
    })?;
    println!("{threads} threads, {LINKS} links, µs");
    println!("  A and b, strains folded        {folded:8.0}");
    println!("  A and b, strains as rows       {masses:8.0}");
    println!("  e, J and C of all joints       {rows:8.0}   (on one thread)");
    println!("  a whole step                   {step:8.0}");
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build()?.install(|| measure(threads))?;
    }
    Ok(())
}
